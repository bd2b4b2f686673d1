import type { StartBody } from '../wire.ts'

/** What the prelude knows of the run. Set once by `start`; only the clock moves, at deliveries. Never holds the seed. */
export const run: {
  limits: StartBody['limits']
  startTimeMs: number
  nowMs: number
} = {
  limits: { memoryMb: 0, maxPendingCalls: 1, maxLogBytes: 0, maxResultBytes: 0, maxValueBytes: 0 },
  startTimeMs: 0,
  nowMs: 0,
}
