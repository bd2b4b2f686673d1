import { isRecord, type Json, type JsonObject } from '../data/json.ts'
import { snapshot } from '../data/snapshot.ts'
import { compileSchema } from '../schema/schema.ts'
import type { Violation } from '../schema/violations.ts'

/** A schema goes into prompts whole; these stop a forged one before anything walks it. */
const SCHEMA_LIMITS = { maxBytes: 4 * 1024 * 1024, maxNodes: 200_000, maxDepth: 1_000 }
/** Words of JSON Schema for what is surely no object. Words outside JSON Schema stand in real catalogs and pass. */
const NOT_OBJECTS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'null'])

export interface CheckedSchema {
  readonly schema: JsonObject
  /** Absent when nothing was compiled here. */
  readonly validate?: (value: Json) => readonly Violation[]
}

/** A frozen copy of a JSON Schema of any draft and its validator, or nothing and what is wrong. */
export function checkSchema(
  field: string,
  source: unknown,
  problems: string[],
  compiles: boolean,
): CheckedSchema | undefined {
  const copied = snapshot(source, SCHEMA_LIMITS)
  if (!copied.ok) {
    problems.push(`${field}${copied.path} must be JSON: ${copied.reason}`)
    return undefined
  }
  if (!isRecord(copied.value)) {
    problems.push(`${field} must be a JSON Schema object`)
    return undefined
  }
  const schema = copied.value as JsonObject // A snapshot holds JSON only.
  if (!compiles) return { schema }
  const compiled = compileSchema(schema, 'full')
  if (!compiled.ok) {
    problems.push(...compiled.problems.map(({ path, message }) => `${field}${path}: ${message}`))
    return undefined
  }
  // The copy, not what the compiler made of it: a schema is shown to models as its owner wrote it.
  return { schema, validate: (value) => compiled.validate(value) }
}

/** The schema of arguments: as above, and one that an object can satisfy. */
export function checkParameters(source: unknown, problems: string[], compiles: boolean): JsonObject | undefined {
  const checked = checkSchema('parameters', source, problems, compiles)
  if (checked === undefined) return undefined
  const type = Object.hasOwn(checked.schema, 'type') ? checked.schema['type'] : undefined
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (types.every((word) => NOT_OBJECTS.has(word))) {
    problems.push(`parameters must describe an object: arguments are always one; got type ${JSON.stringify(type)}`)
  }
  return checked.schema
}
