import type { Readable, Writable } from 'node:stream'
import {
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PARSE_ERROR,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { isRecord } from '../../data/json.ts'
import { LineReader } from './line-reader.ts'

/** The largest value a program may get, as base64 in one message, with room. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** A peer that sends nothing but garbage is told each time; a person at stderr is not. */
const MAX_PROBLEMS = 20
const DEFAULT_FINISH_MS = 120_000

export interface StdioOptions {
  readonly maxMessageBytes?: number
  /** How long open requests are finished for a peer that has closed its end. Default 120,000. */
  readonly finishMs?: number
  /** What the peer did wrong, in one line. */
  readonly onProblem?: (message: string) => void
}

type RequestId = string | number

/**
 * MCP over two byte streams, one JSON message a line. What is no message is answered as JSON-RPC says and does not stop
 * the rest. When the peer has said all it has to say, what it asked for is finished first: `drained` settles then.
 */
export class StdioTransport implements Transport {
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  onmessage: Transport['onmessage']
  readonly #input: Readable
  readonly #output: Writable
  readonly #onProblem: (message: string) => void
  readonly #lines: LineReader
  readonly #finishMs: number
  /** Requests without their answer. Subscriptions are not among them: they have none until the end. */
  readonly #openIds = new Set<RequestId>()
  readonly #drained = Promise.withResolvers<void>()
  #finishTimer: NodeJS.Timeout | undefined
  #problems = 0
  #hasEnded = false
  #isClosed = false

  constructor(input: Readable, output: Writable, options: StdioOptions = {}) {
    this.#input = input
    this.#output = output
    this.#onProblem = options.onProblem ?? (() => {})
    this.#lines = new LineReader(options.maxMessageBytes ?? MAX_MESSAGE_BYTES)
    this.#finishMs = options.finishMs ?? DEFAULT_FINISH_MS
  }

  /** Resolves when nothing more is to be done: the input has ended and every request is answered, or the output is gone. */
  get drained(): Promise<void> {
    return this.#drained.promise
  }
  /** How many requests wait for their answer. */
  get open(): number {
    return this.#openIds.size
  }

  async start(): Promise<void> {
    this.#output.on('error', this.#onOutputGone)
    this.#output.on('close', this.#onOutputGone)
    this.#input.on('error', this.#onEnd)
    this.#input.on('end', this.#onEnd)
    this.#input.on('close', this.#onEnd)
    this.#input.on('data', this.#onData)
    // It may have ended before anybody listened.
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onEnd)
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the connection is closed'))
    const written = this.#write(message)
    if ('id' in message && message.id !== undefined && !('method' in message)) this.#settle(message.id)
    return written
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#input.off('data', this.#onData)
    this.#input.pause()
    clearTimeout(this.#finishTimer)
    this.#openIds.clear()
    this.#drained.resolve()
    this.onclose?.()
  }

  readonly #onData = (chunk: Buffer | string): void => {
    for (const line of this.#lines.push(Buffer.from(chunk as Buffer))) this.#take(line)
  }

  readonly #onEnd = (): void => {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const line of this.#lines.end()) this.#take(line)
    if (this.#openIds.size === 0) return this.#drained.resolve()
    this.#finishTimer = setTimeout(() => {
      this.#onProblem(
        `not answered within ${this.#finishMs} ms after the client closed its end: ${this.#openIds.size} of its requests`,
      )
      this.#drained.resolve()
    }, this.#finishMs)
  }

  readonly #onOutputGone = (): void => {
    this.#hasEnded = true
    this.#openIds.clear()
    this.#drained.resolve()
  }

  #take(line: Buffer | 'too long'): void {
    if (line === 'too long') {
      return this.#refuse(
        null,
        INVALID_REQUEST,
        `a message was larger than ${this.#lines.maxBytes} bytes and was not read`,
      )
    }
    let message: unknown
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(line)
      if (text.trim() === '') return
      message = JSON.parse(text)
    } catch {
      return this.#refuse(null, PARSE_ERROR, 'a line is not JSON')
    }
    if (isJSONRPCRequest(message)) {
      if (message.method !== 'subscriptions/listen') this.#openIds.add(message.id)
    } else if (isJSONRPCNotification(message)) {
      const cancelled = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
      // A cancelled request is never answered. It is settled once the server has heard of it.
      if (isRequestId(cancelled)) setImmediate(() => this.#settle(cancelled))
    } else if (!isJSONRPCResponse(message)) {
      const id = isRecord(message) && isRequestId(message.id) ? message.id : null
      return this.#refuse(id, INVALID_REQUEST, 'a line is JSON, but no JSON-RPC 2.0 message')
    }
    this.onmessage?.(message)
  }

  /** Only the peer can mend it: it is told, and so is whoever looks at stderr. Nothing of the line itself is repeated. */
  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#problems++
    const more = this.#problems === MAX_PROBLEMS ? ' (no more of these are reported)' : ''
    if (this.#problems <= MAX_PROBLEMS) this.#onProblem(`from the client: ${message}${more}`)
    this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {})
  }

  #settle(id: RequestId): void {
    this.#openIds.delete(id)
    if (this.#hasEnded && this.#openIds.size === 0) this.#drained.resolve()
  }

  #write(message: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) =>
        error === null || error === undefined ? resolve() : reject(error),
      )
    })
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number'
}
