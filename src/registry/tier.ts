import { entryFault, entryMatches } from './restriction.ts'
import type { Mode } from './scope.ts'
import { quoted } from './tool-name.ts'
import type { ToolDefinition } from './tool.ts'

export type Tier = NonNullable<ToolDefinition['tier']>
export const TIERS = ['native', 'code', 'both'] as const satisfies readonly Tier[]

/** What a scope says of the tier of one tool or of a namespace (`ns.*`). */
export interface TierRule {
  readonly tools: string
  readonly tier: Tier
}

export type ParsedTierRule =
  { readonly ok: true; readonly rule: TierRule } | { readonly ok: false; readonly problems: readonly string[] }

export function parseTierRule(tools: unknown, tier: unknown): ParsedTierRule {
  const problems: string[] = []
  const fault = entryFault(tools)
  if (fault !== undefined) problems.push(`${quoted(tools)} ${fault}`)
  const known = TIERS.find((one) => one === tier)
  if (known === undefined) problems.push(`a tier must be "native", "code" or "both"; got ${quoted(tier)}`)
  if (problems.length > 0 || known === undefined) return { ok: false, problems }
  return { ok: true, rule: { tools: tools as string, tier: known } } // An entry without a fault is a string.
}

/** The definition with the tier that the nearest scope gives it. `rules` holds one list a scope, the nearest first. */
export function withTier(definition: ToolDefinition, rules: readonly (readonly TierRule[])[]): ToolDefinition {
  for (const ofScope of rules) {
    const rule =
      ofScope.findLast(({ tools }) => tools === definition.name) ??
      ofScope.findLast(({ tools }) => entryMatches(tools, definition.name))
    if (rule !== undefined) return retiered(definition, rule.tier)
  }
  return definition
}

const copies = new WeakMap<ToolDefinition, Map<Tier, ToolDefinition>>()

/** The same object for the same tier: what is derived from a definition is kept by its identity. */
function retiered(definition: ToolDefinition, tier: Tier): ToolDefinition {
  if ((definition.tier ?? 'both') === tier) return definition
  let byTier = copies.get(definition)
  if (byTier === undefined) copies.set(definition, (byTier = new Map()))
  let copy = byTier.get(tier)
  // Registered definitions are plain frozen objects of bound functions: a spread loses nothing.
  if (copy === undefined) byTier.set(tier, (copy = Object.freeze({ ...definition, tier })))
  return copy
}

/**
 * Whether a model is shown this tool and may call it directly. A tier is its owner's own word and goes before the mode:
 * a `native` tool stays native where everything else is called from programs.
 */
export function isOpenToModel(mode: Mode, definition: ToolDefinition): boolean {
  return definition.tier === 'native' || (mode !== 'code' && definition.tier !== 'code')
}

/** Whether programs see this tool in their SDK and may call it. In `native` mode there are no programs. */
export function isOpenToPrograms(mode: Mode, definition: ToolDefinition): boolean {
  return mode !== 'native' && definition.tier !== 'native'
}
