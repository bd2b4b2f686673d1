import { randomUUID } from 'node:crypto'
import {
  Server,
  type CallToolResult,
  type ServerContext,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { isRecord } from '../../data/json.ts'
import type { Engine } from '../../engine.ts'
import { CallBatch } from '../../pipeline/call-batch.ts'
import { systemClock } from '../../pipeline/system-clock.ts'
import { deriveNames } from '../../registry/native-names.ts'
import { GLOBAL_SCOPE, RUN_CODE, type Mode } from '../../registry/scope.ts'
import type { SessionLog } from '../../session/log.ts'
import { createProgressReporter } from './progress.ts'
import { outcomeToResult } from './result.ts'
import { listTools } from './tool-list.ts'

export interface McpServeOptions {
  /** Which tools the client is shown; sets the scope's mode. Default: the mode the scope has. */
  readonly mode?: Mode
  readonly scope?: string
  /** Told to clients as our version. */
  readonly version?: string
  /** Oddities of a client or a transport; nothing is ever written to stdout but the protocol. */
  readonly onProblem?: (message: string) => void
}

/**
 * Serves an engine to one MCP peer: `run_code` (with the SDK in its description), the tools themselves, or both.
 * Every call goes through `CallBatch`, so the log and the policies see it like any model's call. The connection has
 * one session. Speaks the revisions with a handshake and the one without.
 */
export function serveMcp(engine: Engine, transport: Transport, options: McpServeOptions = {}): AsyncDisposable {
  const scope = options.scope ?? GLOBAL_SCOPE
  if (options.mode !== undefined) engine.registry.setMode(scope, options.mode)
  let session: SessionLog | undefined
  const onProblem = options.onProblem ?? (() => {})
  const handle = serveStdio(
    () =>
      createServer(engine, {
        scope,
        version: options.version ?? '0',
        onProblem,
        // Opened by the first call: a client that only looks at the list leaves nothing behind.
        session: () => (session ??= engine.openSession({ scope })),
      }),
    { transport, onerror: (error) => onProblem(problemOf(error)) },
  )
  return { [Symbol.asyncDispose]: () => handle.close() }
}

interface Connection {
  readonly scope: string
  readonly version: string
  readonly onProblem: (message: string) => void
  session(): SessionLog
}

function createServer(engine: Engine, connection: Connection): Server {
  const { scope } = connection
  const server = new Server(
    { name: 'codeferry', title: 'Codeferry', version: connection.version },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.setRequestHandler('tools/list', () => ({ tools: toolsOf(engine, scope) }))
  server.setRequestHandler('tools/call', (request, ctx) =>
    callTool(engine, connection, request.params.name, request.params.arguments ?? {}, ctx),
  )
  const changes = engine.registry.onChange(() => {
    server.sendToolListChanged().catch((error: unknown) => connection.onProblem(String(error)))
  })
  server.onclose = () => changes[Symbol.dispose]()
  server.onerror = (error) => connection.onProblem(problemOf(error))
  return server
}

/** One line. A schema's complaint about a message is a tree of many lines, of which the first leaf says enough. */
function problemOf(error: Error): string {
  const issues: unknown = 'issues' in error ? error.issues : undefined
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined
  const said = isRecord(first) && typeof first.message === 'string' ? first.message : error.message
  const line = said.replaceAll(/\s+/g, ' ').trim()
  return `from the client: ${line.length <= MAX_PROBLEM ? line : `${line.slice(0, MAX_PROBLEM)}…`}`
}
const MAX_PROBLEM = 300

function toolsOf(engine: Engine, scope: string): Tool[] {
  return listTools(engine.registry.view(scope), () => engine.runCodeDescription(scope))
}

async function callTool(
  engine: Engine,
  connection: Connection,
  nativeName: string,
  args: Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<CallToolResult> {
  const { scope } = connection
  const view = engine.registry.view(scope)
  // An unknown name goes on as it is: the pipeline's refusal names the nearest ones.
  const name = deriveNames(view).nameByNative.get(nativeName) ?? nativeName
  const session = connection.session()
  const callId = `call-${randomUUID()}`
  const progress = createProgressReporter(ctx)
  using _watching = name === RUN_CODE && progress !== undefined ? engine.watchRun(callId, progress) : undefined
  const batch = new CallBatch({
    runtime: engine.runtime,
    session,
    scope,
    clock: systemClock,
    signal: ctx.mcpReq.signal,
  })
  const { results } = await batch.run([{ callId, name, arguments: JSON.stringify(args) }])
  await session.flush()
  const [result] = results
  if (result === undefined) throw new TypeError('a batch of one call gave no result')
  return outcomeToResult(result.outcome, engine.limits.maxContentBytes, {
    callId: result.callId,
    sessionId: session.sessionId,
  })
}
