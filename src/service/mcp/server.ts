import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Server, Transport } from '@modelcontextprotocol/server'
import type { Engine } from '../../engine.ts'
import { GLOBAL_SCOPE, type Mode } from '../../registry/scope.ts'
import type { SessionLog } from '../../session/log.ts'
import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import { announceChanges } from './announce-changes.ts'
import type { McpHost } from './mcp-host.ts'
import { createMcpServer, problemOf } from './mcp-server.ts'
import { ParkedCalls } from './parked-calls.ts'

export interface McpServeOptions {
  /** Which tools the client is shown; sets the scope's mode. Default: the mode the scope has. */
  readonly mode?: Mode
  readonly scope?: string
  /** Told to clients as our version. */
  readonly version?: string
  /** Whose `approver` the engine was made with: then the client's user is asked. Absent: the engine's approver is used. */
  readonly approvals?: ApprovalDesk
  /** `elicit`: the client puts questions to its user. `never`: nobody is asked, and such calls are refused. Default `elicit`. */
  readonly approve?: 'elicit' | 'never'
  /** How long a client that was given a question may take to come back. Default 600,000. */
  readonly answerMs?: number
  /** Oddities of a client or a transport; nothing is ever written to stdout but the protocol. */
  readonly onProblem?: (message: string) => void
}

const DEFAULT_ANSWER_MS = 600_000
const MAX_PARKED = 256

/**
 * Serves an engine to one MCP peer: `run_code` (with the SDK in its description), the tools themselves, or both.
 * Every call goes through `CallBatch`, so the log and the policies see it like any model's call. The connection has
 * one session. Speaks the revisions with a handshake and the one without.
 */
export function serveMcp(engine: Engine, transport: Transport, options: McpServeOptions = {}): AsyncDisposable {
  const scope = options.scope ?? GLOBAL_SCOPE
  if (options.mode !== undefined) engine.registry.setMode(scope, options.mode)
  const onProblem = options.onProblem ?? (() => {})
  const parked = new ParkedCalls({ maxCalls: MAX_PARKED, maxMs: options.answerMs ?? DEFAULT_ANSWER_MS })
  const host = hostOf(engine, scope, parked, options)
  const servers = new Set<Server>()
  const announcing = announceChanges(engine, () => {
    for (const server of servers) server.sendToolListChanged().catch((error: unknown) => onProblem(String(error)))
  })
  const handle = serveStdio(
    ({ era }) => {
      const server = createMcpServer(host, era)
      servers.add(server)
      server.onclose = () => {
        servers.delete(server)
        // The first instance may have been for a probe; with the last one the client is gone.
        if (servers.size === 0) parked[Symbol.dispose]()
      }
      return server
    },
    { transport, onerror: (error) => onProblem(problemOf(error)) },
  )
  return {
    async [Symbol.asyncDispose]() {
      announcing[Symbol.dispose]()
      parked[Symbol.dispose]()
      await handle.close()
    },
  }
}

function hostOf(engine: Engine, scope: string, parked: ParkedCalls, options: McpServeOptions): McpHost {
  let session: SessionLog | undefined
  return {
    scope,
    version: options.version ?? '0',
    parked,
    questions: {
      ...(options.approvals !== undefined && { desk: options.approvals }),
      mayElicit: () => options.approve !== 'never',
      by: () => 'the user of the MCP client',
    },
    look: () => ({ engine, [Symbol.dispose]: () => {} }),
    mayCall: () => true,
    // Opened by the first call: a client that only looks at the list leaves nothing behind.
    begin: async (signal) => ({
      engine,
      log: (session ??= engine.openSession({ scope })),
      signal,
      [Symbol.dispose]: () => {},
    }),
    onSettled: () => {},
    onProblem: options.onProblem ?? (() => {}),
  }
}
