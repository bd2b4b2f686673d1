import { describe, expect, test } from 'vitest'
import { wrongVerdicts } from './judge-rows.ts'
import type { Row } from './judge-rows.ts'
import { printProperty, printSchema } from './sdk-fixtures.ts'

const A = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const B = { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] }
const C = { type: 'object', properties: { c: { type: 'boolean' } }, required: ['c'] }

/** Kinds of fault that generators of this sort are known for: the schema, the right type, values it takes and refuses. */
const ROWS: readonly Row[] = [
  {
    title: 'an array of a union has parentheses',
    schema: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    type: '(string | null)[]',
    valid: [['a', null], []],
    invalid: [[1]],
  },
  {
    title: 'an array of an enum has parentheses',
    schema: { type: 'array', items: { enum: ['low', 'high'] } },
    type: '("low" | "high")[]',
    valid: [['low', 'high']],
    invalid: [['middle'], 'low'],
  },
  {
    title: 'every keyword beside allOf applies',
    schema: { allOf: [{ anyOf: [A, B] }, C] },
    type: '({ a: string } | { b: number }) & { c: boolean }',
    valid: [
      { a: 'x', c: true },
      { b: 1, c: true },
    ],
    invalid: [{ a: 'x' }, { c: true }],
  },
  {
    title: 'properties beside allOf stay',
    schema: {
      $defs: { Base: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
      type: 'object',
      properties: { own: { type: 'string' } },
      required: ['own'],
      allOf: [{ $ref: '#/$defs/Base' }],
    },
    type: '{ own: string; id: number }',
    valid: [{ own: 'x', id: 1 }],
    invalid: [{ own: 'x' }, { id: 1 }],
  },
  {
    title: 'properties beside a root $ref stay',
    schema: {
      $defs: { Base: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
      type: 'object',
      properties: { own: { type: 'string' } },
      required: ['own'],
      $ref: '#/$defs/Base',
    },
    type: '{ own: string; id: number }',
    valid: [{ own: 'x', id: 1 }],
    invalid: [{ id: 1 }],
  },
  {
    title: 'if/then takes nothing away',
    schema: {
      type: 'object',
      properties: { k: { type: 'string' }, v: { type: 'number' } },
      required: ['k'],
      allOf: [{ if: { properties: { k: { const: 'x' } } }, then: { required: ['v'] } }],
    },
    type: '{ k: string; v?: number }',
    valid: [{ k: 'a' }, { k: 'x', v: 1 }],
    invalid: [{}],
  },
  {
    title: 'an index signature holds the named properties too',
    schema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: { type: 'number' },
    },
    type: '{ id: string; [key: string]: string | number | undefined }',
    valid: [{ id: 'x', n: 1 }],
    invalid: [{ n: 1 }, { id: 'x', n: true }],
  },
  {
    title: 'a reference inside "not" with a description does not run away',
    schema: {
      $defs: { c: { oneOf: [{ type: 'string' }, { not: { $ref: '#/$defs/c', description: 'd' } }] } },
      $ref: '#/$defs/c',
    },
    valid: ['x', 1],
  },
  {
    title: 'recursion is a named type',
    schema: {
      $defs: {
        Node: {
          type: 'object',
          properties: {
            v: { type: 'string' },
            kids: { type: 'array', items: { $ref: '#/$defs/Node', description: 'child' } },
          },
          required: ['v'],
        },
      },
      $ref: '#/$defs/Node',
    },
    type: 'Node',
    valid: [{ v: 'a', kids: [{ v: 'b' }] }],
    invalid: [{ v: 'a', kids: [{ kids: [] }] }, { kids: [] }],
  },
  {
    title: 'prefix items are not forced without minItems',
    schema: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, type: 'array' },
    type: '[string?, number?]',
    valid: [[], ['a'], ['a', 1]],
    invalid: [[1], ['a', 1, 2]],
  },
  {
    title: 'minItems says which prefix items are there, and more may follow',
    schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 1 },
    type: '[string, number?, ...any[]]',
    valid: [['a'], ['a', 1, true]],
    invalid: [[]],
  },
  {
    title: 'draft 7 tuples are read',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: [{ type: 'string' }, { enum: [1, 2] }],
      additionalItems: { type: 'boolean' },
      minItems: 2,
    },
    type: '[string, 1 | 2, ...boolean[]]',
    valid: [['a', 2, true]],
    invalid: [
      ['a', 3],
      ['a', 1, 'x'],
    ],
  },
  {
    title: 'bounds on an array are a note, not a tuple',
    schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 500 },
    type: 'string[]',
    valid: [['a']],
    invalid: [[1]],
  },
  {
    title: 'nullable counts',
    schema: { type: 'string', nullable: true },
    type: 'string | null',
    valid: ['x', null],
    invalid: [1],
  },
  {
    title: 'closed alternatives are not merged into one',
    schema: {
      oneOf: [
        {
          type: 'object',
          properties: { t: { const: 'c' }, r: { type: 'number' } },
          required: ['t', 'r'],
          additionalProperties: false,
        },
        {
          type: 'object',
          properties: { t: { const: 's' }, w: { type: 'number' } },
          required: ['t', 'w'],
          additionalProperties: false,
        },
      ],
    },
    type: '{ t: "c"; r: number } | { t: "s"; w: number }',
    valid: [
      { t: 'c', r: 1 },
      { t: 's', w: 1 },
    ],
    invalid: [{ t: 'c' }, { t: 'x', r: 1 }],
  },
  {
    title: 'const beside type',
    schema: { type: 'string', const: 'card' },
    type: '"card"',
    valid: ['card'],
    invalid: ['x'],
  },
  {
    title: 'enum beside type',
    schema: { type: 'string', enum: ['a', 'b'] },
    type: '"a" | "b"',
    valid: ['a'],
    invalid: ['c'],
  },
  {
    title: 'a property called "description" is a property',
    schema: {
      type: 'object',
      properties: { description: { type: 'string', description: 'd' } },
      required: ['description'],
    },
    type: '{ description: string }',
    valid: [{ description: 'x' }],
    invalid: [{}],
  },
  {
    title: 'a dangling reference costs its own spot only',
    schema: {
      type: 'object',
      properties: { gone: { $ref: '#/$defs/Gone' }, here: { type: 'string' } },
      required: ['here'],
    },
    type: '{ gone?: any; here: string }',
    valid: [{ gone: { x: 1 }, here: 'x' }],
    invalid: [{ gone: 1 }],
  },
  {
    title: 'boolean schemas',
    schema: { type: 'object', properties: { any: true, never: false } },
    type: '{ any?: any; never?: never }',
    valid: [{ any: 1 }, {}],
    invalid: [{ never: 1 }],
  },
  {
    title: 'oneOf of consts inside untyped items',
    schema: { type: 'array', items: { oneOf: [{ const: 'r' }, { const: 'g' }] } },
    type: '("r" | "g")[]',
    valid: [['r', 'g']],
    invalid: [['b']],
  },
  {
    title: 'type arrays',
    schema: { type: ['string', 'number', 'boolean', 'null'] },
    type: 'string | number | boolean | null',
    valid: ['x', 1, true, null],
    invalid: [[]],
  },
  {
    title: 'a type beside anyOf narrows it',
    schema: { type: 'string', anyOf: [{ const: 'a' }, { type: 'string', pattern: '^x' }, { type: 'number' }] },
    type: '"a" | string',
    valid: ['a', 'xyz'],
    invalid: [1],
  },
  {
    title: 'required alternatives stand beside the properties',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    valid: [{ a: 'x' }, { b: 'x' }],
    invalid: [{}],
  },
  {
    title: 'required keys that are not declared',
    schema: { type: 'object', required: ['k'] },
    type: '{ k: any }',
    valid: [{ k: 1 }],
    invalid: [{}],
  },
  {
    title: 'pattern properties',
    schema: { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
    type: '{ [key: string]: string }',
    valid: [{ 'x-a': 'b' }, {}],
    invalid: [{ 'x-a': 1 }],
  },
  {
    title: 'a schema that only speaks of objects takes everything else as well',
    schema: { properties: { a: { type: 'string' } } },
    type: '{ a?: string } | any',
    valid: ['x', 1, { a: 'b' }],
  },
  {
    title: 'contradicting enum and type keep the values',
    schema: { type: 'integer', enum: ['1', '2'] },
    type: '"1" | "2"',
    valid: ['1'],
    invalid: ['3'],
  },
  {
    title: 'words of other languages',
    schema: {
      type: 'dict',
      properties: { n: { type: 'float' }, s: { type: 'str' }, l: { type: 'list', items: { type: 'any' } } },
    },
    type: '{ n?: number; s?: string; l?: any[] }',
    valid: [{ n: 1.5, s: 'x', l: [1, 'a'] }],
    invalid: [{ n: 'x' }],
  },
]

describe('every known kind of fault is right here', () => {
  test.each(ROWS.filter((row) => row.type !== undefined))('$title', ({ schema, type }) => {
    expect(printSchema(schema).text).toBe(type)
  })

  test('the types take the valid values and refuse the invalid ones, by the word of the compiler', () => {
    expect(wrongVerdicts(ROWS)).toEqual([])
  })
})

describe('arguments and results', () => {
  test('a default makes an argument optional and a result present, and stays once, outside the union', () => {
    const schema = { type: 'object', properties: { x: { type: ['string', 'null'], default: 'x' } }, required: ['x'] }
    expect(printSchema(schema, 'input').text).toBe('{ x?: string | null }')
    expect(printSchema({ ...schema, required: [] }, 'output').text).toBe('{ x: string | null }')
    expect(printSchema(schema, 'input', 200).text).toBe('{\n x?: string | null // ="x"\n}')
  })

  test('what is not known is unknown in arguments and any in results', () => {
    expect(printProperty({}, 'input')).toBe('unknown')
    expect(printProperty({}, 'output')).toBe('any')
    expect(printProperty({ type: 'object' }, 'input')).toBe('{ [key: string]: unknown }')
  })

  test('arguments are an object whatever the root says', () => {
    expect(printSchema({ type: 'string' }, 'arguments').text).toBe('{ [key: string]: unknown }')
    expect(printSchema({ type: 'string' }, 'arguments').warnings.map(({ reason }) => reason)).toEqual([
      'no object fits the schema, but arguments are always an object',
    ])
    expect(printSchema({ properties: { a: { type: 'string' } } }, 'arguments').text).toBe('{ a?: string }')
  })
})

describe('what TypeScript cannot say', () => {
  test.each([
    [{ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 500 }, '1–500 items'],
    [{ type: 'number', minimum: 0 }, '≥ 0'],
    [{ type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 }, 'int, ≥ 1'],
    [{ type: 'number', minimum: 5, exclusiveMinimum: true }, '> 5'],
    [{ type: 'number', exclusiveMinimum: 5, maximum: 9 }, '> 5, ≤ 9'],
    [{ type: 'string', pattern: '^x-', format: 'uuid' }, 'uuid, /^x-/'],
    [{ type: 'string', minLength: 1 }, 'not empty'],
    [{ type: 'array', items: { type: 'string', format: 'uri' }, uniqueItems: true }, 'unique, each uri'],
    [{ type: 'object', dependentRequired: { a: ['b'] } }, 'a needs b'],
    [{ type: 'string', not: { const: 'x' } }, 'not "x"'],
    [
      { type: 'object', if: { properties: { k: { const: 'x' } } }, then: { required: ['v'] } },
      'v required when k = "x"',
    ],
  ])('%j has the note %s', (schema, note) => {
    expect(printSchema(schema).doc.terms.join(', ')).toBe(note)
  })

  test('closed parts of allOf are said to refuse each other’s keys', () => {
    const closed = (key: string) => ({
      type: 'object',
      properties: { [key]: { type: 'string' } },
      additionalProperties: false,
    })
    const { doc, warnings, text } = printSchema({ allOf: [closed('a'), closed('b')] })
    expect(doc.terms).toEqual(['a closed part refuses b, a'])
    expect(warnings).toHaveLength(1)
    expect(text).toBe('{ a?: string; b?: string }')
  })

  test('a contradiction is never silent', () => {
    const whole = printSchema({ type: 'string', allOf: [{ type: 'number' }] })
    expect(whole).toMatchObject({ text: 'never', doc: { terms: ['no value fits'] } })
    expect(whole.warnings).toHaveLength(1)
  })

  test('a description stands beside the reference, and the definition is one type', () => {
    const { text, declarations } = printSchema(
      {
        type: 'object',
        properties: {
          from: { $ref: '#/$defs/Place', description: 'Start' },
          to: { $ref: '#/$defs/Place', description: 'End' },
        },
        $defs: {
          Place: {
            type: 'object',
            properties: { latitude: { type: 'number' }, longitude: { type: 'number' } },
            required: ['latitude', 'longitude'],
          },
        },
      },
      'input',
      200,
    )
    expect(declarations).toEqual(['type Place = { latitude: number; longitude: number }'])
    expect(text).toBe('{\n from?: Place // Start\n to?: Place // End\n}')
  })

  test('up to draft 7 a reference hides the constraints beside it, but not the words', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { s: { type: 'string' } },
      type: 'object',
      properties: { x: { $ref: '#/definitions/s', type: 'number', description: 'words', default: 'd' } },
    }
    expect(printSchema(schema, 'input', 200).text).toBe('{\n x?: string // words (="d")\n}')
  })

  test('warnings name the spot', () => {
    const { warnings } = printSchema({
      type: 'object',
      properties: { 'a/b': { $ref: '#/nowhere' }, c: { type: 'strng' } },
    })
    expect(warnings).toEqual([
      { pointer: '/properties/a~1b/$ref', reason: '"#/nowhere" names nothing in this schema' },
      { pointer: '/properties/c', reason: '"strng" is no type of JSON Schema' },
    ])
  })
})
