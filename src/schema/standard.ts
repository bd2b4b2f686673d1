import { toJSONSchema } from 'zod/v4/core'
import type { $ZodType } from 'zod/v4/core'
import { thrownMessage } from '../data/failure.ts'
import { isRecord } from '../data/json.ts'
import type { Json } from '../data/json.ts'
import { pointerOf, valueAt } from '../data/pointer.ts'
import { snapshot } from '../data/snapshot.ts'
import type { SchemaResult } from './schema.ts'
import type { SchemaProblem, SchemaRole } from './spec.ts'
import { unreadable } from './validate.ts'
import type { Violation } from './violations.ts'
import { clip, describeValue, subjectOf } from './wording.ts'

/** What this file relies on of https://standardschema.dev: an object with `~standard`, of which only `validate` is sure. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: number
    readonly vendor: string
    validate(value: unknown): unknown
    readonly jsonSchema?: unknown
  }
}

const SCHEMA_LIMITS = { maxBytes: 4 * 1024 * 1024, maxNodes: 200_000, maxDepth: 1_000 }
const MAX_ISSUES = 1_000
const ASYNC = 'the schema validates asynchronously; use one that answers at once, and check the rest in execute'

/** Producers may be functions (ArkType's are). Total: a hostile object is just no producer. */
export function isStandardSchema(input: unknown): input is StandardSchema {
  try {
    if ((typeof input !== 'object' && typeof input !== 'function') || input === null) return false
    const standard: unknown = (input as Partial<StandardSchema>)['~standard']
    return isRecord(standard) && standard['version'] === 1 && typeof standard['validate'] === 'function'
  } catch {
    return false
  }
}

/**
 * A schema of another library: it validates, and the JSON Schema it emits is what the model is shown. Only its verdict is
 * taken. What it makes of the value (defaults, coercions, transforms) is dropped, as what was logged and approved must be
 * what the tool gets; so the schema shown is that of its input.
 */
export function compileStandard(input: StandardSchema, role: SchemaRole): SchemaResult {
  const emitted = emitJsonSchema(input)
  if (!emitted.ok) return refuse(emitted.message)
  const taken = snapshot(emitted.schema, SCHEMA_LIMITS)
  if (!taken.ok) return refuse(`the JSON Schema it emits is not plain JSON data: ${taken.reason}`, taken.path)
  const jsonSchema = taken.value
  if (!isJsonObject(jsonSchema))
    return refuse(`the JSON Schema it emits is ${describeValue(jsonSchema)}, not an object`)
  if (role === 'parameters' && jsonSchema['type'] !== 'object') {
    const found = Object.hasOwn(jsonSchema, 'type') ? describeValue(jsonSchema['type']) : 'no type'
    return refuse(`the parameters of a tool are one object; the schema emits ${found}`, '/type')
  }
  if (answersLate(input)) return refuse(ASYNC)
  return { ok: true, jsonSchema, validate: (value) => validateStandard(input, value), warnings: [] }
}

function refuse(message: string, path = ''): SchemaResult {
  const problems: readonly SchemaProblem[] = [{ path, message }]
  return { ok: false, problems }
}

type Emitted = { readonly ok: true; readonly schema: unknown } | { readonly ok: false; readonly message: string }

/** By Standard JSON Schema when the producer has it; an older Zod 4 is converted. */
function emitJsonSchema(input: StandardSchema): Emitted {
  const { vendor, jsonSchema } = input['~standard']
  try {
    if (isRecord(jsonSchema) && typeof jsonSchema['input'] === 'function') {
      const emit = jsonSchema['input'] as (options: { target: string }) => unknown // Checked to be a function just now.
      return { ok: true, schema: asText(emit.call(jsonSchema, { target: 'draft-2020-12' })) }
    }
    if (vendor === 'zod' && '_zod' in input) {
      const schema = toJSONSchema(input as unknown as $ZodType, { io: 'input' }) // `_zod` marks a Zod 4 type.
      return { ok: true, schema: asText(schema) }
    }
  } catch (thrown) {
    return { ok: false, message: `the schema cannot be written as JSON Schema: ${thrownMessage(thrown)}` }
  }
  return {
    ok: false,
    message: `the schema (of ${vendor}) has no JSON Schema form; use a producer that emits one, or the DSL`,
  }
}

/** The schema as its text says it: producers hang hidden properties on the object they emit. */
function asText(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema) ?? 'null')
}

/** A first try at nothing shows most asynchronous producers; the others are found at the first call. */
function answersLate(input: StandardSchema): boolean {
  try {
    return isLate(input['~standard'].validate(undefined))
  } catch {
    return false
  }
}

function isLate(answer: unknown): boolean {
  if (!isRecord(answer) || typeof answer['then'] !== 'function') return false
  // Nobody waits for it: its failure must not end the process as an unhandled rejection.
  Promise.resolve(answer).catch(() => undefined)
  return true
}

function validateStandard(input: StandardSchema, value: unknown): readonly Violation[] {
  // The producer gets the frozen copy, so that it can neither change the value nor meet a getter.
  const taken = snapshot(value)
  if (!taken.ok) return [unreadable(taken.path, taken.reason)]
  try {
    const answer = input['~standard'].validate(taken.value)
    if (isLate(answer)) return [broken(ASYNC)]
    if (!isRecord(answer)) return [broken('the schema gave no answer')]
    const issues = answer['issues']
    if (issues === undefined || issues === null) return []
    if (!Array.isArray(issues)) return [broken('the schema gave issues that are not a list')]
    const found = issues.slice(0, MAX_ISSUES).map((issue: unknown) => issueViolation(issue, taken.value))
    return found.length > 0 ? found : [broken('the schema refused the value and did not say why')]
  } catch (thrown) {
    return [broken(`the schema threw: ${thrownMessage(thrown)}`)]
  }
}

function issueViolation(issue: unknown, value: Json): Violation {
  const said = isRecord(issue) && typeof issue['message'] === 'string' ? issue['message'] : 'does not match the schema'
  const keys = isRecord(issue) ? issueKeys(issue['path']) : []
  const path = pointerOf(keys)
  return {
    path,
    expected: clip(said, 200),
    received: describeValue(valueAt(value, path)),
    message: clip(`${subjectOf(keys)}: ${said}`),
  }
}

/** A path is a list of keys, or of objects that hold one. */
function issueKeys(path: unknown): (string | number)[] {
  if (!Array.isArray(path)) return []
  return path.map((segment: unknown) => {
    const key = isRecord(segment) ? segment['key'] : segment
    return typeof key === 'number' ? key : String(key)
  })
}

function broken(message: string): Violation {
  return { path: '', expected: 'a value the schema accepts', received: 'not known', message }
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return isRecord(value)
}
