import { resolve } from 'node:path'
import { createEngine, type createArtifacts, type Engine } from '../../engine.ts'
import type { Approver, Observer } from '../../pipeline/call.ts'
import { createApprovalPolicy } from '../../policy/approval.ts'
import type { SessionStore } from '../../session/log.ts'
import { SERVER_DEFAULTS } from '../../settings/defaults.ts'
import { engineOptions } from '../../settings/engine-options.ts'
import { readSettings } from '../../settings/read-settings.ts'
import type { ServerSettings, TokenSettings } from '../../settings/settings.ts'
import type { Io } from '../io.ts'
import { readSources, warnProblem, type SourceOptions, type ToolSources } from '../tool-sources.ts'

export interface ServeOptions extends SourceOptions {
  readonly host?: string
  readonly port?: number
  readonly db?: string
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
  readonly json?: boolean
}

/** What a service is to be made of: the files, and before them the command line. */
export interface ServeSources {
  readonly sources: ToolSources
  readonly server: ServerSettings
  readonly tokens: readonly TokenSettings[]
  /** Absolute; absent: in memory. */
  readonly database?: string
}

/** Reads the files, starts nothing; again at each reload. Throws `CONFIG_INVALID`. */
export function readServeSources(options: ServeOptions, io: Io): ServeSources {
  const sources = readSources(options, io)
  // Other commands serve nobody and need no secrets: they were left out of the first reading.
  const settings =
    sources.settings === undefined ? undefined : readSettings(sources.settings.path, { env: io.env, cwd: io.cwd })
  const server = settings?.server ?? SERVER_DEFAULTS
  const configured = settings?.store?.sqlite ?? (settings?.isMemoryStore === true ? undefined : 'codeferry.sqlite')
  const database = options.db ?? configured
  return {
    sources: { ...sources, ...(settings !== undefined && { settings }) },
    server: {
      ...server,
      ...(options.host !== undefined && { host: options.host }),
      ...(options.port !== undefined && { port: options.port }),
    },
    tokens: settings?.tokens ?? [],
    ...(database !== undefined && { database: resolve(io.cwd, database) }),
  }
}

/** What engines of one service share, and what outlives each of them. */
export interface SharedParts {
  readonly store: SessionStore
  readonly artifacts: ReturnType<typeof createArtifacts>
  readonly approver: Approver
  readonly observers: readonly Observer[]
}

export async function startServeEngine(
  { sources, server }: ServeSources,
  shared: SharedParts,
  options: ServeOptions,
  io: Io,
): Promise<Engine> {
  const { settings, tools, approvalRequired } = sources
  const ofFile = settings === undefined ? {} : await engineOptions(settings, { env: io.env, ...shared })
  const asking = createApprovalPolicy({
    rules: [{ tools: [...approvalRequired], reason: 'the mock file says "approval": "required"' }],
  })
  return await createEngine({
    ...ofFile,
    ...shared,
    telemetry: server.telemetry,
    ...(options.requireConfinement !== undefined && { requireConfinement: options.requireConfinement }),
    tools: [...(ofFile.tools ?? []), ...tools],
    policies: [...(ofFile.policies ?? []), ...(approvalRequired.size > 0 ? [asking] : [])],
    onProblem: (problem) => warnProblem(io, problem),
  })
}
