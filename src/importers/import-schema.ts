import { thrownMessage } from '../data/failure.ts'
import type { Json, JsonObject } from '../data/json.ts'
import { compileSchema } from '../schema/schema.ts'
import type { SchemaProblem } from '../schema/spec.ts'
import type { Violation } from '../schema/violations.ts'
import { printable } from './printable.ts'

export interface ImportedSchema {
  readonly jsonSchema: JsonObject
  validate(value: Json): readonly Violation[]
}

/**
 * Compiles a foreign schema in the full dialect. Undefined (with a problem) when the schema cannot be used; the tool then goes
 * without it: a bad schema costs its own tool's precision and nothing else.
 */
export function importSchema(schema: unknown, subject: string, problems: string[]): ImportedSchema | undefined {
  try {
    const compiled = compileSchema(schema, 'full')
    if (compiled.ok) {
      if (compiled.warnings.length > 0) problems.push(`${subject}: ${summary(compiled.warnings)}`)
      return compiled
    }
    problems.push(`${subject} cannot be used and is left out (${summary(compiled.problems.map(describe))})`)
  } catch (thrown) {
    problems.push(`${subject} cannot be used and is left out (${printable(thrownMessage(thrown), 300)})`)
  }
  return undefined
}

const MAX_SHOWN = 3
function summary(faults: readonly string[]): string {
  const more = faults.length - MAX_SHOWN
  const shown = faults.slice(0, MAX_SHOWN).map((fault) => printable(fault, 200))
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

function describe({ path, message }: SchemaProblem): string {
  return path === '' ? message : `${path}: ${message}`
}
