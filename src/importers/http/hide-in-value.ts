import { isRecord, type Json } from '../../data/json.ts'
import { HIDES_NOTHING, type HideSecrets } from './secrets.ts'

/**
 * A value whose texts hold no secret. It is searched after parsing, so no escape of JSON can hide a secret and no
 * replacement can break the JSON; numbers, booleans and null stay what they are. Names of members are texts too: of two
 * that become the same, the later gets a number, as one of them would be lost. The depth is bounded where it was parsed.
 */
export function hideInValue(value: Json, hide: HideSecrets): Json {
  if (hide === HIDES_NOTHING) return value
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((item: Json) => hideInValue(item, hide))
  if (!isRecord(value)) return value
  const members = new Map<string, Json>()
  for (const [name, item] of Object.entries(value as { readonly [name: string]: Json })) {
    const shown = hide(name)
    let free = shown
    for (let n = 2; shown !== name && (members.has(free) || Object.hasOwn(value, free)); n++) free = `${shown} ${n}`
    members.set(free, hideInValue(item, hide))
  }
  // Defined, not assigned: `__proto__` is a name like any other here.
  return Object.fromEntries(members)
}
