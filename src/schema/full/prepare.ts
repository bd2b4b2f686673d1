import { isRecord } from '../../data/json.ts'
import type { Json } from '../../data/json.ts'
import { pointerOf } from '../../data/pointer.ts'
import { isSchemaType } from '../keywords/type.ts'
import type { SchemaType } from '../spec.ts'
import { isList, quote } from '../wording.ts'
import { usablePattern } from './pattern.ts'
import { HAS_DUPLICATES, MAX_PAIRED_ITEMS, NEVER, RECURSIVE_ANCHOR, WEIGHT } from './prepared.ts'
import type { Meter, PreparedNode, Treatment } from './prepared.ts'
import { typeMeant } from './type-words.ts'

type Keys = readonly (string | number)[]

/** Schemas inside each other. The validator recurses, and nobody writes more. */
const MAX_SCHEMA_DEPTH = 200
const MAX_WARNINGS = 50
/** What comparing every item of an array with every other costs, in visits. */
const PAIRING_WEIGHT = 500

const SCHEMA_KEYWORDS = words(
  'additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames not if then else',
)
const LIST_KEYWORDS = ['prefixItems', 'allOf', 'anyOf', 'oneOf']
const MAP_KEYWORDS = ['$defs', 'definitions', 'properties', 'dependentSchemas']
const COUNT_KEYWORDS = words(
  'minItems maxItems minContains maxContains minLength maxLength minProperties maxProperties',
)
const COMBINATORS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not']

export interface PrepareOptions {
  readonly meter: Meter
  readonly treatment: Treatment
  readonly isDraft4: boolean
  /** In draft 7 and before, what stands beside `$ref` does not count. */
  readonly refStandsAlone: boolean
  /** Drops `$id`: references then go by pointer alone. */
  readonly dropsIds: boolean
}

/**
 * Copies a schema of any dialect into one the validator can run without surprises. A keyword that is unknown, misshapen
 * or cannot be honoured is left out (the schema then allows more, never less) with a warning if its owner meant something.
 */
export class Preparer {
  readonly warnings: string[] = []
  readonly origins = new Map<Json, PreparedNode>()
  readonly sources = new WeakMap<PreparedNode, Json>()
  /** Nodes that refer elsewhere, in order. */
  readonly referring: PreparedNode[] = []
  /** Nodes that accept more than their schema says. */
  readonly inexact = new Set<PreparedNode>()
  /** Nodes whose reference may lead elsewhere, depending on what led to them. */
  readonly dynamic: PreparedNode[] = []
  /** How many schemas carry each dynamic anchor. */
  readonly dynamicAnchors = new Map<string, number>()
  usesUniqueItems = false
  slowFrom = Infinity
  readonly #options: PrepareOptions

  constructor(options: PrepareOptions) {
    this.#options = options
  }

  prepare(schema: Json, keys: Keys): PreparedNode {
    if (schema === false) return this.#never()
    if (schema === true) return this.accepting()
    if (!isRecord(schema)) {
      this.warn(keys, 'a schema that is not an object; anything is accepted there')
      return this.inexactly(this.accepting())
    }
    const known = this.origins.get(schema as Json)
    if (known !== undefined) return known
    if (keys.length > 2 * MAX_SCHEMA_DEPTH) {
      this.warn(keys, 'nested too deeply; anything is accepted there')
      return this.inexactly(this.accepting())
    }
    const node = this.accepting()
    this.origins.set(schema as Json, node)
    this.sources.set(node, schema as Json)
    this.#fill(node, new Reader(schema as Record<string, Json>), keys)
    return node
  }

  accepting(): PreparedNode {
    const node = Object.create(this.#options.meter.prototype) as PreparedNode // The weight follows at once.
    Object.defineProperty(node, WEIGHT, { value: 1, writable: true, enumerable: false })
    return node
  }

  /** Notes that a node accepts more than its owner wrote. */
  inexactly(node: PreparedNode): PreparedNode {
    this.inexact.add(node)
    return node
  }

  warn(keys: Keys, message: string): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(`${pointerOf(keys) || 'the root'}: ${message}`)
  }

  #never(): PreparedNode {
    const node = this.accepting()
    put(node, 'not', this.accepting())
    Object.defineProperty(node, NEVER, { value: true, enumerable: false })
    return node
  }

  #fill(node: PreparedNode, read: Reader, keys: Keys): void {
    this.#identity(node, read, keys)
    const reference = read.string('$ref')
    if (reference !== undefined && this.#refer(node, reference, keys) && this.#options.refStandsAlone) {
      this.#maps(node, read, keys, ['$defs', 'definitions'])
      return
    }
    this.#dynamicReference(node, read, keys)
    this.#type(node, read, keys)
    this.#bounds(node, read)
    this.#strings(node, read, keys)
    this.#maps(node, read, keys, MAP_KEYWORDS)
    this.#objects(node, read, keys)
    this.#arrays(node, read, keys)
    for (const keyword of SCHEMA_KEYWORDS) {
      const below = read.get(keyword)
      if (below !== undefined && isSchemaLike(below)) put(node, keyword, this.prepare(below, [...keys, keyword]))
    }
    for (const keyword of LIST_KEYWORDS) this.#list(node, read, keys, keyword)
    this.#nullable(node, read)
    let entries = 0
    for (const value of Object.values(node)) entries += sizeOf(value)
    node[WEIGHT] = 1 + Math.floor(entries / 8) + (node['uniqueItems'] === true ? PAIRING_WEIGHT : 0)
  }

  #identity(node: PreparedNode, read: Reader, keys: Keys): void {
    const { isDraft4, refStandsAlone, dropsIds } = this.#options
    const id = read.string(isDraft4 ? 'id' : '$id')
    const isOverruled = refStandsAlone && read.string('$ref') !== undefined
    if (id !== undefined && !dropsIds && !isOverruled) {
      if (isUri(id)) put(node, '$id', id)
      else this.warn(keys, `identifier ${quote(id)} is not a URI and is ignored`)
    }
    const dynamicAnchor = read.string('$dynamicAnchor')
    if (dynamicAnchor !== undefined) {
      this.dynamicAnchors.set(dynamicAnchor, (this.dynamicAnchors.get(dynamicAnchor) ?? 0) + 1)
    }
    const anchor = read.string('$anchor') ?? dynamicAnchor
    if (anchor !== undefined && isUri(`#${anchor}`)) put(node, '$anchor', anchor)
    if (read.get('$recursiveRef') === '#') put(node, '$recursiveRef', '#')
    if (read.get('$recursiveAnchor') === true) Object.defineProperty(node, RECURSIVE_ANCHOR, { value: true })
  }

  #refer(node: PreparedNode, reference: string, keys: Keys): boolean {
    if (!isUri(reference)) {
      this.warn(keys, `reference ${quote(reference)} is not a URI; anything is accepted there`)
      this.inexactly(node)
      return false
    }
    put(node, '$ref', reference)
    this.referring.push(node)
    return true
  }

  /** While only one schema carries the anchor, a dynamic reference is an ordinary one. */
  #dynamicReference(node: PreparedNode, read: Reader, keys: Keys): void {
    const reference = read.string('$dynamicRef')
    if (reference === undefined) return
    const isAlone = node['$ref'] === undefined
    const referring = isAlone ? node : this.accepting()
    if (!this.#refer(referring, reference, keys)) return
    this.dynamic.push(referring)
    if (!isAlone) put(node, 'allOf', [referring])
  }

  #type(node: PreparedNode, read: Reader, keys: Keys): void {
    const stated = read.get('type')
    const words = typeof stated === 'string' ? [stated] : stated !== undefined && isList(stated) ? stated : []
    const types = words.map((word) => this.#typeOf(word, keys))
    if (types.includes(undefined)) this.inexactly(node)
    if (types.length > 0 && !types.includes(undefined))
      put(node, 'type', types.length === 1 ? types[0] : [...new Set(types)])
    const options = read.get('enum')
    if (options !== undefined && isList(options)) put(node, 'enum', options)
    if (read.get('const') !== undefined && !this.#options.isDraft4) put(node, 'const', read.get('const'))
  }

  #typeOf(word: Json, keys: Keys): SchemaType | undefined {
    if (isSchemaType(word)) return word
    const meant = typeof word === 'string' ? typeMeant(word) : undefined
    const said = typeof word === 'string' ? quote(word) : 'that is not a word'
    this.warn([...keys, 'type'], `type ${said} is not one of JSON Schema; read as ${meant ?? 'anything'}`)
    return meant
  }

  #bounds(node: PreparedNode, read: Reader): void {
    for (const [inclusive, exclusive] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const) {
      const bound = read.number(inclusive)
      const strict = read.get(exclusive)
      // Draft 4 says whether the bound itself is out; later drafts give a bound of its own.
      if (strict === true && bound !== undefined) put(node, exclusive, bound)
      else if (bound !== undefined) put(node, inclusive, bound)
      if (typeof strict === 'number') put(node, exclusive, strict)
    }
    const step = read.number('multipleOf')
    if (step !== undefined && step > 0) put(node, 'multipleOf', step)
    for (const keyword of COUNT_KEYWORDS) {
      const count = read.number(keyword)
      if (count !== undefined) put(node, keyword, count)
    }
  }

  #strings(node: PreparedNode, read: Reader, keys: Keys): void {
    const pattern = read.string('pattern')
    if (pattern === undefined) return
    const source = this.#pattern(pattern, [...keys, 'pattern'])
    if (source === undefined) this.inexactly(node)
    else put(node, 'pattern', source)
  }

  #pattern(written: string, keys: Keys): string | undefined {
    const pattern = usablePattern(written)
    if (!pattern.ok) {
      this.warn(keys, `pattern ${quote(written)} is not checked: ${pattern.reason}`)
      return undefined
    }
    this.slowFrom = Math.min(this.slowFrom, pattern.maxLength + 1)
    return this.#options.treatment.dropsSlowPatterns && pattern.maxLength < Infinity ? undefined : pattern.source
  }

  #maps(node: PreparedNode, read: Reader, keys: Keys, keywords: readonly string[]): void {
    for (const keyword of keywords) {
      const map = read.record(keyword)
      if (map === undefined) continue
      const prepared = nameMap()
      for (const [name, below] of Object.entries(map)) {
        if (!name.isWellFormed()) this.warn([...keys, keyword], 'a name with half a surrogate pair is ignored')
        else put(prepared, name, this.prepare(below, [...keys, keyword, name]))
      }
      put(node, keyword, prepared)
    }
  }

  #objects(node: PreparedNode, read: Reader, keys: Keys): void {
    const required = read.get('required')
    if (required !== undefined && isList(required)) put(node, 'required', [...new Set(required.filter(isText))])
    this.#dependencies(node, read, keys)
    this.#patternProperties(node, read, keys)
  }

  /** The older `dependencies` holds both kinds; the validator knows them best by their later names. */
  #dependencies(node: PreparedNode, read: Reader, keys: Keys): void {
    const names = nameMap()
    const schemas = node['dependentSchemas'] ?? nameMap()
    for (const keyword of ['dependentRequired', 'dependencies']) {
      for (const [name, needs] of Object.entries(read.record(keyword) ?? {})) {
        if (isList(needs)) put(names, name, needs.filter(isText))
        else if (name.isWellFormed()) put(schemas, name, this.prepare(needs, [...keys, keyword, name]))
      }
    }
    if (Object.keys(names).length > 0) put(node, 'dependentRequired', names)
    if (Object.keys(schemas).length > 0) put(node, 'dependentSchemas', schemas)
  }

  #patternProperties(node: PreparedNode, read: Reader, keys: Keys): void {
    const map = read.record('patternProperties')
    if (map === undefined) return
    const prepared = nameMap()
    for (const [pattern, below] of Object.entries(map)) {
      const source = pattern.isWellFormed()
        ? this.#pattern(pattern, [...keys, 'patternProperties', pattern])
        : undefined
      if (source !== undefined) put(prepared, source, this.prepare(below, [...keys, 'patternProperties', pattern]))
      else {
        // Which names are left for these is no longer known.
        read.forget('additionalProperties', 'unevaluatedProperties')
        this.inexactly(node)
      }
    }
    put(node, 'patternProperties', prepared)
  }

  #arrays(node: PreparedNode, read: Reader, keys: Keys): void {
    const items = read.get('items')
    if (items !== undefined && isList(items)) this.#list(node, read, keys, 'items')
    else if (items !== undefined && isSchemaLike(items)) put(node, 'items', this.prepare(items, [...keys, 'items']))
    if (read.get('uniqueItems') !== true) return
    this.usesUniqueItems = true
    const { uniqueItems } = this.#options.treatment
    if (uniqueItems === 'check') put(node, 'uniqueItems', true)
    else this.#uniqueByLength(node, uniqueItems === 'long-fail')
    if (uniqueItems === 'long-unknown') this.inexactly(node)
  }

  /** An `if`, as the validator evaluates every branch of the other combinators whether it has to or not. */
  #uniqueByLength(node: PreparedNode, longOnesFail: boolean): void {
    const isShort = this.accepting()
    put(isShort, 'maxItems', MAX_PAIRED_ITEMS)
    const compared = this.accepting()
    put(compared, 'uniqueItems', true)
    compared[WEIGHT] += PAIRING_WEIGHT
    const choice = this.accepting()
    put(choice, 'if', isShort)
    put(choice, 'then', compared)
    if (longOnesFail) {
      const refused = this.accepting()
      put(refused, 'maxItems', MAX_PAIRED_ITEMS)
      Object.defineProperty(refused, HAS_DUPLICATES, { value: true, enumerable: false })
      put(choice, 'else', refused)
    }
    put(node, 'allOf', [choice])
  }

  #list(node: PreparedNode, read: Reader, keys: Keys, keyword: string): void {
    const list = read.get(keyword)
    if (list === undefined || !isList(list) || list.length === 0) return
    const prepared = list.map((below, index) => this.prepare(below, [...keys, keyword, index]))
    const before = node[keyword]
    put(node, keyword, Array.isArray(before) ? [...prepared, ...(before as PreparedNode[])] : prepared)
  }

  /** OpenAPI 3.0: `null` is allowed besides. */
  #nullable(node: PreparedNode, read: Reader): void {
    if (read.get('nullable') !== true) return
    if (node['type'] !== undefined) put(node, 'type', [node['type'], 'null'].flat())
    if (Array.isArray(node['enum'])) put(node, 'enum', [...(node['enum'] as Json[]), null])
    const combined = COMBINATORS.filter((keyword) => Object.hasOwn(node, keyword))
    if (combined.length === 0) return
    const rest = this.accepting()
    for (const keyword of combined) {
      put(rest, keyword, node[keyword])
      delete node[keyword]
    }
    const referring = this.referring.indexOf(node)
    if (referring !== -1) this.referring[referring] = rest
    const none = this.accepting()
    put(none, 'type', 'null')
    put(node, 'anyOf', [none, rest])
  }
}

/** Reads keywords as own properties of the shape they must have. */
class Reader {
  readonly #schema: Readonly<Record<string, Json>>
  readonly #forgotten = new Set<string>()
  constructor(schema: Readonly<Record<string, Json>>) {
    this.#schema = schema
  }
  get(keyword: string): Json | undefined {
    return Object.hasOwn(this.#schema, keyword) && !this.#forgotten.has(keyword) ? this.#schema[keyword] : undefined
  }
  forget(...keywords: string[]): void {
    for (const keyword of keywords) this.#forgotten.add(keyword)
  }
  string(keyword: string): string | undefined {
    const value = this.get(keyword)
    return typeof value === 'string' ? value : undefined
  }
  number(keyword: string): number | undefined {
    const value = this.get(keyword)
    return typeof value === 'number' ? value : undefined
  }
  record(keyword: string): Readonly<Record<string, Json>> | undefined {
    const value = this.get(keyword)
    return isRecord(value) ? (value as Record<string, Json>) : undefined // A part of JSON data is JSON.
  }
}

/** Names from outside are keys like any other, `__proto__` too. */
function put(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}
function nameMap(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}
function isUri(reference: string): boolean {
  return reference.isWellFormed() && URL.canParse(reference, 'https://base.invalid/')
}
function isSchemaLike(value: Json): boolean {
  return typeof value === 'boolean' || isRecord(value)
}
function isText(value: Json): value is string {
  return typeof value === 'string'
}
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Array.isArray(value) ? value.length : Object.keys(value).length
}
function words(text: string): string[] {
  return text.split(' ')
}
