import fc from 'fast-check'
import { expect, test } from 'vitest'
import { membersOf, readMismatch } from '../../src/typecheck/assignability.ts'

const assign = (source: string, target: string) => `Type '${source}' is not assignable to type '${target}'.`

test.each<[title: string, text: string, chain: readonly string[], expected: object]>([
  ['a word that is not one of the allowed ones is wrong', assign('"opne"', '"open" | "closed"'), [], { kind: 'wrong' }],
  ['a string may be the allowed word', assign('string', '"open" | "closed"'), [], { kind: 'unsure' }],
  ['a number for a string is wrong', assign('number', 'string'), [], { kind: 'wrong' }],
  ['a number for a string that may be missing is wrong', assign('number', 'string | undefined'), [], { kind: 'wrong' }],
  [
    'one half of a union that does not fit is unsure',
    assign('string | number', 'string'),
    [assign('number', 'string')],
    { kind: 'unsure' },
  ],
  [
    'a missing value is unsure',
    assign('string | undefined', 'string'),
    [assign('undefined', 'string')],
    { kind: 'unsure' },
  ],
  ['a list for a text is wrong', assign('string[]', 'string'), [], { kind: 'wrong' }],
  ['a list for a list of words is unsure', assign('string[]', '("a" | "b")[]'), [], { kind: 'unsure' }],
  ['an object for a named type is unsure', assign('{ a: string; }', 'Shape'), [], { kind: 'unsure' }],
  ['a promise is wrong everywhere', assign('Promise<any>', 'string'), [], { kind: 'wrong' }],
  ['a Date may become text', assign('Date', 'string'), [], { kind: 'unsure' }],
  ['an enum of the program may hold the word', assign('Color.Red', '"red"'), [], { kind: 'unsure' }],
  [
    'a missing property is named',
    "Property 'q' is missing in type '{ id: number; }' but required in type '{ q: string; }'.",
    [],
    { kind: 'missing', names: ['q'], source: '{ id: number; }' },
  ],
  [
    'several missing properties are named',
    "Type '{}' is missing the following properties from type '{ a: string; b: string; }': a, b",
    [],
    { kind: 'missing', names: ['a', 'b'] },
  ],
  [
    'the last reason of a chain decides',
    "Argument of type '{ q: string; state: string; }' is not assignable to parameter of type 'Args'.",
    ["Types of property 'state' are incompatible.", assign('string', '"open" | undefined')],
    { kind: 'unsure' },
  ],
  [
    'a message of another kind is unsure',
    'Target requires 2 element(s) but source may have fewer.',
    [],
    { kind: 'unsure' },
  ],
])('%s', (_title, text, chain, expected) => {
  expect(readMismatch(text, chain)).toMatchObject(expected)
})

test('unions are cut at their own bars, not at those inside quotes, brackets or functions', () => {
  expect(membersOf('"a | b" | { x: 1 | 2; } | (string | number)[] | Map<a | b, c>')).toEqual([
    '"a | b"',
    '{ x: 1 | 2; }',
    '(string | number)[]',
    'Map<a | b, c>',
  ])
})

test('any text gives an answer', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.string()), (source, target, chain) => {
      expect(['wrong', 'missing', 'unsure']).toContain(readMismatch(assign(source, target), chain).kind)
      expect(membersOf(source).length).toBeGreaterThan(0)
    }),
  )
})
