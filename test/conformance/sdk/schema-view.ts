import { isRecord } from '../../../src/data/json.ts'
import { typeMeant } from '../../../src/schema/full/type-words.ts'

/** JSON Schema's words for kinds of values, with "integer" told apart from "number". */
export type Kind = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'
export const KINDS: readonly Kind[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']

type Schema = Readonly<Record<string, unknown>>

const MAX_PARTS = 200

/**
 * A schema read for the sake of examples, apart from the code that is examined: only local references are followed, and
 * whoever asks checks the outcome with a validator.
 */
export class SchemaView {
  readonly #root: unknown
  /** Up to draft 7 a reference hides what stands beside it. */
  readonly #refStandsAlone: boolean

  constructor(root: unknown) {
    this.#root = root
    this.#refStandsAlone =
      isRecord(root) && typeof root['$schema'] === 'string' && /draft-0[3-7]\b/.test(root['$schema'])
  }

  /** All schemas that hold for one value together; of alternatives, the one that `choose` picks. */
  flatten(schema: unknown, choose: (branches: readonly unknown[]) => unknown): readonly Schema[] | undefined {
    const parts: Schema[] = []
    const waiting: unknown[] = [schema]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === false || parts.length > MAX_PARTS) return undefined
      if (!isRecord(next)) continue
      const { $ref, allOf, anyOf, oneOf } = next
      if (typeof $ref === 'string') {
        const target = this.resolve($ref)
        if (target === undefined) return undefined
        waiting.push(target)
        if (this.#refStandsAlone) continue
      }
      parts.push(next)
      if (Array.isArray(allOf)) waiting.push(...allOf)
      for (const branches of [anyOf, oneOf]) {
        if (Array.isArray(branches) && branches.length > 0) waiting.push(choose(branches))
      }
    }
    return parts
  }

  resolve(ref: string): unknown {
    if (ref !== '#' && !ref.startsWith('#/')) return undefined
    let at: unknown = this.#root
    for (const step of ref.split('/').slice(1)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(at)) at = at[Number(key)]
      else if (isRecord(at) && Object.hasOwn(at, key)) at = at[key]
      else return undefined
    }
    return at
  }

  /** The kinds of values that may fit; a schema says so with `type`, `enum`, `const`, or by way of others. */
  kindsOf(schema: unknown, depth = 0): ReadonlySet<Kind> {
    if (schema === false) return new Set()
    if (!isRecord(schema) || depth > 20) return new Set(KINDS)
    let kinds: ReadonlySet<Kind> = new Set(KINDS)
    const narrow = (to: ReadonlySet<Kind>): void => {
      kinds = kinds.intersection(to)
    }
    if (typeof schema['$ref'] === 'string') {
      const target = this.resolve(schema['$ref'])
      narrow(target === undefined ? kinds : this.kindsOf(target, depth + 1))
      if (this.#refStandsAlone) return kinds
    }
    if (Object.hasOwn(schema, 'const')) narrow(new Set(kindsOfValue(schema['const'])))
    if (Array.isArray(schema['enum'])) narrow(new Set(schema['enum'].flatMap(kindsOfValue)))
    if (schema['type'] !== undefined) narrow(kindsOfType(schema['type'], schema['nullable'] === true))
    if (Array.isArray(schema['allOf'])) for (const part of schema['allOf']) narrow(this.kindsOf(part, depth + 1))
    for (const branches of [schema['anyOf'], schema['oneOf']]) {
      if (Array.isArray(branches) && branches.length > 0)
        narrow(new Set(branches.flatMap((branch) => [...this.kindsOf(branch, depth + 1)])))
    }
    return kinds
  }

  /** Every value that `enum` or `const` names; nothing when other values fit as well. */
  valuesOf(schema: unknown, depth = 0): readonly unknown[] | undefined {
    if (!isRecord(schema) || depth > 20) return undefined
    if (typeof schema['$ref'] === 'string') {
      const named = this.valuesOf(this.resolve(schema['$ref']), depth + 1)
      if (named !== undefined || this.#refStandsAlone) return named
    }
    if (Object.hasOwn(schema, 'const')) return [schema['const']]
    if (Array.isArray(schema['enum']) && schema['enum'].length > 0) return schema['enum']
    for (const branches of [schema['anyOf'], schema['oneOf']]) {
      if (!Array.isArray(branches) || branches.length === 0) continue
      const values = branches.map((branch) => this.valuesOf(branch, depth + 1))
      if (values.every((list) => list !== undefined)) return values.flat()
    }
    return undefined
  }
}

function kindsOfType(type: unknown, isNullable: boolean): ReadonlySet<Kind> {
  const words: readonly unknown[] = Array.isArray(type) ? type : [type]
  const kinds = words.flatMap((word): readonly Kind[] => {
    const meant = typeof word === 'string' ? typeMeant(word) : undefined
    return meant === undefined ? KINDS : meant === 'number' ? ['integer', 'number'] : [meant]
  })
  return new Set(isNullable ? [...kinds, 'null' as const] : kinds)
}

export function kindsOfValue(value: unknown): readonly Kind[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  if (typeof value === 'boolean') return ['boolean']
  return [typeof value === 'string' ? 'string' : 'object']
}
