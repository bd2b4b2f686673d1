import type { Json, JsonObject } from '../../data/json.ts'
import { isRecord } from '../../data/json.ts'
import { commentText } from '../safe-text.ts'
import { readType } from '../type-words.ts'

export type PlainSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly pointer: string; readonly reason: string }

export interface PlainSchemaOptions {
  /** Stands above the whole. */
  readonly description?: string
  /** What a definition is to be called; each key is asked about once. */
  readonly definitionName: (key: string) => string
}

const MAX_DEPTH = 40
const MAX_SUBSCHEMAS = 3_000
const MAX_VALUES = 2_000
const MAX_LINES = 100
const LINE_CHARS = 2_000
/** Keywords that change what is accepted and that the printer of interfaces would ignore or misread. */
const MISREAD = ['prefixItems', '$dynamicRef', '$recursiveRef']
const HOLDERS = ['$defs', 'definitions'] as const

/**
 * A copy of a schema that may be handed to a library which trusts schemas. It holds the few keywords listed here and
 * nothing else: no keyword that carries code (`tsType`), no file or address, no pointer but to its own definitions, no
 * text that leaves its comment, and no more than a bounded amount of work. What cannot be copied so is refused.
 */
export function plainSchema(schema: unknown, options: PlainSchemaOptions): PlainSchema {
  let fault: { readonly pointer: string; readonly reason: string } | undefined
  let subschemas = 0
  const refuse = (pointer: string, reason: string): JsonObject => {
    fault ??= { pointer, reason }
    return {}
  }
  const definitions = HOLDERS.flatMap((holder) => entriesOf(isRecord(schema) ? schema[holder] : undefined, holder))
  const nameByPointer = new Map(definitions.map(({ at, key }) => [at, options.definitionName(key)]))
  /** Which definitions a type is made of without an object or a list in between: in a circle these have no end. */
  const aliases = new Map<string, Set<string>>()

  function copy(part: unknown, at: string, depth: number, alias: string | undefined): JsonObject {
    subschemas += 1
    if (fault !== undefined) return {}
    if (part === true) return {}
    if (part === false) return refuse(at, 'the schema false has no interface')
    if (!isRecord(part)) return refuse(at, 'a schema must be an object or a boolean')
    if (depth > MAX_DEPTH) return refuse(at, `nested deeper than ${MAX_DEPTH} levels`)
    if (subschemas > MAX_SUBSCHEMAS) return refuse(at, `more than ${MAX_SUBSCHEMAS} subschemas`)
    const misread = MISREAD.find((keyword) => part[keyword] !== undefined)
    if (misread !== undefined) return refuse(`${at}/${misread}`, `${misread} has no interface`)
    if (Array.isArray(part['items']))
      return refuse(`${at}/items`, 'a list of schemas for single items has no interface')

    const inside = (value: unknown, step: string) => copy(value, `${at}/${step}`, depth + 1, undefined)
    const fields: [string, Json][] = []
    const add = (keyword: string, value: Json | undefined) => {
      if (value !== undefined) fields.push([keyword, value])
    }
    add('$ref', copyRef(part['$ref'], at, alias))
    add('type', typeOf(part['type']))
    add('description', typeof part['description'] === 'string' ? docLines(part['description']) : undefined)
    if (part['deprecated'] === true) add('deprecated', true)
    if (part['nullable'] === true) add('nullable', true)
    if (isRecord(part['properties'])) add('properties', mapValues(part['properties'], 'properties', inside))
    if (isRecord(part['patternProperties'])) {
      add('patternProperties', mapValues(part['patternProperties'], 'patternProperties', inside))
    }
    if (Array.isArray(part['required']))
      add(
        'required',
        part['required'].filter((key) => typeof key === 'string'),
      )
    if (typeof part['additionalProperties'] === 'boolean') add('additionalProperties', part['additionalProperties'])
    else if (part['additionalProperties'] !== undefined) {
      add('additionalProperties', inside(part['additionalProperties'], 'additionalProperties'))
    }
    if (part['items'] !== undefined) add('items', inside(part['items'], 'items'))
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const branches = part[keyword]
      if (!Array.isArray(branches) || branches.length === 0) continue
      add(
        keyword,
        branches
          .slice(0, MAX_SUBSCHEMAS + 1)
          .map((branch, n) => copy(branch, `${at}/${keyword}/${n}`, depth + 1, alias)),
      )
    }
    add('enum', copyValues(part['enum'], `${at}/enum`))
    if (part['const'] !== undefined) add('enum', copyValues([part['const']], `${at}/const`))
    return Object.fromEntries(fields)
  }

  function copyRef(ref: unknown, at: string, alias: string | undefined): string | undefined {
    if (ref === undefined) return undefined
    const target = typeof ref === 'string' ? pointerOf(ref) : undefined
    const name = target === '' ? '' : target === undefined ? undefined : nameByPointer.get(target)
    if (name === undefined) {
      refuse(`${at}/$ref`, 'only references to a definition of the same schema have an interface')
      return undefined
    }
    if (alias !== undefined) aliases.set(alias, (aliases.get(alias) ?? new Set()).add(name))
    return name === '' ? '#' : `#/$defs/${name}`
  }

  function copyValues(values: unknown, at: string): Json[] | undefined {
    if (!Array.isArray(values)) return undefined
    if (values.length === 0 || values.length > MAX_VALUES) {
      refuse(at, `an enum must have 1 to ${MAX_VALUES} values; it has ${values.length}`)
    } else if (values.some((value) => typeof value === 'object' && value !== null)) {
      refuse(at, 'values that are objects or lists have no interface')
    }
    return fault === undefined ? values : undefined
  }

  const root = copy(schema, '', 0, '')
  const parts: Record<string, Json> = {}
  for (const { at, value } of definitions) {
    const name = nameByPointer.get(at) ?? ''
    parts[name] = copy(value, `/${at}`, 1, name)
  }
  if (fault === undefined && hasCircle(aliases)) refuse('', 'a type that is made of itself has no interface')
  if (fault !== undefined) return { ok: false, ...fault }
  return {
    ok: true,
    schema: {
      ...root,
      ...(options.description !== undefined && { description: docLines(options.description) }),
      ...(definitions.length > 0 && { $defs: parts }),
    },
  }
}

function entriesOf(holder: unknown, name: string) {
  if (!isRecord(holder)) return []
  return Object.entries(holder).map(([key, value]) => ({ at: `${name}/${key}`, key, value }))
}

function mapValues(
  values: Record<string, unknown>,
  keyword: string,
  each: (value: unknown, step: string) => JsonObject,
): JsonObject {
  // `fromEntries` defines, so that `__proto__` is a key like others.
  return Object.fromEntries(
    Object.entries(values)
      .slice(0, MAX_SUBSCHEMAS + 1)
      .map(([key, value]) => [key, each(value, `${keyword}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)]),
  )
}

/** `#/$defs/a~1b` → `$defs/a/b`: a holder and one key. The empty text is the whole schema. */
function pointerOf(ref: string): string | undefined {
  if (ref === '#') return ''
  const match = /^#\/(\$defs|definitions)\/([^/]{1,400})$/.exec(ref)
  if (match?.[2] === undefined) return undefined
  let key = match[2]
  try {
    key = decodeURIComponent(key)
  } catch {
    // A percent sign of its own.
  }
  return `${match[1]}/${key.replaceAll('~1', '/').replaceAll('~0', '~')}`
}

function typeOf(type: unknown): Json | undefined {
  const { words } = readType(type)
  if (words === undefined || words.includes('any')) return undefined
  return words.length === 1 ? words[0] : [...new Set(words)]
}

/** Line breaks stay: this is for people. Each line is cleaned as a comment of the model's text is. */
function docLines(text: string): string {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/, MAX_LINES).map((line) => commentText(line, LINE_CHARS))
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function hasCircle(edges: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const done = new Set<string>()
  const open = new Set<string>()
  const leadsBack = (name: string): boolean => {
    if (open.has(name)) return true
    if (done.has(name)) return false
    open.add(name)
    const isCircle = [...(edges.get(name) ?? [])].some(leadsBack)
    open.delete(name)
    done.add(name)
    return isCircle
  }
  return [...edges.keys()].some(leadsBack)
}
