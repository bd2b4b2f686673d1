import type { TypeInterner } from './intern-types.ts'
import type { Doc, Member, ObjectNode, TypeNode } from './type-tree.ts'

/** A place where a type will be printed. */
export interface TypeRoot {
  readonly node: TypeNode
  /** What to call it if it gets a name. */
  readonly hint: string
  /** Whether the whole may stand behind a name. A tool's own arguments stay where the reader looks for them. */
  readonly mayBeNamed: boolean
}

/** What has to be known of all types before the first one is printed. */
export interface TypeSurvey {
  /** Types that get a name, in order of first use. */
  readonly named: readonly { readonly id: number; readonly node: TypeNode; readonly hint: string }[]
  /** Length on one line, names counted instead of what they stand for, comments left out. */
  lengthOf(node: TypeNode): number
  /** The comment of a member. A shared type carries only comments on which all its occurrences agree. */
  docOf(owner: ObjectNode, member: Member, isShared: boolean): Doc | undefined
  partsOf(node: TypeNode): readonly TypeNode[]
}

/** A shorter type is no longer than the name that would stand for it and the line that declares it. */
const MIN_SHARED_CHARS = 40
const NAME_CHARS = 12

type Agreement = Doc | 'none' | 'different'

export function surveyTypes(roots: readonly TypeRoot[], interner: TypeInterner): TypeSurvey {
  const countById = new Map<number, number>()
  const firstById = new Map<number, { readonly node: TypeNode; readonly hint: string }>()
  const docsById = new Map<number, Map<string, Agreement>>()
  const lengthById = new Map<number, number>()
  const isSharedById = new Map<number, boolean>()
  const seen = new Set<TypeNode>()

  function visit(node: TypeNode, hint: string, isCounted: boolean, mayBeNamed: boolean): void {
    // `X[]` is as short as a name for it, so an array is only what is in it, each time it occurs.
    if (node.kind === 'array') {
      visit(node.items, hint, isCounted, true)
      return
    }
    const id = interner.idOf(node)
    const isNew = !firstById.has(id)
    if (isNew && mayBeNamed) firstById.set(id, { node, hint: hintOf(node) ?? hint })
    if (isCounted && mayBeNamed) countById.set(id, (countById.get(id) ?? 0) + 1)
    if (seen.has(node)) return
    seen.add(node)
    if (node.kind === 'object') agreeOnDocs(id, node)
    // An equal type that was met before is printed once, so what is inside of it is counted once.
    const countsParts = isCounted && (isNew || !mayBeNamed)
    if (node.kind === 'object') {
      for (const member of node.members) visit(member.node, member.key, countsParts, true)
      if (node.index !== undefined) visit(node.index, `${hint} value`, countsParts, true)
    } else if (node.kind === 'named') {
      // The name stands for the body, which is printed where the name is declared.
      if (node.type.node !== undefined) visit(node.type.node, node.type.hint, countsParts, false)
    } else for (const part of partsOf(node)) visit(part, hint, countsParts, true)
  }

  function agreeOnDocs(id: number, node: ObjectNode): void {
    const docs = docsById.get(id) ?? new Map<string, Agreement>()
    docsById.set(id, docs)
    for (const { key, doc } of node.members) {
      const agreed = docs.get(key)
      if (agreed === undefined || agreed === 'none') docs.set(key, doc ?? 'none')
      else if (doc !== undefined && agreed !== 'different' && !sameDoc(agreed, doc)) docs.set(key, 'different')
    }
  }

  function isShared(node: TypeNode): boolean {
    if (node.kind === 'named') return true
    if (node.kind === 'word' || node.kind === 'literal' || node.kind === 'array') return false
    const id = interner.idOf(node)
    let shared = isSharedById.get(id)
    if (shared === undefined) {
      shared = (countById.get(id) ?? 0) >= 2 && lengthOf(node) >= MIN_SHARED_CHARS
      isSharedById.set(id, shared)
    }
    return shared
  }

  function lengthOf(node: TypeNode): number {
    const id = interner.idOf(node)
    let length = lengthById.get(id)
    if (length === undefined) {
      length = measure(node, (part) => (isShared(part) ? NAME_CHARS : lengthOf(part)))
      lengthById.set(id, length)
    }
    return length
  }

  for (const { node, hint, mayBeNamed } of roots) visit(node, hint, true, mayBeNamed)
  const named: { id: number; node: TypeNode; hint: string }[] = []
  for (const [id, { node, hint }] of firstById) {
    if (isShared(node)) named.push({ id, node, hint })
  }
  return {
    named,
    lengthOf,
    partsOf,
    docOf(owner, member, shared) {
      if (!shared) return member.doc
      const agreed = docsById.get(interner.idOf(owner))?.get(member.key)
      return agreed === 'none' || agreed === 'different' ? undefined : agreed
    },
  }
}

function partsOf(node: TypeNode): readonly TypeNode[] {
  switch (node.kind) {
    case 'word':
    case 'literal':
    case 'named':
      return []
    case 'array':
      return [node.items]
    case 'tuple':
      return node.rest === undefined ? node.items : [...node.items, node.rest]
    case 'object':
      return [...node.members.map((member) => member.node), ...(node.index === undefined ? [] : [node.index])]
    case 'union':
    case 'intersection':
      return node.members
    case 'loose':
      return [node.object, node.array].filter((part) => part !== undefined)
  }
}

function measure(node: TypeNode, lengthOf: (part: TypeNode) => number): number {
  switch (node.kind) {
    case 'word':
      return node.word.length
    case 'literal':
      return JSON.stringify(node.value).length
    case 'array':
      return lengthOf(node.items) + 2
    case 'object': {
      const members = node.members.map((member) => member.key.length + 4 + lengthOf(member.node))
      const index = node.index === undefined ? 0 : 17 + lengthOf(node.index)
      return members.reduce((sum, length) => sum + length, 4 + index)
    }
    case 'named':
      return NAME_CHARS
    case 'tuple':
    case 'union':
    case 'intersection':
    case 'loose':
      return partsOf(node).reduce((sum, part) => sum + lengthOf(part) + 3, 0)
  }
}

function hintOf(node: TypeNode): string | undefined {
  if (node.kind === 'named') return node.type.hint
  return node.kind === 'object' ? node.hint : undefined
}

function sameDoc(a: Doc, b: Doc): boolean {
  return a.text === b.text && a.terms.join('\n') === b.terms.join('\n')
}
