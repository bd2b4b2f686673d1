import { unionOf } from './combine-types.ts'
import type { TypeInterner } from './intern-types.ts'
import type { Member, TypeNode, WordNode } from './type-tree.ts'
import { isTop, UNDEFINED } from './type-tree.ts'

/** Types beside an index signature that are still worth naming one by one. */
const MAX_INDEX_CHOICES = 6

interface Around {
  /** Where to say what the signature cannot. */
  readonly terms: string[]
  readonly top: WordNode
  readonly interner: TypeInterner
}

/** TypeScript checks an index signature against every member, so it must hold their types as well. */
export function indexBeside(index: TypeNode, members: readonly Member[], { terms, top, interner }: Around): TypeNode {
  if (members.length === 0 || isTop(index)) return index
  const all = unionOf([...members.map((member) => member.node), index, UNDEFINED], interner)
  // "Anything, but an object like this" has no place for `undefined` in it.
  if (all.kind === 'loose') return top
  if (all.kind !== 'union' || all.members.length <= MAX_INDEX_CHOICES + 1) return all
  if (index.kind === 'word') terms.push(`other keys: ${index.word}`)
  return top
}
