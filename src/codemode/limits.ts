import { CodedError } from '../data/failure.ts'

/** What one run may use. All of it can be set per engine and lowered or raised per run. */
export interface Limits {
  /** Time in the isolate; waiting costs nothing. */
  readonly cpuMs: number
  /** Time from start to end; stands still while a person is asked. */
  readonly wallMs: number
  /** How long open calls may go on once the program has ended, and how long aborted ones are waited for before they are fenced. */
  readonly drainMs: number
  readonly memoryMb: number
  readonly maxCalls: number
  readonly maxPendingCalls: number
  readonly maxConcurrentCalls: number
  readonly maxProgramBytes: number
  readonly maxLogBytes: number
  readonly maxResultBytes: number
  readonly maxContentBytes: number
  /** One nested argument or result. */
  readonly maxValueBytes: number
  /** How long a question to a person stays open. */
  readonly approvalMs: number
}

export const DEFAULT_LIMITS: Limits = {
  cpuMs: 10_000,
  wallMs: 120_000,
  drainMs: 5_000,
  memoryMb: 128,
  maxCalls: 1_000,
  maxPendingCalls: 256,
  maxConcurrentCalls: 16,
  maxProgramBytes: 256 * 1024,
  maxLogBytes: 1024 * 1024,
  maxResultBytes: 8 * 1024 * 1024,
  maxContentBytes: 32 * 1024,
  maxValueBytes: 16 * 1024 * 1024,
  approvalMs: 3_600_000,
}

/** Node's timers take 31 bits; a longer limit would fire at once. */
const MAX_LIMIT = 2 ** 31 - 1

/** The defaults with `overrides` on top. Throws `CONFIG_INVALID` naming every limit that is not a positive integer. */
export function resolveLimits(base: Limits, overrides: Partial<Limits> = {}): Limits {
  const wrong: string[] = []
  const resolved: Record<string, number> = { ...base }
  for (const [name, value] of Object.entries(overrides)) {
    if (value === undefined) continue
    if (!Object.hasOwn(base, name)) wrong.push(`${name} is not a limit (there are: ${Object.keys(base).join(', ')})`)
    else if (!Number.isInteger(value) || value < 1 || value > MAX_LIMIT)
      wrong.push(`${name} must be an integer from 1 to ${MAX_LIMIT}; got ${JSON.stringify(value) ?? String(value)}`)
    else resolved[name] = value
  }
  if (wrong.length > 0) throw new CodedError('CONFIG_INVALID', `limits: ${wrong.join('; ')}`)
  return resolved as unknown as Limits // Every key comes from `base`; each override was checked above.
}
