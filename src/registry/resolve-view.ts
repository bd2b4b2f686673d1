import type { Restriction } from './restriction.ts'
import type { Mode } from './scope.ts'
import { compareNames } from './tool-name.ts'
import type { ToolDefinition } from './tool.ts'
import type { ToolView } from './view.ts'

/** What one scope says itself. */
export interface ScopeLayer {
  readonly name: string
  readonly mode: Mode | undefined
  readonly toolsByName: ReadonlyMap<string, ToolDefinition>
  readonly restrictions: ReadonlySet<Restriction>
}

export const DEFAULT_MODE: Mode = 'code'

/**
 * Resolves what the last scope of a chain sees. `chain` runs from the global scope to the scope itself:
 *
 *   registrations, far to near, nearer shadows farther
 *   → every restriction along the chain, intersected
 *   → the scope's own registrations, exempt unless a sealed restriction covers them
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

  const visible: [string, ToolDefinition][] = []
  const hiddenNames = new Set<string>()
  const admit = (name: string, definition: ToolDefinition, filters: readonly Restriction[]) => {
    if (filters.every((filter) => filter.permits(name))) visible.push([name, definition])
    else hiddenNames.add(name)
  }
  for (const [name, definition] of inherited) {
    if (own?.toolsByName.has(name) !== true) admit(name, definition, restrictions)
  }
  for (const [name, definition] of own?.toolsByName ?? []) admit(name, definition, sealed)
  visible.sort(([a], [b]) => compareNames(a, b))

  const mode = chain.findLast((layer) => layer.mode !== undefined)?.mode ?? DEFAULT_MODE
  return Object.freeze({
    scope: own?.name ?? '',
    mode,
    generation,
    toolsByName: new Map(visible),
    ...(runCode !== undefined && mode !== 'native' && { runCode }),
    hiddenNames,
  })
}
