import type { Json, JsonObject } from '../../data/json.ts'
import type { SchemaRole } from '../spec.ts'

/** A compiled schema: what to check, in order. Filled after it is made, so that compiling need not recurse. */
export interface Node {
  readonly rules: Rule[]
  /** What a value must be, in words, for messages about a missing one. */
  summary: string
}
export type Rule = (value: Json, visit: Visit) => void

/** A place in a schema that is being compiled. */
export interface Site {
  readonly schema: JsonObject
  readonly isRoot: boolean
  readonly role: SchemaRole
  /** Notes what is wrong at this schema, or below it at `keys`. */
  problem(message: string, ...keys: (string | number)[]): void
  /** A schema below this one. */
  child(schema: Json, ...keys: (string | number)[]): Node
}

/** A value that is being checked. */
export interface Visit {
  /** How a sentence about this value begins: `"days"`, or `the value`. */
  readonly subject: string
  /** The value is not what it must be. */
  fail(expected: string, message: string): void
  /** The property `key` of the value is not what it must be: it is missing, or it should not be there. */
  failKey(key: string, expected: string, received: string, say: (name: string) => string): void
  /** The part of the value at `key` has to match `node`. */
  descend(node: Node, value: Json, key: string | number): void
  /** Exactly one of the nodes has to match the value. */
  chooseOne(branches: readonly Node[]): void
  /** The known name that `wanted` most likely stands for. Gives up after a while: a value may have a million wrong keys. */
  nearest(wanted: string, known: Iterable<string>): string | undefined
}

export interface Keyword {
  readonly name: string
  /** Checks the keyword's value, notes what is wrong with it, and gives the rule it stands for (an annotation has none). */
  compile(value: Json, site: Site, node: Node): Rule | undefined
}
