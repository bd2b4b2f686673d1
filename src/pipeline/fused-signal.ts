import { SmallSet } from '../data/small-set.ts'

/** What can be listened to for an abort: a signal, or something that has yet to become one. */
export interface Abortable {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * Aborts when one of its sources does, with that source's reason, or when it is told to; the first reason wins.
 *
 * Most calls end before anybody asks for a signal. Until somebody does (or listens), no signal is made and one of the
 * sources is only looked at: of two, the other one is listened to, and so it is known which was first. Listening here
 * costs the same however many listen; on an `AbortSignal` each listener is compared with all others, and one signal
 * may serve hundreds of calls at once.
 *
 * `AbortSignal.any` would hold its sources' bookkeeping until garbage collection; a caller's signal may serve a
 * hundred thousand calls, so what is added here is taken away by the one who added it: disposing lets go of the sources.
 */
export class FusedSignal implements Abortable, Disposable {
  /** Looked at until somebody asks, then listened to like the other; undefined from the abort or the disposal on. */
  #source: Abortable | undefined
  #other: Abortable | undefined
  #isListening = false
  #isAborted = false
  #reason: unknown
  #controller: AbortController | undefined
  #listeners: SmallSet<() => void> | undefined
  #onOther: (() => void) | undefined
  #onSource: (() => void) | undefined

  constructor(source: Abortable | undefined, other: Abortable | undefined) {
    this.#source = source
    if (other === undefined || this.aborted) return
    if (other.aborted) {
      this.#become(other.reason)
      return
    }
    this.#other = other
    this.#onOther = () => this.abort(other.reason)
    other.addEventListener('abort', this.#onOther)
  }

  get aborted(): boolean {
    if (!this.#isListening && this.#source?.aborted === true) this.#become(this.#source.reason)
    return this.#isAborted
  }

  get reason(): unknown {
    return this.aborted ? this.#reason : undefined
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#listen()
      this.#controller = new AbortController()
      if (this.#isAborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Whether this is the signal that was given out here. */
  hasGiven(signal: AbortSignal): boolean {
    return this.#controller !== undefined && this.#controller.signal === signal
  }

  abort(reason: unknown): void {
    // A source that has aborted unnoticed was first.
    if (!this.aborted) this.#become(reason)
  }

  /** Like a signal's: a listener that comes after the abort is never called. Listeners here must not throw. */
  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listen()
    if (!this.#isAborted) (this.#listeners ??= new SmallSet()).add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** What a source does from here on is not heard; what it has done stays. */
  [Symbol.dispose](): void {
    if (!this.aborted) this.#letGo()
  }

  #become(reason: unknown): void {
    this.#isAborted = true
    // What stands for "no reason" on a signal.
    this.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason
    this.#letGo()
    const listeners = this.#listeners
    this.#listeners = undefined
    listeners?.forEach((listener) => listener())
    this.#controller?.abort(this.#reason)
  }

  #listen(): void {
    const source = this.#source
    if (this.#isListening || source === undefined || this.aborted) return
    this.#isListening = true
    this.#onSource = () => this.abort(source.reason)
    source.addEventListener('abort', this.#onSource)
  }

  #letGo(): void {
    if (this.#onOther !== undefined) this.#other?.removeEventListener('abort', this.#onOther)
    if (this.#onSource !== undefined) this.#source?.removeEventListener('abort', this.#onSource)
    this.#source = undefined
    this.#other = undefined
  }
}

export function fuseSignals(source?: Abortable, other?: Abortable): FusedSignal {
  return new FusedSignal(source, other)
}

/** For those who are promised a real signal. */
export function signalOf(source: AbortSignal | FusedSignal): AbortSignal {
  return source instanceof FusedSignal ? source.signal : source
}

/** By shape: a signal may come from another realm. */
export function isSignal(value: unknown): value is AbortSignal {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { aborted?: unknown }).aborted === 'boolean' &&
    typeof (value as { addEventListener?: unknown }).addEventListener === 'function'
  )
}
