import { randomBytes } from 'node:crypto'
import { isInitializeRequest, type Server } from '@modelcontextprotocol/server'
import { EndingTransport } from './ending-transport.ts'
import { rpcRefusal, unknownSession } from './rpc-refusal.ts'
import { watchStream } from './watch-stream.ts'

export interface HttpSessionsOptions {
  readonly createServer: (sessionId: string) => Server
  readonly now: () => number
  readonly maxSessions: number
  /** A session that is used by no request and no open stream for this long has ended. */
  readonly idleMs: number
}

interface Session {
  readonly server: Server
  readonly transport: EndingTransport
  uses: number
  usedAtMs: number
}

/**
 * The sessions of one token, for the protocol revisions that begin with a handshake. Another token has another of
 * these: an id that is good there is unknown here.
 */
export class HttpSessions {
  readonly #options: HttpSessionsOptions
  /** In the order of their last use. */
  readonly #sessionsById = new Map<string, Session>()

  constructor(options: HttpSessionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#sessionsById.size
  }

  async answer(request: Request, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = this.#sessionsById.get(id)
      return session === undefined ? unknownSession() : await this.#use(id, session, request, body)
    }
    if (request.method !== 'POST')
      return rpcRefusal(405, INVALID_REQUEST, 'without the Mcp-Session-Id of a session only POST can be answered', {
        allow: 'POST',
      })
    if (!isInitializeRequest(body))
      return rpcRefusal(400, INVALID_REQUEST, 'send the Mcp-Session-Id that the answer to initialize had')
    return await this.#begin(request, body)
  }

  /** The tools have changed. */
  announce(onProblem: (message: string) => void): void {
    for (const { server } of this.#sessionsById.values())
      server.sendToolListChanged().catch((error: unknown) => onProblem(String(error)))
  }

  /** Ends what has been idle too long. */
  sweep(): void {
    const oldestMs = this.#options.now() - this.#options.idleMs
    for (const [id, session] of this.#sessionsById)
      if (session.uses === 0 && session.usedAtMs <= oldestMs) this.#end(id, session)
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessionsById.values()]
    this.#sessionsById.clear()
    await Promise.all(sessions.map(({ server }) => server.close()))
  }

  async #begin(request: Request, body: unknown): Promise<Response> {
    if (this.size >= this.#options.maxSessions && !this.#evict())
      return rpcRefusal(429, INVALID_REQUEST, 'too many sessions of this token are in use; end some of them', {
        'retry-after': '30',
      })
    const id = randomBytes(32).toString('base64url')
    const server = this.#options.createServer(id)
    const transport = new EndingTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => void this.#sessionsById.delete(id),
    })
    await server.connect(transport)
    const session: Session = { server, transport, uses: 0, usedAtMs: this.#options.now() }
    this.#sessionsById.set(id, session)
    const response = await this.#use(id, session, request, body)
    if (!response.ok) this.#end(id, session)
    return response
  }

  async #use(id: string, session: Session, request: Request, body: unknown): Promise<Response> {
    session.uses++
    const gone = new AbortController()
    const done = (isCut: boolean) => {
      session.uses--
      session.usedAtMs = this.#options.now()
      if (this.#sessionsById.get(id) === session) {
        this.#sessionsById.delete(id)
        this.#sessionsById.set(id, session)
      }
      if (isCut) gone.abort(new Error('the client closed the connection'))
    }
    try {
      const { method, headers, signal } = request
      const watched = new Request(request.url, { method, headers, signal: AbortSignal.any([signal, gone.signal]) })
      const response = await session.transport.handleRequest(watched, {
        ...(body !== undefined && { parsedBody: body }),
      })
      return watchStream(response, done)
    } catch (thrown) {
      done(true)
      throw thrown
    }
  }

  /** Makes room at the cost of the one that has been idle for longest. */
  #evict(): boolean {
    for (const [id, session] of this.#sessionsById) {
      if (session.uses > 0) continue
      this.#end(id, session)
      return true
    }
    return false
  }

  #end(id: string, { server }: Session): void {
    this.#sessionsById.delete(id)
    server.close().catch(() => {})
  }
}

const INVALID_REQUEST = -32_600
