import type { Json } from '../data/json.ts'

/** Long enough to recognise a value, short enough for twenty of them in a message. */
const SHOWN_CHARS = 60
/** A message is read by a model, many at once. */
const MESSAGE_CHARS = 1_200

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u

/** A value in a few words: scalars as JSON, containers by kind. */
export function describeValue(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (isList(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  const keys = Object.keys(value)
  if (keys.length === 0) return 'an empty object'
  return clip(`an object with ${keys.slice(0, 4).map(quote).join(', ')}${keys.length > 4 ? ', …' : ''}`, 120)
}

/** A text in double quotes, shortened when it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text)
}

/** Keys as a program would write them: `filters[0].name`, `["a b"]`. */
export function readablePath(keys: readonly (string | number)[]): string {
  let text = ''
  for (const key of keys) {
    if (typeof key === 'number') text += `[${key}]`
    else if (!IDENTIFIER.test(key)) text += `[${quote(key)}]`
    else text += text === '' ? key : `.${key}`
  }
  return text.length > 200 ? `${text.slice(0, 60)}…${text.slice(-120)}` : text
}

/** What a sentence about the place begins with. */
export function subjectOf(keys: readonly (string | number)[]): string {
  return keys.length === 0 ? 'the value' : `"${readablePath(keys)}"`
}

/** `an integer`, `a string`, `null`: a type word as it stands in a sentence. */
export function withArticle(type: string): string {
  if (type === 'null') return type
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`
}

/** `"a", "b" or "c"`, at most `max` of them. */
export function listOf(items: readonly string[], max = 12): string {
  if (items.length > max) return `${items.slice(0, max).join(', ')} or ${items.length - max} more`
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}

export function clip(text: string, max: number = MESSAGE_CHARS): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text
}

/** `Array.isArray` does not narrow readonly arrays. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
