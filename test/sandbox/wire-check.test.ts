import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseChildFrame, type FrameLimits } from '../../sandbox/wire-check.ts'
import { CHILD_FRAME } from '../../sandbox/wire.ts'

const LIMITS: FrameLimits = { maxPendingCalls: 4, maxLogBytes: 100, maxResultBytes: 100, maxValueBytes: 100 }
const check = (type: number, body: unknown) => parseChildFrame(type, JSON.stringify(body), LIMITS)
const slice = (events: unknown, state: unknown = { s: 'waiting' }, cpuMs: unknown = 1) =>
  check(CHILD_FRAME.slice, { events, state, cpuMs })

describe('an honest frame', () => {
  test.each([
    [CHILD_FRAME.ready, { version: 1, node: '26', v8: '14' }],
    [CHILD_FRAME.fatal, { why: 'internal', message: 'x' }],
    [CHILD_FRAME.part, { events: [{ e: 'call', n: 1, op: 'call', name: '__proto__', args: '{}' }] }],
    [
      CHILD_FRAME.slice,
      {
        events: [
          { e: 'timer', id: 1, ms: 0 },
          { e: 'clear', id: 1 },
          { e: 'log', level: 'warn', at: 3, text: 'é' },
          { e: 'notice', code: 'C', text: 't' },
          { e: 'show', json: '{}' },
          { e: 'progress', message: 'm', fraction: 0.5 },
          { e: 'progress' },
        ],
        state: { s: 'threw', name: 'E', message: 'm', stack: '', code: 'C', tool: 't' },
        cpuMs: 0.25,
      },
    ],
    [CHILD_FRAME.slice, { events: [], state: { s: 'returned', json: '1' }, cpuMs: 0 }],
    [CHILD_FRAME.slice, { events: [], state: { s: 'stopped', why: 'memory', message: '' }, cpuMs: 0 }],
  ])('of type %i comes out as it went in', (type, body) => {
    expect(check(type, body)).toMatchObject({ ok: true, frame: { body } })
  })

  test('loses the fields that nobody knows', () => {
    const parsed = parseChildFrame(
      CHILD_FRAME.slice,
      '{"events":[],"state":{"s":"waiting","runId":"x"},"cpuMs":1,"tenant":"y"}',
      LIMITS,
    )
    expect(parsed).toEqual({
      ok: true,
      frame: { type: 'slice', body: { events: [], state: { s: 'waiting' }, cpuMs: 1 } },
    })
  })

  test('with a key twice is read once, and the last value counts', () => {
    const body = '{"events":[{"e":"call","n":1,"op":"call","name":"safe","name":"last","args":"{}"}]}'
    expect(parseChildFrame(CHILD_FRAME.part, body, LIMITS)).toMatchObject({
      frame: { body: { events: [{ name: 'last' }] } },
    })
  })
})

describe('a forged frame is a violation', () => {
  test.each([
    ['unknown type', () => check(99, {})],
    ['not JSON', () => parseChildFrame(CHILD_FRAME.slice, '{', LIMITS)],
    ['an array', () => check(CHILD_FRAME.slice, [])],
    ['null', () => check(CHILD_FRAME.slice, null)],
    ['no events', () => slice(undefined)],
    ['an event that is a string', () => slice(['call'])],
    ['an unknown event', () => slice([{ e: 'exec' }])],
    ['a call numbered 0', () => slice([{ e: 'call', n: 0, op: 'call', name: 'x', args: '{}' }])],
    ['a call numbered 1.5', () => slice([{ e: 'call', n: 1.5, op: 'call', name: 'x', args: '{}' }])],
    ['an unknown op', () => slice([{ e: 'call', n: 1, op: 'eval', name: 'x', args: '{}' }])],
    ['an op of a prototype', () => slice([{ e: 'call', n: 1, op: 'constructor', name: 'x', args: '{}' }])],
    ['arguments that are no text', () => slice([{ e: 'call', n: 1, op: 'call', name: 'x', args: {} }])],
    ['arguments over the limit', () => slice([{ e: 'call', n: 1, op: 'call', name: 'x', args: 'x'.repeat(101) }])],
    [
      'arguments over the limit in bytes',
      () => slice([{ e: 'call', n: 1, op: 'call', name: 'x', args: 'é'.repeat(51) }]),
    ],
    ['a log over the limit', () => slice([{ e: 'log', level: 'log', at: 0, text: 'x'.repeat(5000) }])],
    ['an unknown level', () => slice([{ e: 'log', level: 'fatal', at: 0, text: '' }])],
    ['a negative time', () => slice([{ e: 'log', level: 'log', at: -1, text: '' }])],
    [
      'a timer of Infinity',
      () => parseChildFrame(CHILD_FRAME.part, '{"events":[{"e":"timer","id":1,"ms":1e999}]}', LIMITS),
    ],
    ['no state', () => slice([], null)],
    ['an unknown state', () => slice([], { s: 'constructor' })],
    ['a result over the limit', () => slice([], { s: 'returned', json: 'x'.repeat(101) })],
    ['an unknown reason', () => slice([], { s: 'stopped', why: 'bored', message: '' })],
    ['CPU time as text', () => slice([], { s: 'waiting' }, '1')],
    ['an error without a name', () => slice([], { s: 'threw', message: '', stack: '' })],
    ['a body over all limits', () => parseChildFrame(CHILD_FRAME.part, ' '.repeat(2 * 1024 * 1024), LIMITS)],
  ])('%s', (_name, run) => {
    expect(run()).toMatchObject({ ok: false, violation: expect.stringContaining('the sandbox process sent') })
  })

  test('missing fields are not found on a polluted prototype', () => {
    Object.defineProperty(Object.prototype, 'name', { value: 'admin.delete', configurable: true })
    try {
      expect(slice([{ e: 'call', n: 1, op: 'call', args: '{}' }])).toMatchObject({ ok: false })
    } finally {
      Reflect.deleteProperty(Object.prototype, 'name')
    }
  })

  test('whatever the bytes, the check answers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.uint8Array(), (type, bytes) => {
        expect(typeof parseChildFrame(type, Buffer.from(bytes), LIMITS).ok).toBe('boolean')
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(65, 66, 67, 68), fc.jsonValue(), (type, body) => {
        expect(typeof check(type, body).ok).toBe('boolean')
      }),
    )
  })
})
