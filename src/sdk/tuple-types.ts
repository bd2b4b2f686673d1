import type { TypeNode } from './type-tree.ts'
import { isNever } from './type-tree.ts'

/**
 * The type of an array whose first items have types of their own. Only as many of them are there for certain as
 * `minItems` says; more than these may follow unless the schema forbids it.
 */
export function tupleOf(items: readonly TypeNode[], rest: TypeNode, minItems: unknown, maxItems: unknown): TypeNode {
  const isClosed = isNever(rest) || (typeof maxItems === 'number' && maxItems <= items.length)
  const required = typeof minItems === 'number' ? Math.min(Math.max(Math.ceil(minItems), 0), items.length) : 0
  // An item that nothing fits ends the tuple there: only shorter arrays are values.
  const end = items.findIndex(isNever)
  const kept = end === -1 ? items : items.slice(0, end)
  return {
    kind: 'tuple',
    items: kept,
    required: Math.min(required, kept.length),
    ...(!isClosed && end === -1 && { rest }),
  }
}
