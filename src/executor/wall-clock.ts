/** A deadline that stands still while it is paused. Pauses nest; each gives its own way back, good for one use. */
export class WallClock {
  readonly #startedAt = performance.now()
  readonly #onOut: () => void
  #leftMs: number
  #runningSince: number | undefined
  #pauses = 0
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(wallMs: number, onOut: () => void) {
    this.#leftMs = wallMs
    this.#onOut = onOut
    this.#go()
  }

  get leftMs(): number {
    return this.#runningSince === undefined
      ? this.#leftMs
      : Math.max(0, this.#leftMs - (performance.now() - this.#runningSince))
  }

  /** Time since the start, pauses and all. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt
  }

  pause(): Disposable {
    if (++this.#pauses === 1) this.#halt()
    let isUsed = false
    return {
      [Symbol.dispose]: () => {
        if (isUsed) return
        isUsed = true
        if (--this.#pauses === 0) this.#go()
      },
    }
  }

  /** From now on at most `ms` are left, pauses apart. */
  shorten(ms: number): void {
    const isRunning = this.#runningSince !== undefined
    this.#halt()
    this.#leftMs = Math.min(this.#leftMs, ms)
    if (isRunning) this.#go()
  }

  stop(): void {
    this.#isOver = true
    this.#halt()
  }

  #go(): void {
    if (this.#isOver) return
    this.#runningSince = performance.now()
    // A timer holds at most 2^31 - 1 ms; a longer budget is looked at again then.
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.ceil(this.#leftMs), 2 ** 31 - 1))
  }

  #halt(): void {
    clearTimeout(this.#timer)
    this.#leftMs = this.leftMs
    this.#runningSince = undefined
  }

  #look(): void {
    this.#halt()
    if (this.#leftMs >= 1) return this.#go()
    this.#isOver = true
    this.#onOut()
  }
}
