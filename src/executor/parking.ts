/**
 * While a person is asked a run only holds memory. When the first question has been open for a while, `park` is asked to
 * give the isolate back; "no" (the program is at work after all) is asked again later.
 */
export class Parking {
  readonly #afterMs: number
  readonly #park: () => boolean
  #questions = 0
  #timer: NodeJS.Timeout | undefined
  #isParked = false

  constructor(afterMs: number, park: () => boolean) {
    this.#afterMs = afterMs
    this.#park = park
  }

  get isParked(): boolean {
    return this.#isParked
  }

  /** A question is open until what this gives is disposed of, once; and so is `pause` then. */
  asked(pause: Disposable): Disposable {
    if (++this.#questions === 1) this.#wait()
    let isUsed = false
    return {
      [Symbol.dispose]: () => {
        if (isUsed) return
        isUsed = true
        pause[Symbol.dispose]()
        if (--this.#questions === 0) clearTimeout(this.#timer)
      },
    }
  }

  /** The run goes on. */
  over(): void {
    this.#isParked = false
    if (this.#questions > 0) this.#wait()
  }

  stop(): void {
    this.#questions = 0
    this.#isParked = false
    clearTimeout(this.#timer)
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#park()) this.#isParked = true
      else this.#wait()
    }, this.#afterMs)
    this.#timer.unref()
  }
}
