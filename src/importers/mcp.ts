import { thrownMessage } from '../data/failure.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { McpConnection } from './mcp-connection.ts'
import { importMcpTools } from './mcp-tools.ts'
import { createRedactor } from './redact.ts'
import { serverNamespaces, type ServerEntry, type ServerProblem } from './server-entry.ts'

export interface McpOptions {
  /** A server that did not start, a tool that was skipped, an oddity while running: none of it stops the others. */
  readonly onProblem?: (problem: ServerProblem) => void
  /** From start to the whole tool list, for servers that say nothing of their own. Default 30,000. */
  readonly connectTimeoutMs?: number
  /** One call; progress of the server begins it anew. Default 120,000. */
  readonly requestTimeoutMs?: number
  /** Told to servers as our version. */
  readonly clientVersion?: string
  /** A monotonic clock, for the pause between attempts to start a server again. */
  readonly nowMs?: () => number
  /** Members of the `_meta` of each call, asked for as it is made: the trace context that it belongs to. */
  readonly callMeta?: () => Readonly<Record<string, string>> | undefined
}

type Report = (server: string, message: string, isLeftOut?: boolean) => void

export interface McpServerStatus {
  readonly name: string
  readonly namespace: string
  readonly started: boolean
  readonly tools: number
  readonly server?: { readonly name: string; readonly version: string }
}

/** All servers of one configuration. Disposing ends their processes and sessions, and waits until they have ended. */
export interface McpConnections extends AsyncDisposable {
  readonly problems: readonly ServerProblem[]
  readonly servers: readonly McpServerStatus[]
  /** What the started servers offer, in the order of the configuration. */
  tools(): readonly ToolDefinition[]
  /** Called when a server has announced another list; `tools()` holds it then. */
  onToolsChanged(listener: () => void): Disposable
}

const DEFAULT_CONNECT_TIMEOUT_MS = 30_000
const DEFAULT_REQUEST_TIMEOUT_MS = 120_000
const REFRESH_PAUSE_MS = 200
const MAX_TOOL_PROBLEMS = 100

/**
 * Starts every server at the same time and imports its tools as `<namespace>.<tool>`. Never rejects because of a
 * server: one that does not start is one problem with its last words on stderr, and the others go on.
 */
export async function connectMcpServers(
  entries: readonly ServerEntry[],
  options: McpOptions = {},
): Promise<McpConnections> {
  const problems: ServerProblem[] = []
  const report: Report = (server, message, isLeftOut = false) => {
    const problem = { server, message, ...(isLeftOut && { isLeftOut }) }
    problems.push(problem)
    options.onProblem?.(problem)
  }
  const namespaceByName = serverNamespaces(entries.map((entry) => entry.name))
  const listeners = new Set<() => void>()
  const servers = uniqueByName(entries, report).map((entry) => {
    const namespace = namespaceByName.get(entry.name) ?? entry.name
    return createServer(entry, namespace, options, report, () => {
      for (const listener of listeners) listener()
    })
  })
  await Promise.all(servers.map((server) => server.start()))
  return {
    problems,
    get servers() {
      return servers.map((server) => server.status())
    },
    tools: () => servers.flatMap((server) => server.tools()),
    onToolsChanged(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    async [Symbol.asyncDispose]() {
      listeners.clear()
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

function uniqueByName(entries: readonly ServerEntry[], report: Report) {
  const names = new Set<string>()
  return entries.filter((entry) => {
    if (names.has(entry.name)) report(entry.name, 'is configured twice; the first one counts')
    return names.has(entry.name) ? false : names.add(entry.name)
  })
}

function createServer(entry: ServerEntry, namespace: string, options: McpOptions, report: Report, changed: () => void) {
  const redact = createRedactor(entry)
  let tools: readonly ToolDefinition[] = []
  let started = false
  // A server may announce faster than it can be asked: one request at a time, and one more when it was announced meanwhile.
  let refreshing = false
  let stale = false
  const reported = new Set<string>()

  const connection = new McpConnection(entry, {
    clientVersion: options.clientVersion ?? '0',
    connectTimeoutMs: entry.connectTimeoutMs ?? options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    requestTimeoutMs: entry.requestTimeoutMs ?? options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    nowMs: options.nowMs ?? (() => performance.now()),
    onDiagnostic: (message) => report(entry.name, message),
    onToolsChanged: () => void refresh(),
    ...(options.callMeta !== undefined && { callMeta: options.callMeta }),
  })

  // A list that is read again has the same faults again.
  function reportOnce(problem: string): void {
    if (reported.has(problem) || reported.size >= MAX_TOOL_PROBLEMS) return
    reported.add(problem)
    report(entry.name, problem)
  }

  async function list(): Promise<void> {
    const imported = importMcpTools(await connection.listTools(), namespace, entry, connection)
    tools = imported.tools
    for (const problem of imported.problems) reportOnce(problem)
  }

  async function refresh(): Promise<void> {
    stale = true
    if (refreshing || !started) return
    refreshing = true
    try {
      while (stale) {
        stale = false
        await list()
        changed()
        // A server that announces a change whenever it is asked must not keep us busy.
        await new Promise((resolve) => setTimeout(resolve, REFRESH_PAUSE_MS).unref())
      }
    } catch (thrown) {
      reportOnce(`its changed tool list could not be read: ${redact(thrownMessage(thrown), 500)}`)
    } finally {
      refreshing = false
    }
  }

  return {
    tools: () => tools,
    status: (): McpServerStatus => {
      const server = connection.serverVersion()
      return { name: entry.name, namespace, started, tools: tools.length, ...(server !== undefined && { server }) }
    },
    async start(): Promise<void> {
      try {
        await connection.open()
        await list()
        started = true
      } catch (thrown) {
        // Failures of calls name the server; a problem has its name beside it.
        const subject = `${connection.subject}: `
        const message = thrownMessage(thrown)
        report(entry.name, redact(message.startsWith(subject) ? message.slice(subject.length) : message, 4_000), true)
        await connection[Symbol.asyncDispose]()
      }
    },
    stop: () => connection[Symbol.asyncDispose](),
  }
}
