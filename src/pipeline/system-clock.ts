import type { Clock } from '../data/clock.ts'

/** A longer delay makes `setTimeout` fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** The clock of this process. A pending timer keeps the process alive: it guards a call that is still open. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (ms, fn) => setTimeout(fn, Math.min(ms, MAX_DELAY_MS)),
}
