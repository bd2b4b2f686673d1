const AT_REST = 4
export const MAX_SPARE_ISOLATES = 25
const TICK_MS = 20
/** Whoever is never quiet gets one after so many ticks all the same. */
const PATIENCE_TICKS = 10
/** Ticks after which the memory of a burst fades. */
const PEAK_TICKS = 100
/** Runs that start within so many ticks are one burst: fifty programs do not compile in one. */
const BURST_TICKS = 12

/** Whoever holds prepared isolates: a child process, or this process itself. */
export interface SpareHolder {
  readonly isReady: boolean
  /** It has nothing else to do at this moment. */
  readonly isIdle: boolean
  /** Slices done so far. */
  readonly slicesDone: number
  /** Runs that are there. */
  readonly load: number
  prepare(spares: number): void
}

/**
 * How many prepared isolates a child holds. Making one blocks the child for some milliseconds, so they are ordered one
 * at a time after a tick without work, not in the short pauses of a burst; the target follows the recent peak of starts,
 * less the more runs are there: each of these has memory of its own.
 */
export class SpareOrders {
  readonly #holder: SpareHolder
  #held = 0
  /** Starts in each of the last ticks, the running one last. */
  readonly #starts: number[] = [0]
  #peak = AT_REST
  #ticksSincePeak = 0
  #ticksWaited = 0
  #slicesSeen = 0
  #timer: NodeJS.Timeout | undefined

  constructor(holder: SpareHolder) {
    this.#holder = holder
    this.#schedule()
  }

  /** A run has taken one. */
  used(): void {
    this.#held = Math.max(0, this.#held - 1)
    this.#starts[this.#starts.length - 1]! += 1 // There is always one.
    this.#schedule()
  }

  /** A run is about to come: what it needs is made at once, unless something is there for it or is being made. */
  expect(): void {
    const { isReady, isIdle } = this.#holder
    if (!isReady || !isIdle || this.#held > 0) return
    this.#held = 1
    this.#holder.prepare(1)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS).unref()
  }

  #tick(): void {
    this.#timer = undefined
    const { isReady, isIdle, slicesDone, load } = this.#holder
    this.#followPeak()
    const target = Math.min(this.#peak, Math.max(AT_REST, MAX_SPARE_ISOLATES - Math.ceil(load / 2)))
    const isQuiet = slicesDone === this.#slicesSeen || this.#ticksWaited >= PATIENCE_TICKS
    this.#slicesSeen = slicesDone
    this.#ticksWaited += 1
    if (isReady && isIdle && isQuiet && this.#held !== target) {
      this.#held = this.#held < target ? this.#held + 1 : target
      this.#ticksWaited = 0
      this.#holder.prepare(this.#held)
    }
    if (this.#held !== target || this.#peak > AT_REST || !isIdle) this.#schedule()
  }

  #followPeak(): void {
    this.#ticksSincePeak += 1
    const started = Math.min(
      MAX_SPARE_ISOLATES,
      this.#starts.reduce((sum, count) => sum + count, 0),
    )
    if (started >= this.#peak) this.#ticksSincePeak = 0
    this.#peak = Math.max(this.#peak, started)
    if (this.#ticksSincePeak > PEAK_TICKS) this.#peak = Math.max(AT_REST, this.#peak - 1)
    this.#starts.push(0)
    if (this.#starts.length > BURST_TICKS) this.#starts.shift()
  }
}
