import { describe, expect, test } from 'vitest'
import { fuseSignals } from '../../src/pipeline/fused-signal.ts'
import { untilAborted, untilDrained } from '../../src/pipeline/signals.ts'
import { createFakeClock, settle } from './fake-clock.ts'
import { abortListeners, never } from './rig.ts'

describe('fused signals', () => {
  test('abort with the reason of the first source that does', () => {
    const [a, b] = [new AbortController(), new AbortController()]
    const fused = [fuseSignals(a.signal, b.signal), fuseSignals(b.signal, a.signal)]
    b.abort('second')
    a.abort('first')
    expect(fused.map(({ signal }) => signal.reason)).toEqual(['second', 'second'])
  })

  test('are aborted from the start when a source is', () => {
    using fused = fuseSignals(new AbortController().signal, AbortSignal.abort('before'))
    expect(fused.signal.reason).toBe('before')
  })

  test('hold no listener once disposed, and hear nothing any more', () => {
    const source = new AbortController()
    const fused = fuseSignals(source.signal)
    const { signal } = fused
    expect(abortListeners(source.signal)).toBe(1)
    fused[Symbol.dispose]()
    expect(abortListeners(source.signal)).toBe(0)
    source.abort()
    expect([fused.aborted, signal.aborted]).toEqual([false, false])
  })

  test('listen to nothing until somebody asks for the signal, and know of an abort all the same', () => {
    const source = new AbortController()
    using fused = fuseSignals(source.signal)
    expect([fused.aborted, abortListeners(source.signal)]).toEqual([false, 0])
    source.abort('why')
    expect([fused.aborted, fused.reason, abortListeners(source.signal)]).toEqual([true, 'why', 0])
    expect(fused.signal.reason).toBe('why')
  })

  test('that were never asked for still say afterwards what had happened before they were disposed', () => {
    const [before, after] = [new AbortController(), new AbortController()]
    const fused = [fuseSignals(before.signal), fuseSignals(after.signal)]
    before.abort('in time')
    for (const one of fused) one[Symbol.dispose]()
    after.abort('too late')
    expect(fused.map(({ signal }) => signal.reason)).toEqual(['in time', undefined])
  })

  test('put any number of listeners behind one listener of the source, and tell them before the signal does', () => {
    const source = new AbortController()
    using fused = fuseSignals(source.signal)
    const heard: string[] = []
    fused.signal.addEventListener('abort', () => heard.push('signal'))
    const gone = () => heard.push('gone')
    for (const listener of [() => heard.push('a'), gone, () => heard.push('b')]) {
      fused.addEventListener('abort', listener)
    }
    fused.removeEventListener('abort', gone)
    expect(abortListeners(source.signal)).toBe(1)
    source.abort()
    fused.abort('again')
    expect(heard).toEqual(['a', 'b', 'signal'])
    expect(abortListeners(source.signal)).toBe(0)
  })

  test('of fused signals abort with them, whether anybody listened or not', () => {
    const source = new AbortController()
    using outer = fuseSignals(source.signal)
    using inner = fuseSignals(outer)
    using both = fuseSignals(outer, new AbortController().signal)
    source.abort('why')
    expect([inner.aborted, inner.reason, both.reason]).toEqual([true, 'why', 'why'])
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
