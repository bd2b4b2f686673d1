import type { Json } from './json.ts'

/** JSON Pointer (RFC 6901) of a chain of keys, outermost first. `''` is the whole value. */
export function pointerOf(keys: Iterable<string | number>): string {
  let pointer = ''
  for (const key of keys) pointer += `/${typeof key === 'number' ? key : escapeToken(key)}`
  return pointer
}

/** The keys of a pointer, outermost first. */
export function pointerKeys(pointer: string): string[] {
  if (pointer === '') return []
  return pointer.slice(1).split('/').map(unescapeToken)
}

/** What a pointer leads to in plain data; `undefined` when it leads nowhere. Own properties only. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value
  for (const key of pointerKeys(pointer)) {
    if (typeof at !== 'object' || at === null || !hasMember(at, key)) return undefined
    at = (at as { readonly [key: string]: Json })[key] // Arrays are indexed by their string keys too.
  }
  return at
}

/** An array has its items: its length is no part of the data. */
function hasMember(at: object, key: string): boolean {
  return Object.hasOwn(at, key) && (!Array.isArray(at) || key !== 'length')
}

function escapeToken(key: string): string {
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
}
function unescapeToken(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token
}
