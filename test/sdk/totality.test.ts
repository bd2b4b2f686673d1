import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileTexts } from './compile-texts.ts'
import { printSchema, render } from './sdk-fixtures.ts'

const KEYWORDS = ['type', 'properties', 'required', 'additionalProperties', 'items', 'prefixItems', 'enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', '$ref', '$id', 'nullable', 'patternProperties', 'default', 'description', 'if', 'then', 'minItems'] // prettier-ignore
const TYPES = ['string', 'number', 'integer', 'object', 'array', 'null', 'boolean', 'dict', '']

/** Mostly schemas, now and then nonsense in the place of one. */
const schemas = fc.letrec<{ schema: unknown; object: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(
      true,
      false,
      {},
      { type: 'string' },
      { type: 'number' },
      { $ref: '#' },
      { $ref: '#/$defs/a' },
      { enum: ['a', 1, null] },
    ),
    tie('object'),
    fc.jsonValue({ maxDepth: 2 }),
  ),
  object: fc
    .record(
      {
        type: fc.oneof(fc.constantFrom(...TYPES), fc.array(fc.constantFrom(...TYPES), { maxLength: 3 })),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c-d', '__proto__', 'constructor', '*/'), tie('schema'), {
          maxKeys: 3,
        }),
        required: fc.array(fc.constantFrom('a', 'b', 'z'), { maxLength: 2 }),
        additionalProperties: tie('schema'),
        items: tie('schema'),
        prefixItems: fc.array(tie('schema'), { maxLength: 3 }),
        allOf: fc.array(tie('schema'), { maxLength: 3 }),
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { maxLength: 3 }),
        not: tie('schema'),
        $defs: fc.record({ a: tie('schema') }),
        $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a', '#/allOf/0', 'http://elsewhere/x#y'),
        nullable: fc.boolean(),
        description: fc.string(),
        default: fc.jsonValue({ maxDepth: 1 }),
        minItems: fc.integer({ min: -1, max: 4 }),
      },
      { requiredKeys: [] },
    )
    .map((record) => ({ ...record })),
})).schema

describe('whatever a schema is', () => {
  test('it gets a type, and the compiler takes the text', () => {
    const texts: Record<string, string> = {}
    fc.assert(
      fc.property(schemas, (schema) => {
        const list = [{ name: 'x', description: 'd', inputSchema: schema, outputSchema: schema }]
        texts[`sample${Object.keys(texts).length}.ts`] = render(list, { level: 'L4' }).text
      }),
      { numRuns: 300 },
    )
    expect(compileTexts(texts)).toEqual([])
  }, 60_000)

  test('keywords may hold anything at all', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...KEYWORDS), fc.jsonValue()), (schema) => {
        for (const direction of ['input', 'output', 'arguments'] as const)
          expect(printSchema(schema, direction, 50).text).not.toBe('')
      }),
    )
  })

  test('depth costs a warning, not the stack', () => {
    let deep: unknown = { type: 'string', default: 1 }
    for (let level = 0; level < 20_000; level += 1)
      deep = { type: 'object', properties: { a: deep }, default: { a: 1 } }
    const { text, warnings } = printSchema(deep, 'arguments', 100)
    expect(warnings.map(({ reason }) => reason)).toEqual(['nested deeper than 60 levels'])
    expect(text.length).toBeLessThan(20_000)
  })

  test('definitions that double each other stay small', () => {
    const $defs: Record<string, unknown> = {
      d0: { type: 'object', properties: { leaf: { type: 'string' }, other: { type: 'number' } } },
    }
    for (let at = 1; at < 40; at += 1) {
      const before = { $ref: `#/$defs/d${at - 1}` }
      $defs[`d${at}`] = { type: 'object', properties: { left: before, right: before } }
    }
    const { text, declarations } = printSchema({ $defs, $ref: '#/$defs/d39' })
    expect(text.length + declarations.join('').length).toBeLessThan(5_000)
    const both = printSchema({ $defs, allOf: [{ $ref: '#/$defs/d39' }, { $ref: '#/$defs/d38' }] })
    expect(both.text.length + both.declarations.join('').length).toBeLessThan(10_000)
  })

  test('chains of definitions that were read from the shallow end are bounded too', () => {
    const $defs: Record<string, unknown> = {}
    for (let at = 0; at < 2_000; at += 1) {
      $defs[`c${at}`] =
        at === 0 ? { type: 'string' } : { type: 'object', properties: { next: { $ref: `#/$defs/c${at - 1}` } } }
    }
    const properties = Object.fromEntries(Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]))
    const { warnings } = printSchema({ type: 'object', $defs, properties })
    expect(warnings.length).toBeGreaterThan(0)
  })

  test('huge lists are said in a note', () => {
    const many = { type: 'string', enum: Array.from({ length: 10_000 }, (_, at) => `value ${at}`) }
    expect(printSchema(many)).toMatchObject({
      text: 'string',
      doc: { terms: [expect.stringMatching(/^one of 10000: "value 0", /)] },
    })
    const wide = { type: 'array', prefixItems: Array.from({ length: 500 }, () => ({ type: 'string' })) }
    expect(printSchema(wide).text).toBe('any[]')
  })

  test('a reference to elsewhere is not followed', () => {
    for (const $ref of ['http://127.0.0.1:1/x.json', 'file:///etc/passwd', '//host/share', 'other.json#/a']) {
      expect(printSchema({ type: 'object', properties: { x: { $ref } } }).text).toBe('{ x?: any }')
    }
  })
})
