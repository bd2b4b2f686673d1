import fc from 'fast-check'
import { isRecord } from '../../../src/data/json.ts'
import { kindsOfValue, SchemaView } from './schema-view.ts'
import type { Kind } from './schema-view.ts'

/** Numbers in [0, 1) that are the same for the same seed, on every machine. */
export type Random = () => number

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const MAX_DEPTH = 10
/** One that cannot be met; the validator will say so. */
const NOTHING = Symbol('nothing fits')

/**
 * Values that should fit a schema: the least it asks for, all that it speaks of, and some between. None is promised to
 * be valid (patterns, conditions and counts of keys may each get in the way): a validator has to look at them.
 */
export function candidatesFor(
  schema: unknown,
  random: Random,
  tries: number,
  options: { readonly givesDefaults?: boolean } = {},
): readonly unknown[] {
  const view = new SchemaView(schema)
  const found: unknown[] = []
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const share = attempt === 0 ? 0 : attempt === 1 ? 1 : random()
    const value = make(schema, { view, random, share, givesDefaults: options.givesDefaults === true }, 0)
    if (value !== NOTHING) found.push(value)
  }
  return found
}

interface Making {
  readonly view: SchemaView
  readonly random: Random
  /** How many of the optional properties are given. */
  readonly share: number
  /** A property with a default is always there, as in what a server answers. */
  readonly givesDefaults: boolean
}

function make(schema: unknown, making: Making, depth: number): unknown {
  const { view, random } = making
  const parts = view.flatten(schema, (branches) => pick(branches, random))
  if (parts === undefined || depth > MAX_DEPTH) return NOTHING
  const values = parts.map((part) => view.valuesOf(part)).filter((list) => list !== undefined)
  const kinds = parts.map((part) => view.kindsOf(part)).reduce((all, some) => all.intersection(some), new Set(ALL))
  if (values[0] !== undefined) {
    const fitting = values[0].filter((value) => kindsOfValue(value).some((kind) => kinds.has(kind)))
    return fitting.length === 0 ? NOTHING : pick(fitting, random)
  }
  const examples = parts.flatMap((part) => [
    ...(Array.isArray(part['examples']) ? part['examples'] : []),
    ...(Object.hasOwn(part, 'default') ? [part['default']] : []),
  ])
  const usable = examples.filter((value) => kindsOfValue(value).some((kind) => kinds.has(kind)))
  if (usable.length > 0 && random() < 0.3) return pick(usable, random)
  if (kinds.size === 0) return NOTHING
  // A schema that speaks of properties means an object, whatever else it lets through.
  const means: readonly Kind[] = parts.some((part) => isRecord(part['properties'])) ? ['object'] : []
  const kind = means.find((one) => kinds.has(one)) ?? pick([...kinds], random)
  switch (kind) {
    case 'null':
      return null
    case 'boolean':
      return random() < 0.5
    case 'integer':
      return makeNumber(parts, true, random)
    case 'number':
      return makeNumber(parts, false, random)
    case 'string':
      return makeString(parts, random)
    case 'array':
      return makeArray(parts, making, depth)
    case 'object':
      return makeObject(parts, making, depth)
  }
}

type Parts = readonly Readonly<Record<string, unknown>>[]
const ALL: readonly Kind[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

function makeNumber(parts: Parts, isInteger: boolean, random: Random): number {
  const low = largest(parts, 'minimum') ?? above(parts)
  const high = smallest(parts, 'maximum') ?? below(parts)
  const step = largest(parts, 'multipleOf')
  const from = low ?? (high === undefined ? 0 : high - 10)
  const to = high ?? from + 10
  const value = Math.min(Math.max(from + random() * (to - from), from), to)
  if (step !== undefined && step > 0) return Math.ceil(from / step) * step
  return isInteger ? Math.min(Math.ceil(value), Math.floor(to)) : Math.round(value * 1000) / 1000
}

function above(parts: Parts): number | undefined {
  const bound = largest(parts, 'exclusiveMinimum')
  return bound === undefined ? undefined : bound + 1
}
function below(parts: Parts): number | undefined {
  const bound = smallest(parts, 'exclusiveMaximum')
  return bound === undefined ? undefined : bound - 1
}

function makeString(parts: Parts, random: Random): string {
  const min = largest(parts, 'minLength') ?? 0
  const max = smallest(parts, 'maxLength') ?? Infinity
  const pattern = parts.map((part) => part['pattern']).find((text) => typeof text === 'string')
  if (pattern !== undefined) {
    try {
      // "Hex digits" beside a length of 24: the length goes into the pattern, or next to none would fit.
      const bounded = min > 0 ? pattern.replace(/[+*]\$$/, `{${min},${Math.min(max, min + 20)}}$`) : pattern
      const seed = Math.floor(random() * 1e9)
      const texts = fc.sample(fc.stringMatching(new RegExp(bounded)), { seed, numRuns: 8 })
      const fitting = texts.find((text) => text.length >= min && text.length <= max)
      if (fitting !== undefined) return fitting
    } catch {
      // Not a pattern that examples can be made of; the validator decides on the words below.
    }
  }
  const words = pick(['value', 'Grüße', 'a "quoted" word', 'line\nbreak', '', 'x'], random)
  return words.padEnd(Math.min(min, 10_000), '-').slice(0, max)
}

function makeArray(parts: Parts, making: Making, depth: number): unknown {
  const { random, share } = making
  const min = largest(parts, 'minItems') ?? 0
  const max = smallest(parts, 'maxItems') ?? Infinity
  const prefix = parts.map((part) => part['prefixItems'] ?? part['items']).find(Array.isArray) ?? []
  const rest = parts.flatMap((part) =>
    part['items'] === undefined || Array.isArray(part['items']) ? [] : [part['items']],
  )
  const wanted = depth > 6 || share === 0 ? min : Math.max(min, 1 + Math.floor(random() * 2), prefix.length)
  const items: unknown[] = []
  for (let at = 0; at < Math.min(wanted, max); at += 1) {
    const item = make(at < prefix.length ? prefix[at] : { allOf: rest }, making, depth + 1)
    if (item === NOTHING) return items.length >= min ? items : NOTHING
    items.push(item)
  }
  return items
}

function makeObject(parts: Parts, making: Making, depth: number): unknown {
  const { random, share } = making
  const schemasByKey = new Map<string, unknown[]>()
  const required = new Set<string>()
  for (const part of parts) {
    if (isRecord(part['properties'])) {
      for (const [key, schema] of Object.entries(part['properties']))
        schemasByKey.set(key, [...(schemasByKey.get(key) ?? []), schema])
    }
    if (Array.isArray(part['required'])) for (const key of part['required']) required.add(String(key))
  }
  for (const key of required) if (!schemasByKey.has(key)) schemasByKey.set(key, [{}])
  const record = new Map<string, unknown>()
  for (const [key, schemas] of schemasByKey) {
    const isKept =
      making.givesDefaults && schemas.some((schema) => isRecord(schema) && Object.hasOwn(schema, 'default'))
    const isGiven = required.has(key) || isKept || (depth <= 5 && random() < share)
    if (!isGiven) continue
    const value = make(schemas.length === 1 ? schemas[0] : { allOf: schemas }, making, depth + 1)
    if (value !== NOTHING) record.set(key, value)
    else if (required.has(key)) return NOTHING
  }
  // Keys that nobody declared are only made up where the schema says what they hold.
  for (const part of parts) {
    if (!isRecord(part['additionalProperties']) || random() > share) continue
    const value = make(part['additionalProperties'], making, depth + 1)
    if (value !== NOTHING && !record.has('another')) record.set('another', value)
  }
  return Object.fromEntries(record)
}

function largest(parts: Parts, keyword: string): number | undefined {
  return bounds(parts, keyword).reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined)
}
function smallest(parts: Parts, keyword: string): number | undefined {
  return bounds(parts, keyword).reduce<number | undefined>((a, b) => Math.min(a ?? b, b), undefined)
}
function bounds(parts: Parts, keyword: string): readonly number[] {
  return parts.map((part) => part[keyword]).filter((bound) => typeof bound === 'number')
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T // Callers have at least one.
}
