import { isRecord } from '../../../src/data/json.ts'
import { KINDS, SchemaView } from './schema-view.ts'
import type { Kind } from './schema-view.ts'

export type FaultKind = 'missing required' | 'wrong type' | 'wrong enum' | 'wrong item'
export const FAULT_KINDS: readonly FaultKind[] = ['missing required', 'wrong type', 'wrong enum', 'wrong item']

/** A value that was valid, with one thing wrong. */
export interface Fault {
  readonly kind: FaultKind
  /** Where, for people. */
  readonly at: string
  readonly value: unknown
  /** The key is left out, but the schema has a default for it. */
  readonly hasDefault: boolean
}

type Path = readonly (string | number)[]

/** All single faults that a type can tell, at every place of `value` whose schema is known for certain. */
export function faultsIn(schema: unknown, value: unknown, limit: number): readonly Fault[] {
  const view = new SchemaView(schema)
  const faults: Fault[] = []
  const add = (kind: FaultKind, path: Path, changed: unknown, hasDefault = false): void => {
    if (faults.length < limit) faults.push({ kind, at: `/${path.join('/')}`, value: changed, hasDefault })
  }

  function visit(schema: unknown, at: unknown, path: Path): void {
    const isItem = typeof path.at(-1) === 'number'
    const kinds = view.kindsOf(schema)
    // The whole is an object by protocol; a wrong one is no fault of a property.
    const wrong = path.length === 0 ? undefined : wrongKinds(kinds)
    if (wrong !== undefined) add(isItem ? 'wrong item' : 'wrong type', path, replace(value, path, SAMPLES[wrong]))
    const values = view.valuesOf(schema)
    if (values !== undefined && path.length > 0) {
      if (typeof at === 'string' && kinds.has('string') && !hasOtherStrings(schema))
        add('wrong enum', path, replace(value, path, 'no such value'))
      if (typeof at === 'number' && kinds.has('integer')) add('wrong enum', path, replace(value, path, 987_654_321))
    }
    // Of alternatives it is not known which one was meant: what is inside them has no single place.
    const parts = hasAlternatives(schema) ? undefined : view.flatten(schema, () => ({}))
    if (parts === undefined) return
    if (isRecord(at)) {
      for (const [key, child] of Object.entries(at)) {
        const schemas = parts.flatMap((part) => {
          const declared = isRecord(part['properties']) ? part['properties'] : {}
          if (Object.hasOwn(declared, key)) return [declared[key]]
          return isRecord(part['additionalProperties']) ? [part['additionalProperties']] : []
        })
        if (parts.some((part) => Array.isArray(part['required']) && part['required'].includes(key)))
          add('missing required', [...path, key], without(value, [...path, key]), schemas.some(hasDefault))
        const [only] = schemas
        if (schemas.length === 1) visit(only, child, [...path, key])
      }
    } else if (Array.isArray(at)) {
      const items = parts.flatMap((part) => (isRecord(part['items']) ? [part['items']] : []))
      const isTuple = parts.some((part) => Array.isArray(part['prefixItems']))
      if (items.length === 1 && !isTuple && at.length > 0) visit(items[0], at[0], [...path, 0])
    }
  }

  visit(schema, value, [])
  return faults
}

const SAMPLES: Readonly<Record<Kind, unknown>> = {
  string: 'text in the wrong place',
  integer: 7,
  number: 7.5,
  boolean: true,
  null: null,
  array: ['item'],
  object: { 'wrong place': 1 },
}

/** One kind that does not fit. A fraction for an integer is nothing that a type can tell. */
function wrongKinds(kinds: ReadonlySet<Kind>): Kind | undefined {
  const order: readonly Kind[] = ['string', 'integer', 'boolean', 'null', 'array', 'object']
  return KINDS.every((kind) => kinds.has(kind)) ? undefined : order.find((kind) => !kinds.has(kind))
}

function hasOtherStrings(schema: unknown): boolean {
  return isRecord(schema) && JSON.stringify(schema).includes('no such value')
}

function hasAlternatives(schema: unknown): boolean {
  return isRecord(schema) && (Array.isArray(schema['anyOf']) || Array.isArray(schema['oneOf']))
}

function hasDefault(schema: unknown): boolean {
  return isRecord(schema) && Object.hasOwn(schema, 'default')
}

function replace(value: unknown, path: Path, by: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return by
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? replace(item, rest, by) : item))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, key === step ? replace(child, rest, by) : child]),
  )
}

function without(value: unknown, path: Path): unknown {
  const [step, ...rest] = path
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? without(item, rest) : item))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      key !== step ? [[key, child]] : rest.length === 0 ? [] : [[key, without(child, rest)]],
    ),
  )
}
