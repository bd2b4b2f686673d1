import { nearestNames } from '../data/nearest-names.ts'
import { deriveNames } from './native-names.ts'
import type { ScopeLayer } from './resolve-view.ts'
import { entryMatches } from './restriction.ts'
import { isOpenToModel, isOpenToPrograms } from './tier.ts'
import { compareNames, quoted } from './tool-name.ts'
import type { ToolView } from './view.ts'

/** What an owner should look at in a view, one sentence each, in a stable order. */
export function viewWarnings(view: ToolView, chain: readonly ScopeLayer[]): readonly string[] {
  return [...unknownEntries(chain), ...unreachable(view), ...deriveNames(view).warnings]
}

/** Entries of restrictions that speak of nothing (yet). They are kept and apply as soon as the tool appears. */
function unknownEntries(chain: readonly ScopeLayer[]): readonly string[] {
  const known = new Set(chain.flatMap((layer) => [...layer.toolsByName.keys()]))
  const warnings: string[] = []
  for (const layer of chain) {
    const entries = new Set([...layer.restrictions].flatMap((restriction) => [...restriction.entries]))
    for (const entry of [...entries].sort(compareNames)) {
      if (known.has(entry) || (entry.endsWith('.*') && [...known].some((name) => entryMatches(entry, name)))) continue
      const near = nearestTo(entry, known).map((name) => JSON.stringify(name))
      const hint = near.length === 0 ? 'nothing of a similar name is registered' : `did you mean ${near.join(' or ')}?`
      warnings.push(
        `restriction of ${quoted(layer.name)}: no tool matches ${quoted(entry)} now; it applies when one appears; ${hint}`,
      )
    }
  }
  return warnings
}

function nearestTo(entry: string, known: ReadonlySet<string>): readonly string[] {
  if (!entry.endsWith('.*')) return nearestNames(entry, known)
  const namespaces = new Set(
    [...known].flatMap((name) => (name.includes('.') ? [name.slice(0, name.indexOf('.'))] : [])),
  )
  return nearestNames(entry.slice(0, -2), namespaces).map((namespace) => `${namespace}.*`)
}

function unreachable(view: ToolView): readonly string[] {
  const warnings: string[] = []
  if (view.mode !== 'native' && view.runCode === undefined) {
    warnings.push(
      `scope ${quoted(view.scope)}: its mode is ${view.mode} and no run_code is installed; programs cannot run`,
    )
  }
  for (const definition of view.toolsByName.values()) {
    if (isOpenToModel(view.mode, definition) || isOpenToPrograms(view.mode, definition)) continue
    warnings.push(
      `${definition.name}: its tier is ${definition.tier} and the mode of ${quoted(view.scope)} is ${view.mode}; no model can reach it`,
    )
  }
  return warnings
}
