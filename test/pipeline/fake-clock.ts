import type { Clock } from '../../src/data/clock.ts'

/** Time that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves on by `ms`, timer by timer, letting everything that a timer set in motion settle. */
  advance(ms: number): Promise<void>
  readonly pendingTimers: number
}

export function createFakeClock(): FakeClock {
  let now = 1_000
  const timers = new Set<{ readonly atMs: number; readonly fn: () => void }>()
  return {
    nowMs: () => now,
    monotonicMs: () => now,
    after(ms, fn) {
      const timer = { atMs: now + ms, fn }
      timers.add(timer)
      return { [Symbol.dispose]: () => void timers.delete(timer) }
    },
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.atMs <= end).sort((a, b) => a.atMs - b.atMs)
        if (next === undefined) break
        timers.delete(next)
        now = next.atMs
        next.fn()
        await settle()
      }
      now = end
    },
    get pendingTimers() {
      return timers.size
    },
  }
}

/** Lets every promise that can settle by itself do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
