import { StreamableHTTPClientTransport, SSEClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { inheritedVariables } from './server-environment.ts'
import type { HttpServerEntry, ServerEntry, StdioServerEntry } from './server-entry.ts'

/** One message from a server may be this large (the largest value a program may get, as base64, with room). */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
const STDERR_TAIL_BYTES = 4_096

/** A transport whose `close()` can be awaited by everybody, and what its server last wrote to stderr. */
export interface OwnedTransport {
  readonly transport: Transport
  /** Ends the server's process (or the connection) and waits for that. Idempotent. */
  close(): Promise<void>
  stderrTail(): string
}

/** JSON-RPC code of the answer that stands in for one that can no longer come. */
export const ANSWER_LOST = -32_098

export function createTransport(entry: ServerEntry): OwnedTransport {
  return entry.transport === 'stdio' ? stdioTransport(entry) : httpTransport(entry)
}

function stdioTransport(entry: StdioServerEntry): OwnedTransport {
  const transport = new OwnedStdioTransport({
    command: entry.command,
    args: [...(entry.args ?? [])],
    env: { ...inheritedVariables(process.env), ...entry.env },
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
    ...(entry.cwd !== undefined && { cwd: entry.cwd }),
  })
  let tail = Buffer.alloc(0)
  let isCut = false
  // Always read, or a talkative server would block on a full pipe.
  transport.stderr?.on('data', (chunk: Buffer) => {
    const whole = Buffer.concat([tail, chunk])
    isCut ||= whole.length > STDERR_TAIL_BYTES
    // Copied: a part of a large chunk would keep all of it.
    tail = Buffer.from(whole.subarray(-STDERR_TAIL_BYTES))
  })
  return {
    transport,
    async close() {
      await transport.close()
      // What the process wrote last is still on its way through the stream.
      await new Promise((resolve) => setImmediate(resolve))
    },
    stderrTail: () => wholeLines(tail.toString('utf8'), isCut),
  }
}

/** Half a line at the cut might be half a secret, which nothing could recognise. */
function wholeLines(tail: string, isCut: boolean): string {
  if (!isCut) return tail.trim()
  const end = tail.indexOf('\n')
  return `…${tail.slice(end === -1 ? tail.length / 2 : end)}`.trim()
}

/** The client closes its transport itself when a handshake fails, and waits for nothing; this one can be waited for. */
class OwnedStdioTransport extends StdioClientTransport {
  #closing: Promise<void> | undefined
  override close(): Promise<void> {
    this.#closing ??= super.close()
    return this.#closing
  }
}

function httpTransport(entry: HttpServerEntry): OwnedTransport {
  const options = { requestInit: { headers: { ...entry.headers } }, fetch: boundedFetch }
  const url = new URL(entry.url)
  const transport =
    entry.transport === 'sse' ? new SSEClientTransport(url, options) : new AnsweringHttpTransport(url, options)
  return {
    transport,
    async close() {
      // A session is ended politely; a server that is gone or does not know the request is none of our concern.
      if (transport instanceof AnsweringHttpTransport && transport.sessionId !== undefined) {
        await Promise.race([transport.terminateSession().catch(() => {}), delay(1_000)])
      }
      await transport.close().catch(() => {})
    },
    stderrTail: () => '',
  }
}

/**
 * When the response stream of a request ends without its answer (the server died), the client would wait out the
 * whole request timeout. Here such a request gets an error answer at once.
 */
class AnsweringHttpTransport extends StreamableHTTPClientTransport {
  override send(...[message, options]: Parameters<StreamableHTTPClientTransport['send']>): Promise<void> {
    if (Array.isArray(message) || !('method' in message) || !('id' in message)) return super.send(message, options)
    const { id } = message
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () =>
        // An answer to a request that is settled already is dropped by the client.
        this.onmessage?.({
          jsonrpc: '2.0',
          id,
          error: { code: ANSWER_LOST, message: 'the response ended without an answer' },
        }),
    })
  }
}

/** `fetch`, whose response to a message ends with an error beyond the size limit. The standing event stream has none. */
const boundedFetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  if (init?.method !== 'POST' || response.body === null) return response
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > MAX_MESSAGE_BYTES)
        controller.error(new Error(`the response is larger than ${MAX_MESSAGE_BYTES} bytes`))
      else controller.enqueue(chunk)
    },
  })
  const bounded = new Response(response.body.pipeThrough(counter), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  })
  Object.defineProperty(bounded, 'url', { value: response.url }) // The client compares it to find redirects.
  return bounded
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
