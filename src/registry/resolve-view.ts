import type { Restriction } from './restriction.ts'
import type { Mode } from './scope.ts'
import { withTier, type TierRule } from './tier.ts'
import type { ToolDefinition } from './tool.ts'
import type { ToolView } from './view.ts'

/** What one scope says itself. */
export interface ScopeLayer {
  readonly name: string
  readonly mode: Mode | undefined
  readonly toolsByName: ReadonlyMap<string, ToolDefinition>
  readonly restrictions: ReadonlySet<Restriction>
  /** What its owner says of the tiers of tools, over the tools' own word. */
  readonly tierRules: ReadonlySet<TierRule>
}

export const DEFAULT_MODE: Mode = 'code'

/**
 * Resolves what the last scope of a chain sees. `chain` runs from the global scope to the scope itself:
 *
 *   registrations, far to near, nearer shadows farther
 *   → every restriction along the chain, intersected
 *   → the scope's own registrations, exempt unless a sealed restriction covers them
 *   → the tiers that scopes give to tools, the nearest one's word
 *   → run_code, when the mode needs it
 */
export function resolveView(
  chain: readonly ScopeLayer[],
  runCode: ToolDefinition | undefined,
  generation: number,
): ToolView {
  const own = chain.at(-1)
  const inherited = new Map<string, ToolDefinition>()
  for (const layer of chain) {
    if (layer !== own) for (const [name, definition] of layer.toolsByName) inherited.set(name, definition)
  }
  const restrictions = chain.flatMap((layer) => [...layer.restrictions])
  const sealed = restrictions.filter(({ isSealed }) => isSealed)
  const rules = chain.toReversed().map((layer) => [...layer.tierRules])

  const visible = new Map<string, ToolDefinition>()
  const hiddenNames = new Set<string>()
  const admit = (name: string, definition: ToolDefinition, filters: readonly Restriction[]) => {
    if (filters.every((filter) => filter.permits(name))) visible.set(name, withTier(definition, rules))
    else hiddenNames.add(name)
  }
  for (const [name, definition] of inherited) {
    if (own?.toolsByName.has(name) !== true) admit(name, definition, restrictions)
  }
  for (const [name, definition] of own?.toolsByName ?? []) admit(name, definition, sealed)
  // The default order is that of code units, as `compareNames` has it, and several times as quick as asking it.
  const toolsByName = new Map<string, ToolDefinition>()
  for (const name of [...visible.keys()].sort()) toolsByName.set(name, visible.get(name)!) // Its own key.

  const mode = chain.findLast((layer) => layer.mode !== undefined)?.mode ?? DEFAULT_MODE
  return Object.freeze({
    scope: own?.name ?? '',
    mode,
    generation,
    toolsByName,
    ...(runCode !== undefined && mode !== 'native' && { runCode }),
    hiddenNames,
  })
}
