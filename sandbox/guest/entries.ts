import {
  append,
  createList,
  mapForEach,
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
