import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client'
import { CodedError, thrownMessage } from '../data/failure.ts'
import { isRecord, type JsonObject } from '../data/json.ts'
import { explainConnectError } from './mcp-connect-error.ts'
import { ANSWER_LOST, createTransport, type OwnedTransport } from './mcp-transport.ts'
import { createRedactor } from './redact.ts'
import type { ServerEntry } from './server-entry.ts'

export interface ConnectionOptions {
  readonly clientVersion: string
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  /** A monotonic clock, for the pause between attempts. */
  readonly nowMs: () => number
  /** Something odd that stops nothing. */
  readonly onDiagnostic: (message: string) => void
  readonly onToolsChanged: () => void
  readonly callMeta?: () => Readonly<Record<string, string>> | undefined
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** The same for every attempt at one call, so that a server which looks at it does the work once. */
  readonly idempotencyKey?: string
  readonly onProgress: (progress: { readonly message?: string; readonly fraction?: number }) => void
}

/** The protocol revision that has no `initialize`; spoken to servers that refuse the handshake. */
const HANDSHAKELESS_REVISION = '2026-07-28'
/** A server that answers progress for ever must not hold a call for ever. */
const MAX_TOTAL_REQUEST_MS = 3_600_000
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
const MAX_TOOLS = 10_000
const MAX_PAGES = 100
const MAX_DIAGNOSTICS = 5
const MAX_WORDS = 2_000

/**
 * The line to one MCP server. Owns the server's process (or HTTP session). A server that ends takes the calls that
 * are open with it (`UPSTREAM_UNAVAILABLE`); the next call starts it again, once, with growing pauses while it keeps
 * failing.
 */
export class McpConnection implements AsyncDisposable {
  readonly #entry: ServerEntry
  readonly #options: ConnectionOptions
  readonly #redact: (text: string, maxLength?: number) => string
  #live: { readonly client: Client; readonly owned: OwnedTransport } | undefined
  #connecting: Promise<Client> | undefined
  readonly #closing = new Set<Promise<void>>()
  #disposed = false
  #failures = 0
  #notBeforeMs = 0
  #diagnostics = 0

  constructor(entry: ServerEntry, options: ConnectionOptions) {
    this.#entry = entry
    this.#options = options
    this.#redact = createRedactor(entry)
  }

  /** How its failures name it. */
  get subject(): string {
    return `MCP server "${this.#redact(this.#entry.name, 128)}"`
  }

  /** The first start. Throws `UPSTREAM_UNAVAILABLE` with the reason and the server's last words. */
  async open(): Promise<void> {
    await this.#connected()
  }

  /** The server's tools as it lists them, unchecked. Throws when the list cannot be had whole. */
  async listTools(): Promise<readonly unknown[]> {
    const client = await this.#connected()
    if (client.getServerCapabilities()?.tools === undefined) return []
    const tools: unknown[] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let page = 1; ; page++) {
      const answer = await client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        ANYTHING,
        { timeout: this.#options.connectTimeoutMs },
      )
      if (!isRecord(answer) || !Array.isArray(answer.tools))
        throw new Error('its tools/list answer holds no "tools" array')
      for (const tool of answer.tools as unknown[]) tools.push(tool)
      if (tools.length > MAX_TOOLS) throw new Error(`it lists more than ${MAX_TOOLS} tools`)
      if (typeof answer.nextCursor !== 'string' || answer.nextCursor === '') return tools
      cursor = answer.nextCursor
      if (seen.has(cursor) || page === MAX_PAGES) throw new Error(`its tools/list never ends (${page} pages)`)
      seen.add(cursor)
    }
  }

  /** One `tools/call`. Gives the raw result; throws coded errors. Aborting the signal cancels it upstream. */
  async callTool(name: string, args: JsonObject, options: CallOptions): Promise<unknown> {
    const client = await untilAborted(this.#connected(), options.signal)
    try {
      const answer = await this.#request(client, name, args, options)
      this.#failures = 0
      return answer
    } catch (thrown) {
      if (options.signal.aborted) throw options.signal.reason
      // The server forgot our session (it restarted): it has not looked at the call, so that may be made again.
      if (thrown instanceof SdkHttpError && thrown.status === 404) {
        this.#drop(client)
        const fresh = await untilAborted(this.#connected(), options.signal)
        return await this.#request(fresh, name, args, options).catch((again: unknown) => {
          throw this.#callError(name, again, options)
        })
      }
      throw this.#callError(name, thrown, options)
    }
  }

  serverVersion(): { readonly name: string; readonly version: string } | undefined {
    const version = this.#live?.client.getServerVersion()
    return version && { name: this.#redact(version.name, 100), version: this.#redact(version.version, 50) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    await this.#connecting?.catch(() => {})
    if (this.#live !== undefined) this.#drop(this.#live.client)
    await Promise.all(this.#closing)
  }

  #request(client: Client, name: string, args: JsonObject, options: CallOptions): Promise<unknown> {
    // Not `client.callTool()`: that one drops members of content blocks that it does not know, and refuses to call a
    // tool at all whose output schema does not compile. Output is validated by the pipeline.
    const meta = callMeta(options.idempotencyKey, this.#options.callMeta?.())
    return client.request({ method: 'tools/call', params: { name, arguments: args, ...meta } }, ANYTHING, {
      signal: options.signal,
      timeout: this.#options.requestTimeoutMs,
      maxTotalTimeout: Math.max(MAX_TOTAL_REQUEST_MS, this.#options.requestTimeoutMs),
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, total, message }) =>
        options.onProgress({
          ...(message !== undefined && { message: String(message) }),
          ...(total !== undefined && total > 0 && { fraction: Math.min(1, Math.max(0, progress / total)) }),
        }),
    })
  }

  async #connected(): Promise<Client> {
    if (this.#live !== undefined) return this.#live.client
    if (this.#disposed) throw this.#unavailable('the connection to it is closed')
    if (this.#connecting === undefined) {
      const waitMs = this.#notBeforeMs - this.#options.nowMs()
      if (waitMs > 0) {
        throw this.#unavailable(
          `it has failed ${this.#failures} times; it is tried again in ${Math.ceil(waitMs / 1_000)} s`,
        )
      }
      this.#connecting = this.#connect().finally(() => {
        this.#connecting = undefined
      })
    }
    return await this.#connecting
  }

  async #connect(): Promise<Client> {
    const deadline = AbortSignal.timeout(this.#options.connectTimeoutMs)
    let attempt = await this.#handshake('legacy', deadline)
    if ('thrown' in attempt && refusesHandshake(attempt.thrown) && !deadline.aborted) {
      const second = await this.#handshake({ pin: HANDSHAKELESS_REVISION }, deadline)
      // If both fail, the first refusal says more about an ordinary server.
      if ('client' in second) attempt = second
    }
    if ('thrown' in attempt) {
      this.#countFailure()
      throw this.#connectError(attempt.thrown, attempt.owned)
    }
    const { client, owned } = attempt
    if (this.#disposed) {
      await this.#close(owned)
      throw this.#unavailable('the connection to it is closed')
    }
    this.#live = attempt
    // Not before: what goes wrong in the handshake is told once, by what it throws.
    client.onerror = (error) => this.#diagnose(error)
    client.onclose = () => {
      this.#countFailure()
      this.#drop(client)
    }
    return client
  }

  async #handshake(mode: 'legacy' | { readonly pin: string }, deadline: AbortSignal): Promise<Handshake> {
    const owned = createTransport(this.#entry)
    const client = new Client(
      { name: 'codeferry', version: this.#options.clientVersion },
      { capabilities: {}, versionNegotiation: { mode } },
    )
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#options.onToolsChanged())
    try {
      await withDeadline(client.connect(owned.transport, { timeout: this.#options.connectTimeoutMs }), deadline)
      return { client, owned }
    } catch (thrown) {
      await this.#close(owned)
      return { thrown, owned }
    }
  }

  /** Forgets a connection; its process is ended in the background, and `dispose` waits for that. */
  #drop(client: Client): void {
    if (this.#live?.client !== client) return
    const { owned } = this.#live
    this.#live = undefined
    void this.#close(owned)
  }

  #close(owned: OwnedTransport): Promise<void> {
    const closing = owned.close().catch(() => {})
    this.#closing.add(closing)
    return closing.finally(() => this.#closing.delete(closing))
  }

  #countFailure(): void {
    this.#failures++
    // The first end of a healthy server is answered by a start at once; only repetition costs time.
    const pause = this.#failures === 1 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 2))
    this.#notBeforeMs = this.#options.nowMs() + pause
  }

  #callError(tool: string, thrown: unknown, { signal }: CallOptions): unknown {
    if (signal.aborted) return signal.reason
    if (thrown instanceof CodedError) return thrown
    if (thrown instanceof ProtocolError && thrown.code !== ANSWER_LOST) {
      return new CodedError('TOOL_FAILED', this.#redact(thrown.message, 4_000), { details: { rpcCode: thrown.code } })
    }
    if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) {
      return new CodedError(
        'TOOL_TIMEOUT',
        `${this.subject} did not answer "${tool}" within ${this.#options.requestTimeoutMs} ms`,
      )
    }
    if (thrown instanceof SdkError && thrown.code === SdkErrorCode.InvalidResult) {
      return new CodedError(
        'INVALID_TOOL_OUTPUT',
        `${this.subject} gave a result that MCP does not allow: ${this.#redact(thrown.message, 500)}`,
      )
    }
    if (thrown instanceof SdkHttpError) {
      return this.#unavailable(`it answered HTTP ${thrown.status} to the call of "${tool}"`)
    }
    return this.#unavailable(
      `its connection ended during the call of "${tool}"; whether the call took effect is not known` +
        (thrown instanceof SdkError || thrown instanceof ProtocolError
          ? ''
          : ` (${this.#redact(thrownMessage(thrown), 200)})`),
    )
  }

  #connectError(thrown: unknown, owned: OwnedTransport): CodedError {
    const tail = owned.stderrTail()
    const words = tail === '' ? '' : `; it last wrote:\n${lastOf(this.#redact(tail, Number.POSITIVE_INFINITY))}`
    return this.#unavailable(
      `it did not start: ${this.#redact(explainConnectError(this.#entry, thrown, this.#options.connectTimeoutMs), 1_000)}${words}`,
    )
  }

  #unavailable(what: string): CodedError {
    return new CodedError('UPSTREAM_UNAVAILABLE', `${this.subject}: ${what}`)
  }

  #diagnose(error: Error): void {
    // The late answer to a call that was given up, or our own stand-in for a lost one.
    if (error.message.includes('unknown message ID')) return
    this.#diagnostics++
    if (this.#diagnostics > MAX_DIAGNOSTICS) return
    const last = this.#diagnostics === MAX_DIAGNOSTICS ? ' (no more of these are reported)' : ''
    this.#options.onDiagnostic(`${this.#redact(error.message, 300).replaceAll(/\s+/g, ' ')}${last}`)
  }
}

type Handshake =
  | { readonly client: Client; readonly owned: OwnedTransport }
  | { readonly thrown: unknown; readonly owned: OwnedTransport }

/** An answer that says "no `initialize` here", as opposed to silence, death or a closed door. */
function refusesHandshake(thrown: unknown): boolean {
  return thrown instanceof ProtocolError || (thrown instanceof SdkHttpError && thrown.status === 400)
}

/** The end says why. */
function lastOf(text: string): string {
  return text.length <= MAX_WORDS ? text : `…${text.slice(-MAX_WORDS)}`
}

const LATE = () => new SdkError(SdkErrorCode.RequestTimeout, 'the deadline for the start has passed')

function withDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return untilAborted(work, deadline, LATE)
}

/** Work that is shared with others goes on when one of those who wait for it stops waiting. */
/** Servers that do not know the key pass over it: `_meta` is the place for what the protocol does not speak of. */
function callMeta(idempotencyKey: string | undefined, more: Readonly<Record<string, string>> | undefined) {
  if (idempotencyKey === undefined && more === undefined) return {}
  return { _meta: { ...more, ...(idempotencyKey !== undefined && { 'codeferry/idempotency-key': idempotencyKey }) } }
}

function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(reason() as Error) // Whatever the owner of the signal gave.
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

/** Takes an answer as it came: what is wrong in it is judged tool by tool, block by block, by our own readers. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'codeferry', validate: (value) => ({ value }) },
}
