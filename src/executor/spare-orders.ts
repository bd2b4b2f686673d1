const AT_REST = 4
export const MAX_SPARE_ISOLATES = 25
const TICK_MS = 20
/** Ticks after which the memory of a burst fades. */
const PEAK_TICKS = 100

/** Whoever holds prepared isolates: a child process, or this process itself. */
export interface SpareHolder {
  readonly isReady: boolean
  /** It has nothing else to do. */
  readonly isIdle: boolean
  prepare(spares: number): void
}

/**
 * How many prepared isolates a child holds. Making one blocks the child for about two milliseconds, so they are ordered
 * one at a time while it has nothing else to do; the target follows the recent peak of starts.
 */
export class SpareOrders {
  readonly #holder: SpareHolder
  #held = 0
  #usedThisTick = 0
  #peak = AT_REST
  #ticksSincePeak = 0
  #timer: NodeJS.Timeout | undefined

  constructor(holder: SpareHolder) {
    this.#holder = holder
    this.#schedule()
  }

  /** A run has taken one. */
  used(): void {
    this.#held = Math.max(0, this.#held - 1)
    this.#usedThisTick += 1
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS).unref()
  }

  #tick(): void {
    this.#timer = undefined
    const { isReady, isIdle } = this.#holder
    this.#ticksSincePeak += 1
    if (this.#usedThisTick >= this.#peak) this.#ticksSincePeak = 0
    this.#peak = Math.max(this.#peak, Math.min(MAX_SPARE_ISOLATES, this.#usedThisTick))
    if (this.#ticksSincePeak > PEAK_TICKS) this.#peak = Math.max(AT_REST, this.#peak - 1)
    this.#usedThisTick = 0
    if (isReady && isIdle && this.#held !== this.#peak) {
      this.#held = this.#held < this.#peak ? this.#held + 1 : this.#peak
      this.#holder.prepare(this.#held)
    }
    if (this.#held !== this.#peak || this.#peak > AT_REST || !isIdle) this.#schedule()
  }
}
