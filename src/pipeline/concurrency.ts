import type { SnapshotLimits } from '../data/snapshot.ts'
import type { CallRequest } from './call.ts'
import { readArguments, type ViewSource } from './create.ts'
import { resolveTool } from './mode.ts'
import { hush } from './signals.ts'

/** Only a literal `true` counts: a claim that cannot be read (it throws, it is a promise) is no claim. */
export function mayOverlap(
  request: Pick<CallRequest, 'name' | 'arguments' | 'scope' | 'entry'>,
  parts: { readonly registry: ViewSource; readonly limits: SnapshotLimits },
): boolean {
  const { definition, refusal } = resolveTool(parts.registry.view(request.scope), request.name, request.entry)
  if (definition === undefined || refusal !== undefined) return true
  const args = readArguments(request, parts.limits)
  if (!args.ok) return true
  try {
    return hush(definition.isConcurrencySafe?.(args.value)) === true
  } catch {
    return false
  }
}
