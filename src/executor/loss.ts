import type { ChildExit } from './child-link.ts'

export interface Verdict {
  readonly code: 'TIMEOUT' | 'MEMORY_LIMIT' | 'SANDBOX_LOST'
  readonly message: string
}

/** How V8 and libc end a process that cannot go on; with an isolate inside it is nearly always memory. */
const CRASH_SIGNALS = new Set<string>(['SIGSEGV', 'SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGBUS'])
/** 128 + signal, or V8's own exit after a failed allocation, where a wrapper reports instead of dying likewise. */
const CRASH_CODES = new Set([132, 133, 134, 135, 139])

/**
 * What the loss of a child means for one of its runs. `undefined`: it is not to blame and can be resumed. A run that
 * was inside when the child died from outside (an operator, the kernel's memory killer) is not known to be guilty:
 * it is resumed too, and `maxResumes` bounds how many children it can cost.
 */
export function judgeLoss(exit: ChildExit, wasInside: boolean): Verdict | undefined {
  if (!wasInside) return undefined
  if (exit.fatal !== undefined) {
    return exit.fatal.why === 'out-of-memory'
      ? {
          code: 'MEMORY_LIMIT',
          message: `the program exhausted the memory of its sandbox process: ${exit.fatal.message}`,
        }
      : { code: 'SANDBOX_LOST', message: `the sandbox process failed: ${exit.fatal.message}` }
  }
  switch (exit.killed?.reason) {
    case 'stuck':
      return {
        code: 'TIMEOUT',
        message: `the program used up its time and could not be interrupted: ${exit.killed.message}`,
      }
    case 'rss':
      return { code: 'MEMORY_LIMIT', message: exit.killed.message }
    case 'forged':
      return { code: 'SANDBOX_LOST', message: `the sandbox process broke the protocol: ${exit.killed.message}` }
    case 'closed':
    case 'not-ready':
      return { code: 'SANDBOX_LOST', message: exit.killed.message }
    case 'crowded':
      // All runs together held too much, each within its own limit.
      return undefined
    case undefined:
  }
  if ((exit.signal !== null && CRASH_SIGNALS.has(exit.signal)) || (exit.code !== null && CRASH_CODES.has(exit.code))) {
    return {
      code: 'MEMORY_LIMIT',
      message: `the program crashed its sandbox process (${exit.signal ?? `exit code ${exit.code}`}), which exhausting memory does`,
    }
  }
  return undefined
}
