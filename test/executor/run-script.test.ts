import { describe, expect, test } from 'vitest'
import type { WireEvent } from '../../sandbox/wire.ts'
import { RunScript } from '../../src/executor/run-script.ts'

const call = (n: number, name = 'look'): WireEvent => ({ e: 'call', n, op: 'call', name, args: '{}' })
const waiting = { s: 'waiting' } as const
const delivery = (n: number) => ({ nowMs: n, items: [{ t: 'ok', n, json: '1' }] }) as const

/** Two calls, one after the other; the second has been submitted and its answer delivered, without an answer yet. */
function recordedScript(): RunScript {
  const script = new RunScript(1 << 20)
  script.rewind()
  expect(script.hear(call(1))).toBe('new')
  expect(script.answer(waiting)).toBe('new')
  script.record(delivery(1))
  expect(script.hear(call(2))).toBe('new')
  expect(script.answer(waiting)).toBe('new')
  script.record(delivery(2))
  return script
}

describe('the script of a run', () => {
  test('a fresh isolate gets every delivery again, and what it repeats is known', () => {
    const script = recordedScript()
    script.rewind()
    expect(script.isReplaying).toBe(true)
    expect(script.hear(call(1))).toBe('known')
    expect(script.answer(waiting)).toBe('known')
    expect(script.next()).toEqual(delivery(1))
    expect(script.hear(call(2))).toBe('known')
    expect(script.answer(waiting)).toBe('known')
    expect(script.next()).toEqual(delivery(2))
    expect(script.isReplaying).toBe(false)
    expect(script.next()).toBeUndefined()
    expect(script.hear(call(3))).toBe('new')
  })

  test('what had been said of an unanswered slice is known, what follows is new', () => {
    const script = recordedScript()
    expect(script.hear(call(3))).toBe('new')
    script.rewind()
    for (const n of [1, 2]) {
      expect(script.hear(call(n))).toBe('known')
      expect(script.answer(waiting)).toBe('known')
      script.next()
    }
    expect(script.hear(call(3))).toBe('known')
    expect(script.hear(call(4))).toBe('new')
    expect(script.answer(waiting)).toBe('new')
  })

  test.each<[string, (script: RunScript) => unknown, RegExp, RegExp]>([
    ['another call', (script) => script.hear(call(1, 'delete')), /"look"/, /"delete"/],
    ['a call too few', (script) => script.answer(waiting), /"look"/, /nothing more/],
    ['a call too many', (script) => (script.hear(call(1)), script.hear(call(2, 'delete'))), /nothing more/, /"delete"/],
    [
      'another end of a slice',
      (script) => (script.hear(call(1)), script.answer({ s: 'returned' })),
      /waiting/,
      /returned/,
    ],
  ])('%s is a divergence that shows both sides', (_name, replay, recorded, replayed) => {
    const script = recordedScript()
    script.rewind()
    expect(replay(script)).toEqual({
      recorded: expect.stringMatching(recorded),
      replayed: expect.stringMatching(replayed),
    })
  })

  test('a record over its bound is dropped, and says so', () => {
    const script = new RunScript(1_000)
    expect(script.isKept).toBe(true)
    script.hear({ e: 'log', level: 'log', at: 0, text: 'x'.repeat(1_000) })
    expect(script.isKept).toBe(false)
    expect(script.isReplaying).toBe(false)
    expect(script.hear(call(1))).toBe('new')
  })
})
