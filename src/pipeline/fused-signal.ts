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
 * Most calls end before anybody asks for a signal. Until somebody does (or listens), nothing is made and a single source
 * is only looked at. Listening here costs the same however many listen; on an `AbortSignal` each listener is compared with
 * all others, and one signal may serve hundreds of calls at once.
 *
 * `AbortSignal.any` would hold its sources' bookkeeping until garbage collection; a caller's signal may serve a
 * hundred thousand calls, so what is added here is taken away by the one who added it: disposing lets go of the sources.
 */
export class FusedSignal implements Abortable, Disposable {
  #sources: readonly Abortable[]
  /** Until something is listened to, an abort of a source is only noticed by looking. */
  #isLooking = true
  #isAborted = false
  #reason: unknown
  #controller: AbortController | undefined
  #listeners: Set<() => void> | undefined
  #onSource: (() => void) | undefined

  constructor(sources: readonly Abortable[]) {
    this.#sources = sources
    // Of several somebody has to notice which one was first.
    if (sources.length > 1) this.#listen()
  }

  get aborted(): boolean {
    if (!this.#isAborted && this.#isLooking) this.#look()
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
    if (this.aborted) return
    this.#isAborted = true
    // What stands for "no reason" on a signal.
    this.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason
    this.#cut()
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) for (const listener of listeners) listener()
    this.#controller?.abort(this.#reason)
  }

  /** Like a signal's: a listener that comes after the abort is never called. Listeners here must not throw. */
  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listen()
    if (!this.#isAborted) (this.#listeners ??= new Set()).add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** What a source does from here on is not heard; what it has done stays. */
  [Symbol.dispose](): void {
    if (this.#isLooking) this.#look()
    this.#cut()
  }

  #look(): void {
    for (const source of this.#sources) if (source.aborted) return this.#take(source.reason)
  }

  #take(reason: unknown): void {
    this.#isLooking = false // Not to be looked for again by the abort itself.
    this.abort(reason)
  }

  #listen(): void {
    if (!this.#isLooking) return
    this.#look()
    if (this.#isAborted) return
    this.#isLooking = false
    const onSource = () => {
      const source = this.#sources.find(({ aborted }) => aborted)
      if (source !== undefined) this.abort(source.reason)
    }
    this.#onSource = onSource
    for (const source of this.#sources) source.addEventListener('abort', onSource)
  }

  #cut(): void {
    if (this.#onSource !== undefined) {
      for (const source of this.#sources) source.removeEventListener('abort', this.#onSource)
      this.#onSource = undefined
    }
    this.#isLooking = false
    this.#sources = NONE
  }
}

const NONE: readonly Abortable[] = []

export function fuseSignals(...sources: readonly (Abortable | undefined)[]): FusedSignal {
  return new FusedSignal(sources.filter((source) => source !== undefined))
}

/** For those who are promised a real signal. */
export function signalOf(source: AbortSignal | FusedSignal): AbortSignal {
  return source instanceof FusedSignal ? source.signal : source
}
