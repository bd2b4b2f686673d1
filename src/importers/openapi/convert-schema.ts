import { isRecord, type Json, type JsonObject } from '../../data/json.ts'

/** What a schema describes: something that is sent, or something that comes back. */
export type Direction = 'input' | 'output'

export interface ConvertOptions {
  readonly direction: Direction
  readonly refStandsAlone: boolean
  /** The place of a reference's target in the result; undefined: it accepts everything. */
  refer(reference: string): string | undefined
  /** Properties that are not there in this direction. */
  hiddenIn(node: JsonObject): ReadonlySet<string>
}

const ONE_SCHEMA = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const SCHEMA_MAPS = ['patternProperties', 'dependentSchemas']
/** Kept as they are. All else (identifiers, `xml`, `discriminator`, extensions) means nothing outside its document. */
const PLAIN = new Set(
  (
    'type enum const default title description deprecated format pattern contentEncoding contentMediaType ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems ' +
    'minProperties maxProperties minContains maxContains dependentRequired nullable'
  ).split(' '),
)
const ANNOTATIONS = ['title', 'description', 'deprecated', 'default']
const MAX_EXAMPLES = 3

/** A schema of OpenAPI 3.1 (or brought to it) in JSON Schema 2020-12. Total; the document bounds its depth. */
export function convertSchema(schema: Json, options: ConvertOptions): JsonObject {
  return convert(schema, options, new Set())
}

function convert(schema: Json, options: ConvertOptions, hiddenAbove: ReadonlySet<string>): JsonObject {
  if (schema === false) return { not: {} }
  if (!isRecord(schema)) return {}
  const node = schema as JsonObject
  const out: Record<string, Json> = {}
  const { $ref: reference } = node
  if (typeof reference === 'string') {
    const target = options.refer(reference)
    if (target !== undefined) out['$ref'] = target
    if (options.refStandsAlone) {
      for (const keyword of ANNOTATIONS) if (Object.hasOwn(node, keyword)) out[keyword] = node[keyword] ?? null
      return out
    }
  }
  for (const [keyword, value] of Object.entries(node)) if (PLAIN.has(keyword)) out[keyword] = value
  const hidden = new Set([...hiddenAbove, ...options.hiddenIn(node)])
  for (const keyword of ONE_SCHEMA) {
    const below = node[keyword]
    if (isRecord(below) || typeof below === 'boolean') {
      out[keyword] = typeof below === 'boolean' ? below : convert(below as JsonObject, options, new Set())
    }
  }
  for (const keyword of SCHEMA_LISTS) {
    const list = node[keyword]
    const above = keyword === 'prefixItems' ? new Set<string>() : hidden
    if (Array.isArray(list) && list.length > 0) out[keyword] = list.map((item: Json) => convert(item, options, above))
  }
  for (const keyword of SCHEMA_MAPS) {
    const map = node[keyword]
    if (isRecord(map)) out[keyword] = mapSchemas(map as JsonObject, options)
  }
  members(node, out, hidden, options)
  nullable(out)
  bareBinary(out)
  examples(node, out)
  return out
}

function mapSchemas(map: JsonObject, options: ConvertOptions): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, convert(item, options, new Set())]))
}

function members(
  node: JsonObject,
  out: Record<string, Json>,
  hidden: ReadonlySet<string>,
  options: ConvertOptions,
): void {
  const { properties, required } = node
  if (isRecord(properties)) {
    const shown = Object.entries(properties as JsonObject).filter(([name]) => !hidden.has(name))
    out['properties'] = mapSchemas(Object.fromEntries(shown), options)
    // Said of objects only, but every author means an object.
    if (out['type'] === undefined && !hasCombinator(out)) out['type'] = 'object'
  }
  if (Array.isArray(required)) {
    const names = [...new Set(required.filter((name) => typeof name === 'string' && !hidden.has(name)))]
    if (names.length > 0) out['required'] = names as readonly string[]
  }
}

function hasCombinator(out: Readonly<Record<string, Json>>): boolean {
  return ['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => Object.hasOwn(out, keyword))
}

/** `[["string"], "null"]` is what converting makes of an odd document; an enum that may be null says so. */
function nullable(out: Record<string, Json>): void {
  const { type } = out
  if (Array.isArray(type)) {
    const words = [...new Set(type.flat(3).filter((word) => typeof word === 'string'))]
    if (words.length > 0) out['type'] = words as readonly string[]
    else delete out['type']
  }
  const isNullable = out['nullable'] === true || (Array.isArray(out['type']) && out['type'].includes('null'))
  if (out['nullable'] === true && typeof out['type'] === 'string') out['type'] = [out['type'], 'null']
  if (out['nullable'] !== true || out['type'] !== undefined) delete out['nullable']
  const options = out['enum']
  if (isNullable && Array.isArray(options) && !options.includes(null))
    out['enum'] = [...(options as readonly Json[]), null]
}

/** Bytes inside JSON are text. (Files of forms are described by the form, see `operation-body.ts`.) */
function bareBinary(out: Record<string, Json>): void {
  if (typeof out['contentMediaType'] === 'string' && out['type'] === undefined && !hasCombinator(out))
    out['type'] = 'string'
}

function examples(node: JsonObject, out: Record<string, Json>): void {
  const given = node['examples']
  if (!Array.isArray(given)) return
  const short = given.filter((item) => typeof item === 'number' || (typeof item === 'string' && item.length <= 60))
  if (short.length > 0) out['examples'] = short.slice(0, MAX_EXAMPLES) as readonly Json[]
}
