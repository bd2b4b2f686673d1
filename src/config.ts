import type { SessionStore } from './session/log.ts'
import type { ToolDefinition } from './registry/tool.ts'
import type { Mode } from './registry/scope.ts'
import type { Approver, Guard, Observer, Policy } from './pipeline/call.ts'
import type { ServerEntry } from './importers/mcp-config.ts'
import { DEFAULT_LIMITS, resolveLimits, type Limits } from './codemode/limits.ts'

/** What an embedder may say; everything has a default. */
export interface EngineOptions {
  /** Tools of this process, registered in the global scope. */
  readonly tools?: readonly ToolDefinition[]
  /** MCP servers to start and import, as read from an `mcpServers` file. */
  readonly mcpServers?: readonly ServerEntry[]
  /** Where sessions are kept: in memory (default), in a SQLite file, or a store of the embedder's own. */
  readonly store?: SessionStore | { readonly sqlite: string }
  /** What the model is given in the global scope. Default `code`. */
  readonly mode?: Mode
  readonly limits?: Partial<Limits>
  /** A weaker sandbox than this makes the start fail. Default `basic`. */
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
  /** Binary for sandbox children; default: the pinned one, else this process's. */
  readonly sandboxNode?: string
  /** Answers the questions of policies. Without one they fail closed. */
  readonly approver?: Approver
  readonly policies?: readonly Policy[]
  readonly guards?: readonly Guard[]
  readonly observers?: readonly Observer[]
  /** Which runs may share a sandbox process. Default: all runs of one scope. */
  readonly tenantOf?: (call: { readonly scope: string; readonly sessionId?: string }) => string
  /** Problems that stop nothing: a server that will not start, a tool that was skipped, an observer that threw. */
  readonly onProblem?: (problem: EngineProblem) => void
  /** Checks the protocol of every call and reports a breach as a problem. Default false. */
  readonly checkInvariants?: boolean
}

export interface EngineProblem {
  readonly server?: string
  readonly message: string
}

/** The options with every default filled in: the only place where a default is decided. */
export interface EngineConfig extends Required<Omit<EngineOptions, 'approver' | 'sandboxNode' | 'limits' | 'store'>> {
  /** Absent: memory. */
  readonly store: SessionStore | { readonly sqlite: string } | undefined
  readonly limits: Limits
  readonly approver: Approver | undefined
  readonly sandboxNode: string | undefined
}

/** Throws `CONFIG_INVALID` for limits out of range. */
export function resolveEngineConfig(options: EngineOptions): EngineConfig {
  return {
    tools: options.tools ?? [],
    mcpServers: options.mcpServers ?? [],
    store: options.store,
    mode: options.mode ?? 'code',
    limits: resolveLimits(DEFAULT_LIMITS, options.limits),
    requireConfinement: options.requireConfinement ?? 'basic',
    sandboxNode: options.sandboxNode,
    approver: options.approver,
    policies: options.policies ?? [],
    guards: options.guards ?? [],
    observers: options.observers ?? [],
    tenantOf: options.tenantOf ?? ((call) => call.scope),
    onProblem: options.onProblem ?? (() => {}),
    checkInvariants: options.checkInvariants ?? false,
  }
}
