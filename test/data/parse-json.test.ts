import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../src/data/parse-json.ts'

test.each(['', ' ', '\n\t '])('nothing at all (%j) means no arguments', (raw) => {
  expect(parseArguments(raw)).toEqual({ ok: true, value: {}, notes: [] })
})

test('a JSON object is parsed and frozen, with __proto__ as data', () => {
  const parsed = parseArguments(' {"city":"Z\\u00fcrich","days":[1,2.5e1,-3],"__proto__":{"x":null}} ')
  if (!parsed.ok) throw new Error(parsed.message)
  expect(JSON.stringify(parsed.value)).toBe('{"city":"Zürich","days":[1,25,-3],"__proto__":{"x":null}}')
  expect(Object.isFrozen(parsed.value['days'])).toBe(true)
})

describe('what is not JSON is refused with line, column and offset', () => {
  test.each<[string, number, number, RegExp]>([
    ['{"a" 1}', 1, 6, /expected ":" after the property name, found "1"/],
    ['{"a":\n tru}', 2, 2, /expected a JSON value, found "t"/],
    ['{"a":1,}', 1, 8, /expected a property name in double quotes, found "}"/],
    ["{'a':1}", 1, 2, /expected a property name in double quotes, found "'"/],
    ['{"a":1 "b":2}', 1, 8, /expected "," or "}", found "\\""/],
    ['{"a":[1 2]}', 1, 9, /expected "," or "]", found "2"/],
    ['{"a":"x\ny"}', 1, 8, /line break or control character inside a string/],
    ['{"a":"x', 1, 6, /ends inside a string/],
    ['{"a":"\\x41"}', 1, 7, /bad escape/],
    ['{"a":01}', 1, 7, /expected "," or "}", found "1"/],
    ['{"a":+1}', 1, 6, /expected a JSON value, found "\+"/],
    ['{"a":-}', 1, 6, /expected a number/],
    ['{"a":NaN}', 1, 6, /expected a JSON value/],
    ['{"a":nullx}', 1, 6, /expected a JSON value/],
    ['{"a":1}}', 1, 8, /found "}" after the end/],
    ['{"a":1', 1, 7, /found the end of the text/],
    ['{', 1, 2, /found the end of the text/],
    ['{"a":1} // done', 1, 9, /after the end/],
    ['\u00a0{"a":1}', 1, 1, /expected a JSON value/],
  ])('%j', (raw, line, column, message) => {
    const parsed = parseArguments(raw)
    expect(parsed).toMatchObject({ ok: false, position: { line, column } })
    if (parsed.ok) return
    expect(parsed.message).toMatch(message)
    expect(parsed.message).toContain(`line ${line}, column ${column} (offset ${parsed.position.offset})`)
    expect(() => JSON.parse(raw)).toThrow()
  })
})

describe('what JSON.parse would pass over is not', () => {
  test.each([
    ['{"a":1,"a":2}', '/a', 7],
    ['{"a":{"b":[1,{"c":1,"\\u0063":2}]}}', '/a/b/1/c', 20],
    ['{"__proto__":1,"__proto__":2}', '/__proto__', 15],
  ])('duplicate keys are refused with their path: %s', (raw, path, offset) => {
    const parsed = parseArguments(raw)
    expect(parsed).toMatchObject({ ok: false, path, position: { offset } })
    expect(!parsed.ok && parsed.message).toContain('duplicate property')
  })

  test('the same key in two objects is no duplicate', () => {
    expect(parseArguments('{"a":{"k":1},"b":{"k":2},"c":[{"k":1},{"k":1}]}').ok).toBe(true)
  })

  test('half a surrogate pair is reported, kept, and told from a whole one', () => {
    const parsed = parseArguments('{"a":["\\ud83d\\ude00","\\ud83d"],"\\udc00":1}')
    if (!parsed.ok) throw new Error(parsed.message)
    expect(parsed.notes.map(({ path }) => path)).toEqual(['/a/1', '/a'])
    expect(parsed.value['a']).toEqual(['😀', '\ud83d'])
  })

  test('a whole number that cannot be exact is reported', () => {
    const parsed = parseArguments('{"id":12345678901234567890,"fine":100000000000000000000}')
    if (!parsed.ok) throw new Error(parsed.message)
    expect(parsed.notes).toEqual([{ path: '/id', message: expect.stringContaining('pass it as a string') }])
  })

  test.each([
    ['{"a":[1e999]}', '/a/0'],
    ['{"a":-0}', '/a'],
  ])('%s has no lossless value', (raw, path) => {
    expect(parseArguments(raw)).toMatchObject({ ok: false, path })
  })

  test.each(['[1]', 'null', '"text"', '3'])('%s is not an object', (raw) => {
    const parsed = parseArguments(raw)
    expect(!parsed.ok && parsed.message).toMatch(/must be one JSON object/)
  })
})

describe('limits come before parsing', () => {
  test('bytes, at the limit and one more, in multibyte text', () => {
    const raw = '{"a":"жжж"}'
    const maxBytes = Buffer.byteLength(raw)
    expect(parseArguments(raw, { maxBytes }).ok).toBe(true)
    expect(parseArguments(raw, { maxBytes: maxBytes - 1 })).toMatchObject({
      ok: false,
      message: expect.stringContaining('larger than'),
    })
  })

  test('depth: a hundred thousand brackets are refused at the first one too many', () => {
    const parsed = parseArguments(`{"a":${'['.repeat(100_000)}`)
    expect(parsed).toMatchObject({ ok: false, position: { offset: 5_004 } })
    expect(!parsed.ok && parsed.message).toContain('nested deeper than 5000 levels')
    expect(parseArguments('{"a":[[]]}', { maxDepth: 3 }).ok).toBe(true)
    expect(parseArguments('{"a":[[]]}', { maxDepth: 2 }).ok).toBe(false)
  })
})
