/**
 * What a schema says, as far as TypeScript can say it. Trees are shared (one definition used twice is one node), never
 * cyclic but through `NamedType`, and hold owners' text as it came: only the printer makes text safe.
 */
export type TypeNode = WordNode | LiteralNode | ArrayNode | TupleNode | ObjectNode | GroupNode | LooseNode | NamedNode

export interface WordNode {
  readonly kind: 'word'
  readonly word: 'string' | 'number' | 'boolean' | 'null' | 'undefined' | 'never' | 'unknown' | 'any'
}
export interface LiteralNode {
  readonly kind: 'literal'
  readonly value: string | number | boolean
}
export interface ArrayNode {
  readonly kind: 'array'
  readonly items: TypeNode
}
export interface TupleNode {
  readonly kind: 'tuple'
  readonly items: readonly TypeNode[]
  /** How many of `items` must be there. */
  readonly required: number
  /** What may follow; absent: nothing. */
  readonly rest?: TypeNode
}
export interface ObjectNode {
  readonly kind: 'object'
  readonly members: readonly Member[]
  /** Type of every key that is not a member, already wide enough to stand beside the members. */
  readonly index?: TypeNode
  /** Nothing was said about other keys; they may hold this. Printed only when there are no members. */
  readonly open?: WordNode
  /** What to call it if it gets a name. Not part of what the type is. */
  readonly hint?: string
}
export interface GroupNode {
  readonly kind: 'union' | 'intersection'
  readonly members: readonly TypeNode[]
}
/** Anything at all, but an object (or array) of it is like `hint`: a schema that describes properties and no `type`. */
export interface LooseNode {
  readonly kind: 'loose'
  readonly object?: TypeNode
  readonly array?: TypeNode
  readonly top: WordNode
}
/** A type that contains itself. */
export interface NamedNode {
  readonly kind: 'named'
  readonly type: NamedType
}
export interface NamedType {
  readonly hint: string
  /** Absent only while the definition is being read. */
  node?: TypeNode
}

export interface Member {
  readonly key: string
  readonly node: TypeNode
  readonly isOptional: boolean
  readonly doc?: Doc
}

/** What stands beside a type: its owner's words, and what the type cannot say (`≥ 0`, `uuid`, `=10`). */
export interface Doc {
  readonly text?: string
  readonly terms: readonly string[]
}

export const STRING: WordNode = { kind: 'word', word: 'string' }
export const NUMBER: WordNode = { kind: 'word', word: 'number' }
export const BOOLEAN: WordNode = { kind: 'word', word: 'boolean' }
export const NULL: WordNode = { kind: 'word', word: 'null' }
export const UNDEFINED: WordNode = { kind: 'word', word: 'undefined' }
export const NEVER: WordNode = { kind: 'word', word: 'never' }
export const UNKNOWN: WordNode = { kind: 'word', word: 'unknown' }
export const ANY: WordNode = { kind: 'word', word: 'any' }

/** Whether it accepts everything. */
export function isTop(node: TypeNode): node is WordNode & { readonly word: 'unknown' | 'any' } {
  return node.kind === 'word' && (node.word === 'unknown' || node.word === 'any')
}
export function isNever(node: TypeNode): boolean {
  return node.kind === 'word' && node.word === 'never'
}
