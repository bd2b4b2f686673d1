import { armOwn } from '../timers.ts'
import { DOMException } from './encoding.ts'

declare const performance: { now(): number }

// Set by the class below, which alone can write its private state.
let dispatch: (event: Event, target: EventTarget, listeners: readonly ((event: Event) => void)[]) => boolean

export class Event {
  readonly type: string
  readonly bubbles: boolean
  readonly cancelable: boolean
  readonly timeStamp: number
  #isPrevented = false
  #isStopped = false
  #target: EventTarget | null = null

  static {
    dispatch = (event, target, listeners) => {
      event.#target = target
      for (const listener of listeners) {
        if (event.#isStopped) break
        listener(event)
      }
      return !event.#isPrevented
    }
  }

  constructor(type: unknown, init?: { readonly bubbles?: boolean; readonly cancelable?: boolean }) {
    this.type = String(type)
    this.bubbles = Boolean(init?.bubbles)
    this.cancelable = Boolean(init?.cancelable)
    this.timeStamp = performance.now()
  }
  get target(): EventTarget | null {
    return this.#target
  }
  get currentTarget(): EventTarget | null {
    return this.#target
  }
  get defaultPrevented(): boolean {
    return this.#isPrevented
  }
  preventDefault(): void {
    if (this.cancelable) this.#isPrevented = true
  }
  stopPropagation(): void {}
  stopImmediatePropagation(): void {
    this.#isStopped = true
  }
}

type Listener = ((event: Event) => void) | { handleEvent(event: Event): void }
interface Entry {
  readonly type: string
  readonly listener: Listener
  readonly isOnce: boolean
}

export class EventTarget {
  #entries: Entry[] = []

  addEventListener(
    type: unknown,
    listener: Listener | null | undefined,
    options?: boolean | { readonly once?: boolean; readonly signal?: AbortSignal },
  ): void {
    if (listener === null || listener === undefined) return
    const name = String(type)
    const isOnce = typeof options === 'object' && Boolean(options.once)
    const signal = typeof options === 'object' ? options.signal : undefined
    if (signal?.aborted) return
    if (this.#entries.some((entry) => entry.type === name && entry.listener === listener)) return
    this.#entries.push({ type: name, listener, isOnce })
    signal?.addEventListener('abort', () => this.removeEventListener(name, listener), { once: true })
  }
  removeEventListener(type: unknown, listener: Listener | null | undefined): void {
    const name = String(type)
    this.#entries = this.#entries.filter((entry) => entry.type !== name || entry.listener !== listener)
  }
  dispatchEvent(event: Event): boolean {
    const due = this.#entries.filter((entry) => entry.type === event.type)
    return dispatch(
      event,
      this,
      due.map((entry) => (given: Event) => {
        if (!this.#entries.includes(entry)) return
        if (entry.isOnce) this.#entries = this.#entries.filter((other) => other !== entry)
        report(() => {
          if (typeof entry.listener === 'function') entry.listener.call(this, given)
          else entry.listener.handleEvent(given)
        })
      }),
    )
  }
}

/** What a listener throws must not stop the others: it is thrown later, as an uncaught error of the program. */
function report(run: () => void): void {
  try {
    run()
  } catch (thrown) {
    later(() => {
      throw thrown
    })
  }
}
let later: (callback: () => void) => void = () => {}
export function setLater(schedule: (callback: () => void) => void): void {
  later = schedule
}

let createSignal: () => AbortSignal
let abortSignal: (signal: AbortSignal, reason: unknown) => void
let isMaking = false

export class AbortSignal extends EventTarget {
  #isAborted = false
  #reason: unknown = undefined
  onabort: ((event: Event) => void) | null = null

  static {
    createSignal = () => {
      isMaking = true
      try {
        return new AbortSignal()
      } finally {
        isMaking = false
      }
    }
    abortSignal = (signal, reason) => {
      if (signal.#isAborted) return
      signal.#isAborted = true
      signal.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason
      const event = new Event('abort')
      const { onabort } = signal
      if (typeof onabort === 'function') report(() => onabort.call(signal, event))
      signal.dispatchEvent(event)
    }
  }

  constructor() {
    super()
    if (!isMaking) throw new TypeError('Illegal constructor')
  }
  get aborted(): boolean {
    return this.#isAborted
  }
  get reason(): unknown {
    return this.#reason
  }
  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason
  }
  static abort(reason?: unknown): AbortSignal {
    const signal = createSignal()
    abortSignal(signal, reason)
    return signal
  }
  static timeout(ms: unknown): AbortSignal {
    const signal = createSignal()
    const message = 'The operation was aborted due to timeout'
    armOwn(() => abortSignal(signal, new DOMException(message, 'TimeoutError')), Number(ms))
    return signal
  }
  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const all = [...signals]
    const joined = createSignal()
    for (const signal of all) {
      if (signal.aborted) {
        abortSignal(joined, signal.reason)
        return joined
      }
    }
    for (const signal of all) signal.addEventListener('abort', () => abortSignal(joined, signal.reason), { once: true })
    return joined
  }
}

export class AbortController {
  readonly #signal = createSignal()
  get signal(): AbortSignal {
    return this.#signal
  }
  abort(reason?: unknown): void {
    abortSignal(this.#signal, reason)
  }
}
