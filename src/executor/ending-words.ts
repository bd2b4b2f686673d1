import { thrownMessage } from '../data/failure.ts'
import type { ChildExit } from './child-link.ts'

/* How the endings of runs are worded: which budget ended, and what the program may not know about it. */

export function cpuMessage(cpuMs: number): string {
  return `the program used up its cpuMs (${cpuMs}); the guest clock stands still while it computes, so waiting on Date.now() in a loop never ends`
}

export function wallMessage(wallMs: number, calls: { readonly size: number; describe(): string }): string {
  const open = calls.size === 0 ? '' : `; it still waited for ${calls.describe()}`
  return `the program used up its wallMs (${wallMs})${open}`
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
