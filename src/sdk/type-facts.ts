import { createTypeInterner } from './intern-types.ts'
import type { TypeInterner } from './intern-types.ts'
import type { TypeNode } from './type-tree.ts'

/**
 * What holds of a type wherever it stands, by its number. `parts` are the types directly inside that may get a name of
 * their own, each time they occur; what is too short for that is counted into `ownChars`.
 */
export interface TypeFacts {
  readonly mayBeShared: boolean
  readonly ownChars: number
  readonly parts: readonly number[]
  /** Length on one line when nothing in it has a name. */
  readonly chars: number
  /** What stands behind the name of a type that contains itself. */
  body?: readonly number[]
}

/** Facts of many types, kept from text to text: a tool that did not change is not looked at again. */
export interface TypeLibrary {
  readonly interner: TypeInterner
  factsOf(node: TypeNode): TypeFacts
  /** Of a type that was met before. */
  factsById(id: number): TypeFacts
  /** The same number for the same words: a member with its type and what is said of it. */
  numberOfWords(words: string): number
  /** How many numbers were given to words, from 0 on. */
  readonly words: number
}

/** A shorter type is no longer than the name that would stand for it and the line that declares it. */
export const MIN_SHARED_CHARS = 40
export const NAME_CHARS = 12
/** What was gathered of tools that are long gone is let go when there is this much, or several times what one text needs. */
const MAX_KEYS = 50_000
const MAX_CHARS = 8 * 1024 * 1024
const TEXTS = 4

let current: TypeLibrary | undefined
let wordChars = 0
/** What the first text with this library has put in. */
let first: { readonly keys: number; readonly chars: number } | undefined

/** The library of this process. It holds no type, only their numbers; a full one is replaced between two texts. */
export function typeLibrary(): TypeLibrary {
  if (current !== undefined) {
    const keys = current.interner.size.keys + current.words
    const chars = current.interner.size.chars + wordChars
    first ??= { keys, chars }
    if (keys <= Math.max(MAX_KEYS, TEXTS * first.keys) && chars <= Math.max(MAX_CHARS, TEXTS * first.chars))
      return current
  }
  wordChars = 0
  first = undefined
  current = createTypeLibrary()
  return current
}

function createTypeLibrary(): TypeLibrary {
  const interner = createTypeInterner({ keepsNodes: false })
  const factsByNumber = new Map<number, TypeFacts>()
  const numberByWords = new Map<string, number>()

  function factsOf(node: TypeNode): TypeFacts {
    const id = interner.idOf(node)
    const known = factsByNumber.get(id)
    if (known !== undefined) return known
    const facts = gather(node)
    factsByNumber.set(id, facts)
    // The body may contain the type itself, whose facts are known by now.
    if (node.kind === 'named' && node.type.node !== undefined) facts.body = factsOf(node.type.node).parts
    return facts
  }

  function gather(node: TypeNode): TypeFacts {
    const parts: number[] = []
    let chars = 0
    const ownChars = measure(node, (part) => {
      if (part.kind === 'word' || part.kind === 'literal') return measure(part, () => 0)
      const facts = factsOf(part)
      chars += facts.chars
      if (facts.mayBeShared) {
        parts.push(interner.idOf(part))
        return 0
      }
      parts.push(...facts.parts)
      chars -= facts.ownChars
      return facts.ownChars
    })
    chars += ownChars
    const isShareable = node.kind !== 'word' && node.kind !== 'literal' && node.kind !== 'array'
    return {
      mayBeShared: node.kind === 'named' || (isShareable && chars >= MIN_SHARED_CHARS),
      ownChars,
      parts,
      chars,
    }
  }

  return {
    interner,
    get words() {
      return numberByWords.size
    },
    factsOf,
    factsById(id) {
      const facts = factsByNumber.get(id)
      if (facts === undefined) throw new TypeError(`no type has the number ${id}`)
      return facts
    },
    numberOfWords(words) {
      let number = numberByWords.get(words)
      if (number === undefined) {
        number = numberByWords.size
        numberByWords.set(words, number)
        wordChars += words.length
      }
      return number
    },
  }
}

export function partsOf(node: TypeNode): readonly TypeNode[] {
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
