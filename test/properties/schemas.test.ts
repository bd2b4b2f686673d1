import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import { pointerOf } from '../../src/data/pointer.ts'
import { compileSchema } from '../../src/schema/schema.ts'
import type { UsableSchema } from '../../src/schema/schema.ts'
import { hostileValue, jsonValue } from '../support/arbitrary/json.ts'
import { matched } from '../support/arbitrary/schema.ts'

describe.each(['subset', 'full'] as const)('%s', (kind) => {
  test('a value made for a schema matches it', () => {
    fc.assert(
      fc.property(matched, ({ schema, value }) => {
        fc.pre(kind === 'subset' || namesAreText(schema))
        expect(compiled(schema, kind).validate(value)).toEqual([])
      }),
    )
  })

  test('compiling anything and validating anything never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostileValue,
          schemaLike.map((schema) => () => schema),
        ),
        hostileValue,
        (makeSchema, make) => {
          const result = compileSchema(makeSchema(), kind)
          if (!result.ok) return
          for (const violation of result.validate(make() as Json)) expect(violation.message).not.toBe('')
          expect(Array.isArray(result.warnings)).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('one wrong part, however deep, is reported at its own path and nowhere else', () => {
    const keys = fc.array(fc.oneof(fc.nat(3), fc.constantFrom('a', 'b/c', '~', '__proto__', 'x y')), { maxLength: 6 })
    fc.assert(
      fc.property(keys, (path) => {
        const { schema, value } = corrupted(path)
        expect(
          compiled(schema, kind)
            .validate(value)
            .map((violation) => violation.path),
        ).toEqual([pointerOf(path)])
      }),
    )
  })
})

test('what both validators take, they judge alike', () => {
  fc.assert(
    fc.property(matched, jsonValue, ({ schema }, value) => {
      fc.pre(namesAreText([schema, value]))
      const subset = compiled(schema, 'subset').validate(value)
      expect(compiled(schema, 'full').validate(value).length === 0).toBe(subset.length === 0)
    }),
  )
})

/** The full validator refuses values with names that are not well-formed Unicode. */
function namesAreText(value: unknown): boolean {
  return !JSON.stringify(value).includes('\\ud')
}

/** Objects that look like schemas and are wrong in places. */
const KEYWORDS = [
  'type',
  'properties',
  'items',
  'enum',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'required',
  '$ref',
  '$id',
  'pattern',
  'dependencies',
  '$dynamicRef',
  'nullable',
  'uniqueItems',
  'prefixItems',
]
const schemaLike = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    jsonValue,
    fc.constantFrom('string', '#', '#/properties/a', '(a+)+$', 'http://[', true, false, 3),
    fc.dictionary(
      fc.constantFrom(...KEYWORDS),
      fc.oneof(
        tie('schema'),
        fc.array(tie('schema'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
      ),
    ),
  ),
})).schema

/** A schema that wants an integer at the path, and a value that has a text there. */
function corrupted(path: readonly (string | number)[]): { schema: Json; value: Json } {
  let schema: Json = { type: 'integer' }
  let value: Json = 'three'
  for (const key of path.toReversed()) {
    if (typeof key === 'number') {
      schema = { type: 'array', items: schema }
      value = Array.from({ length: key + 1 }, (_, index) => (index === key ? value : fitting(schema)))
    } else {
      schema = { type: 'object', properties: own(key, schema), required: [key], additionalProperties: false }
      value = own(key, value)
    }
  }
  return { schema, value }
}

/** A value for the items before the wrong one. */
function fitting(arraySchema: Json): Json {
  return valueFor((arraySchema as { items: Json }).items)
}
function valueFor(schema: Json): Json {
  const { type, properties } = schema as { type: string; properties?: Record<string, Json> }
  if (type === 'integer') return 1
  if (type === 'array') return []
  const [key = '', below = null] = Object.entries(properties ?? {})[0] ?? []
  return own(key, valueFor(below))
}
function own(key: string, value: Json): Record<string, Json> {
  return Object.defineProperty({}, key, { value, writable: true, enumerable: true, configurable: true })
}

function compiled(schema: unknown, kind: 'subset' | 'full'): UsableSchema {
  const result = compileSchema(schema, kind)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}
