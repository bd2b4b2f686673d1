import type { z } from 'zod'

/** What the walk needs to know of a schema; Zod's own types do not name the parts of a schema that is given as data. */
interface Shaped {
  readonly def: {
    readonly type: string
    readonly shape?: Readonly<Record<string, Shaped>>
    readonly element?: Shaped
    readonly valueType?: Shaped
    readonly innerType?: Shaped
    readonly in?: Shaped
    readonly options?: readonly Shaped[]
    readonly left?: Shaped
    readonly right?: Shaped
  }
}

/** The keys that the object at `path` may have, over all its alternatives; none where it is no object of fixed keys. */
export function knownKeysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const here = schemasAt(schema, path).flatMap(alternatives)
  return [...new Set(here.flatMap(({ def }) => Object.keys(def.shape ?? {})))]
}

/** Whether what is at `path` may be left out. */
export function isOptionalAt(schema: z.ZodType, path: readonly PropertyKey[]): boolean {
  const here = schemasAt(schema, path)
  return here.length > 0 && here.every(({ def }) => def.type === 'optional')
}

function schemasAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly Shaped[] {
  let here: readonly Shaped[] = [schema as unknown as Shaped]
  for (const key of path) here = here.flatMap(alternatives).flatMap((one) => childrenOf(one, key))
  return here
}

function childrenOf({ def }: Shaped, key: PropertyKey): readonly Shaped[] {
  if (def.shape !== undefined) {
    const child = typeof key === 'string' && Object.hasOwn(def.shape, key) ? def.shape[key] : undefined
    return child === undefined ? [] : [child]
  }
  const child = typeof key === 'number' ? def.element : def.valueType
  return child === undefined ? [] : [child]
}

/** A schema without its wrappers: each way in which a value may be read. */
function alternatives(schema: Shaped): readonly Shaped[] {
  const { def } = schema
  if (def.options !== undefined) return def.options.flatMap(alternatives)
  if (def.left !== undefined && def.right !== undefined) return [def.left, def.right].flatMap(alternatives)
  const inner = def.innerType ?? def.in
  return inner === undefined ? [schema] : alternatives(inner)
}
