import { validate as check } from '@cfworker/json-schema'
import type { OutputUnit, Schema as ValidatorSchema } from '@cfworker/json-schema'
import { digestJson } from '../data/canonical.ts'
import { isRecord } from '../data/json.ts'
import type { Json, JsonObject } from '../data/json.ts'
import { snapshot } from '../data/snapshot.ts'
import { explain } from './full/explain.ts'
import { Preparer } from './full/prepare.ts'
import { Meter, OutOfSteps, PLAIN } from './full/prepared.ts'
import type { Dialect, PreparedSchema, Treatment } from './full/prepared.ts'
import { resolveReferences } from './full/references.ts'
import { hasDuplicates, surveyValue } from './full/survey.ts'
import type { Survey } from './full/survey.ts'
import type { SchemaResult } from './schema.ts'
import { unreadable } from './validate.ts'
import type { Violation } from './violations.ts'
import { describeValue, quote } from './wording.ts'

const SCHEMA_LIMITS = { maxBytes: 4 * 1024 * 1024, maxNodes: 200_000, maxDepth: 1_000 }
/** Visits of schemas that one validation may take: a fixed number, and some for each part of the value. */
const BASE_STEPS = 100_000
const STEPS_PER_NODE = 50
const RETRY_STEPS = 20_000

/**
 * Any JSON Schema of an imported tool, draft-04 to 2020-12. The schema is shown as it came; what is checked is a copy
 * that was made safe. Never throws and never refuses a schema for what it says: what cannot be honoured is a warning and
 * accepts more. Preparing is put off until a value (or the warnings) is asked for, as most imported tools are never called.
 *
 * Bounded: visits, reference circles, long arrays under `uniqueItems`, most slow patterns (see `pattern.ts`). Not bounded:
 * a pattern made to get past that check; and a value nested deeper than the validator's recursion goes (a few hundred
 * levels, under a schema that refers to itself) is refused although it may match. `format` is an annotation, as the
 * standard has it by default.
 */
export function compileFull(input: unknown): SchemaResult {
  const taken = snapshot(input, SCHEMA_LIMITS)
  if (!taken.ok)
    return {
      ok: false,
      problems: [{ path: taken.path, message: `the schema is not plain JSON data: ${taken.reason}` }],
    }
  const jsonSchema = objectForm(taken.value)
  if (jsonSchema === undefined) {
    const message = `a JSON Schema must be an object or a boolean; got ${describeValue(taken.value)}`
    return { ok: false, problems: [{ path: '', message }] }
  }
  let compiled: Compiled | undefined
  const compile = () => (compiled ??= compiledOnce(jsonSchema))
  return {
    ok: true,
    jsonSchema,
    validate: (value) => compile().validate(value),
    get warnings() {
      return compile().warnings
    },
  }
}

/** `true` and `false` are schemas too; a tool has to show an object. */
function objectForm(schema: Json): JsonObject | undefined {
  if (schema === true) return Object.freeze({})
  if (schema === false) return Object.freeze({ not: Object.freeze({}) })
  return isJsonObject(schema) ? schema : undefined
}
function isJsonObject(value: Json): value is JsonObject {
  return isRecord(value)
}

/** Catalogs repeat schemas, and scopes and reloads compile them again. */
const MAX_CACHED = 2_000
const compiledByDigest = new Map<string, Compiled>()

function compiledOnce(schema: JsonObject): Compiled {
  const digest = digestJson(schema)
  const known = compiledByDigest.get(digest)
  if (known !== undefined) return known
  const compiled = new Compiled(schema)
  // The oldest goes first: a Map keeps the order of insertion.
  for (const oldest of compiledByDigest.keys()) {
    if (compiledByDigest.size < MAX_CACHED) break
    compiledByDigest.delete(oldest)
  }
  compiledByDigest.set(digest, compiled)
  return compiled
}

class Compiled {
  readonly warnings: readonly string[]
  readonly #schema: JsonObject
  readonly #plain: PreparedSchema
  readonly #treated = new Map<string, PreparedSchema>()

  constructor(schema: JsonObject) {
    this.#schema = schema
    this.#plain = prepareSchema(schema, PLAIN)
    this.warnings = this.#plain.warnings
  }

  validate(value: unknown): readonly Violation[] {
    const taken = snapshot(value)
    if (!taken.ok) return [unreadable(taken.path, taken.reason)]
    const survey = surveyValue(taken.value)
    const prepared = this.#treatedFor(survey)
    const steps = BASE_STEPS + STEPS_PER_NODE * survey.nodes
    try {
      return run(prepared, taken.value, steps, false)
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) return [notChecked(thrown)]
    }
    // Too many faults for one list, or too deep. Stopping at the first fault of an array helps with the former, and soon.
    try {
      return run(prepared, taken.value, RETRY_STEPS, true)
    } catch (thrown) {
      return [notChecked(thrown)]
    }
  }

  /** The schema as it is for short values; a variant for values that would be slow to check. */
  #treatedFor(survey: Survey): PreparedSchema {
    const { usesUniqueItems, slowFrom } = this.#plain
    const hasLongArrays = usesUniqueItems && survey.longArrays.length > 0
    const dropsSlowPatterns = survey.longestText >= slowFrom
    if (!hasLongArrays && !dropsSlowPatterns) return this.#plain
    const treatment: Treatment = { dropsSlowPatterns, uniqueItems: hasLongArrays ? longArrays(survey) : 'check' }
    const key = `${treatment.dropsSlowPatterns} ${treatment.uniqueItems}`
    const known = this.#treated.get(key)
    if (known !== undefined) return known
    const treated = prepareSchema(this.#schema, treatment)
    this.#treated.set(key, treated)
    return treated
  }
}

/** When some have duplicates and others not, which of them must not is not known here. */
function longArrays({ longArrays }: Survey): Treatment['uniqueItems'] {
  const withDuplicates = longArrays.filter(hasDuplicates).length
  if (withDuplicates === 0) return 'long-pass'
  return withDuplicates === longArrays.length ? 'long-fail' : 'long-unknown'
}

function run(prepared: PreparedSchema, value: Json, steps: number, stopsEarly: boolean): readonly Violation[] {
  prepared.meter.start(steps)
  const root = prepared.root as unknown as ValidatorSchema // Prepared to have the shape the validator reads.
  const lookup = prepared.lookup as unknown as Record<string, ValidatorSchema>
  const result: { valid: boolean; errors: OutputUnit[] } = check(value, root, prepared.dialect, lookup, stopsEarly)
  return result.valid ? [] : explain(result.errors, prepared, value)
}

function notChecked(thrown: unknown): Violation {
  const why =
    thrown instanceof OutOfSteps
      ? 'it takes too many steps to check against this schema'
      : thrown instanceof RangeError
        ? 'it is nested too deeply, or breaks the schema in too many places'
        : thrown instanceof URIError
          ? 'a property name holds half of a surrogate pair'
          : 'the schema cannot be applied to it'
  return {
    path: '',
    expected: 'a value that can be checked',
    received: 'not checked',
    message: `the value is refused: ${why}`,
  }
}

function prepareSchema(schema: JsonObject, treatment: Treatment): PreparedSchema {
  try {
    return prepareWith(schema, treatment, false)
  } catch {
    // Two schemas of one identifier, or one that no URL can be made of.
    return prepareWith(schema, treatment, true)
  }
}

function prepareWith(schema: JsonObject, treatment: Treatment, dropsIds: boolean): PreparedSchema {
  const meter = new Meter()
  const { dialect, isDraft4, warning } = dialectOf(schema)
  const preparer = new Preparer({ meter, treatment, isDraft4, refStandsAlone: dialect === '7', dropsIds })
  if (warning !== undefined) preparer.warn(['$schema'], warning)
  if (dropsIds) preparer.warn([], 'its identifiers ($id) clash or are no URIs and are ignored')
  const root = preparer.prepare(schema, [])
  const lookup = resolveReferences(root, preparer)
  const { warnings, usesUniqueItems, slowFrom } = preparer
  return { root, dialect, lookup, meter, warnings, usesUniqueItems, slowFrom }
}

interface DialectChoice {
  readonly dialect: Dialect
  readonly isDraft4: boolean
  readonly warning?: string
}
const DIALECTS: readonly (readonly [RegExp, Dialect])[] = [
  [/draft-0?[34]\b/, '7'],
  [/draft-0?[67]\b/, '7'],
  [/2019-09/, '2019-09'],
  [/2020-12/, '2020-12'],
]

function dialectOf(schema: JsonObject): DialectChoice {
  const stated = Object.hasOwn(schema, '$schema') ? schema['$schema'] : undefined
  if (stated === undefined) return { dialect: '2020-12', isDraft4: false }
  const text = typeof stated === 'string' ? stated : ''
  const found = DIALECTS.find(([name]) => name.test(text))
  if (found !== undefined) return { dialect: found[1], isDraft4: /draft-0?[34]\b/.test(text) }
  return { dialect: '2020-12', isDraft4: false, warning: `dialect ${quote(text)} is not known; read as 2020-12` }
}
