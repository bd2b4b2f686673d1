import type { ArtifactStore } from './artifacts/store.ts'
import type { ScopesOptions } from './declare-scopes.ts'
import type { SessionStore } from './session/log.ts'
import type { ToolDefinition } from './registry/tool.ts'
import type { Mode } from './registry/scope.ts'
import type { Approver, Guard, Observer, Policy } from './pipeline/call.ts'
import type { TelemetryOptions } from './telemetry/spans.ts'
import type { ServerEntry } from './importers/mcp-config.ts'
import { CodedError } from './data/failure.ts'
import { DEFAULT_LIMITS, resolveLimits, type Limits } from './codemode/limits.ts'
import { TYPECHECK_MODES, type TypecheckMode } from './codemode/preflight.ts'

/** What an embedder may say; everything has a default. */
export interface EngineOptions {
  /** Tools of this process, registered in the global scope. */
  readonly tools?: readonly ToolDefinition[]
  /** MCP servers to start and import, as read from an `mcpServers` file. */
  readonly mcpServers?: readonly ServerEntry[]
  /**
   * Where sessions are kept: in memory (default), in a SQLite file, or a store of the embedder's own. The engine opens
   * and closes the first two; one that it is given stays open when it ends, for whoever opened it to close.
   */
  readonly store?: SessionStore | { readonly sqlite: string }
  /** What is known to be wrong before the start; reported first. */
  readonly problems?: readonly EngineProblem[]
  /** Ended with the engine, after everything that may use it; also when the engine does not start. */
  readonly owned?: readonly AsyncDisposable[]
  /** What the model is given in the global scope. Default `code`. */
  readonly mode?: Mode
  /** Scopes to declare at the start, with what they may see. "global" may be among them. */
  readonly scopes?: ScopesOptions
  /** Where large texts are kept. Default: in memory, until the engine ends. */
  readonly artifacts?: ArtifactStore
  readonly limits?: Partial<Limits>
  /** What a type error in a program does: refuse it before anything runs (default), be noticed, or not be looked for. */
  readonly typecheck?: TypecheckMode
  /**
   * Where programs run. `process` (default): in confined child processes. `in-process`: in this very process, for tests
   * and trusted programs; **the process wall then does not stand** (see `createInProcessExecutor`), which is reported as a
   * problem at the start.
   */
  readonly isolation?: Isolation
  /** A weaker sandbox than this makes the start fail. Default `basic`; with `in-process` only `none` can be had. */
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
  /** Binary for sandbox children; default: the pinned one, else this process's. */
  readonly sandboxNode?: string
  /** How many sandbox processes there may be, and how many programs may wait for one. */
  readonly pool?: PoolLimits
  /** Answers the questions of policies. Without one they fail closed. */
  readonly approver?: Approver
  readonly policies?: readonly Policy[]
  readonly guards?: readonly Guard[]
  readonly observers?: readonly Observer[]
  /**
   * Spans of calls for OpenTelemetry. Default: made when a tracer provider is registered at the start, without
   * contents; `false`: none.
   */
  readonly telemetry?: TelemetryOptions | false
  /** Which runs may share a sandbox process. Default: all runs of one scope. */
  readonly tenantOf?: (call: { readonly scope: string; readonly sessionId?: string }) => string
  /** Problems that stop nothing: a server that will not start, a tool that was skipped, an observer that threw. */
  readonly onProblem?: (problem: EngineProblem) => void
  /** Checks the protocol of every call and reports a breach as a problem. Default false. */
  readonly checkInvariants?: boolean
}

export type Isolation = 'process' | 'in-process'

export interface PoolLimits {
  /** In all. Default 8. */
  readonly maxChildren?: number
  /** For one tenant, whose programs share them. Default 2. */
  readonly childrenPerTenant?: number
  /** Programs that wait; one more is refused as `OVERLOADED`. Default 512. */
  readonly maxQueue?: number
  /** Milliseconds after which a program that waits for a person gives its isolate back. Default 30,000. */
  readonly parkAfterMs?: number
}

export interface EngineProblem {
  readonly server?: string
  /** What `server` is. Default: an MCP server. */
  readonly kind?: 'mcp' | 'openapi' | 'http'
  readonly message: string
  /** True when the server is not used at all because of it; the others go on. */
  readonly isLeftOut?: boolean
}

/** The options with every default filled in: the only place where a default is decided. */
export interface EngineConfig extends Required<
  Omit<EngineOptions, 'approver' | 'sandboxNode' | 'limits' | 'store' | 'artifacts'>
> {
  /** Absent: memory. */
  readonly store: SessionStore | { readonly sqlite: string } | undefined
  readonly artifacts: ArtifactStore | undefined
  readonly limits: Limits
  readonly approver: Approver | undefined
  readonly sandboxNode: string | undefined
}

/** Throws `CONFIG_INVALID` for limits, modes and pool sizes that are none. */
export function resolveEngineConfig(options: EngineOptions): EngineConfig {
  return {
    tools: options.tools ?? [],
    mcpServers: options.mcpServers ?? [],
    owned: options.owned ?? [],
    problems: options.problems ?? [],
    store: options.store,
    mode: options.mode ?? 'code',
    scopes: options.scopes ?? {},
    artifacts: options.artifacts,
    limits: resolveLimits(DEFAULT_LIMITS, options.limits),
    typecheck: checkTypecheck(options.typecheck ?? 'error'),
    ...resolveWalls(options),
    sandboxNode: options.sandboxNode,
    pool: checkPool(options.pool ?? {}),
    approver: options.approver,
    policies: options.policies ?? [],
    guards: options.guards ?? [],
    observers: options.observers ?? [],
    telemetry: options.telemetry ?? {},
    tenantOf: options.tenantOf ?? ((call) => call.scope),
    onProblem: options.onProblem ?? (() => {}),
    checkInvariants: options.checkInvariants ?? false,
  }
}

/** Also for one run, whose caller may be JavaScript. */
export function checkTypecheck(mode: TypecheckMode): TypecheckMode {
  if (TYPECHECK_MODES.includes(mode)) return mode
  const found = JSON.stringify(mode) ?? typeof mode
  throw new CodedError('CONFIG_INVALID', `typecheck must be one of ${TYPECHECK_MODES.join(', ')}; got ${found}`)
}

function resolveWalls({
  isolation = 'process',
  requireConfinement,
}: EngineOptions): Pick<EngineConfig, 'isolation' | 'requireConfinement'> {
  if (isolation === 'process') return { isolation, requireConfinement: requireConfinement ?? 'basic' }
  if (isolation !== 'in-process') {
    throw new CodedError(
      'CONFIG_INVALID',
      `isolation must be "process" or "in-process"; got ${JSON.stringify(isolation)}`,
    )
  }
  if (requireConfinement !== undefined && requireConfinement !== 'none') {
    throw new CodedError(
      'CONFIG_INVALID',
      `requireConfinement is ${JSON.stringify(requireConfinement)}, but isolation "in-process" confines nothing; give "none" or isolation "process"`,
    )
  }
  return { isolation, requireConfinement: 'none' }
}

/** The defaults are the executor's own. */
function checkPool(pool: PoolLimits): PoolLimits {
  const known = ['maxChildren', 'childrenPerTenant', 'maxQueue', 'parkAfterMs']
  const wrong = Object.entries(pool).flatMap(([name, value]: [string, unknown]) => {
    if (!known.includes(name)) return [`${name} is not a pool size (there are: ${known.join(', ')})`]
    if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_536))
      return []
    return [`${name} must be an integer from 1 to 65536; got ${JSON.stringify(value) ?? typeof value}`]
  })
  if (wrong.length > 0) throw new CodedError('CONFIG_INVALID', `pool: ${wrong.join('; ')}`)
  return Object.fromEntries(Object.entries(pool).filter(([, value]) => value !== undefined))
}
