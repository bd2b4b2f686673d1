import { isRecord } from '../data/json.ts'
import { rootSchema, type SettingsDocument } from './schema/root.ts'
import { scopeSchema, type ScopeEntry } from './schema/scopes.ts'
import { tokenSchema, type TokenEntry } from './schema/tokens.ts'

/** What can be read of a file: all of it, or, of one with faults, the parts that have none. */
export interface SoundParts {
  readonly said: SettingsDocument
  /** Every scope that is named; one with faults as if it said nothing. */
  readonly scopes: ReadonlyMap<string, ScopeEntry>
  /** By place in the file. */
  readonly tokens: ReadonlyMap<number, TokenEntry>
}

/** So that faults between parts (a token for a scope that is not there) are told together with those within them. */
export function soundParts(root: Readonly<Record<string, unknown>>): SoundParts {
  const sound = Object.entries(rootSchema.shape).flatMap(([key, schema]): [string, unknown][] => {
    const checked = Object.hasOwn(root, key) ? schema.safeParse(root[key]) : undefined
    return checked?.success === true ? [[key, checked.data]] : []
  })
  const scopes = isRecord(root.scopes) ? Object.entries(root.scopes) : []
  const tokens: readonly unknown[] = Array.isArray(root.tokens) ? root.tokens : []
  return {
    said: Object.fromEntries(sound), // Each section is optional and was checked by its own schema.
    scopes: new Map(scopes.map(([name, given]) => [name, scopeSchema.safeParse(given).data ?? {}])),
    tokens: new Map(
      tokens.flatMap((given, index): [number, TokenEntry][] => {
        const { data } = tokenSchema.safeParse(given)
        return data === undefined ? [] : [[index, data]]
      }),
    ),
  }
}
