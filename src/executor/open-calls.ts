import { setMaxListeners } from 'node:events'
import type { DeliverItem, WireEvent } from '../../sandbox/wire.ts'
import { thrownMessage } from '../data/failure.ts'
import type { GuestCall, GuestReply, RunHost } from './executor.ts'

export interface OpenCallsOptions {
  readonly host: RunHost
  readonly limits: { readonly maxPendingCalls: number; readonly maxValueBytes: number }
  /** Something has settled; the item is to be delivered. */
  readonly onSettled: (item: DeliverItem) => void
}

/** The calls of one run: numbered by the guest, made by the host, each at most once and answered at most once. */
export class OpenCalls {
  readonly #options: OpenCallsOptions
  readonly #abort = new AbortController()
  /** Names of calls without an answer, by number. */
  readonly #names = new Map<number, string>()
  readonly #unawaited = new Set<number>()
  #last = 0

  constructor(options: OpenCallsOptions) {
    this.#options = options
    // A program may have hundreds of calls open on the one signal; that is no leak.
    setMaxListeners(0, this.#abort.signal)
  }

  get size(): number {
    return this.#names.size
  }
  get numbers(): number[] {
    return [...this.#names.keys()]
  }
  /** Calls that were open, or were made, when the program itself had ended. */
  get unawaited(): number[] {
    return [...this.#unawaited].toSorted((a, b) => a - b)
  }

  markUnawaited(): void {
    for (const n of this.#names.keys()) this.#unawaited.add(n)
  }

  /** Makes a call. A text says which rule the guest broke: then nothing was called. */
  submit({ n, op, name, args }: Extract<WireEvent, { e: 'call' }>): string | undefined {
    const { maxPendingCalls } = this.#options.limits
    if (n !== this.#last + 1) return `call ${n} follows call ${this.#last}`
    if (this.size >= maxPendingCalls) return `call ${n} is one more than the ${maxPendingCalls} that may be pending`
    this.#last = n
    this.#names.set(n, name)
    this.#make({ number: n, op, name, argumentsJson: args, signal: this.#abort.signal })
    return undefined
  }

  /** The run is over: bodies that still run are told, and what they answer later goes nowhere. */
  abandon(reason: string): void {
    this.#names.clear()
    this.#abort.abort(new DOMException(reason, 'AbortError'))
  }

  #make(call: GuestCall): void {
    // `RunHost` promises never to throw; a bug there must still not leave the program waiting.
    let reply: Promise<GuestReply>
    try {
      reply = this.#options.host.call(call)
    } catch (thrown) {
      reply = Promise.reject(thrown)
    }
    reply.then(
      (settled) => this.#settle(call, settled),
      (thrown: unknown) => this.#settle(call, failedReply(call.name, 'TOOL_FAILED', thrownMessage(thrown))),
    )
  }

  #settle({ number: n, name }: GuestCall, reply: GuestReply): void {
    if (!this.#names.delete(n)) return
    const { maxValueBytes } = this.#options.limits
    const isFit = reply.json.length * 3 <= maxValueBytes || Buffer.byteLength(reply.json) <= maxValueBytes
    const fit = isFit
      ? reply
      : failedReply(name, 'VALUE_TOO_LARGE', `${name}: the value is over ${maxValueBytes} bytes`)
    this.#options.onSettled({ t: fit.ok ? 'ok' : 'err', n, json: fit.json })
  }
}

function failedReply(tool: string, code: string, message: string): GuestReply {
  const phase = 'value'
  return { ok: false, json: JSON.stringify({ tool, code, message, phase, bodyStarted: true, retryable: false }) }
}
