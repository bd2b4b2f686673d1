import { isPlainObject } from './combine-types.ts'
import type { NamedType, TypeNode } from './type-tree.ts'
import { isTop } from './type-tree.ts'

/** Whether the empty object is a value of the type: then a call needs no argument. */
export function acceptsEmptyObject(node: TypeNode): boolean {
  if (node.kind === 'object') return node.members.every((member) => member.isOptional)
  if (node.kind === 'union') return node.members.some(acceptsEmptyObject)
  if (node.kind === 'intersection') return node.members.every(acceptsEmptyObject)
  if (node.kind === 'loose') return node.object === undefined || acceptsEmptyObject(node.object)
  // A type that is still being read cannot be asked about: `{}` must then be written out.
  if (node.kind === 'named') return false
  return isTop(node)
}

/** Keys that `closed` forbids and `other` speaks of. */
export function refusedKeys(closed: TypeNode, other: TypeNode): string[] {
  if (closed.kind !== 'object' || closed.open !== undefined || closed.index !== undefined || isPlainObject(closed))
    return []
  if (other.kind !== 'object') return []
  const allowed = new Set(closed.members.map((member) => member.key))
  return other.members.map((member) => member.key).filter((key) => !allowed.has(key))
}

/** Whether a type would be its own alias: met again without an object or a list in between. */
export function leadsBack(node: TypeNode, type: NamedType): boolean {
  const seen = new Set<TypeNode>()
  const waiting: TypeNode[] = [node]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    if (at.kind === 'union' || at.kind === 'intersection') waiting.push(...at.members)
    else if (at.kind === 'loose') waiting.push(...[at.object, at.array].filter((part) => part !== undefined))
    else if (at.kind === 'named') {
      if (at.type === type) return true
      if (at.type.node !== undefined) waiting.push(at.type.node)
    }
  }
  return false
}
