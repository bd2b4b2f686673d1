import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { CodedError, hasCode, thrownMessage } from '../../data/failure.ts'
import { problemResponse } from './problems.ts'
import { endSlowReaders, type SlowReaderLimits } from './slow-readers.ts'

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly maxHeaderBytes: number
  /** For the whole request to arrive; its headers get a third of it. */
  readonly requestTimeoutMs: number
  readonly maxConnections: number
  readonly slowReaders: SlowReaderLimits
  readonly onSlowReader: (unreadBytes: number) => void
  readonly fetch: (request: Request) => Promise<Response>
}

export interface Listening {
  readonly url: string
  /** Resolves when every connection has ended; cuts those that are left. */
  close(): Promise<void>
}

/** How often connections are looked at for being too slow. */
const CHECK_MS = 1_000
const MAX_HEADERS = 100

/** The HTTP edge of the process: what can be refused before there is a request is refused here. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = createServer(
    {
      maxHeaderSize: options.maxHeaderBytes,
      headersTimeout: Math.min(options.requestTimeoutMs, Math.max(1_000, Math.ceil(options.requestTimeoutMs / 3))),
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: Math.min(CHECK_MS, options.requestTimeoutMs),
      insecureHTTPParser: false,
      requireHostHeader: true,
      joinDuplicateHeaders: false,
    },
    getRequestListener(options.fetch, {
      overrideGlobalObjects: false,
      // Only for requests that no Request can be made of: a malformed Host or target.
      errorHandler: () =>
        problemResponse('BAD_REQUEST', 'the request line or the Host cannot be read', { headers: CLOSE }),
    }) as (request: IncomingMessage, response: ServerResponse) => void, // It handles what it awaits.
  )
  server.maxConnections = options.maxConnections
  server.maxHeadersCount = MAX_HEADERS
  server.on('clientError', refuseBadBytes)
  const watching = endSlowReaders(server, options.slowReaders, options.onSlowReader)
  // Nothing here speaks another protocol.
  server.on('upgrade', (_request, socket) => void socket.end(rawRefusal(400, 'Bad Request')))
  server.on('connect', (_request, socket) => void socket.end(rawRefusal(405, 'Method Not Allowed')))
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    response.writeHead(417, { connection: 'close' }).end(),
  )
  server.listen(options.port, options.host)
  try {
    await once(server, 'listening')
  } catch (thrown) {
    watching[Symbol.dispose]()
    throw new CodedError(
      'CONFIG_INVALID',
      `server: cannot listen on ${options.host} port ${options.port}: ${whyNot(thrown)}`,
    )
  }
  const { address, family, port } = server.address() as AddressInfo // Of a TCP server that listens.
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      server.closeIdleConnections()
      // Answers that were written out a moment ago get the time to leave.
      const cutting = setTimeout(() => server.closeAllConnections(), 250)
      await closed
      clearTimeout(cutting)
      watching[Symbol.dispose]()
    },
  }
}

function whyNot(thrown: unknown): string {
  if (!hasCode(thrown, 'EADDRINUSE')) return thrownMessage(thrown)
  return 'another process listens there (EADDRINUSE). End it, or take another port: --port <n> or "server": { "port": <n> } in codeferry.json; 0 is any free one'
}

const CLOSE = { connection: 'close' }

/** Bytes that are no HTTP, too many headers, two lengths, or a client that is too slow: the parser's refusals. */
function refuseBadBytes(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, reason] = REFUSALS.get(error.code ?? '') ?? [400, 'Bad Request']
  socket.end(rawRefusal(status, reason))
}

const REFUSALS = new Map<string, readonly [status: number, reason: string]>([
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout']],
])

function rawRefusal(status: number, reason: string): string {
  const body = JSON.stringify({ type: 'about:blank', title: reason, status })
  return `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
