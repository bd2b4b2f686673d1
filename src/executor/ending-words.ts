import { thrownMessage } from '../data/failure.ts'
import type { ChildExit } from './child-link.ts'

/* How the endings of runs are worded: which budget ended, and what the program may not know about it. */

const READS_CLOCK = /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bTemporal\.Now\b/

export function cpuMessage(run: { readonly code: string; readonly limits: { readonly cpuMs: number } }): string {
  const ended = `the program used up its cpuMs (${run.limits.cpuMs})`
  if (!READS_CLOCK.test(run.code)) return ended
  return `${ended}; it reads the clock, which stands still while a program computes: a loop that waits for it never ends (write: await new Promise((resolve) => setTimeout(resolve, ms)))`
}

/** Which calls were open the ending says by number. */
export function wallMessage(wallMs: number): string {
  return `the program used up its wallMs (${wallMs})`
}

export function memoryMessage(memoryMb: number): string {
  return `the program used more memory than memoryMb (${memoryMb}) allows`
}

export function abortReason(signal: AbortSignal): string {
  const reason: unknown = signal.reason
  return typeof reason === 'string' ? reason : thrownMessage(reason)
}

export function describeExit({ code, signal, killed }: ChildExit): string {
  return killed?.message ?? signal ?? `exit code ${code}`
}
