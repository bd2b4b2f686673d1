import fc from 'fast-check'
import type { Json, JsonScalar } from '../../../src/data/json.ts'
import type { Schema } from '../../../src/schema/spec.ts'
import { anyText, jsonNumber, jsonValue, recordOf } from './json.ts'

/** A schema of the subset together with a value that it allows. */
export interface Matched {
  readonly schema: Schema
  readonly value: Json
}

const scalar: fc.Arbitrary<JsonScalar> = fc.oneof(fc.constant(null), fc.boolean(), jsonNumber, anyText)

const leaf: fc.Arbitrary<Matched> = fc.oneof(
  anyText.map((value): Matched => ({ schema: { type: 'string' }, value })),
  jsonNumber.map((value): Matched => ({ schema: { type: 'number' }, value })),
  fc.integer().map((value): Matched => ({ schema: { type: 'integer' }, value })),
  fc.boolean().map((value): Matched => ({ schema: { type: 'boolean' }, value })),
  fc.constant<Matched>({ schema: { type: 'null' }, value: null }),
  scalar.map((value): Matched => ({ schema: { const: value, description: 'one only' }, value })),
  fc
    .tuple(fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }), fc.nat())
    .map(([options, at]): Matched => ({ schema: { enum: options }, value: options[at % options.length] ?? null })),
  jsonValue.map((value): Matched => ({ schema: {}, value })),
)

export const matched: fc.Arbitrary<Matched> = fc.letrec<{
  node: Matched
  object: Matched
  array: Matched
  choice: Matched
}>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('object'), tie('array'), tie('choice')),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(anyText, tie('node'), fc.boolean()), { maxLength: 4, selector: ([name]) => name }),
      fc.boolean(),
    )
    .map(([members, isOpen]) => objectOf(members, isOpen)),
  array: fc.tuple(tie('node'), fc.nat(3)).map(([{ schema, value }, length]): Matched => ({
    schema: { type: 'array', items: schema },
    value: Array.from({ length }, () => value),
  })),
  // The other branch allows nothing that JSON has under this name.
  choice: tie('node').map(({ schema, value }): Matched => ({
    schema: {
      oneOf: [
        schema,
        { type: 'object', properties: { never: { const: 'never' } }, required: ['never'], additionalProperties: false },
      ],
    },
    value,
  })),
})).node

function objectOf(members: readonly (readonly [string, Matched, boolean])[], isOpen: boolean): Matched {
  const properties = recordOf(members.map(([name, { schema }]) => [name, schema as Json]))
  const present = members.filter(([, , isRequired], index) => isRequired || index % 2 === 0)
  return {
    schema: {
      type: 'object',
      properties: properties as Record<string, Schema>,
      required: members.filter(([, , isRequired]) => isRequired).map(([name]) => name),
      additionalProperties: isOpen,
    },
    value: recordOf(present.map(([name, { value }]) => [name, value])),
  }
}
