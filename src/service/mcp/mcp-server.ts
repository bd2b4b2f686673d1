import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpRequestContext,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isRecord } from '../../data/json.ts'
import { thrownMessage } from '../../data/failure.ts'
import { deriveNames } from '../../registry/native-names.ts'
import { withTraceContext } from '../../telemetry/trace-context.ts'
import { Problem } from '../http/problems.ts'
import { answerCall } from './answer-call.ts'
import type { McpHost } from './mcp-host.ts'
import { failedResult } from './result.ts'
import { listTools } from './tool-list.ts'

/** One protocol server over a host: for a connection, for a session, or for a single request. */
export function createMcpServer(host: McpHost, era: McpRequestContext['era']): Server {
  const server = new Server(
    { name: 'codeferry', title: 'Codeferry', version: host.version },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.setRequestHandler('tools/list', () => {
    using lease = host.look()
    const { engine } = lease
    const view = engine.registry.view(host.scope)
    const { nameByNative } = deriveNames(view)
    const tools = listTools(view, () => engine.runCodeDescription(host.scope))
    return { tools: tools.filter(({ name }) => host.mayCall(nameByNative.get(name) ?? name)) }
  })
  server.setRequestHandler('tools/call', (request, ctx) =>
    withTraceContext(ctx.mcpReq._meta, () =>
      callTool(host, server, era, request.params.name, request.params.arguments ?? {}, ctx),
    ),
  )
  server.onerror = (error) => host.onProblem(problemOf(error))
  return server
}

async function callTool(
  host: McpHost,
  server: Server,
  era: McpRequestContext['era'],
  nativeName: string,
  args: Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const name = registeredName(host, nativeName)
  if (!host.mayCall(name))
    return failedResult(
      'FORBIDDEN',
      `the token of this client may not call ${JSON.stringify(nativeName.slice(0, 200))}`,
    )
  const order = { name, argumentsJson: JSON.stringify(args) }
  const peer =
    era === 'modern'
      ? ({ asking: 'rounds', capabilities: claimedCapabilities(ctx) } as const)
      : ({ asking: 'push', capabilities: server.getClientCapabilities() } as const)
  try {
    return await answerCall(host, order, peer, ctx)
  } catch (thrown) {
    if (thrown instanceof Problem) return failedResult(thrown.code, thrown.message)
    // What it says may hold anything: it is for the owner, not for the client.
    host.onProblem(`a call met a fault of the service: ${thrownMessage(thrown)}`)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'the service has a fault; its log says more')
  }
}

/** A request without a session brings them itself; the SDK has checked their shape. */
function claimedCapabilities(ctx: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope
  const claimed = envelope?.[CLIENT_CAPABILITIES_META_KEY]
  return isRecord(claimed) ? (claimed as ClientCapabilities) : undefined
}

/** An unknown name goes on as it is: the pipeline's refusal names the nearest ones. */
function registeredName(host: McpHost, nativeName: string): string {
  using lease = host.look()
  return deriveNames(lease.engine.registry.view(host.scope)).nameByNative.get(nativeName) ?? nativeName
}

/** One line. A schema's complaint about a message is a tree of many lines, of which the first leaf says enough. */
export function problemOf(error: Error): string {
  const issues: unknown = 'issues' in error ? error.issues : undefined
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined
  const said = isRecord(first) && typeof first.message === 'string' ? first.message : error.message
  const line = said.replaceAll(/\s+/g, ' ').trim()
  return `from the client: ${line.length <= MAX_PROBLEM ? line : `${line.slice(0, MAX_PROBLEM)}…`}`
}
const MAX_PROBLEM = 300
