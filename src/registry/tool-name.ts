const MAX_NAME = 128
const ALLOWED = /^[A-Za-z0-9_.\-/]+$/

/**
 * What is wrong with a registered name, as the end of a sentence; nothing if it is fine. Names are data: `__proto__`,
 * `constructor` or `then` are names like any other, which is why they are kept in Maps and never as property keys.
 */
export function nameFault(name: unknown): string | undefined {
  if (typeof name !== 'string') return `must be a string; got ${typeof name}`
  if (name.length === 0 || name.length > MAX_NAME) return `must be 1–${MAX_NAME} characters; got ${name.length}`
  if (!ALLOWED.test(name)) return 'must consist of A–Z a–z 0–9 _ . - / only'
  if (name === '.' || name === '..') return 'must not be "." or ".."'
  return undefined
}

/** What is wrong with a namespace, as such and for this name. */
export function namespaceFault(namespace: unknown, name: string): string | undefined {
  const fault = nameFault(namespace)
  if (fault !== undefined || typeof namespace !== 'string') return fault
  if (namespace.includes('.')) return 'must not contain a dot: it is the part of the name before the first one'
  if (!name.startsWith(`${namespace}.`) || name.length === namespace.length + 1) {
    return `the name must be "${namespace}.<member>"; got ${quoted(name)}`
  }
  return undefined
}

/** A name from outside inside a message: bounded, escaped, in quotes. */
export function quoted(name: unknown): string {
  const text = typeof name === 'string' ? name : String(typeof name)
  return JSON.stringify(text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text)
}

/** Registered names are ASCII: order of code units is order of bytes, the same on every machine. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
