import { readMcpConfig } from '../importers/mcp-config.ts'
import { connectMcpServers } from '../importers/mcp.ts'
import { readMockTools } from '../importers/mock-tools.ts'
import type { ServerEntry, ServerProblem } from '../importers/server-entry.ts'
import { deriveNames, type DerivedNames } from '../registry/native-names.ts'
import { ToolRegistry } from '../registry/registry.ts'
import { GLOBAL_SCOPE } from '../registry/scope.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import type { ToolView } from '../registry/view.ts'
import { warn, type Io } from './io.ts'
import { VERSION } from './version.ts'

/** Where tools come from, as the options of several commands say it. */
export interface SourceOptions {
  readonly config?: string
  readonly mock?: string
}

export interface ToolSources {
  readonly servers: readonly ServerEntry[]
  readonly tools: readonly ToolDefinition[]
  readonly approvalRequired: ReadonlySet<string>
  readonly problems: readonly ServerProblem[]
}

/** Reads the files, starts nothing. What is wrong with single servers or tools is a warning on stderr. */
export function readSources(options: SourceOptions, io: Io): ToolSources {
  const config =
    options.config === undefined ? undefined : readMcpConfig(options.config, { env: io.env, workspaceFolder: io.cwd })
  const mock = options.mock === undefined ? undefined : readMockTools(options.mock)
  const problems: ServerProblem[] = [
    ...(config?.problems ?? []),
    ...(mock?.problems.map((message) => ({ message })) ?? []),
  ]
  for (const problem of problems) warnProblem(io, problem)
  return {
    servers: config?.servers ?? [],
    tools: mock?.tools ?? [],
    approvalRequired: mock?.approvalRequired ?? new Set(),
    problems,
  }
}

export function warnProblem(io: Io, { server, message, isLeftOut }: ServerProblem): void {
  if (server === undefined) return warn(io, message)
  warn(io, `MCP server "${server}"${isLeftOut === true ? ' is left out, the others go on' : ''}: ${message}`)
}

export interface Catalog extends AsyncDisposable {
  readonly view: ToolView
  readonly names: DerivedNames
  readonly problems: readonly ServerProblem[]
  /** Whether a configured server is not among the tools. */
  readonly serversMissing: boolean
}

/** The tools of the sources as one scope would see them, without a sandbox: nothing is going to be run. */
export async function openCatalog(sources: ToolSources, io: Io): Promise<Catalog> {
  const problems: ServerProblem[] = [...sources.problems]
  const connections = await connectMcpServers(sources.servers, {
    clientVersion: VERSION,
    onProblem: (problem) => {
      problems.push(problem)
      warnProblem(io, problem)
    },
  })
  try {
    const registry = new ToolRegistry()
    registry.setMode(GLOBAL_SCOPE, 'both')
    registry.registerAll([...sources.tools, ...connections.tools()])
    const view = registry.view(GLOBAL_SCOPE)
    return {
      view,
      names: deriveNames(view),
      problems,
      serversMissing:
        sources.problems.some(({ isLeftOut }) => isLeftOut === true) ||
        connections.servers.some(({ started }) => !started),
      [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
    }
  } catch (thrown) {
    await connections[Symbol.asyncDispose]()
    throw thrown
  }
}
