/**
 * How much of a schema becomes a type. All far beyond what catalogs hold; what is past them is accepted untyped, with a
 * warning, so that no owner can fill a model's context or a host's time.
 */

/** Deeper than any real schema several times over; beyond it a type is widened, so the stack is never at risk. */
export const MAX_DEPTH = 60
export const MAX_SUBSCHEMAS = 2_000
export const MAX_MEMBERS = 400
/** Of `allOf`, `anyOf`, `oneOf` and `patternProperties`, each. */
export const MAX_BRANCHES = 200
export const MAX_TUPLE = 30
export const MAX_WARNINGS = 50
const MAX_KEY_CHARS = 200
/** Characters of literals that count as much as a subschema. */
const LITERAL_CHARS = 100

export function costOfLiterals(chars: number): number {
  return Math.floor(chars / LITERAL_CHARS)
}

/** The keys that become members, in their order; required ones go before others when there are too many. */
export function keysToShow(declared: readonly string[], required: ReadonlySet<string>): readonly string[] {
  const printable = declared.filter((key) => key.length <= MAX_KEY_CHARS)
  if (printable.length <= MAX_MEMBERS) return printable
  const kept = new Set(printable.filter((key) => required.has(key)).slice(0, MAX_MEMBERS))
  for (const key of printable) {
    if (kept.size >= MAX_MEMBERS) break
    kept.add(key)
  }
  return printable.filter((key) => kept.has(key))
}
