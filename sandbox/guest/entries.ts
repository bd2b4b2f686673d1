import {
  append,
  createList,
  mapForEach,
  ObjectHasOwn,
  ObjectKeys,
  ReflectGetOwnPropertyDescriptor,
  setForEach,
  toStringOf,
  type List,
} from './primordials.ts'

export interface Entries {
  readonly names: List<string>
  readonly values: List<unknown>
}

const ERROR_FIELDS = ['name', 'message', 'code', 'tool', 'phase', 'bodyStarted', 'retryable', 'details']

/** `{ name, message, code? }`, and the fields of a ToolError, in this order. Runs the getters of the error. */
export function errorEntries(error: object): Entries {
  const names: List<string> = createList()
  const values: List<unknown> = createList()
  for (let index = 0; index < ERROR_FIELDS.length; index++) {
    const field = ERROR_FIELDS[index] as string
    let value: unknown
    try {
      value = (error as Record<string, unknown>)[field]
    } catch {
      continue
    }
    if (value === undefined || typeof value === 'function') continue
    if (index > 2 && ReflectGetOwnPropertyDescriptor(error, field) === undefined) continue
    append(names, field)
    append(values, value)
  }
  return { names, values }
}

/** Names of what an error holds besides `errorEntries`. A failed call's blocks say what its message does. */
export function lostOfError(error: object): string {
  let lost = ''
  const add = (name: string): void => {
    lost += (lost === '' ? '' : ', ') + name
  }
  try {
    if (hasValue(error, 'cause')) add('cause')
    if (hasValue(error, 'errors')) add('errors')
    const keys = ObjectKeys(error)
    for (let index = 0; index < keys.length && index < MAX_LOST; index++) {
      const key = keys[index] as string
      if (!isKnownField(key)) add(key)
    }
  } catch {
    // A proxy that does not say.
  }
  return lost
}
const MAX_LOST = 20
const OTHER_FIELDS = ['cause', 'errors', 'content', 'stack']

function hasValue(error: object, key: string): boolean {
  const descriptor = ReflectGetOwnPropertyDescriptor(error, key)
  return descriptor !== undefined && (!ObjectHasOwn(descriptor, 'value') || descriptor.value !== undefined)
}

function isKnownField(key: string): boolean {
  for (let index = 0; index < ERROR_FIELDS.length; index++) if (ERROR_FIELDS[index] === key) return true
  for (let index = 0; index < OTHER_FIELDS.length; index++) if (OTHER_FIELDS[index] === key) return true
  return false
}

/** `entries` when every key can be a property name; `pairs` always. */
export function mapEntries(map: Map<unknown, unknown>): {
  readonly entries: Entries | undefined
  readonly pairs: List<unknown>
} {
  const names: List<string> = createList()
  const values: List<unknown> = createList()
  const pairs: List<unknown> = createList()
  mapForEach(map, (value, key) => {
    const type = typeof key
    if (type === 'string' || type === 'number' || type === 'bigint' || type === 'boolean') {
      append(names, toStringOf(key))
    }
    append(values, value)
    append(pairs, [key, value])
  })
  return { entries: names.length === values.length ? { names, values } : undefined, pairs }
}

export function setValues(set: Set<unknown>): List<unknown> {
  const values: List<unknown> = createList()
  setForEach(set, (value) => append(values, value))
  return values
}
