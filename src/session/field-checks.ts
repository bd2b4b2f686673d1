import { isRecord, type Json } from '../data/json.ts'

/** One thing that is wrong with a stored row; `path` is a JSON Pointer into it. */
export interface RowProblem {
  readonly path: string
  readonly message: string
}

/**
 * Small checks for stored rows. A check reports what is wrong with the value at `path`; `undefined` is an absent field.
 * They read values that are already JSON (plain data, no getters), so they can't throw.
 */
export type Check = (value: Json | undefined, path: string, found: RowProblem[]) => void

/** One check for each field of `T`: a field that is added to the type and forgotten here does not compile. */
export type FieldsOf<T> = { readonly [K in keyof T]-?: Check }

export function optional(check: Check): Check {
  return (value, path, found) => {
    if (value !== undefined) check(value, path, found)
  }
}

export function checkThat(expected: string, holds: (value: Json) => boolean): Check {
  return (value, path, found) => {
    if (value === undefined || !holds(value)) report(found, path, expected, value)
  }
}

export const anyJson: Check = checkThat('a JSON value', () => true)
export const isText: Check = checkThat('a string', (value) => typeof value === 'string')
export const isFlag: Check = checkThat('a boolean', (value) => typeof value === 'boolean')
export const isObject: Check = checkThat('an object', isRecord)
export const isAmount: Check = checkThat('a number of at least 0', (value) => typeof value === 'number' && value >= 0)
export const isCount: Check = checkThat(
  'an integer of at least 1',
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
)

export function oneOf(names: readonly string[]): Check {
  const expected = `one of ${names.map((name) => JSON.stringify(name)).join(', ')}`
  return checkThat(expected, (value) => typeof value === 'string' && names.includes(value))
}

export function listOf(check: Check): Check {
  return (value, path, found) => {
    if (!Array.isArray(value)) return report(found, path, 'an array', value)
    // `Array.isArray` widens readonly arrays to `any[]`; the items are still JSON.
    const items: readonly Json[] = value
    items.forEach((item, index) => check(item, `${path}/${index}`, found))
  }
}

/** An object of exactly these fields. An unknown field is refused: within one version it can only be damage. */
export function record(fields: Readonly<Record<string, Check>>): Check {
  const checks = new Map(Object.entries(fields))
  return (value, path, found) => {
    if (!isRecord(value)) return report(found, path, 'an object', value)
    const present = new Map(Object.entries(value))
    for (const [name, check] of checks) check(present.get(name), `${path}/${pointerPart(name)}`, found)
    for (const name of present.keys()) {
      if (!checks.has(name)) report(found, `${path}/${pointerPart(name)}`, 'no such field', present.get(name))
    }
  }
}

/** A union on the string field `tag`. */
export function taggedBy(tag: string, checksByTag: ReadonlyMap<string, Check>): Check {
  const isTag = oneOf([...checksByTag.keys()])
  return (value, path, found) => {
    if (!isRecord(value)) return report(found, path, 'an object', value)
    const name = Object.hasOwn(value, tag) ? value[tag] : undefined
    const check = typeof name === 'string' ? checksByTag.get(name) : undefined
    if (check === undefined) return isTag(name, `${path}/${tag}`, found)
    check(value, path, found)
  }
}

function report(found: RowProblem[], path: string, expected: string, value: Json | undefined): void {
  found.push({ path, message: `"${path}" must be ${expected}; got ${describe(value)}` })
}

function describe(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (isRecord(value)) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
