import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EngineOptions } from '../config.ts'
import { CodedError } from '../data/failure.ts'
import { didYouMean } from '../data/nearest-names.ts'
import { createEngine, type Engine } from '../engine.ts'
import { readMockTools } from '../importers/mock-tools.ts'
import type { ServerEntry, ServerProblem } from '../importers/server-entry.ts'
import { GLOBAL_SCOPE } from '../registry/scope.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { engineOptions } from '../settings/engine-options.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { unmatchedRules } from '../settings/unmatched-rules.ts'
import type { Io } from './io.ts'
import { warnProblem } from './warn-problem.ts'

export { openCatalog, type Catalog } from './catalog.ts'
export { warnProblem } from './warn-problem.ts'

/** Where tools come from, as the options of several commands say it. */
export interface SourceOptions {
  readonly config?: string
  readonly mock?: string
  readonly catalog?: string
  readonly scope?: string
}

export interface ToolSources {
  /** Absent: no file was named or found. */
  readonly settings?: Settings
  readonly servers: readonly ServerEntry[]
  /** Of the mock file. */
  readonly tools: readonly ToolDefinition[]
  readonly approvalRequired: ReadonlySet<string>
  readonly problems: readonly ServerProblem[]
  readonly scope: string
}

/** What is read when nothing else is said. */
export const DEFAULT_CONFIG = 'codeferry.json'

/** Reads the files, starts nothing. What is wrong with single servers or tools is a warning on stderr. */
export function readSources(options: SourceOptions, io: Io): ToolSources {
  const settings = findSettings(options, io)
  const mock = options.mock === undefined ? undefined : readMockTools(options.mock)
  const problems: ServerProblem[] = [
    ...(settings?.problems ?? []),
    ...(mock?.problems.map((message) => ({ message })) ?? []),
  ]
  for (const problem of problems) warnProblem(io, problem)
  return {
    ...(settings !== undefined && { settings }),
    servers: settings?.servers ?? [],
    tools: mock?.tools ?? [],
    approvalRequired: mock?.approvalRequired ?? new Set(),
    problems,
    scope: checkScope(options.scope ?? GLOBAL_SCOPE, settings),
  }
}

/**
 * The configuration that was named, else `./codeferry.json` where there is one. Tools that a command was given in
 * another file are meant alone: a dry run must not start servers.
 */
export function findSettings({ config, mock, catalog }: SourceOptions, io: Io): Settings | undefined {
  const path = config ?? (mock === undefined && catalog === undefined ? findDefault(io) : undefined)
  // Commands serve nobody: the secrets of tokens need not be there.
  return path === undefined ? undefined : readSettings(path, { env: io.env, cwd: io.cwd, withSecrets: false })
}

function findDefault(io: Io): string | undefined {
  if (!existsSync(resolve(io.cwd, DEFAULT_CONFIG))) return undefined
  io.stderr.write(`using ./${DEFAULT_CONFIG} (no --config was given)\n`)
  return DEFAULT_CONFIG
}

/** A misspelt name must not open a scope of its own that inherits everything. */
function checkScope(scope: string, settings: Settings | undefined): string {
  if (settings?.kind !== 'codeferry' || scope === GLOBAL_SCOPE || settings.scopes.has(scope)) return scope
  const known = [GLOBAL_SCOPE, ...settings.scopes.keys()]
  throw new CodedError(
    'CONFIG_INVALID',
    `--scope ${scope}: ${settings.path} declares no such scope; it has: ${known.join(', ')}.${didYouMean(scope, known)}`,
  )
}

/** An engine over the sources, as the file says it; what a command was told on its command line goes before. */
export async function startEngine(sources: ToolSources, io: Io, given: EngineOptions = {}): Promise<Engine> {
  const { settings } = sources
  const ofFile = settings === undefined ? {} : await engineOptions(settings, { env: io.env })
  const engine = await createEngine({
    ...ofFile,
    onProblem: (problem) => warnProblem(io, problem),
    ...given,
    tools: [...(ofFile.tools ?? []), ...sources.tools, ...(given.tools ?? [])],
    policies: [...(ofFile.policies ?? []), ...(given.policies ?? [])],
    guards: [...(ofFile.guards ?? []), ...(given.guards ?? [])],
  })
  if (!engine.registry.hasScope(sources.scope)) engine.registry.declareScope(sources.scope)
  if (settings !== undefined) {
    const { toolsByName, hiddenNames } = engine.registry.view(GLOBAL_SCOPE)
    for (const message of unmatchedRules(settings, [...toolsByName.keys(), ...hiddenNames]))
      warnProblem(io, { message: `${settings.path}: ${message}` })
  }
  return engine
}
