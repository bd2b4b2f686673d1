/**
 * What the compiler's words about an assignment say for a run. Types are wider than the values of a run: a `string` may
 * hold the very word that is wanted, `A | B` may be the right half. Only what fails for every value is a mistake.
 */
export type Mismatch =
  | { readonly kind: 'wrong'; readonly source: string; readonly target: string }
  | { readonly kind: 'missing'; readonly names: readonly string[]; readonly source: string }
  | { readonly kind: 'unsure' }

const UNSURE: Mismatch = { kind: 'unsure' }

const ASSIGNMENT = /^(?:Type|Argument of type) '([^]*)' is not assignable to (?:type|parameter of type) '([^]*)'\./
const MISSING_ONE = /^Property '([^]*)' is missing in type '([^]*)' but required in type '/
const MISSING_MANY = /^(?:Type|Argument of type) '([^]*)' is missing the following properties from type '[^]*': ([^]*)$/
const NOTHING_IN_COMMON = /^Type '([^]*)' has no properties in common with type '([^]*)'\./

/** Reads a message and its chain of reasons; the last reason decides. */
export function readMismatch(text: string, chain: readonly string[]): Mismatch {
  const last = chain.at(-1) ?? text
  const one = MISSING_ONE.exec(last)
  if (one?.[1] !== undefined && one[2] !== undefined) return { kind: 'missing', names: [one[1]], source: one[2] }
  const many = MISSING_MANY.exec(last)
  if (many?.[1] !== undefined && many[2] !== undefined) {
    const names = many[2].replace(/, and \d+ more\.?$/, '').split(', ')
    return { kind: 'missing', names, source: many[1] }
  }
  const found = ASSIGNMENT.exec(last) ?? NOTHING_IN_COMMON.exec(last)
  const [, source, target] = found ?? []
  if (source === undefined || target === undefined) return UNSURE
  // `string | number` for `string`: the reason names the half that does not fit, and the other half may.
  const isHalf = [text, ...chain.slice(0, -1)].some((step) => {
    const outer = ASSIGNMENT.exec(step)
    return outer?.[2] === target && outer[1] !== source && membersOf(outer[1] ?? '').includes(source)
  })
  return !isHalf && clashes(source, target) ? { kind: 'wrong', source, target } : UNSURE
}

type Shape = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'other'

function clashes(source: string, target: string): boolean {
  if (membersOf(source).length > 1) return false
  if (source.startsWith('Promise<')) return true
  const shape = shapeOf(source)
  if (shape === 'other') return false
  if (isLiteral(source)) return true
  return membersOf(target).every((member) => {
    const other = shapeOf(member)
    if (member === 'undefined' || member === 'null') return true
    return other !== 'other' && other !== shape
  })
}

function isLiteral(type: string): boolean {
  return /^("|-?\d)/.test(type) || type === 'true' || type === 'false'
}

function shapeOf(type: string): Shape {
  if (/^"(?:[^"\\]|\\.)*"$/s.test(type) || type === 'string') return 'string'
  if (/^-?\d[\d.e+-]*$/.test(type) || type === 'number') return 'number'
  if (type === 'boolean' || type === 'true' || type === 'false') return 'boolean'
  if (type.endsWith('[]') || /^(?:readonly )?\[/.test(type)) return 'array'
  if (type.startsWith('{') && type.endsWith('}')) return 'object'
  return 'other'
}

/** The parts of `A | B` at the top of a printed type. */
export function membersOf(type: string): readonly string[] {
  const members: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < type.length; at++) {
    const sign = type[at] ?? ''
    if (sign === '"' || sign === '`') at = endOfQuoted(type, at)
    else if ('{[(<'.includes(sign)) depth++
    else if ('}])'.includes(sign) || (sign === '>' && type[at - 1] !== '=')) depth--
    else if (sign === '|' && depth === 0) {
      members.push(type.slice(start, at).trim())
      start = at + 1
    }
  }
  // A function's result is a union of its own: `() => A | B` is one type.
  return type.includes('=>') && depth === 0 && /^\(?.*\) =>/s.test(type)
    ? [type]
    : [...members, type.slice(start).trim()]
}

function endOfQuoted(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at
  }
  return text.length
}
