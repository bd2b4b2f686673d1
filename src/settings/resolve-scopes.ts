import { parentFaults } from '../declare-scopes.ts'
import { didYouMean } from '../data/nearest-names.ts'
import { entryMatches, parseRestriction, type RestrictionOptions } from '../registry/restriction.ts'
import { GLOBAL_SCOPE } from '../registry/scope.ts'
import { parseTierRule } from '../registry/tier.ts'
import { placeOf } from './explain-issues.ts'
import { MAX_SCOPES, SCOPE_NAME, type ScopeEntry } from './schema/scopes.ts'
import type { ScopeSettings } from './settings.ts'

/**
 * Scopes as the registry takes them, and every fault. "servers" may name what has a namespace, and servers that the file
 * describes but that are switched off or left out. It does not concern `httpTools`, whatever their names begin with.
 */
export function resolveScopes(
  entries: ReadonlyMap<string, ScopeEntry>,
  namespaceBySource: ReadonlyMap<string, string>,
  described: readonly string[],
  httpTools: readonly string[],
): { readonly scopes: ReadonlyMap<string, ScopeSettings>; readonly faults: readonly string[] } {
  const faults: string[] = []
  const scopes = new Map<string, ScopeSettings>()
  if (entries.size > MAX_SCOPES)
    faults.push(`scopes: must be at most ${MAX_SCOPES}; found ${entries.size}; split the file`)
  for (const [name, entry] of entries) {
    const place = placeOf(['scopes', name])
    if (!SCOPE_NAME.test(name))
      faults.push(`${place}: a scope's name must be 1–64 of A–Z, a–z, 0–9, "_", "-", "."; rename it`)
    if (name === GLOBAL_SCOPE && entry.parent !== undefined)
      faults.push(`${place}.parent: must not be there, "global" is the root; take it out`)
    const restrictions = restrictionsOf(name, entry, { namespaceBySource, described, httpTools }, place, faults)
    for (const [tools, tier] of Object.entries(entry.tiers ?? {})) {
      const parsed = parseTierRule(tools, tier)
      if (!parsed.ok) faults.push(...parsed.problems.map((problem) => `${place}.tiers: ${problem}; correct it`))
    }
    scopes.set(name, {
      ...(entry.parent !== undefined && { parent: entry.parent }),
      ...(entry.mode !== undefined && { mode: entry.mode }),
      restrictions,
      tiers: new Map(Object.entries(entry.tiers ?? {})),
    })
  }
  faults.push(...parentFaults(scopes).map((fault) => `scopes: ${fault}`))
  return { scopes, faults }
}

function restrictionsOf(
  name: string,
  entry: ScopeEntry,
  sources: {
    readonly namespaceBySource: ReadonlyMap<string, string>
    readonly described: readonly string[]
    readonly httpTools: readonly string[]
  },
  place: string,
  faults: string[],
): readonly RestrictionOptions[] {
  // All tools of the file are registered in "global", where a restriction that is not sealed would hide nothing.
  const sealed = name === GLOBAL_SCOPE ? { sealed: true } : {}
  const given = entry.restrictions === undefined ? [] : [entry.restrictions].flat()
  const restrictions: RestrictionOptions[] = given.map(({ allow, deny, sealed: isSealed }) => ({
    ...(allow !== undefined && { allow }),
    ...(deny !== undefined && { deny }),
    ...(isSealed !== undefined && { sealed: isSealed }),
    ...sealed,
  }))
  for (const restriction of restrictions) {
    const parsed = parseRestriction(restriction)
    if (!parsed.ok) faults.push(...parsed.problems.map((problem) => `${place}.restrictions: ${problem}; correct it`))
  }
  if (entry.servers === undefined) return restrictions
  const { namespaceBySource } = sources
  const known = new Set([...sources.described, ...namespaceBySource.keys()])
  const wanted = new Set(entry.servers)
  for (const source of wanted) {
    if (known.has(source)) continue
    faults.push(
      `${place}.servers: must name servers of this file; found ${JSON.stringify(source)}; correct it, or describe it.${didYouMean(source, known)}`,
    )
  }
  const left = [...namespaceBySource].filter(([source]) => !wanted.has(source)).map(([, namespace]) => `${namespace}.*`)
  if (left.length === 0) return restrictions
  const except = sources.httpTools.filter((tool) => left.some((entry) => entryMatches(entry, tool)))
  return [...restrictions, { deny: left, ...(except.length > 0 && { except }), ...sealed }]
}
