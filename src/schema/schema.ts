import type { Json, JsonObject } from '../data/json.ts'
import { compileSubset } from './compile.ts'
import { compileFull } from './full.ts'
import type { SchemaProblem, SchemaRole } from './spec.ts'
import { compileStandard, isStandardSchema } from './standard.ts'
import { validateSubset } from './validate.ts'
import type { Violation } from './violations.ts'

/**
 * How a schema is read: `subset` is the authored DSL, `full` any JSON Schema of an imported tool, `auto` what an author
 * passes: a Standard Schema producer (Zod 4 and others) when it is one, else the DSL.
 */
export type SchemaKind = 'subset' | 'full' | 'auto'

export interface UsableSchema {
  readonly ok: true
  /** What the model is shown. Frozen; of an imported tool as it came. */
  readonly jsonSchema: JsonObject
  /** Everything about a value that does not match, in walk order. Total: never throws, whatever the value is. */
  validate(value: Json): readonly Violation[]
  /** What could not be taken at its word. Only imported schemas and producers have any. */
  readonly warnings: readonly string[]
}
export type SchemaResult = UsableSchema | { readonly ok: false; readonly problems: readonly SchemaProblem[] }

/**
 * Checks a schema and makes it usable, or says everything that is wrong with it. Total.
 *
 * `role` says where an authored schema stands: as `parameters` its root is an object (and is shown as one), as `value` it
 * may be anything. It makes no difference to imported schemas.
 */
export function compileSchema(input: unknown, kind: SchemaKind, role: SchemaRole = 'value'): SchemaResult {
  if (kind === 'full') return compileFull(input)
  if (kind === 'auto' && isStandardSchema(input)) return compileStandard(input, role)
  const compiled = compileSubset(input, role)
  if (!compiled.ok) return compiled
  const { root, jsonSchema } = compiled
  return { ok: true, jsonSchema, validate: (value) => validateSubset(root, value), warnings: [] }
}
