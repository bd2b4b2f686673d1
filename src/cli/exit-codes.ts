import { FAILURE_CODES, isFailureCode } from '../data/failure-codes.ts'

/** What the process tells its caller. Codes of single failures come from `failure-codes.ts`; this adds the rest. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  serversMissing: 3,
  sandboxUnavailable: 4,
  internal: 70,
  outputLost: 74,
  interrupted: 130,
  terminated: 143,
} as const

/** One line a code, for `--help`. */
export const EXIT_HELP: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.ok, 'done (run: the program succeeded)'],
  [EXIT.failed, 'the program failed, or one of its limits ended it (bench: a call failed, or nothing could be called)'],
  [EXIT.usage, 'wrong usage, or a file or configuration that cannot be used'],
  [EXIT.serversMissing, 'tools, sdk, bench, doctor: done, but a configured server did not start'],
  [EXIT.sandboxUnavailable, 'no sandbox can be started here (see: codeferry doctor)'],
  [EXIT.internal, 'a fault of codeferry itself'],
  [EXIT.outputLost, 'the output could not be written; what was done is done'],
  [EXIT.interrupted, 'interrupted (Ctrl-C); what was done until then is printed'],
  [EXIT.terminated, 'terminated (SIGTERM)'],
]

export function exitCodeOf(failureCode: string): number {
  return isFailureCode(failureCode) ? FAILURE_CODES[failureCode].exitCode : EXIT.failed
}
