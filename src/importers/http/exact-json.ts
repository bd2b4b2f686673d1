import type { Json } from '../../data/json.ts'
import { scanJson } from '../../data/json-scan.ts'

/** Deeper answers are nobody's data; a validator and a renderer that recurse must survive them. */
const MAX_DEPTH = 500

/**
 * JSON of a peer as a value that loses nothing: an integer beyond what a double holds becomes the text of its digits, so
 * that an id can be sent back as it came. Undefined when the text is no JSON, or nested beyond reason.
 */
export function exactJson(text: string): { readonly value: Json } | undefined {
  const scan = scanJson(text, MAX_DEPTH)
  if (!scan.ok && !scan.message.startsWith('duplicate')) return undefined
  try {
    // Only text with a long run of digits, an exponent or a `-0` can hold a number that parsing would change.
    const mayLose = /\d{16}|\d[eE]|-0/.test(text)
    const value: unknown = mayLose ? JSON.parse(text, keepDigits) : JSON.parse(text)
    return { value: value as Json } // It was made by JSON.parse, and the reviver puts in JSON only.
  } catch {
    return undefined
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value
  if (Object.is(value, -0)) return 0
  const source = context?.source
  if (!Number.isFinite(value)) return source ?? null
  return source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? source : value
}

/** A copy in which texts of digits that no double holds are numbers again: how a schema of integers sees them. */
export function withLongNumbers(value: Json): { readonly value: Json; readonly found: boolean } {
  let found = false
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'string' || !/^-?\d{16,40}$/.test(item) || Number.isSafeInteger(Number(item))) return item
    found = true
    return Number(item)
  })
  return { value: found ? (JSON.parse(text) as Json) : value, found } // Text that was written just now.
}
