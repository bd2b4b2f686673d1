import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WallClock } from '../../src/executor/wall-clock.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('the wall clock of a run', () => {
  test('runs out once, after its time', () => {
    const onOut = vi.fn()
    const clock = new WallClock(1_000, onOut)
    vi.advanceTimersByTime(999)
    expect(onOut).not.toHaveBeenCalled()
    vi.advanceTimersByTime(5_000)
    expect(onOut).toHaveBeenCalledTimes(1)
    expect(clock.leftMs).toBeLessThan(1)
  })

  test('does not run while it is paused, however pauses nest, and goes on with what was left', () => {
    const onOut = vi.fn()
    const clock = new WallClock(1_000, onOut)
    vi.advanceTimersByTime(400)
    const outer = clock.pause()
    const inner = clock.pause()
    outer[Symbol.dispose]()
    // A pause is taken back once only: the inner one still holds.
    outer[Symbol.dispose]()
    vi.advanceTimersByTime(10_000)
    expect(onOut).not.toHaveBeenCalled()
    inner[Symbol.dispose]()
    vi.advanceTimersByTime(599)
    expect(onOut).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onOut).toHaveBeenCalledTimes(1)
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(11_000)
  })

  test('a budget longer than a timer can hold does not run out at once', () => {
    const onOut = vi.fn()
    const clock = new WallClock(2 ** 40, onOut)
    vi.advanceTimersByTime(2 ** 32)
    expect(onOut).not.toHaveBeenCalled()
    clock.stop()
  })

  test('a stopped clock never fires, not even when a pause ends later', () => {
    const onOut = vi.fn()
    const clock = new WallClock(1_000, onOut)
    const pause = clock.pause()
    clock.stop()
    pause[Symbol.dispose]()
    vi.advanceTimersByTime(10_000)
    expect(onOut).not.toHaveBeenCalled()
  })

  test('can be shortened, and what is paused stays paused', () => {
    const onOut = vi.fn()
    const clock = new WallClock(10_000, onOut)
    const pause = clock.pause()
    clock.shorten(500)
    clock.shorten(2_000)
    vi.advanceTimersByTime(5_000)
    expect(onOut).not.toHaveBeenCalled()
    pause[Symbol.dispose]()
    vi.advanceTimersByTime(499)
    expect(onOut).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(onOut).toHaveBeenCalledTimes(1)
    // One that is out stays out.
    clock.shorten(100)
    vi.advanceTimersByTime(1_000)
    expect(onOut).toHaveBeenCalledTimes(1)
  })
})
