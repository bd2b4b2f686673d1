import type { ArtifactStore } from '../artifacts/store.ts'
import type { EngineOptions } from '../config.ts'
import type { Clock } from '../data/clock.ts'
import { createArtifacts } from '../engine.ts'
import { systemClock } from '../pipeline/system-clock.ts'
import { GLOBAL_SCOPE } from '../registry/scope.ts'
import type { SessionStore } from '../session/log.ts'
import { compileGuards, compilePolicies } from './compile-policies.ts'
import { importSources, type ImportDeps } from './import-sources.ts'
import type { Settings } from './settings.ts'

export interface EngineOptionsDeps extends ImportDeps {
  /** An open store in place of the one of the settings: for an engine that takes over from another. */
  readonly store?: SessionStore
  /** Likewise. Default: a new one, which the engine's programs read. */
  readonly artifacts?: ArtifactStore
  /** Default: the system's. */
  readonly clock?: Clock
}

/**
 * What an engine is to be made of, by the settings alone. API descriptions are fetched here, MCP servers are not started
 * yet. The engine ends what came with the options (`owned`); whoever makes none of them ends it. What is wrong with
 * single APIs and tools is in `problems`; that of single MCP servers stays in the settings.
 */
export async function engineOptions(settings: Settings, deps: EngineOptionsDeps): Promise<EngineOptions> {
  const store = deps.store ?? settings.store
  // Policies keep things there too, so that they are made before the engine.
  const own = createArtifacts(settings.store?.sqlite)
  const artifacts = deps.artifacts ?? own
  const scopes = new Map(settings.scopes)
  const { mode, ...ofGlobal } = scopes.get(GLOBAL_SCOPE) ?? {}
  // The engine's own option, so that whoever starts it may say another mode.
  if (scopes.has(GLOBAL_SCOPE)) scopes.set(GLOBAL_SCOPE, { restrictions: [], tiers: new Map(), ...ofGlobal })
  const policies = compilePolicies(settings.policies, { clock: deps.clock ?? systemClock, artifacts })
  const imported = await importSources(settings, deps)
  return {
    tools: imported.tools,
    problems: imported.problems,
    owned: [imported, { [Symbol.asyncDispose]: async () => own[Symbol.dispose]() }],
    mcpServers: settings.servers,
    artifacts,
    scopes,
    policies,
    guards: compileGuards(settings.policies.guards),
    ...(store !== undefined && { store }),
    ...(mode !== undefined && { mode }),
    ...(settings.limits !== undefined && { limits: settings.limits }),
    ...(settings.typecheck !== undefined && { typecheck: settings.typecheck }),
    ...(settings.requireConfinement !== undefined && { requireConfinement: settings.requireConfinement }),
    ...(settings.pool !== undefined && { pool: settings.pool }),
  }
}
