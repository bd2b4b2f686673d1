import { describe, expect, test } from 'vitest'
import { fuseSignals, untilAborted, untilDrained } from '../../src/pipeline/signals.ts'
import { createFakeClock, settle } from './fake-clock.ts'
import { abortListeners, never } from './rig.ts'

describe('fused signals', () => {
  test('abort with the reason of the first source that does', () => {
    const [a, b] = [new AbortController(), new AbortController()]
    using fused = fuseSignals(a.signal, undefined, b.signal)
    b.abort('second')
    a.abort('first')
    expect(fused.signal.reason).toBe('second')
  })

  test('are aborted from the start when a source is', () => {
    using fused = fuseSignals(new AbortController().signal, AbortSignal.abort('before'))
    expect(fused.signal.reason).toBe('before')
  })

  test('hold no listener once disposed, and hear nothing any more', () => {
    const source = new AbortController()
    const fused = fuseSignals(source.signal)
    expect(abortListeners(source.signal)).toBe(1)
    fused[Symbol.dispose]()
    expect(abortListeners(source.signal)).toBe(0)
    source.abort()
    expect(fused.signal.aborted).toBe(false)
  })
})

describe('waiting', () => {
  test('an abort ends the wait at once; what comes later is reported once', async () => {
    const caller = new AbortController()
    let resolve: (value: string) => void = () => {}
    let late = 0
    const waited = untilAborted(new Promise<string>((done) => (resolve = done)), caller.signal, () => late++)
    caller.abort()
    expect(await waited).toEqual({ kind: 'left' })
    expect(late).toBe(0)
    resolve('value')
    await settle()
    expect(late).toBe(1)
    expect(abortListeners(caller.signal)).toBe(0)
  })

  test('work that settles within the drain time counts', async () => {
    const clock = createFakeClock()
    const caller = new AbortController()
    let resolve: (value: string) => void = () => {}
    const waited = untilDrained(new Promise<string>((done) => (resolve = done)), caller.signal, {
      clock,
      drainMs: 100,
      onLate: () => {},
    })
    caller.abort()
    await clock.advance(99)
    resolve('just in time')
    expect(await waited).toEqual({ kind: 'value', value: 'just in time' })
    expect(clock.pendingTimers).toBe(0)
  })

  test('work may be given the drain time again, as often as it is granted', async () => {
    const clock = createFakeClock()
    let asked = 0
    const waited = untilDrained(never(), AbortSignal.abort(), {
      clock,
      drainMs: 100,
      onLate: () => {},
      mayLeave: () => ++asked > 2,
    })
    await clock.advance(299)
    expect(asked).toBe(2)
    await clock.advance(1)
    expect(await waited).toEqual({ kind: 'left' })
  })
})
