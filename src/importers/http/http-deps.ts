import type { VariableSource } from '../expand-variables.ts'
import type { ToolDefinition } from '../../registry/tool.ts'
import type { ServerProblem } from '../server-entry.ts'
import type { ResolveHost } from './guarded-agent.ts'

/** What importers of HTTP tools take from outside. */
export interface HttpDeps extends VariableSource {
  /** Default: the system's resolver. */
  readonly resolveHost?: ResolveHost
}

export interface HttpTools extends AsyncDisposable {
  readonly tools: readonly ToolDefinition[]
  readonly problems: readonly ServerProblem[]
}
