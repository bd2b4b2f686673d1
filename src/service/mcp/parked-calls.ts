import { randomBytes } from 'node:crypto'
import type { CallOrder, LiveCall } from './live-call.ts'

export interface ParkedCallsOptions {
  /** Of one peer; one more is refused, so that nobody collects runs that wait for nothing. */
  readonly maxCalls: number
  /** How long a client may take to come back; then the call is cancelled. */
  readonly maxMs: number
}

interface Parked {
  readonly call: LiveCall
  readonly timer: NodeJS.Timeout
}

/**
 * Calls that wait for their client to come back with an answer. The state that it sends back is a random name and
 * nothing else: it opens one call of one peer, once, so there is nothing in it to forge or to send twice.
 */
export class ParkedCalls implements Disposable {
  readonly #options: ParkedCallsOptions
  readonly #callsByState = new Map<string, Parked>()

  constructor(options: ParkedCallsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#callsByState.size
  }

  /** The state to come back with; undefined when too many wait already. */
  park(call: LiveCall): string | undefined {
    if (this.#callsByState.size >= this.#options.maxCalls) return undefined
    const state = randomBytes(32).toString('base64url')
    const timer = setTimeout(() => {
      this.#callsByState.delete(state)
      call.cancel('the client did not come back with an answer')
    }, this.#options.maxMs)
    timer.unref()
    this.#callsByState.set(state, { call, timer })
    return state
  }

  /** The call of this state, when it is one of this very order: answers for one call say nothing of another. */
  take(state: string, order: CallOrder): LiveCall | undefined {
    const parked = this.#callsByState.get(state)
    if (parked === undefined) return undefined
    const { name, argumentsJson } = parked.call.order
    if (name !== order.name || argumentsJson !== order.argumentsJson) return undefined
    clearTimeout(parked.timer)
    this.#callsByState.delete(state)
    return parked.call
  }

  /** The peer is gone. */
  [Symbol.dispose](): void {
    for (const { call, timer } of this.#callsByState.values()) {
      clearTimeout(timer)
      call.cancel('the client went away while a person was asked')
    }
    this.#callsByState.clear()
  }
}
