import type { Json } from '../data/json.ts'

/** How to find and replace secrets in data. */
export interface Redaction {
  readonly isSecretKey: (key: string) => boolean
  readonly text: (text: string) => string
  readonly mask: string
}

interface Frame {
  readonly source: readonly Json[] | { readonly [key: string]: Json }
  readonly keys: readonly (string | number)[]
  readonly target: Json[] | Record<string, Json>
  next: number
}

/**
 * A copy without secrets, or the very same value when it holds none. Names of members are data too: one that looks like
 * a secret is replaced. Does not recurse: depth is the tool's choice.
 */
export function redactJson(value: Json, redaction: Redaction): Json {
  return holdsSecret(value, redaction) ? redactedCopy(value, redaction) : value
}

/** Most values hold none: then nothing is copied. */
function holdsSecret(value: Json, redaction: Redaction): boolean {
  const open: Json[] = [value]
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item === 'string') {
      if (redaction.text(item) !== item) return true
    } else if (isList(item)) {
      for (const member of item) open.push(member)
    } else if (typeof item === 'object' && item !== null) {
      for (const key of Object.keys(item)) {
        const member = item[key] ?? null
        if ((member !== null && redaction.isSecretKey(key)) || redaction.text(key) !== key) return true
        open.push(member)
      }
    }
  }
  return false
}

function redactedCopy(value: Json, redaction: Redaction): Json {
  const frames: Frame[] = []

  function enter(item: Json): Json {
    if (typeof item === 'string') {
      return redaction.text(item)
    }
    if (typeof item !== 'object' || item === null) return item
    const target: Json[] | Record<string, Json> = isList(item) ? [] : {}
    const keys = isList(item) ? item.map((_, index) => index) : Object.keys(item)
    frames.push({ source: item, keys, target, next: 0 })
    return target
  }

  const copy = enter(value)
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const key = frame.keys[frame.next++]
    if (key === undefined) {
      frames.pop()
      continue
    }
    const item = (frame.source as { readonly [key: string | number]: Json })[key] ?? null
    const isSecret = typeof key === 'string' && item !== null && redaction.isSecretKey(key)
    let name = typeof key === 'string' ? redaction.text(key) : key
    if (name !== key) {
      // Two secrets as names would become one member and one of them would be lost.
      while (Object.hasOwn(frame.target, name)) name = `${name}'`
    }
    // Defined, not assigned: `__proto__` is an ordinary name here.
    Object.defineProperty(frame.target, name, {
      value: isSecret ? redaction.mask : enter(item),
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
  return copy
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
