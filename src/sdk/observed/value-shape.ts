import type { Json, JsonObject } from '../../data/json.ts'
import { isPlainKey } from './plain-key.ts'

/**
 * What values of one place looked like: kinds and keys, never a value. Shapes are immutable, bounded however large or
 * hostile the values were, and admit every value that they were made from: what was not looked at is open.
 */
export interface ValueShape {
  /** Seen here beside objects and arrays. */
  readonly kinds: ReadonlySet<ScalarKind>
  readonly object?: ObjectShape
  readonly array?: ArrayShape
  /** Values were here that nobody looked at: anything may stand here. */
  readonly isOpen: boolean
}
/** `json-text`: a text that is JSON of an object or a list. */
export type ScalarKind = 'null' | 'boolean' | 'number' | 'string' | 'json-text'
export interface ObjectShape {
  readonly members: ReadonlyMap<string, MemberShape>
  /** Keys that are data (ids, paths, dates, very many): what stood behind any of them. */
  readonly index?: ValueShape
  /** Whether every key is data, names among them. */
  readonly isMap: boolean
}
export interface MemberShape {
  readonly shape: ValueShape
  readonly isOptional: boolean
}
export interface ArrayShape {
  /** Absent: only empty lists were seen. */
  readonly items?: ValueShape
}

export const MAX_MEMBERS = 48
const MAX_DEPTH = 8
/** Values of one result that are looked at. */
const MAX_LOOKED_AT = 4_000
const MAX_JSON_TEXT = 16_384
const MAX_JSON_TEXTS = 16
/** An object of at least so many keys that all lead to objects with the same keys is a map. */
const MIN_ALIKE = 4

export const NOTHING: ValueShape = { kinds: new Set(), isOpen: false }
export const ANYTHING: ValueShape = { kinds: new Set(), isOpen: true }

/** The shape of one value. Reads a bounded part of it. */
export function shapeOf(value: Json): ValueShape {
  return lookAt(value, 0, { values: MAX_LOOKED_AT, texts: MAX_JSON_TEXTS })
}

/** The shape that admits the value as well; the same one if it did already. Reads a bounded part of the value. */
export function extendShape(shape: ValueShape, value: Json): ValueShape {
  const isKnown = admitsValue(shape, value, { values: MAX_LOOKED_AT, texts: MAX_JSON_TEXTS })
  return isKnown ? shape : mergeShapes(shape, shapeOf(value))
}

/** The narrowest shape that admits what either admits, as long as it stays small. */
export function mergeShapes(a: ValueShape, b: ValueShape): ValueShape {
  if (a === b) return a
  const object = mergeOptional(a.object, b.object, mergeObjects)
  const array = mergeOptional(a.array, b.array, (one, other) => {
    const items = mergeOptional(one.items, other.items, mergeShapes)
    return items === undefined ? {} : { items }
  })
  return {
    kinds: mergeKinds(a.kinds, b.kinds),
    ...(object !== undefined && { object }),
    ...(array !== undefined && { array }),
    isOpen: a.isOpen || b.isOpen,
  }
}

/**
 * Whether the value is one of those that the shape speaks of: then seeing it would teach nothing. With `left`, a value
 * that is too large to be looked at as a whole is not.
 */
export function admitsValue(
  shape: ValueShape,
  value: Json,
  left: Left = { values: Infinity, texts: Infinity },
): boolean {
  if (shape.isOpen) return true
  if (left.values <= 0) return false
  left.values -= 1
  if (typeof value === 'string') {
    if (shape.kinds.has('string')) return true
    return shape.kinds.has('json-text') && left.texts-- > 0 && isJsonText(value)
  }
  if (isList(value)) {
    const { array } = shape
    if (array === undefined) return false
    const { items } = array
    return items === undefined ? value.length === 0 : value.every((item) => admitsValue(items, item, left))
  }
  if (value === null) return shape.kinds.has('null')
  if (typeof value !== 'object') return shape.kinds.has(typeof value as 'boolean' | 'number') // What is left in JSON.
  return shape.object !== undefined && admitsObject(shape.object, value, left)
}

function admitsObject({ members, index }: ObjectShape, value: JsonObject, left: Left): boolean {
  for (const [key, member] of members) if (!member.isOptional && !Object.hasOwn(value, key)) return false
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    const known = members.get(key)?.shape ?? index
    if (known === undefined || !admitsValue(known, value[key] ?? null, left)) return false
  }
  return true
}

/** How many places it has: what it costs to keep and to show. */
export function placesIn(shape: ValueShape): number {
  let places = 1
  for (const { shape: member } of shape.object?.members.values() ?? []) places += placesIn(member)
  if (shape.object?.index !== undefined) places += placesIn(shape.object.index)
  if (shape.array?.items !== undefined) places += placesIn(shape.array.items)
  return places
}

/** The shape with everything below so many levels open, until it has at most `maxPlaces`. */
export function boundShape(shape: ValueShape, maxPlaces: number): ValueShape {
  let bounded = shape
  for (let depth = MAX_DEPTH; depth >= 0 && placesIn(bounded) > maxPlaces; depth -= 1) bounded = openBelow(shape, depth)
  return bounded
}

/** How much more may be looked at. */
interface Left {
  values: number
  texts: number
}

function lookAt(value: Json, depth: number, left: Left): ValueShape {
  if (left.values <= 0) return ANYTHING
  left.values -= 1
  if (value === null) return scalar('null')
  if (typeof value === 'string')
    return scalar(looksLikeJson(value) && left.texts-- > 0 && isJsonText(value) ? 'json-text' : 'string')
  if (typeof value !== 'object') return scalar(typeof value as 'boolean' | 'number') // What is left in JSON.
  if (depth >= MAX_DEPTH) return ANYTHING
  return isList(value) ? lookAtList(value, depth, left) : lookAtObject(value, depth, left)
}

function lookAtList(list: readonly Json[], depth: number, left: Left): ValueShape {
  let items: ValueShape | undefined
  for (const item of list) {
    // Most lists are of alike things, and to find that out costs less than to describe each.
    if (items === undefined) items = lookAt(item, depth + 1, left)
    else if (!admitsValue(items, item, left)) items = mergeShapes(items, lookAt(item, depth + 1, left))
    // The rest would be open as well: one open item says so for all of them.
    if (left.values <= 0) break
  }
  if (items !== undefined && left.values <= 0) items = mergeShapes(items, ANYTHING)
  return { ...NOTHING, array: items === undefined ? {} : { items } }
}

function lookAtObject(object: JsonObject, depth: number, left: Left): ValueShape {
  const members = new Map<string, MemberShape>()
  let index: ValueShape | undefined
  let isOpen = false
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue
    // Any of the keys that are left may be one that another value is known by.
    isOpen = left.values <= 0
    if (isOpen) break
    const shape = lookAt(object[key] ?? null, depth + 1, left)
    if (isPlainKey(key) && members.size <= MAX_MEMBERS) members.set(key, { shape, isOptional: false })
    else index = index === undefined ? shape : mergeShapes(index, shape)
  }
  const isMap = members.size > MAX_MEMBERS || areAlike(members)
  return { kinds: NOTHING.kinds, object: settle({ members, ...(index !== undefined && { index }), isMap }), isOpen }
}

function mergeObjects(a: ObjectShape, b: ObjectShape): ObjectShape {
  const index = mergeOptional(a.index, b.index, mergeShapes)
  const members = new Map<string, MemberShape>()
  for (const [key, member] of a.members) {
    const other = b.members.get(key)
    members.set(
      key,
      other === undefined
        ? { ...member, isOptional: true }
        : { shape: mergeShapes(member.shape, other.shape), isOptional: member.isOptional || other.isOptional },
    )
  }
  for (const [key, member] of b.members) if (!members.has(key)) members.set(key, { ...member, isOptional: true })
  const isGrown = members.size > Math.max(a.members.size, b.members.size)
  const isMap = a.isMap || b.isMap || (isGrown && (members.size > MAX_MEMBERS || areAlike(members)))
  return settle({ members, ...(index !== undefined && { index }), isMap })
}

/** Gives up the names of an object whose keys are data: too many of them, or all leading to the same. */
function settle(object: ObjectShape): ObjectShape {
  if (!object.isMap) return object
  let { index } = object
  for (const { shape } of object.members.values()) index = index === undefined ? shape : mergeShapes(index, shape)
  return { members: new Map(), ...(index !== undefined && { index }), isMap: true }
}

function areAlike(members: ReadonlyMap<string, MemberShape>): boolean {
  if (members.size < MIN_ALIKE) return false
  let first: string | undefined
  for (const { shape } of members.values()) {
    if (shape.object === undefined || shape.object.members.size < 2 || shape.kinds.size > 0) return false
    const keys = [...shape.object.members.keys()].sort().join('\n')
    first ??= keys
    if (keys !== first) return false
  }
  return true
}

function openBelow(shape: ValueShape, depth: number): ValueShape {
  if (shape.object === undefined && shape.array === undefined) return shape
  if (depth <= 0) return { kinds: shape.kinds, isOpen: true }
  const { object, array } = shape
  return {
    kinds: shape.kinds,
    isOpen: shape.isOpen,
    ...(object !== undefined && {
      object: {
        members: new Map(
          [...object.members].map(([key, member]) => [key, { ...member, shape: openBelow(member.shape, depth - 1) }]),
        ),
        ...(object.index !== undefined && { index: openBelow(object.index, depth - 1) }),
        isMap: object.isMap,
      },
    }),
    ...(array !== undefined && {
      array: array.items === undefined ? array : { items: openBelow(array.items, depth - 1) },
    }),
  }
}

function mergeKinds(a: ReadonlySet<ScalarKind>, b: ReadonlySet<ScalarKind>): ReadonlySet<ScalarKind> {
  const kinds = a.union(b)
  // Texts that are JSON only now and then are texts.
  if (kinds.has('string')) kinds.delete('json-text')
  return kinds
}

function mergeOptional<T>(a: T | undefined, b: T | undefined, merge: (a: T, b: T) => T): T | undefined {
  return a === undefined || b === undefined ? (a ?? b) : merge(a, b)
}

const SCALARS: ReadonlyMap<ScalarKind, ValueShape> = new Map(
  (['null', 'boolean', 'number', 'string', 'json-text'] as const).map((kind) => [
    kind,
    { kinds: new Set([kind]), isOpen: false },
  ]),
)

function scalar(kind: ScalarKind): ValueShape {
  return SCALARS.get(kind) ?? ANYTHING
}

function looksLikeJson(text: string): boolean {
  if (text.length < 2 || text.length > MAX_JSON_TEXT) return false
  const [first, last] = [text.trimStart().charAt(0), text.trimEnd().at(-1)]
  return (first === '{' && last === '}') || (first === '[' && last === ']')
}

function isJsonText(text: string): boolean {
  if (!looksLikeJson(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
