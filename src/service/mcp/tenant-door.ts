import { createMcpHandler, isLegacyRequest, type McpHttpHandler } from '@modelcontextprotocol/server'
import { RUN_CODE } from '../../registry/scope.ts'
import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import type { Tenant } from '../auth/tenant.ts'
import type { HttpService } from '../http/service.ts'
import { newSessionId } from '../runs/run-ids.ts'
import { messagesOf, requestIdOf } from './ending-transport.ts'
import { HttpSessions } from './http-sessions.ts'
import type { McpTuning } from './http-endpoint.ts'
import type { McpHost } from './mcp-host.ts'
import { createMcpServer, problemOf } from './mcp-server.ts'
import { ParkedCalls } from './parked-calls.ts'
import { readMessages } from './read-messages.ts'
import { rpcRefusal } from './rpc-refusal.ts'
import { watchStream } from './watch-stream.ts'

export interface DoorOptions {
  readonly service: HttpService
  readonly approvals: ApprovalDesk
  readonly version: string
  readonly now: () => number
  readonly tuning: McpTuning
  readonly onProblem: (message: string) => void
}

/**
 * Where one token comes in. All that a client can name (sessions, states of parked calls, subscriptions) is kept in
 * here, so another token's is not refused but unknown.
 */
export class TenantDoor {
  readonly #options: DoorOptions
  readonly #sessions: HttpSessions
  readonly #modern: McpHttpHandler
  readonly #parked: ParkedCalls
  /** As of its last request: a reload may have changed what the token may do. */
  #tenant: Tenant
  /** Requests without a session share one in the log: what one of their programs kept, the next one can read. */
  #log = { id: newSessionId(), usedAtMs: 0 }
  /** POSTs that are not answered to their end. */
  #uses = 0
  readonly #end = new AbortController()

  constructor(tenant: Tenant, options: DoorOptions) {
    const { tuning, now, onProblem } = options
    this.#tenant = tenant
    this.#options = options
    this.#parked = new ParkedCalls({ maxCalls: tuning.maxParkedPerToken, maxMs: tuning.answerMs })
    this.#sessions = new HttpSessions({
      createServer: () => {
        const logId = newSessionId()
        return createMcpServer(
          this.#host(() => logId),
          'legacy',
        )
      },
      now,
      maxSessions: tuning.maxSessionsPerToken,
      idleMs: tuning.idleMs,
    })
    const host = this.#host(() => this.#statelessLog())
    this.#modern = createMcpHandler(({ era }) => createMcpServer(host, era), {
      legacy: 'reject',
      maxSubscriptions: tuning.maxSubscriptionsPerToken,
      onerror: (error) => onProblem(problemOf(error)),
    })
  }

  /** Aborted when it is closed. */
  get ended(): AbortSignal {
    return this.#end.signal
  }
  get sessions(): number {
    return this.#sessions.size
  }
  /** Nothing of it is in use, and nothing would be lost with it. */
  get isIdle(): boolean {
    const { now, tuning } = this.#options
    return (
      this.#uses === 0 &&
      this.#sessions.size === 0 &&
      this.#parked.size === 0 &&
      this.#log.usedAtMs <= now() - tuning.idleMs
    )
  }

  async answer(request: Request, tenant: Tenant): Promise<Response> {
    this.#tenant = tenant
    switch (request.method) {
      case 'GET':
      case 'DELETE':
        return await this.#sessions.answer(request, undefined)
      case 'POST': {
        const read = await readMessages(request)
        if (!read.ok) return read.refusal
        return await this.#answerPost(request, read.body)
      }
      default:
        return rpcRefusal(405, -32_600, 'this path takes GET, POST and DELETE', { allow: 'GET, POST, DELETE' })
    }
  }

  announce(): void {
    this.#sessions.announce(this.#options.onProblem)
    this.#modern.notify.toolsChanged()
  }

  sweep(): void {
    this.#sessions.sweep()
  }

  async close(): Promise<void> {
    this.#end.abort(new Error('the token was removed, or the service ended'))
    this.#parked[Symbol.dispose]()
    await Promise.all([this.#sessions.close(), this.#modern.close()])
  }

  async #answerPost(request: Request, body: unknown): Promise<Response> {
    const asks = messagesOf(body).some((message) => requestIdOf(message).length > 0)
    // Not of what is answered at once: to cancel a request there is always room.
    if (asks && this.#uses >= this.#options.tuning.maxPostsPerToken)
      return rpcRefusal(429, -32_600, 'too many requests of this token are under way; let some of them end', {
        'retry-after': '5',
      })
    this.#uses++
    const gone = new AbortController()
    const done = (isCut: boolean) => {
      this.#uses--
      if (isCut) gone.abort(new Error('the client closed the connection'))
    }
    try {
      const { method, headers, signal } = request
      const watched = new Request(request.url, {
        method,
        headers,
        signal: AbortSignal.any([signal, gone.signal, this.#end.signal]),
      })
      const response = (await isLegacyRequest(watched, body))
        ? await this.#sessions.answer(watched, body)
        : await this.#modern.fetch(watched, { parsedBody: body })
      return watchStream(response, done)
    } catch (thrown) {
      done(true)
      throw thrown
    }
  }

  #host(logId: () => string): McpHost {
    const { service, approvals, version, tuning, onProblem } = this.#options
    return {
      scope: this.#tenant.scope,
      version,
      parked: this.#parked,
      questions: {
        desk: approvals,
        mayElicit: () => this.#tenant.may.has('elicit'),
        by: () => `${this.#tenant.name} (the user of its MCP client)`,
        elsewhere: { place: '/v1/approvals', waitMs: tuning.approvalWaitMs, remindMs: tuning.remindMs },
      },
      look: () => service.leases.take(),
      mayCall: (name) => this.#tenant.may.has(name === RUN_CODE ? 'run' : 'call'),
      begin: async (signal) => {
        using held = new DisposableStack()
        const session = held.use(service.sessions.open(this.#tenant.scope, logId()))
        const work = held.use(await service.enter(this.#tenant, session.log, signal))
        const owned = held.move()
        return {
          engine: work.engine,
          log: session.log,
          signal: AbortSignal.any([signal, work.signal]),
          [Symbol.dispose]: () => owned.dispose(),
        }
      },
      onSettled: (isError) => service.metrics.count('codeferry_calls_total', { failed: String(isError) }),
      onProblem,
    }
  }

  /** A new one after a pause: nothing says that two requests belong together but that they follow each other. */
  #statelessLog(): string {
    const { now, tuning } = this.#options
    if (this.#log.usedAtMs <= now() - tuning.idleMs) this.#log = { id: newSessionId(), usedAtMs: 0 }
    this.#log.usedAtMs = now()
    return this.#log.id
  }
}
