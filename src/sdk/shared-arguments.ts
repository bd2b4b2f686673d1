import { docText } from './doc-text.ts'
import type { TypeRoot } from './survey-types.ts'
import { partsOf } from './type-facts.ts'
import type { TypeLibrary } from './type-facts.ts'
import type { Member, TypeNode } from './type-tree.ts'

/** Members that stand together, with the same words, in the arguments of several tools. */
export interface ArgumentGroup {
  readonly members: readonly Member[]
}

/** From here on a line of its own pays: for a tool that has several in common with others, and for a single one. */
const MIN_TOOLS = 4
const MIN_TOOLS_SINGLE = 8
const MIN_CHARS = 80

/**
 * Owners give all their tools the same few arguments (an account, how to retry), with the same long words. Members that
 * exactly the same tools have form a group, so which groups there are depends on the set of tools alone.
 */
export function groupArguments(
  roots: readonly TypeRoot[],
  library: TypeLibrary,
  docChars: number,
): ReadonlyMap<TypeRoot, readonly ArgumentGroup[]> {
  const rootsByKey = new Map<string, number>()
  for (const root of roots) for (const { key } of membersOf(root)) rootsByKey.set(key, (rootsByKey.get(key) ?? 0) + 1)
  const isCommon = (key: string): boolean => (rootsByKey.get(key) ?? 0) >= MIN_TOOLS
  const numbersOf = roots.map((root) => memberNumbers(root, { library, docChars, isCommon }))
  const countByNumber = new Int32Array(library.words)
  for (const numbers of numbersOf) for (const number of numbers) if (number >= 0) bump(countByNumber, number)

  // Starts with all members in one class, and splits a class whenever a tool has only some of its members.
  const classByNumber = new Int32Array(library.words).fill(-1)
  let classes = 1
  for (let number = 0; number < countByNumber.length; number += 1)
    if ((countByNumber[number] ?? 0) >= MIN_TOOLS) classByNumber[number] = 0
  const classOf = (number: number): number => (number < 0 ? -1 : (classByNumber[number] ?? -1))
  for (const numbers of numbersOf) {
    const splitByClass = new Map<number, number>()
    for (const number of numbers) {
      const old = classOf(number)
      if (old === -1) continue
      let split = splitByClass.get(old)
      if (split === undefined) {
        split = classes++
        splitByClass.set(old, split)
      }
      classByNumber[number] = split
    }
  }

  const groupByClass = new Map<number, ArgumentGroup | undefined>()
  const groupsByRoot = new Map<TypeRoot, readonly ArgumentGroup[]>()
  for (const [at, root] of roots.entries()) {
    const numbers = numbersOf[at] ?? []
    const groups = new Set<ArgumentGroup>()
    for (const number of numbers) {
      const own = classOf(number)
      if (own === -1) continue
      if (!groupByClass.has(own)) groupByClass.set(own, worthwhile(own, numbers, root))
      const group = groupByClass.get(own)
      if (group !== undefined) groups.add(group)
    }
    if (groups.size > 0) groupsByRoot.set(root, [...groups])
  }
  return groupsByRoot

  function worthwhile(own: number, numbers: readonly number[], root: TypeRoot): ArgumentGroup | undefined {
    const members = membersOf(root).filter((_, at) => classOf(numbers[at] ?? -1) === own)
    const [first = -1] = numbers.filter((number) => classOf(number) === own)
    const tools = countByNumber[first] ?? 0
    const chars = members.reduce((sum, { key, doc }) => sum + key.length + (doc ? docText(doc, docChars).length : 0), 0)
    const isWorth = chars >= MIN_CHARS && tools >= (members.length > 1 ? MIN_TOOLS : MIN_TOOLS_SINGLE)
    return isWorth ? { members } : undefined
  }
}

function bump(counts: Int32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1
}

interface Numbering {
  readonly library: TypeLibrary
  readonly docChars: number
  isCommon(key: string): boolean
}
const NEVER_SHARED = -1
const NOT_YET = -2

/** A number for each member of the arguments, in order; negative: it stays where it is. */
function memberNumbers(root: TypeRoot, { library, docChars, isCommon }: Numbering): readonly number[] {
  const members = membersOf(root)
  let known = root.memo.numbers
  if (known?.library !== library || known.docChars !== docChars) {
    known = { library, docChars, numbers: members.map(() => NOT_YET) }
    root.memo.numbers = known
  }
  for (const [at, { key, isOptional, node, doc }] of members.entries()) {
    // Whoever has no namesake need not be compared by all its words.
    if (known.numbers[at] !== NOT_YET || !isCommon(key)) continue
    if (doc === undefined || hasDocsInside(node)) known.numbers[at] = NEVER_SHARED
    else {
      const type = library.interner.idOf(node)
      const words = `${isOptional ? '?' : ':'}${type}:${key.length}:${key}${docText(doc, docChars)}`
      known.numbers[at] = library.numberOfWords(words)
    }
  }
  return known.numbers
}

function membersOf({ node, mayBeNamed }: TypeRoot): readonly Member[] {
  // Only arguments stay where they are; and an index signature speaks of all members of its object.
  return !mayBeNamed && node.kind === 'object' && node.index === undefined ? node.members : []
}

/** A type with comments inside is more than its shape: it is not taken apart from the place where they are. */
function hasDocsInside(node: TypeNode): boolean {
  if (node.kind === 'word' || node.kind === 'literal') return false
  if (node.kind === 'object' || node.kind === 'named') return true
  return partsOf(node).some(hasDocsInside)
}
