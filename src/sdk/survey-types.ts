import { MIN_SHARED_CHARS, NAME_CHARS, partsOf } from './type-facts.ts'
import type { TypeLibrary } from './type-facts.ts'
import type { Doc, Member, ObjectNode, TypeNode } from './type-tree.ts'

/** A place where a type will be printed. */
export interface TypeRoot {
  readonly node: TypeNode
  /** What to call it if it gets a name. */
  readonly hint: string
  /** Whether the whole may stand behind a name. A tool's own arguments stay where the reader looks for them. */
  readonly mayBeNamed: boolean
  /** What was found out about it, kept here for the next text: a root never changes, and lives as long as its tool. */
  readonly memo: RootMemo
}
export interface RootMemo {
  uses?: RootUses
  numbers?: MemberNumbers
}
/** A number for each member of an object by all that is printed of it; negative: none, or none yet. */
export interface MemberNumbers {
  readonly library: TypeLibrary
  readonly docChars: number
  readonly numbers: number[]
}

/** A type inside a root that could get a name. */
export interface TypeUse {
  readonly id: number
  readonly node: TypeNode
  readonly hint: string
}

export interface NamedUse extends TypeUse {
  /** All nodes of this type in the text; they may differ in what they say of their members. */
  readonly nodes: readonly TypeNode[]
}

/** What has to be known of all types before the first one is printed. */
export interface TypeSurvey {
  /** Types that get a name, in order of first use. */
  readonly named: readonly NamedUse[]
  /** Length on one line, names counted instead of what they stand for, comments left out. */
  lengthOf(node: TypeNode): number
}

/** Which types get a name depends on the set of roots alone, and their order on the order of the roots. */
export function surveyTypes(roots: readonly TypeRoot[], library: TypeLibrary): TypeSurvey {
  const nodesById = new Map<number, TypeNode[]>()
  const firstById = new Map<number, TypeUse>()
  const countById = new Map<number, number>()
  const charsById = new Map<number, number>()

  function count(ids: readonly number[]): void {
    for (const id of ids) {
      const known = countById.get(id) ?? 0
      countById.set(id, known + 1)
      // An equal type that was met before is printed once, so what is inside of it is counted once.
      if (known > 0) continue
      const { body, parts } = library.factsById(id)
      count(body ?? parts)
    }
  }

  function isShared(id: number): boolean {
    const { mayBeShared, body } = library.factsById(id)
    if (body !== undefined) return true
    return mayBeShared && (countById.get(id) ?? 0) >= 2 && charsOf(id) >= MIN_SHARED_CHARS
  }

  function charsOf(id: number): number {
    let chars = charsById.get(id)
    if (chars === undefined) {
      const { ownChars, parts } = library.factsById(id)
      chars = sum(ownChars, parts)
      charsById.set(id, chars)
    }
    return chars
  }
  function sum(ownChars: number, parts: readonly number[]): number {
    return parts.reduce((all, part) => all + (isShared(part) ? NAME_CHARS : charsOf(part)), ownChars)
  }

  for (const root of roots) {
    const { uses, counted } = usesIn(root, library)
    for (const use of uses) {
      const nodes = nodesById.get(use.id)
      if (nodes !== undefined) nodes.push(use.node)
      else {
        nodesById.set(use.id, [use.node])
        firstById.set(use.id, use)
      }
    }
    count(counted)
  }
  const named: NamedUse[] = []
  for (const [id, use] of firstById) if (isShared(id)) named.push({ ...use, nodes: nodesById.get(id) ?? [use.node] })
  return {
    named,
    lengthOf(node) {
      const { ownChars, parts } = library.factsOf(node)
      return sum(ownChars, parts)
    },
  }
}

interface RootUses {
  readonly library: TypeLibrary
  /** In order of reading, each node once. */
  readonly uses: readonly TypeUse[]
  /** Types directly in the root, each time they occur. */
  readonly counted: readonly number[]
}
/** Every type in a root that could get a name. Looked for once a root: it never changes. */
export function usesIn(root: TypeRoot, library: TypeLibrary): RootUses {
  const known = root.memo.uses
  if (known?.library === library) return known
  const { interner, factsOf } = library
  const uses: TypeUse[] = []
  const seen = new Set<TypeNode>()
  const used = new Set<TypeNode>()

  function visit(node: TypeNode, hint: string, mayBeNamed: boolean): void {
    // `X[]` is as short as a name for it, so an array is only what is in it, each time it occurs.
    if (node.kind === 'array') {
      visit(node.items, hint, true)
      return
    }
    if (node.kind === 'word' || node.kind === 'literal') return
    if (mayBeNamed && !used.has(node) && factsOf(node).mayBeShared) {
      used.add(node)
      uses.push({ id: interner.idOf(node), node, hint: hintOf(node) ?? hint })
    }
    if (seen.has(node)) return
    seen.add(node)
    if (node.kind === 'object') {
      for (const member of node.members) visit(member.node, member.key, true)
      if (node.index !== undefined) visit(node.index, `${hint} value`, true)
    } else if (node.kind === 'named') {
      // The name stands for the body, which is printed where the name is declared.
      if (node.type.node !== undefined) visit(node.type.node, node.type.hint, false)
    } else for (const part of partsOf(node)) visit(part, hint, true)
  }

  visit(root.node, root.hint, root.mayBeNamed)
  const facts = factsOf(root.node)
  const isWhole = facts.mayBeShared && (root.mayBeNamed || root.node.kind === 'named')
  const found = { library, uses, counted: isWhole ? [interner.idOf(root.node)] : facts.parts }
  root.memo.uses = found
  return found
}

/** The comment of a member of a shared type: only what all its occurrences agree on. */
export function agreedDoc(nodes: readonly TypeNode[], member: Member): Doc | undefined {
  let agreed: Doc | undefined
  for (const node of nodes) {
    const doc = node.kind === 'object' ? memberOf(node, member.key)?.doc : undefined
    if (doc === undefined || doc === agreed) continue
    if (agreed === undefined) agreed = doc
    else if (!sameDoc(agreed, doc)) return undefined
  }
  return agreed
}

const membersByNode = new WeakMap<ObjectNode, ReadonlyMap<string, Member>>()
function memberOf(node: ObjectNode, key: string): Member | undefined {
  let members = membersByNode.get(node)
  if (members === undefined) {
    members = new Map(node.members.map((member) => [member.key, member]))
    membersByNode.set(node, members)
  }
  return members.get(key)
}

function hintOf(node: TypeNode): string | undefined {
  if (node.kind === 'named') return node.type.hint
  return node.kind === 'object' ? node.hint : undefined
}

function sameDoc(a: Doc, b: Doc): boolean {
  return a.text === b.text && a.terms.join('\n') === b.terms.join('\n')
}
