import type { Json, JsonScalar } from '../data/json.ts'

/** The seven type words, one a schema. */
export const SCHEMA_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
export type SchemaType = (typeof SCHEMA_TYPES)[number]

/**
 * A schema as authors write it: a subset of JSON Schema small enough that what it says is enforced here, typed in
 * TypeScript, and understood by every model provider. Whatever needs more (lengths, ranges, patterns) is said in the
 * description and checked by the tool. Any other keyword is refused when the schema is compiled.
 */
export interface Schema {
  readonly type?: SchemaType
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  /** Must be stated by every object below the root; the root is open unless it says otherwise. */
  readonly additionalProperties?: boolean
  readonly items?: Schema
  readonly enum?: readonly JsonScalar[]
  readonly const?: JsonScalar
  /** Two or more; exactly one must match. */
  readonly oneOf?: readonly Schema[]
  readonly title?: string
  readonly description?: string
  /** Shown, never applied. */
  readonly default?: Json
  readonly examples?: readonly Json[]
}

/** What a schema is for. The root of `parameters` is always an object. */
export type SchemaRole = 'parameters' | 'value'

/** One thing that is wrong with a schema. `path` is a JSON Pointer into the schema. */
export interface SchemaProblem {
  readonly path: string
  readonly message: string
}
