import type { Json } from '../../data/json.ts'

/** Levels of a description; schemas in it are nested less. What comes after recurses. */
export const MAX_DEPTH = 200
const MAX_NODES = 2_000_000

export type PlainCopy = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly reason: string }

/**
 * A copy that is a tree of JSON: what a reader shares between places (aliases of YAML) is copied for each, and counted for
 * each, so a few lines cannot stand for millions; a circle is refused. What JSON has no word for becomes null.
 */
export function plainCopy(value: unknown): PlainCopy {
  let nodes = 0
  const copy = (from: unknown, depth: number): Json => {
    if (++nodes > MAX_NODES)
      throw new TooMuch(`holds more than ${MAX_NODES} values (with aliases counted where they stand)`)
    if (typeof from === 'string' || typeof from === 'boolean') return from
    if (typeof from === 'number') return Number.isFinite(from) ? (Object.is(from, -0) ? 0 : from) : null
    if (typeof from !== 'object' || from === null || ArrayBuffer.isView(from)) return null
    if (depth >= MAX_DEPTH) throw new TooMuch(`is nested more than ${MAX_DEPTH} levels deep`)
    if (Array.isArray(from)) return from.map((item: unknown) => copy(item, depth + 1))
    // Defined, not assigned: `__proto__` is a name like any other here.
    return Object.fromEntries(Object.entries(from).map(([key, item]) => [key, copy(item, depth + 1)]))
  }
  try {
    return { ok: true, value: copy(value, 0) }
  } catch (thrown) {
    if (thrown instanceof TooMuch) return { ok: false, reason: thrown.message }
    throw thrown
  }
}

class TooMuch extends Error {}
