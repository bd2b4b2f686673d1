import { isPrepared } from './prepared.ts'
import type { PreparedNode } from './prepared.ts'

/**
 * Keeps the promise that what cannot be honoured accepts more, never less. A schema that accepts more than its owner wrote
 * turns into one that accepts less under `not`, in the condition of an `if`, beside a second branch of a `oneOf`, or where
 * `unevaluatedProperties` asks what it has looked at. Such a keyword is given up or weakened wherever it depends, at any
 * depth, on a schema in `seeds`.
 */
export function weakenAround(seeds: Iterable<PreparedNode>, roots: Iterable<PreparedNode>, targetOf: Target): void {
  const users = usersByNode(roots, targetOf)
  const inexact = new Set(seeds)
  // Grows while it is read: whoever uses an inexact schema is inexact.
  for (const node of inexact) for (const user of users.get(node) ?? []) inexact.add(user)
  for (const node of inexact) weaken(node, inexact)
}

/** What the reference of a node leads to, when it has one. */
export type Target = (node: PreparedNode) => PreparedNode | undefined

function weaken(node: PreparedNode, inexact: ReadonlySet<PreparedNode>): void {
  const isInexact = (value: unknown) => isPrepared(value) && inexact.has(value)
  if (isInexact(node['not'])) delete node['not']
  if (isInexact(node['if'])) for (const keyword of ['if', 'then', 'else']) delete node[keyword]
  if (isInexact(node['contains'])) delete node['maxContains']
  delete node['unevaluatedProperties']
  delete node['unevaluatedItems']
  const { oneOf } = node
  if (!Array.isArray(oneOf) || !oneOf.some(isInexact)) return
  delete node['oneOf']
  if (node['anyOf'] === undefined) node['anyOf'] = oneOf
  // Two lists to choose from cannot be one; of the two the `anyOf` says what its owner meant.
}

function usersByNode(roots: Iterable<PreparedNode>, targetOf: Target): Map<PreparedNode, PreparedNode[]> {
  const users = new Map<PreparedNode, PreparedNode[]>()
  const nodes = new Set(roots)
  for (const node of nodes) {
    for (const used of usedBy(node, targetOf)) {
      nodes.add(used)
      const known = users.get(used)
      if (known === undefined) users.set(used, [node])
      else known.push(node)
    }
  }
  return users
}

function usedBy(node: PreparedNode, targetOf: Target): PreparedNode[] {
  const used: unknown[] = Object.values(node).flatMap((value: unknown) => {
    if (isPrepared(value) || typeof value !== 'object' || value === null) return [value]
    return Array.isArray(value) ? value : Object.values(value)
  })
  used.push(targetOf(node))
  return used.filter(isPrepared)
}
