import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import { isPlainKey } from '../../src/sdk/observed/plain-key.ts'
import { printShape } from '../../src/sdk/observed/print-shape.ts'
import {
  admitsValue,
  boundShape,
  extendShape,
  mergeShapes,
  placesIn,
  shapeOf,
  type ValueShape,
} from '../../src/sdk/observed/value-shape.ts'
import { jsonValue } from '../support/arbitrary/json.ts'
import { compileTexts } from './compile-texts.ts'

const shapeOfAll = (values: readonly Json[], maxPlaces = 200): ValueShape =>
  values
    .map((value) => boundShape(shapeOf(value), maxPlaces))
    .reduce((one, other) => boundShape(mergeShapes(one, other), maxPlaces))
const printed = (...values: readonly Json[]) => printShape(shapeOfAll(values))

/** Objects with few keys meet each other in the same places; the general ones hardly ever do. */
const alikeValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 1, '', 'x', '{"a":1}', '[1]', '{'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'id-1234', '__proto__'), tie('value'), { maxKeys: 4 }),
  ),
})).value

describe('an observed shape', () => {
  test('admits every value that it was made from, however small it has to be', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(jsonValue, alikeValue), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 60 }),
        (values, maxPlaces) => {
          const shape = shapeOfAll(values, maxPlaces)
          expect(placesIn(shape)).toBeLessThanOrEqual(maxPlaces)
          for (const value of values) expect(admitsValue(shape, value)).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('admits what it is extended by, and stays the same shape for what it admits already', () => {
    fc.assert(
      fc.property(alikeValue, alikeValue, (one, other) => {
        const before = shapeOf(one)
        const after = extendShape(before, other)
        expect(admitsValue(after, one) && admitsValue(after, other)).toBe(true)
        expect(extendShape(after, one)).toBe(after)
        expect(extendShape(after, other)).toBe(after)
      }),
      { numRuns: 300 },
    )
  })

  test('is the same in whatever order values came', () => {
    fc.assert(
      fc.property(fc.array(alikeValue, { minLength: 1, maxLength: 5 }), (values) => {
        expect(printed(...values.toReversed())).toBe(printed(...values))
      }),
    )
  })

  test('does not admit what was never seen', () => {
    const shape = shapeOfAll([
      { id: 1, tags: ['a'] },
      { id: 2, tags: [], name: null },
    ])
    expect(admitsValue(shape, { id: 3, tags: ['b', 'c'] })).toBe(true)
    for (const other of [
      null,
      [],
      { id: '1', tags: [] },
      { tags: [] },
      { id: 1, tags: [1] },
      { id: 1, tags: [], x: 1 },
    ])
      expect(admitsValue(shape, other)).toBe(false)
  })

  test('merges kinds, marks what was missing as optional, and says what is JSON text', () => {
    expect(printed({ id: 1, name: 'a' }, { id: 2 })).toBe('{ id: number; name?: string }')
    expect(printed([{ a: 1 }, { a: null, b: true }])).toBe('{ a: number | null; b?: boolean }[]')
    expect(printed([1, 'a'], [])).toBe('(string | number)[]')
    expect(printed([])).toBe('any[] /* empty so far */')
    expect(printed({ body: '{"a": [1]}' }, { body: '[]' })).toBe('{ body: string /* JSON text */ }')
    expect(printed({ body: '{"a": [1]}' }, { body: '{not' })).toBe('{ body: string }')
    expect(printed('plain text', { a: 1 })).toBe('{ a: number } | string')
  })

  test('keeps no key that is data', () => {
    const keys = [
      'alice@example.com',
      '2026-01-02',
      'PROJ-1234',
      '/etc/passwd',
      'a b',
      '550e8400-e29b',
      '12',
      '',
      'x'.repeat(43),
    ]
    for (const key of keys) expect(isPlainKey(key)).toBe(false)
    for (const key of ['id', 'fullName', 'created_at', '$ref', '@type', 'md5', 'content-type', 'größe'])
      expect(isPlainKey(key)).toBe(true)
    expect(printed(Object.fromEntries(keys.map((key) => [key, 1])))).toBe('{ [key: string]: number }')
    expect(printed({ total: 2, 'PROJ-1234': { open: true } })).toBe('{ total: number; [key: string]: any }')
  })

  test('takes very many names, and names that all lead to the same, for data', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
    const many = Object.fromEntries(letters.flatMap((a) => letters.map((b) => [a + b, 1])))
    expect(printed(many)).toBe('{ [key: string]: number }')
    const city = { lat: 1, lon: 2 }
    expect(printed({ berlin: city, paris: city, rome: city, oslo: city })).toBe(
      '{ [key: string]: { lat: number; lon: number } }',
    )
    const apart = letters.flatMap((a) => letters.slice(0, 3).map((b) => ({ [a + b]: true })))
    expect(printed(...apart)).toBe('{ [key: string]: boolean }')
  })

  test('holds no value: equal shapes come from different values', () => {
    const shape = JSON.stringify(
      [...(shapeOf({ token: 'hunter2', n: 41 }).object?.members ?? [])],
      (_, part: unknown) => (part instanceof Set ? [...(part as Set<unknown>)] : part),
    )
    expect(shape).not.toContain('hunter2')
    expect(shape).not.toContain('41')
  })
})

describe('a hostile value', () => {
  const deep = (levels: number): Json => (levels === 0 ? 1 : { next: [deep(levels - 1)] })
  const names = (count: number) =>
    Array.from({ length: count }, (_, at) => `k${String.fromCharCode(97 + (at % 26))}${'a'.repeat(at / 26)}`)
  const wide = (width: number, levels: number): Json =>
    levels === 0 ? 1 : Object.fromEntries(names(width).map((name) => [name, wide(width, levels - 1)]))

  test.each<[string, Json]>([
    ['very deep', deep(1_000)],
    ['very wide', Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${'x'.repeat(at % 30)}${at}`, at]))],
    ['wide at every level', wide(30, 3)],
    [
      'a long list of unlike things',
      Array.from({ length: 50_000 }, (_, at) => (at % 2 === 0 ? { [`f${at}`]: at } : [at, `${at}`])),
    ],
    ['many texts of JSON', Array.from({ length: 2_000 }, () => `[${'1,'.repeat(1_000)}1]`)],
    ['nearly alike objects', Array.from({ length: 3_000 }, (_, at) => wide(at % 2 === 0 ? 40 : 0, 1))],
  ])('(%s) gives a small shape that admits it', (_, value) => {
    const shape = boundShape(shapeOf(value), 200)
    expect(placesIn(shape)).toBeLessThanOrEqual(200)
    expect(printShape(shape).length).toBeLessThan(20_000)
    expect(admitsValue(shape, value)).toBe(true)
  })

  test('stays small over many results', () => {
    let shape = shapeOf(null)
    for (let at = 0; at < 300; at += 1)
      shape = boundShape(
        mergeShapes(shape, shapeOf({ [`a${String.fromCharCode(97 + (at % 26))}`]: wide((at % 7) + 1, 3) })),
        200,
      )
    expect(placesIn(shape)).toBeLessThanOrEqual(200)
  })

  test('prints as a type, whatever its keys are', () => {
    const texts = fc
      .sample(fc.oneof(jsonValue, alikeValue), { numRuns: 60, seed: 7 })
      .map((value, at) => `type T${at} = ${printShape(shapeOf(value))}`)
    const odd = { '*/ type X = 1 /*': 1, '`${x}`': 2, constructor: 3, then: 4, ㅤ: 5, 'a\nb': 6 }
    expect(
      compileTexts({ 'shapes.ts': `${[...texts, `type Odd = ${printShape(shapeOf(odd))}`].join('\n')}\n` }),
    ).toEqual([])
  })
})
