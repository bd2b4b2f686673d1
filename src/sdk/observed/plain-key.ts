/** `fullName`, `created_at`, `@type`, `$ref`: short, of letters, with at most a few digits. */
const PLAIN_KEY = /^[@$_]{0,2}\p{L}[\p{L}\p{N}_$-]{0,39}$/u
const MAX_DIGITS = 3

/**
 * Whether a key is a name that a program writes, not data that happened to stand in the place of one. Ids, dates,
 * addresses, paths and sentences are no plain keys: they would be kept and shown as if they belonged to the shape.
 */
export function isPlainKey(key: string): boolean {
  if (key.length > 42 || !PLAIN_KEY.test(key)) return false
  let digits = 0
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at)
    if (code >= 48 && code <= 57) digits += 1
  }
  return digits <= MAX_DIGITS
}
