import type { JsonObject } from '../../data/json.ts'

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
export type Method = (typeof METHODS)[number]

/** One operation of a document. */
export interface Operation {
  readonly path: string
  readonly method: Method
  readonly operation: JsonObject
  /** What stands beside it in its path and counts for it too. */
  readonly pathItem: JsonObject
}

/** A description whose parts were brought to OpenAPI 3.1 one by one. */
export interface ApiDocument {
  /** The whole, for pointers. */
  readonly root: JsonObject
  /** As written: `2.0`, `3.0.3`, … */
  readonly version: string
  /** Before 3.1, what stands beside a `$ref` counts for nothing. */
  readonly refStandsAlone: boolean
  /** Every operation, as it was written. */
  readonly listed: readonly Operation[]
  /** The wanted ones, in the form of OpenAPI 3.1. */
  readonly operations: readonly (Operation & { readonly written: Operation })[]
  readonly problems: readonly string[]
}
