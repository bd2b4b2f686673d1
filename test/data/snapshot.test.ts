import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { isSnapshot, snapshot } from '../../src/data/snapshot.ts'

const date = new Date(0)
const cycle: { self?: unknown } = {}
cycle.self = { again: cycle }

describe('what is not plain JSON data is refused with its path and the reason', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['undefined', { a: [undefined] }, '/a/0', /^undefined/],
    ['NaN', { a: NaN }, '/a', /^NaN/],
    ['Infinity', [1, -Infinity], '/1', /^-Infinity/],
    ['minus zero', { 'a/b': { '~': -0 } }, '/a~1b/~0', /^-0/],
    ['a bigint', [1n], '/0', /^bigint/],
    ['a symbol', [Symbol('s')], '/0', /^symbol has/],
    ['a function', { toJSON: () => 1 }, '/toJSON', /^function/],
    ['a symbol key', { a: { [Symbol('s')]: 1 } }, '/a', /^symbol key/],
    ['a hidden property', { a: Object.defineProperty({}, 'b', { value: 1 }) }, '/a', /not enumerable/],
    ['a date', { at: date }, '/at', /^class instance \(Date\)/],
    ['a map', [new Map()], '/0', /^class instance \(Map\)/],
    ['an array subclass', [new (class Odd extends Array {})()], '/0', /^class instance/],
    ['a typed array', new Uint8Array(2), '', /^class instance \(Uint8Array\)/],
    ['an object with a plain prototype', [Object.create({})], '/0', /^class instance/],
    ['a hole', [[1, , 3]], '/0', /^array hole/], // oxlint-disable-line no-sparse-arrays -- The hole is the subject.
    ['an array with a property', [Object.assign([1], { x: 1 })], '/0', /extra properties/],
    ['a symbol key on an array', Object.assign([1], { [Symbol('s')]: 1 }), '', /^symbol key/],
    ['a cycle', cycle, '/self/again', /^cycle/],
    [
      'a getter that throws',
      {
        ok: 1,
        get bad() {
          throw new Error('no')
        },
      },
      '/bad',
      /threw: no/,
    ],
    ['undefined itself', undefined, '', /^undefined/],
  ])('%s', (_name, value, path, reason) => {
    const taken = snapshot(value)
    expect(taken).toMatchObject({ ok: false, path })
    expect(!taken.ok && taken.reason).toMatch(reason)
  })

  test('a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(snapshot({ deep: proxy })).toMatchObject({ ok: false, path: '/deep' })
  })
})

describe('what is plain JSON data is copied', () => {
  test('objects of another realm and without a prototype are plain', () => {
    const foreign: unknown = runInNewContext('({ list: [1, { a: null }] })')
    const bare: unknown = Object.assign(Object.create(null), { foreign })
    expect(snapshot(bare)).toEqual({
      ok: true,
      value: { foreign: { list: [1, { a: null }] } },
      bytes: JSON.stringify(bare).length,
    })
  })

  test('an own __proto__ is data, and changes no prototype', () => {
    const taken = snapshot(JSON.parse('{"__proto__":{"admin":true},"constructor":1}'))
    if (!taken.ok) throw new Error(taken.reason)
    expect(Object.getPrototypeOf(taken.value)).toBe(Object.prototype)
    expect(JSON.stringify(taken.value)).toBe('{"__proto__":{"admin":true},"constructor":1}')
    expect(Reflect.get(Object(taken.value), 'admin')).toBeUndefined()
  })

  test('each accessor is read once, so what is checked is what is kept', () => {
    let reads = 0
    const shifty = {
      get amount() {
        return ++reads
      },
    }
    expect(snapshot({ shifty, again: 1 })).toMatchObject({ ok: true, value: { shifty: { amount: 1 } } })
    expect(reads).toBe(1)
    const proxy = new Proxy({ a: 1 }, { get: () => ++reads })
    expect(snapshot(proxy)).toMatchObject({ ok: true, value: { a: 2 } })
  })

  test('the copy is frozen all the way down and apart from the original', () => {
    const original = { list: [{ a: 1 }], empty: [{}, []] }
    const taken = snapshot(original)
    original.list[0]!.a = 2
    if (!taken.ok) throw new Error(taken.reason)
    const value = taken.value as typeof original
    expect(value).toEqual({ list: [{ a: 1 }], empty: [{}, []] })
    for (const part of [value, value.list, value.list[0], value.empty, ...value.empty])
      expect(Object.isFrozen(part)).toBe(true)
  })

  test('a snapshot is known again by identity, alone and as a part, and counted each time', () => {
    const first = snapshot({ a: [1, 2, 3] })
    if (!first.ok) throw new Error(first.reason)
    expect(snapshot(first.value)).toEqual(first)
    const again = snapshot(first.value)
    expect(again.ok && again.value).toBe(first.value)
    const twice = snapshot([first.value, first.value])
    expect(twice.ok && twice.bytes).toBe(2 * first.bytes + 3)
    expect(snapshot(first.value, { maxBytes: first.bytes - 1 }).ok).toBe(false)
    expect(snapshot([first.value], { maxDepth: 2 }).ok).toBe(false)
    expect(isSnapshot(first.value)).toBe(true)
  })

  test('nothing outside passes for a snapshot', () => {
    const first = snapshot({ a: 1 })
    if (!first.ok) throw new Error(first.reason)
    for (const other of [
      { a: 1 },
      Object.freeze({ a: 1 }),
      { ...Object(first.value) },
      new Proxy(Object(first.value), {}),
    ]) {
      expect(isSnapshot(other)).toBe(false)
    }
    expect([null, 1, '', true].every(isSnapshot)).toBe(true)
    expect([undefined, -0, NaN, 1n].some(isSnapshot)).toBe(false)
  })
})

describe('limits', () => {
  test('bytes are those of the JSON text: escapes and multibyte text count in full', () => {
    const value = { 'ключ"': ['a\n\u0001', '\ud800', '😀', 1.5e300, -12, 1234567] }
    const bytes = Buffer.byteLength(JSON.stringify(value))
    expect(snapshot(value, { maxBytes: bytes })).toMatchObject({ ok: true, bytes })
    expect(snapshot(value, { maxBytes: bytes - 1 })).toMatchObject({
      ok: false,
      reason: `larger than ${bytes - 1} bytes as JSON`,
    })
    expect(snapshot('x'.repeat(10), { maxBytes: 11 }).ok).toBe(false)
    expect(snapshot(null, { maxBytes: 3 }).ok).toBe(false)
  })

  test('depth 5,000 is copied without recursion, and one level more is refused', () => {
    expect(snapshot(nest(5_000)).ok).toBe(true)
    expect(snapshot(nest(5_001))).toMatchObject({ ok: false, reason: 'nested deeper than 5000 levels' })
    expect(snapshot(nest(100_000)).ok).toBe(false)
    expect(snapshot(nest(100_000), { maxDepth: 200_000 }).ok).toBe(true)
  })

  test('many values are copied up to the limit and refused after it', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({ index }))
    expect(snapshot(many, { maxNodes: 200_001 }).ok).toBe(true)
    expect(snapshot(many, { maxNodes: 200_000 })).toMatchObject({ ok: false, reason: 'more than 200000 values' })
  })

  test('shared parts count each time they occur, so that forty doublings are refused and not expanded', () => {
    let bomb: unknown = ['x']
    let copies = 0
    for (let level = 0; level < 40; level++) {
      const inner = bomb
      bomb = [
        inner,
        {
          get again() {
            copies++
            return inner
          },
        },
      ]
    }
    expect(snapshot(bomb)).toMatchObject({ ok: false, reason: 'more than 1000000 values' })
    expect(copies).toBeLessThan(1_000)
  })

  test('a shared part that fits is the same frozen copy wherever it occurs, and its limits still hold', () => {
    const shared = { deep: nest(50) }
    const wide = { filler: Array.from({ length: 2_000 }, () => 0), parts: [shared, shared, [[shared]]] }
    const taken = snapshot(wide)
    expect(taken).toMatchObject({ ok: true, bytes: Buffer.byteLength(JSON.stringify(wide)) })
    expect(snapshot(wide, { maxDepth: 55 }).ok).toBe(true)
    expect(snapshot(wide, { maxDepth: 54 }).ok).toBe(false)
  })

  test('an array that claims to be endless is refused before it is read', () => {
    let reads = 0
    const liar = new Proxy([], {
      get: (target, key) => (key === 'length' ? 2 ** 32 - 1 : (reads++, Reflect.get(target, key))),
    })
    expect(snapshot({ liar }).ok).toBe(false)
    expect(reads).toBeLessThan(10)
  })

  test('a proxy that always gives another proxy ends at the depth limit', () => {
    const endless = (): object =>
      new Proxy(
        {},
        {
          ownKeys: () => ['a'],
          getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
          get: endless,
        },
      )
    expect(snapshot(endless())).toMatchObject({ ok: false, reason: 'nested deeper than 5000 levels' })
  })

  test('a cycle far down is still called a cycle', () => {
    const far: unknown[] = []
    let top: unknown = far
    for (let level = 0; level < 100; level++) top = [top]
    far.push(top)
    expect(snapshot(top)).toMatchObject({ ok: false, reason: 'cycle: the value contains itself' })
  })
})

function nest(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

describe('sizes that an attacker would choose', () => {
  test('a million nodes are taken, one more is refused before any is copied', () => {
    expect(snapshot(Array.from({ length: 999_999 }, () => 0))).toMatchObject({ ok: true })
    expect(snapshot(Array.from({ length: 1_000_000 }, () => 0))).toMatchObject({
      ok: false,
      path: '',
      reason: expect.stringContaining('1000000') as string,
    })
  })

  test('a string of 64 MiB is refused without being copied, unless the limit allows it', () => {
    const text = 'x'.repeat(64 * 1024 * 1024)
    expect(snapshot({ text })).toMatchObject({ ok: false, path: '/text' })
    expect(snapshot({ text }, { maxBytes: 65 * 1024 * 1024, maxNodes: 10, maxDepth: 10 })).toMatchObject({
      ok: true,
      bytes: text.length + '{"text":""}'.length,
    })
  })
})
