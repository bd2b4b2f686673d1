import { expectTypeOf } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import type { InferArguments, InferSchema } from '../../src/schema/infer.ts'
import type { Schema } from '../../src/schema/spec.ts'

const trip = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where' },
    days: { type: 'integer' },
    units: { enum: ['metric', 'imperial'] },
    stops: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      },
    },
    shape: { oneOf: [{ const: 'round' }, { type: 'null' }] },
    rest: {},
  },
  required: ['city', 'shape'],
} as const satisfies Schema

expectTypeOf<InferArguments<typeof trip>>().toEqualTypeOf<{
  readonly city: string
  readonly shape: 'round' | null
  readonly days?: number
  readonly units?: 'metric' | 'imperial'
  readonly stops?: readonly { readonly name: string }[]
  readonly rest?: Json
}>()

expectTypeOf<InferSchema<{ readonly type: 'boolean' }>>().toEqualTypeOf<boolean>()
expectTypeOf<InferSchema<{ readonly type: 'object'; readonly additionalProperties: true }>>().toEqualTypeOf<{
  readonly [key: string]: Json
}>()
expectTypeOf<InferSchema<Schema>>().toExtend<unknown>()

const args: InferArguments<typeof trip> = { city: 'Oslo', shape: null }
// @ts-expect-error -- days is a number
export const wrong: typeof args = { city: 'Oslo', shape: null, days: 'three' }
// @ts-expect-error -- a keyword outside the subset
export const outside: Schema = { type: 'string', minLength: 1 }
