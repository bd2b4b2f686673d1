import { unionOf } from './combine-types.ts'
import type { TypeInterner } from './intern-types.ts'
import type { Doc, TypeNode } from './type-tree.ts'

/** What one subschema comes to. `height` counts the levels of the tree below, shared parts included. */
export interface Reading {
  readonly node: TypeNode
  readonly text?: string
  readonly terms: readonly string[]
  readonly height: number
}

/** A value that is one of several. */
export function eitherOf(readings: readonly Reading[], interner: TypeInterner): Reading {
  return {
    node: unionOf(
      readings.map((reading) => reading.node),
      interner,
    ),
    terms: [...new Set(readings.flatMap((reading) => reading.terms))],
    height: Math.max(...readings.map((reading) => reading.height)),
  }
}

export function docOf(reading: Reading): { readonly doc?: Doc } {
  if (reading.text === undefined && reading.terms.length === 0) return {}
  return { doc: { ...(reading.text !== undefined && { text: reading.text }), terms: reading.terms } }
}
