import { propertyKey } from '../safe-text.ts'
import type { ObjectShape, ScalarKind, ValueShape } from './value-shape.ts'

const INLINE_CHARS = 80
const WORDS: Readonly<Record<ScalarKind, string>> = {
  string: 'string',
  'json-text': 'string /* JSON text */',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The shape as a TypeScript type, in an order that does not depend on which value came first. */
export function printShape(shape: ValueShape, indent = ''): string {
  const parts: string[] = []
  if (shape.object !== undefined) parts.push(printObject(shape.object, indent))
  if (shape.array !== undefined) parts.push(printList(shape.array.items, indent))
  for (const [kind, word] of Object.entries(WORDS)) if (shape.kinds.has(kind as ScalarKind)) parts.push(word) // Keys of WORDS.
  // `A | any` is any to a compiler and tells a reader of A.
  if (shape.isOpen) parts.push('any')
  return parts.length === 0 ? 'never' : parts.join(' | ')
}

function printList(items: ValueShape | undefined, indent: string): string {
  if (items === undefined) return 'any[] /* empty so far */'
  const text = printShape(items, indent)
  const isOne =
    !items.isOpen &&
    items.kinds.size + (items.object === undefined ? 0 : 1) + (items.array === undefined ? 0 : 1) === 1 &&
    !items.kinds.has('json-text')
  return isOne ? `${text}[]` : `(${text})[]`
}

function printObject({ members, index }: ObjectShape, indent: string): string {
  const inner = `${indent} `
  const parts = [...members]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { shape, isOptional }]) => `${propertyKey(key)}${isOptional ? '?' : ''}: ${printShape(shape, inner)}`)
  // An index signature speaks of the members as well; what they hold is said by themselves.
  if (index !== undefined) parts.push(`[key: string]: ${members.size === 0 ? printShape(index, inner) : 'any'}`)
  if (parts.length === 0) return '{}'
  const line = `{ ${parts.join('; ')} }`
  if (line.length <= INLINE_CHARS && !line.includes('\n')) return line
  return `{\n${parts.map((part) => inner + part).join('\n')}\n${indent}}`
}
