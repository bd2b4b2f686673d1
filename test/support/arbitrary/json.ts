import fc from 'fast-check'
import type { Json } from '../../../src/data/json.ts'

/** Strings as peers send them: any code points, half surrogate pairs, and the names that are special to JavaScript. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'then', 'toJSON', 'length', '', '\ud800', 'a/b~c', '"\\\n'),
)

/** Numbers JSON can say: finite, and not -0. */
export const jsonNumber = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((number) => (number === 0 ? 0 : number))

/** JSON values; names from outside are own properties, `__proto__` too. */
export const jsonValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    jsonNumber,
    anyText,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(anyText, tie('value')), { maxLength: 5 }).map(recordOf),
  ),
})).value

/** An object with exactly these own properties. */
export function recordOf(entries: readonly (readonly [string, Json])[]): Json {
  const record = {}
  for (const [key, value] of entries) {
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true })
  }
  return record
}

/**
 * Makers of anything at all, and of what is worse: proxies whose traps throw or lie, getters that throw, cycles. Makers,
 * because fast-check itself looks into the values it hands out.
 */
export const hostileValue: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withBoxedValues: true,
    })
    .map((value) => () => value),
  fc.nat().map((index) => () => pick(hostileObjects(), index)),
  fc.tuple(fc.anything(), fc.nat()).map(([inner, index]) => () => ({ inner, bad: pick(hostileObjects(), index) })),
  fc.nat().map((index) => () => [[pick(hostileObjects(), index)]]),
)

function pick(values: readonly unknown[], index: number): unknown {
  return values[index % values.length]
}

function throwing(): object {
  return new Proxy({}, new Proxy({}, { get: (_, trap) => () => boom(trap) }))
}

function hostileObjects(): unknown[] {
  const cycle: unknown[] = []
  cycle.push(cycle)
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  return [
    cycle,
    revoked.proxy,
    throwing(),
    Object.defineProperty({}, 'x', { enumerable: true, get: () => boom('x') }),
    new Proxy([], { get: (target, key) => (key === 'length' ? 2 ** 32 - 1 : Reflect.get(target, key)) }),
    new Proxy(
      {},
      { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) },
    ),
    new Proxy({}, { getPrototypeOf: () => boom('prototype') }),
    { toJSON: () => boom('toJSON') },
    Object.create({ inherited: 1 }),
    Object.assign([1, 2], { extra: true }),
    new (class Odd {
      field = 1
    })(),
    { [Symbol('s')]: 1 },
    {
      get [Symbol.toStringTag]() {
        return boom('tag')
      },
    },
  ]
}

function boom(what: PropertyKey): never {
  throw {
    toString: () => {
      throw new Error(String(what))
    },
  } // Thrown values are hostile too.
}
