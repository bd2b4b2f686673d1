import type { StartBody } from '../../sandbox/wire.ts'
import type { RunRequest } from './executor.ts'

/** What an isolate is told of the run that begins in it: its budgets of time stay with the host. */
export function startBodyOf(request: RunRequest, sliceMs: number): StartBody {
  const { code, places, bindings, limits, seed, startTimeMs } = request
  const { memoryMb, maxPendingCalls, maxLogBytes, maxResultBytes, maxValueBytes } = limits
  return {
    code,
    ...(places !== undefined && { places }),
    bindings,
    limits: { memoryMb, maxPendingCalls, maxLogBytes, maxResultBytes, maxValueBytes },
    seed,
    startTimeMs,
    sliceMs,
  }
}
