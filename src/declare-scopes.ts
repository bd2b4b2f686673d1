import { CodedError } from './data/failure.ts'
import { didYouMean } from './data/nearest-names.ts'
import type { ToolRegistry } from './registry/registry.ts'
import type { RestrictionOptions } from './registry/restriction.ts'
import { GLOBAL_SCOPE, type Mode } from './registry/scope.ts'
import type { Tier } from './registry/tier.ts'

/** What one scope is to be. */
export interface ScopeOptions {
  /** Default `global`, which has none itself. */
  readonly parent?: string
  readonly mode?: Mode
  readonly restrictions?: readonly RestrictionOptions[]
  /** By tool name or `ns.*`. */
  readonly tiers?: ReadonlyMap<string, Tier> | Readonly<Record<string, Tier>>
}

/** By name. A map holds every name, a record all but those that JavaScript treats specially. */
export type ScopesOptions = ReadonlyMap<string, ScopeOptions> | Readonly<Record<string, ScopeOptions>>

/** Declares scopes, parents first, whatever their order. Throws `CONFIG_INVALID`, naming the scopes whose parents lead nowhere. */
export function declareScopes(registry: ToolRegistry, scopes: ScopesOptions): void {
  const pending = entriesOf(scopes)
  if (pending.get(GLOBAL_SCOPE)?.parent !== undefined) {
    throw new CodedError('CONFIG_INVALID', `scope "${GLOBAL_SCOPE}": it is the root and has no parent; leave it out`)
  }
  while (pending.size > 0) {
    const before = pending.size
    for (const [name, scope] of pending) {
      if (name !== GLOBAL_SCOPE) {
        const parent = scope.parent ?? GLOBAL_SCOPE
        if (pending.has(parent) || !registry.hasScope(parent)) continue
        registry.declareScope(name, { parent })
      }
      pending.delete(name)
      if (scope.mode !== undefined) registry.setMode(name, scope.mode)
      for (const restriction of scope.restrictions ?? []) registry.restrict(name, restriction)
      for (const [tools, tier] of entriesOf(scope.tiers ?? {})) registry.setTier(name, tools, tier)
    }
    if (pending.size === before) throw new CodedError('CONFIG_INVALID', parentFaults(pending).join('\n'))
  }
}

function entriesOf<V>(given: ReadonlyMap<string, V> | Readonly<Record<string, V>>): Map<string, V> {
  return new Map(given instanceof Map ? given : Object.entries(given as Readonly<Record<string, V>>))
}

/** What is wrong with the parents of scopes: one sentence a scope that cannot be declared, none when all can. */
export function parentFaults(scopes: ReadonlyMap<string, Pick<ScopeOptions, 'parent'>>): readonly string[] {
  return [...scopes].flatMap(([name, { parent }]) => {
    if (name === GLOBAL_SCOPE || parent === undefined || parent === GLOBAL_SCOPE) return []
    if (!scopes.has(parent)) {
      const near = didYouMean(parent, [GLOBAL_SCOPE, ...scopes.keys()])
      return [
        `scope ${JSON.stringify(name)}: its parent ${JSON.stringify(parent)} is not declared; declare it, or leave "parent" out.${near}`,
      ]
    }
    const seen = new Set([name])
    for (let at: string | undefined = parent; at !== undefined; at = scopes.get(at)?.parent) {
      if (seen.has(at))
        return [`scope ${JSON.stringify(name)}: its parents go in a circle; leave "parent" of one of them out`]
      seen.add(at)
    }
    return []
  })
}
