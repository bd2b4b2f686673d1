import type { SchemaResource } from './schema-refs.ts'

/** Where in a schema a reader is, and what it passed on the way. */
export interface Place {
  readonly resource: SchemaResource
  readonly outer: Place | undefined
  /** Part of a JSON Pointer; behind it goes `key`, which is escaped when the pointer is asked for. */
  readonly step: string
  readonly key: string | undefined
  /** What the value here is called. */
  readonly hint: string
  readonly depth: number
  /** Counts properties and items passed. A type that meets itself without passing one is no type at all. */
  readonly guard: number
}

/** A part of the value: a property or an item. */
export function below(place: Place, step: string, hint: string, key?: string): Place {
  const { resource, depth, guard } = place
  return { resource, outer: place, step, key, hint, depth: depth + 1, guard: guard + 1 }
}

/** The same value looked at by another schema: `allOf`, `$ref` and the like. */
export function beside(place: Place, step: string): Place {
  const { resource, hint, depth, guard } = place
  return { resource, outer: place, step, key: undefined, hint, depth: depth + 1, guard }
}

/** JSON Pointer from the root of the document, by the way the reader came. */
export function pointerTo(place: Place): string {
  let pointer = ''
  for (let at: Place = place; at.outer !== undefined; at = at.outer) {
    pointer = `/${at.step}${at.key === undefined ? '' : `/${escapeStep(at.key)}`}${pointer}`
  }
  return pointer
}

/** A key as part of a pointer. */
function escapeStep(key: string): string {
  const short = key.length > 100 ? key.slice(0, 100) : key
  return /[~/]/.test(short) ? short.replaceAll('~', '~0').replaceAll('/', '~1') : short
}

/** What one of `entities` is called. Only a name: a wrong singular is no worse than none. */
export function itemHint(hint: string): string {
  if (/[^s]ies$/i.test(hint)) return `${hint.slice(0, -3)}y`
  return /[^s]s$/i.test(hint) ? hint.slice(0, -1) : `${hint} item`
}
