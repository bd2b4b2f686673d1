import type { Json, JsonScalar } from '../data/json.ts'
import type { Schema } from './spec.ts'

/**
 * The TypeScript type of the values a literal schema allows, for authors: `execute(args)` knows its arguments. Write the
 * schema `as const` (or pass it to a function with a `const` type parameter). What is not literal is `Json`. Extra
 * properties of an open object are not part of the type.
 */
export type InferSchema<S> = S extends { readonly const: infer C extends JsonScalar }
  ? C
  : S extends { readonly enum: readonly (infer E extends JsonScalar)[] }
    ? E
    : S extends { readonly oneOf: readonly (infer B)[] }
      ? InferSchema<B>
      : S extends { readonly type: infer T }
        ? InferType<S, T>
        : S extends { readonly properties: object }
          ? InferObject<S>
          : Json

type InferType<S, T> = T extends 'object'
  ? InferObject<S>
  : T extends 'array'
    ? S extends { readonly items: infer I }
      ? readonly InferSchema<I>[]
      : readonly Json[]
    : T extends 'string'
      ? string
      : T extends 'number' | 'integer'
        ? number
        : T extends 'boolean'
          ? boolean
          : T extends 'null'
            ? null
            : Json

type InferObject<S> = S extends { readonly properties: infer P }
  ? Flat<
      { readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: InferSchema<P[K]> } & {
        readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: InferSchema<P[K]>
      }
    >
  : { readonly [key: string]: Json }

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never
type Flat<T> = { [K in keyof T]: T[K] }

/** The arguments of a tool: the root is an object whether or not it says so. */
export type InferArguments<S extends Schema> = S extends { readonly properties: object }
  ? InferObject<S>
  : { readonly [key: string]: Json }
