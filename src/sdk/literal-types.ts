import { isRecord } from '../data/json.ts'
import { unionOf } from './combine-types.ts'
import type { TypeInterner } from './intern-types.ts'
import { shortJson } from './short-json.ts'
import type { TypeWord } from './type-words.ts'
import type { TypeNode, WordNode } from './type-tree.ts'
import { BOOLEAN, NULL, NUMBER, STRING } from './type-tree.ts'

/** Longer lists and longer texts say nothing to a model that a note with the first few does not. */
const MAX_VALUES = 120
const MAX_CHARS = 4_000
const MAX_LITERAL_CHARS = 200
const MAX_LITERAL_DEPTH = 3
const MAX_LITERAL_PARTS = 8

export interface Literals {
  readonly node: TypeNode
  /** How much of them is printed, about. */
  readonly chars: number
  readonly term?: string
  readonly warning?: string
}

/** The type of `const` or `enum`; `undefined` when the schema has neither. Values that `type` forbids are left out. */
export function literalsOf(
  schema: Record<string, unknown>,
  words: readonly TypeWord[] | undefined,
  top: WordNode,
  interner: TypeInterner,
): Literals | undefined {
  const values = valuesOf(schema)
  if (values === undefined) return undefined
  const fitting = words === undefined ? values : values.filter((value) => words.some((word) => fits(value, word)))
  const isContradiction = fitting.length === 0 && values.length > 0
  const kept = isContradiction ? values : fitting
  const isLong = kept.length > MAX_VALUES || kept.some(isLongText) || textLength(kept) > MAX_CHARS
  const node = unionOf(
    kept.map((value) => (isLong ? wideType(value, top) : literalType(value, top))),
    interner,
  )
  return {
    node,
    chars: isLong ? 0 : textLength(kept),
    ...(isLong && {
      term: `one of ${kept.length}: ${kept
        .slice(0, 5)
        .map((value) => shortJson(value, 40))
        .join(', ')}, …`,
    }),
    ...(isContradiction && { warning: '"enum" or "const" holds no value of the declared type; the values are kept' }),
  }
}

function valuesOf(schema: Record<string, unknown>): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']]
  return Array.isArray(schema['enum']) && schema['enum'].length > 0 ? schema['enum'] : undefined
}

function fits(value: unknown, word: TypeWord): boolean {
  switch (word) {
    case 'any':
      return true
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === word
  }
}

/** Lists and objects are literal as well, part by part, as long as they are small. */
function literalType(value: unknown, top: WordNode, depth = 0): TypeNode {
  if (typeof value === 'string' || typeof value === 'boolean') return { kind: 'literal', value }
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'literal', value: value === 0 ? 0 : value }
  if (depth < MAX_LITERAL_DEPTH && Array.isArray(value) && value.length <= MAX_LITERAL_PARTS) {
    return { kind: 'tuple', items: value.map((item) => literalType(item, top, depth + 1)), required: value.length }
  }
  if (depth < MAX_LITERAL_DEPTH && isRecord(value)) {
    const keys = Object.keys(value)
    if (keys.length <= MAX_LITERAL_PARTS) {
      const members = keys.map((key) => ({ key, node: literalType(value[key], top, depth + 1), isOptional: false }))
      return { kind: 'object', members }
    }
  }
  return wideType(value, top)
}

function wideType(value: unknown, top: WordNode): TypeNode {
  if (value === null) return NULL
  if (typeof value === 'string') return STRING
  if (typeof value === 'number') return NUMBER
  if (typeof value === 'boolean') return BOOLEAN
  if (Array.isArray(value)) return { kind: 'array', items: top }
  return { kind: 'object', members: [], open: top }
}

function isLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_LITERAL_CHARS
  // How long a list or an object prints is only known by printing it.
  return typeof value === 'object' && value !== null && shortJson(value, MAX_LITERAL_CHARS).endsWith('…')
}

function textLength(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + lengthOf(value), 0)
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 5
  return typeof value === 'object' && value !== null ? shortJson(value, MAX_LITERAL_CHARS).length + 8 : 8
}
