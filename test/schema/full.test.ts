import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import { compileSchema } from '../../src/schema/schema.ts'
import type { UsableSchema } from '../../src/schema/schema.ts'

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#'
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'

describe('the dialect is read from $schema and otherwise guessed kindly', () => {
  test.each<[string, Json, Json, boolean]>([
    ['draft 4: a strict bound by a flag', { $schema: DRAFT_4, minimum: 0, exclusiveMinimum: true }, 0, false],
    ['the same without $schema', { minimum: 0, exclusiveMinimum: true }, 0, false],
    ['2020-12: a strict bound by itself', { exclusiveMinimum: 0 }, 0, false],
    [
      'draft 7: what stands beside $ref does not count',
      { $schema: DRAFT_7, definitions: { a: {} }, properties: { x: { $ref: '#/definitions/a', type: 'string' } } },
      { x: 1 },
      true,
    ],
    [
      '2020-12: it does',
      { $defs: { a: {} }, properties: { x: { $ref: '#/$defs/a', type: 'string' } } },
      { x: 1 },
      false,
    ],
    ['a tuple by items, without $schema', { items: [{ type: 'string' }, { type: 'number' }] }, ['a', 'b'], false],
    ['a tuple by prefixItems, closed', { prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    ['the same tuple, in draft 7', { $schema: DRAFT_7, prefixItems: [{ type: 'string' }], items: false }, ['a'], true],
    ['nullable beside a type', { type: 'string', nullable: true }, null, true],
    ['nullable beside an enum', { type: 'string', enum: ['a'], nullable: true }, null, true],
    [
      'nullable beside a reference',
      { properties: { a: { $ref: '#/$defs/s', nullable: true } }, $defs: { s: { type: 'string' } } },
      { a: null },
      true,
    ],
    [
      'and still no other value',
      { properties: { a: { $ref: '#/$defs/s', nullable: true } }, $defs: { s: { type: 'string' } } },
      { a: 1 },
      false,
    ],
    ['format is an annotation', { type: 'string', format: 'date' }, 'soon', true],
    [
      'a reference to a place that is no schema',
      {
        properties: { a: { $ref: '#/components/schemas/S' } },
        components: { schemas: { S: { items: { $ref: '#/components/schemas/T' } }, T: { type: 'string' } } },
      },
      { a: [1] },
      false,
    ],
    ['a reference to an anchor', { $defs: { a: { $anchor: 'here', type: 'string' } }, $ref: '#here' }, 1, false],
    [
      'a tree by a dynamic reference',
      { $dynamicAnchor: 'node', type: 'object', properties: { next: { $dynamicRef: '#node' } } },
      { next: { next: 1 } },
      false,
    ],
    ['an escape that Unicode mode refuses', { pattern: '^[\\w\\-]+\\@x$' }, 'a-b@x', true],
    ['dependencies of both kinds', { dependencies: { a: ['b'], c: { required: ['d'] } } }, { c: 1 }, false],
  ])('%s', (_name, schema, value, isValid) => {
    expect(usable(schema).validate(value).length === 0).toBe(isValid)
  })

  test('the schema is shown as it came', () => {
    const schema = { type: 'dict', 'x-own': [1], properties: { a: { type: 'float', nullable: true } } }
    expect(usable(schema).jsonSchema).toEqual(schema)
    expect(usable(true).jsonSchema).toEqual({})
    expect(usable(false).validate(1)).toHaveLength(1)
  })
})

describe('what cannot be honoured is a warning, and accepts more', () => {
  test.each<[string, Json, RegExp, Json]>([
    ['an off-spec type word', { type: 'dict' }, /type "dict" is not one of JSON Schema; read as object/, {}],
    ['one with parameters', { type: 'List[str]' }, /read as array/, []],
    ['one that means anything', { type: 'any' }, /read as anything/, 1],
    ['a remote reference', { $ref: 'https://example.com/schema.json' }, /elsewhere and is not fetched/, 1],
    ['a file reference', { $ref: 'file:///etc/passwd' }, /elsewhere and is not fetched/, 1],
    ['a dangling reference', { $ref: '#/$defs/gone' }, /leads nowhere/, 1],
    ['a reference that is no URI', { $ref: 'http://[' }, /not a URI/, 1],
    [
      'a reference round in a circle',
      { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      /leads back to itself/,
      1,
    ],
    ['a pattern of another language', { pattern: '(?P<year>\\d+)' }, /not a regular expression of ECMAScript/, 'x'],
    ['a dialect nobody knows', { $schema: 'https://example.com/own' }, /dialect .* is not known/, 1],
    ['a schema that is none', { properties: { a: 3 } }, /a schema that is not an object/, { a: 1 }],
    [
      'identifiers that clash',
      { $defs: { a: { $id: 'https://a.test/x', type: 'string' }, b: { $id: 'https://a.test/x', type: 'number' } } },
      /identifiers .* clash/,
      1,
    ],
    [
      'dynamic references with several targets',
      { $defs: { a: { $dynamicAnchor: 'n' }, b: { $dynamicAnchor: 'n', type: 'string' } }, $dynamicRef: '#n' },
      /several targets/,
      1,
    ],
  ])('%s', (_name, schema, warning, value) => {
    const compiled = usable(schema)
    expect(compiled.warnings.join('\n')).toMatch(warning)
    expect(compiled.validate(value)).toEqual([])
  })

  test.each<[string, Json, Json]>([
    ['under not', { not: { $ref: 'https://example.com/x' } }, 1],
    ['in the condition of an if', { if: { $ref: 'https://example.com/x' }, then: { type: 'string' } }, 1],
    ['beside another form', { oneOf: [{ $ref: 'https://example.com/x' }, { type: 'integer' }] }, 1],
    ['under maxContains', { contains: { pattern: '^(a+)+$' }, maxContains: 1 }, ['b', 'c']],
    [
      'where the rest is closed',
      { allOf: [{ $ref: 'https://example.com/x' }], unevaluatedProperties: false },
      { a: 1 },
    ],
    [
      'through a reference, further up',
      { not: { properties: { a: { $ref: '#/$defs/r' } } }, $defs: { r: { $ref: 'https://example.com/x' } } },
      { a: 1 },
    ],
  ])('also %s', (_name, schema, value) => {
    expect(usable(schema).validate(value)).toEqual([])
  })

  test('a known schema stays strict in the same places', () => {
    expect(usable({ not: { type: 'integer' } }).validate(1)).toHaveLength(1)
    expect(usable({ oneOf: [{ minimum: 0 }, { type: 'integer' }] }).validate(1)).toHaveLength(1)
    expect(usable({ properties: { a: {} }, unevaluatedProperties: false }).validate({ b: 1 })).toHaveLength(1)
  })
})

describe('violations are written for a model', () => {
  test.each<[Json, Json, string[]]>([
    [{ properties: { days: { type: 'integer' } } }, { days: 'three' }, ['"days" must be an integer; got "three"']],
    [{ properties: { a: { type: ['string', 'null'] } } }, { a: 1 }, ['"a" must be a string or null; got 1']],
    [
      { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
      { a: 1 },
      ['"a" must be a string or null; got 1'],
    ],
    [
      { required: ['city', 'day'], properties: { city: {} } },
      { citty: 1 },
      ['missing required property "city"; got "citty" instead', 'missing required property "day"'],
    ],
    [
      { properties: { city: {} }, additionalProperties: false },
      { citty: 1 },
      ['unknown property "citty"; did you mean "city"?'],
    ],
    [
      { properties: { 'a/b': { items: { minimum: 3 } } } },
      { 'a/b': [5, 1] },
      ['"["a/b"][1]" must be at least 3; got 1'],
    ],
    [{ properties: { a: { enum: ['x', 'y'] } } }, { a: 'z' }, ['"a" must be one of "x" or "y"; got "z"']],
    [
      { properties: { a: { minLength: 2, pattern: '^b' } } },
      { a: 'x' },
      ['"a" must be at least 2 characters long; got "x"', '"a" must be text that matches "^b"; got "x"'],
    ],
    [
      { $ref: '#/$defs/p', $defs: { p: { properties: { n: { multipleOf: 5 } } } } },
      { n: 3 },
      ['"n" must be a multiple of 5; got 3'],
    ],
    [{ anyOf: [{ type: 'null' }, { type: 'object', required: ['id'] }] }, {}, ['missing required property "id"']],
    [
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      1,
      ['the value must match exactly one of 2 forms; it matches 2; got 1'],
    ],
    [
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      [
        'the value matches none of its 2 forms: form 1: missing required property "a"; form 2: missing required property "b"',
      ],
    ],
    [
      { dependentRequired: { card: ['address'] } },
      { card: 1 },
      ['missing required property "address" (needed with "card")'],
    ],
    [
      { propertyNames: { pattern: '^x-' } },
      { y: 1 },
      ['property name "y" does not match what names must be in the value'],
    ],
    [{ uniqueItems: true }, [1, 1], ['the value must be an array without duplicates; got an array of 2']],
    [{ properties: { no: false } }, { no: 1 }, ['"no" must not be there; got 1']],
    [{ not: { type: 'string' } }, 'x', ['the value must not match its "not" schema; got "x"']],
  ])('%j on %j', (schema, value, expected) => {
    expect(
      usable(schema)
        .validate(value)
        .map(({ message }) => message),
    ).toEqual(expected)
  })

  test('paths are JSON Pointers', () => {
    const schema = { additionalProperties: { additionalProperties: { items: { type: 'null' } } } }
    expect(usable(schema).validate({ 'a/b %é': { '~#': [1] } })).toMatchObject([{ path: '/a~1b %é/~0#/0' }])
  })
})

describe('hostile schemas and values are bounded', () => {
  test('a small schema with a million million visits gives up', () => {
    const $defs: Record<string, Json> = { a40: { type: 'string' } }
    for (let n = 0; n < 40; n++)
      $defs[`a${n}`] = { allOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] }
    expect(usable({ $ref: '#/$defs/a0', $defs }).validate('x')).toMatchObject([{ received: 'not checked' }])
  })

  test.each(['^(a+)+$', '(a|a)*$', '^(a*)*b', '(.*)*x', '^((a|b)+c?)+$', '(x+x+)+y'])(
    '%s is never run on a value',
    (pattern) => {
      const compiled = usable({ pattern })
      expect(compiled.warnings.join()).toContain('could take forever')
      expect(compiled.validate('a'.repeat(50_000))).toEqual([])
    },
  )

  test.each(['a*a*a*a*$', '\\d+\\s*\\d+$', '^.*.*.*=.*$'])('%s is run on short strings only', (pattern) => {
    const compiled = usable({ pattern })
    expect(compiled.warnings).toEqual([])
    expect(compiled.validate(`${'a'.repeat(100_000)}!`)).toEqual([])
  })

  test.each([
    ['^[a-z]+(-[a-z]+)*$', 'a-B'],
    ['^([a-z0-9]+\\.)+com$', 'x.org'],
    ['^[^@]+@[^@]+\\.[^@]+$', 'nobody'],
    ['^(foo|bar)+$', 'baz'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2024'],
    ['^(?:[A-F0-9]{2}:){5}[A-F0-9]{2}$', 'x'],
    ['^x-', 'y'],
  ])('%s is an ordinary pattern and is checked', (pattern, wrong) => {
    expect(usable({ pattern }).validate(wrong)).toHaveLength(1)
  })

  test('uniqueItems over a hundred thousand items is linear, and right', () => {
    const schema = usable({ properties: { a: { uniqueItems: true } } })
    const many = Array.from({ length: 100_000 }, (_, id) => ({ id }))
    expect(schema.validate({ a: many })).toEqual([])
    expect(schema.validate({ a: [...many, { id: 7 }] })).toMatchObject([
      { path: '/a', expected: 'an array without duplicates' },
    ])
    expect(usable({ items: { uniqueItems: true } }).validate([many, [1, 1]])).toMatchObject([{ path: '/1' }])
  })

  test('a value that is wrong in two hundred thousand places', () => {
    const found = usable({ items: { type: 'string' } }).validate(Array.from({ length: 200_000 }, (_, index) => index))
    expect(found).toHaveLength(1_000)
  })

  test('a value deeper than the validator can go is refused, never a crash', () => {
    let value: Json = 1
    for (let level = 0; level < 5_000; level++) value = { next: value }
    expect(usable({ properties: { next: { $ref: '#' } } }).validate(value)).toMatchObject([{ received: 'not checked' }])
    expect(usable({ type: 'object' }).validate(value)).toEqual([])
  })

  test('schemas that are too deep or not JSON are refused with the reason', () => {
    let schema: Json = {}
    for (let level = 0; level < 5_000; level++) schema = { items: schema }
    expect(compileSchema(schema, 'full')).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('nested deeper') }],
    })
    expect(compileSchema({ default: 1n }, 'full')).toMatchObject({ ok: false, problems: [{ path: '/default' }] })
    expect(compileSchema('x', 'full')).toMatchObject({ ok: false, problems: [{ path: '' }] })
  })

  test('what the validator writes into its own copy cannot be forged', () => {
    const schema = {
      properties: { a: { $ref: '#/$defs/s', __absolute_ref__: '#/$defs/t' } },
      $defs: { s: { type: 'string' }, t: {} },
    }
    expect(usable(schema).validate({ a: 1 })).toHaveLength(1)
  })

  test('names of JavaScript are ordinary names', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"null"}},"required":["toString","__proto__"]}',
    )
    expect(
      usable(schema)
        .validate(JSON.parse('{"__proto__":1,"constructor":1}'))
        .map(({ path }) => path),
    ).toEqual(['/toString', '/__proto__', '/constructor'])
  })
})

function usable(schema: Json): UsableSchema {
  const compiled = compileSchema(schema, 'full')
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return compiled
}
