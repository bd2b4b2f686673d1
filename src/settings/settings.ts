import type { Limits } from '../codemode/limits.ts'
import type { TypecheckMode } from '../codemode/preflight.ts'
import type { PoolLimits } from '../config.ts'
import type { ServerEntry, ServerProblem } from '../importers/server-entry.ts'
import type { RestrictionOptions } from '../registry/restriction.ts'
import type { Mode } from '../registry/scope.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import type { HttpToolEntry, OpenApiSource, PolicySettings } from './schema/root.ts'

/**
 * What a configuration file says, checked. Made by `readSettings` alone. What the engine has a default for and the file
 * is silent about is absent: `src/config.ts` decides it; every other default is filled in.
 */
export interface Settings {
  /** The file it came from, as it was named. */
  readonly path: string
  /** The folder it is in, absolute. */
  readonly folder: string
  /** Whether the file is a `codeferry.json`, or a plain `mcpServers` file of another client. */
  readonly kind: 'codeferry' | 'mcp-servers'
  readonly servers: readonly ServerEntry[]
  readonly openapi: readonly OpenApiSource[]
  readonly http: readonly HttpToolEntry[]
  /** `global` among them, when the file speaks of it. Keys come from the file: a map, so that no name is special. */
  readonly scopes: ReadonlyMap<string, ScopeSettings>
  readonly policies: PolicySettings
  readonly limits?: Partial<Limits>
  readonly typecheck?: TypecheckMode
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
  readonly pool?: PoolLimits
  /** Empty: nobody may use the HTTP service. */
  readonly tokens: readonly TokenSettings[]
  /** Absent: in memory. The path is absolute. */
  readonly store?: { readonly sqlite: string }
  /** Set when the file says so itself: a server, which keeps sessions in a file by default, then does not. */
  readonly isMemoryStore?: boolean
  readonly server: ServerSettings
  /** What is wrong with single servers; the others go on. */
  readonly problems: readonly ServerProblem[]
}

/** What the bearer of a token may do in its scope. */
export type Grant = 'run' | 'call' | 'read' | 'approve' | 'elicit'

export interface TokenSettings {
  /** For logs and for `by` of an approval; never secret. */
  readonly name: string
  /** `global`, or a scope of the file. */
  readonly scope: string
  readonly may: readonly Grant[]
  /** Lower-case hex of the secret's SHA-256. The secret itself is not kept. */
  readonly sha256: string
}

export interface ScopeSettings {
  /** Default `global`. */
  readonly parent?: string
  readonly mode?: Mode
  readonly restrictions: readonly RestrictionOptions[]
  /** Which entry a model has to single tools, by name or `ns.*`. */
  readonly tiers: ReadonlyMap<string, NonNullable<ToolDefinition['tier']>>
}

export interface ServerSettings {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Values of `Host` that are answered, without port. Absent: the names of this machine's loopback and `host`. */
  readonly allowedHosts?: readonly string[]
  /** Values of `Origin` that are answered; a request without one comes from no browser. */
  readonly allowedOrigins: readonly string[]
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
  readonly requestTimeoutMs: number
  readonly maxConnections: number
  /** Requests of one tenant that may wait. */
  readonly maxQueuePerTenant: number
  /** How long open requests may go on once the service is asked to end. */
  readonly drainMs: number
  readonly telemetry: {
    /** Whether spans carry programs, arguments and results. */
    readonly content: boolean
  }
}
