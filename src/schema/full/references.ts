import { isRecord } from '../../data/json.ts'
import type { Json } from '../../data/json.ts'
import { pointerKeys } from '../../data/pointer.ts'
import { dereference } from '@cfworker/json-schema'
import { quote } from '../wording.ts'
import { weakenAround } from './inexact.ts'
import { isPrepared } from './prepared.ts'
import type { PreparedNode } from './prepared.ts'
import type { Preparer } from './prepare.ts'

export type Lookup = Record<string, PreparedNode>

const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']

/**
 * Makes sure that every reference leads somewhere and none leads round in a circle. Nothing is ever fetched: what is not
 * in the schema accepts everything, with a warning.
 */
export function resolveReferences(root: PreparedNode, preparer: Preparer): Lookup {
  const lookup = addTo(Object.create(null) as Lookup, root)
  // Grows while it is read: what a reference leads to may refer on.
  for (const node of preparer.referring) {
    const uri = uriOf(node)
    if (lookup[uri] !== undefined) continue
    lookup[uri] = byPointer(uri, lookup, preparer) ?? unresolved(node, preparer)
  }
  for (const node of preparer.dynamic) dropAmbiguous(node, preparer)
  cutCircles(root, lookup, preparer)
  if (preparer.inexact.size > 0) {
    const targetOf = (node: PreparedNode) => (node['$ref'] === undefined ? undefined : lookup[uriOf(node)])
    weakenAround(preparer.inexact, Object.values(lookup), targetOf)
  }
  return lookup
}

/** Where a node refers to, as the validator looks it up. */
export function uriOf(node: PreparedNode): string {
  const absolute = node['__absolute_ref__']
  return typeof absolute === 'string' ? absolute : referenceOf(node)
}

/** The reference of a node as it was written. */
function referenceOf(node: PreparedNode): string {
  const reference = node['$ref']
  return typeof reference === 'string' ? reference : ''
}

/** The validator registers a schema and all below it, and writes absolute references into them. */
function addTo(lookup: Lookup, node: PreparedNode, base?: URL, pointer?: string): Lookup {
  dereference(node, lookup, base, pointer)
  return lookup
}

/** The validator knows schemas at places where schemas are expected; a pointer may lead anywhere else. */
function byPointer(uri: string, lookup: Lookup, preparer: Preparer): PreparedNode | undefined {
  const [base = '', fragment = ''] = uri.split('#')
  const document = lookup[base]
  const source = document === undefined ? undefined : preparer.sources.get(document)
  const pointer = decoded(fragment)
  if (source === undefined || pointer === undefined || !pointer.startsWith('/')) return undefined
  let found: Json | undefined = source
  for (const key of pointerKeys(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as { readonly [key: string]: Json })[key] // Arrays too.
  }
  if (!isRecord(found) && typeof found !== 'boolean') return undefined
  const isNew = !preparer.origins.has(found as Json)
  const node = preparer.prepare(found as Json, pointerKeys(pointer))
  if (isNew) addTo(lookup, node, new URL(base), fragment)
  return node
}

function unresolved(node: PreparedNode, preparer: Preparer): PreparedNode {
  const reference = referenceOf(node)
  const why = /^[a-z][a-z0-9+.-]*:/i.test(reference) ? 'is elsewhere and is not fetched' : 'leads nowhere'
  preparer.warn([], `reference ${quote(reference)} ${why}; anything is accepted there`)
  return preparer.inexactly(preparer.accepting())
}

/** The validator does not follow the dynamic scope: when it could matter, the reference accepts everything. */
function dropAmbiguous(node: PreparedNode, preparer: Preparer): void {
  const reference = referenceOf(node)
  const anchor = reference.slice(reference.indexOf('#') + 1)
  if ((preparer.dynamicAnchors.get(anchor) ?? 0) < 2) return
  preparer.warn([], `dynamic reference ${quote(reference)} has several targets; anything is accepted there`)
  delete node['$ref']
  preparer.inexactly(node)
}

/** A schema that refers to itself without going into the value says nothing, and would never end. */
function cutCircles(root: PreparedNode, lookup: Lookup, preparer: Preparer): void {
  const state = new Map<PreparedNode, 'open' | 'done'>()
  for (const start of new Set([root, ...preparer.referring])) {
    const path: { node: PreparedNode; next: PreparedNode[] }[] = []
    const enter = (node: PreparedNode) => {
      state.set(node, 'open')
      path.push({ node, next: inPlaceOf(node, lookup) })
    }
    if (!state.has(start)) enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const below = top.next.pop()
      if (below === undefined) {
        state.set(top.node, 'done')
        path.pop()
      } else if (!state.has(below)) enter(below)
      // Only a reference leads back up.
      else if (state.get(below) === 'open' && top.node['$ref'] !== undefined) {
        preparer.warn([], `reference ${quote(referenceOf(top.node))} leads back to itself and is ignored`)
        delete top.node['$ref']
        preparer.inexactly(top.node)
      }
    }
  }
}

function inPlaceOf(node: PreparedNode, lookup: Lookup): PreparedNode[] {
  const found: unknown[] = IN_PLACE.flatMap((keyword) => {
    const value = node[keyword]
    return isPrepared(value) || Array.isArray(value) ? value : Object.values(value ?? {})
  })
  if (node['$ref'] !== undefined) found.push(lookup[uriOf(node)])
  return found.filter(isPrepared)
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}
