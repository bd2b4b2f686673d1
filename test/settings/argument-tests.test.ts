import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/data/json.ts'
import { compileArgumentTests } from '../../src/settings/compile-argument-tests.ts'
import type { ArgumentTest } from '../../src/settings/schema/argument-test.ts'

function holds(given: ArgumentTest | readonly ArgumentTest[], args: JsonObject): boolean {
  return compileArgumentTests(given)(args)
}

describe('one test of the arguments', () => {
  test.each<[string, ArgumentTest, JsonObject, boolean]>([
    ['equals a text', { pointer: '/a', equals: 'x' }, { a: 'x' }, true],
    ['equals another text', { pointer: '/a', equals: 'x' }, { a: 'y' }, false],
    ['equals null, and what is not there is not null', { pointer: '/a', equals: null }, {}, false],
    ['equals null', { pointer: '/a', equals: null }, { a: null }, true],
    [
      'equals an object, whatever the order of its keys',
      { pointer: '/a', equals: { x: 1, y: [2] } },
      { a: { y: [2], x: 1 } },
      true,
    ],
    ['a number is not its text', { pointer: '/a', equals: '1' }, { a: 1 }, false],
    ['is one of these', { pointer: '/a', in: [1, 'x'] }, { a: 'x' }, true],
    ['is none of these', { pointer: '/a', in: [1, 'x'] }, { a: 2 }, false],
    ['is there', { pointer: '/a/b', exists: true }, { a: { b: null } }, true],
    ['is not there', { pointer: '/a/b', exists: false }, { a: {} }, true],
    ['the length of a list is no part of it', { pointer: '/to/length', exists: true }, { to: ['x'] }, false],
    ['the length of an object is its own', { pointer: '/to/length', exists: true }, { to: { length: 1 } }, true],
    ['an element of a list is', { pointer: '/to/0', equals: 'x' }, { to: ['x'] }, true],
    ['a list has an element under one name only', { pointer: '/to/00', exists: true }, { to: ['x'] }, false],
    ['is found in a text', { pointer: '/a', matches: '^/etc' }, { a: '/etc/passwd' }, true],
    ['is not found in a text', { pointer: '/a', matches: '^/etc' }, { a: '/tmp/etc' }, false],
    [
      'is found whatever the case',
      { pointer: '/a', matches: { pattern: 'drop', flags: 'i' } },
      { a: 'DROP TABLE' },
      true,
    ],
    ['is found in one element of a list', { pointer: '/to', matches: '@evil' }, { to: ['a@b', 'c@evil'] }, true],
    ['is found in a number', { pointer: '/n', matches: '^4' }, { n: 42 }, true],
    [
      'is found in an object that stands where a text should',
      { pointer: '/a', matches: 'etc' },
      { a: { p: 'etc' } },
      true,
    ],
    ['is not found in what is not there', { pointer: '/a', matches: '' }, {}, false],
    ['reads ~1 as / and a key of the prototype as not there', { pointer: '/toString', exists: true }, {}, false],
    ['reads ~1 as /', { pointer: '/a~1b', equals: 1 }, { 'a/b': 1 }, true],
    ['the whole of the arguments', { pointer: '', equals: {} }, {}, true],
  ])('%s', (_what, given, args, expected) => {
    expect(holds(given, args)).toBe(expected)
  })
})

test('several tests must all hold', () => {
  const tests: ArgumentTest[] = [
    { pointer: '/a', equals: 1 },
    { pointer: '/b', exists: true },
  ]
  expect(holds(tests, { a: 1, b: 0 })).toBe(true)
  expect(holds(tests, { a: 1 })).toBe(false)
})

test('a text that is too long to look at counts as found: writing more does not get round a rule', () => {
  expect(holds({ pointer: '/sql', matches: '^DROP' }, { sql: `${' '.repeat(20_000)}DROP` })).toBe(true)
})

test('a pattern keeps no state from call to call', () => {
  const applies = compileArgumentTests({ pointer: '/a', matches: { pattern: 'x', flags: 'u' } })
  expect([applies({ a: 'x' }), applies({ a: 'x' }), applies({ a: 'x' })]).toEqual([true, true, true])
})
