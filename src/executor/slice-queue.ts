interface Slice {
  readonly run: number
  sliceMs: number
}

/**
 * The frames of one child that await an answer, oldest first. A child works on one at a time and in order, so the head
 * is what is in the isolate right now, since `headSince`. When the head is over its time and the grace, `onStuck`.
 */
export class SliceQueue {
  readonly #graceMs: number
  readonly #onStuck: (run: number) => void
  readonly #slices: Slice[] = []
  #headSince = 0
  /** Slices that are over: tells one head from the next. */
  answeredCount = 0
  #timer: NodeJS.Timeout | undefined
  #timerDue = Infinity
  #isClosed = false

  constructor(graceMs: number, onStuck: (run: number) => void) {
    this.#graceMs = graceMs
    this.#onStuck = onStuck
  }

  /** The run that is in the isolate. */
  get head(): number | undefined {
    return this.#slices[0]?.run
  }
  /** How long the child has been at its oldest frame. */
  get headMs(): number {
    return this.#slices.length === 0 ? 0 : performance.now() - this.#headSince
  }

  /** How long the oldest frame may keep the child. */
  get headSliceMs(): number {
    return this.#slices[0]?.sliceMs ?? 0
  }

  has(run: number): boolean {
    return this.#slices.some((slice) => slice.run === run)
  }

  push(run: number, sliceMs: number): void {
    this.#slices.push({ run, sliceMs })
    if (this.#slices.length === 1) this.#headBegins()
  }

  answered(): void {
    this.#slices.shift()
    this.answeredCount += 1
    if (this.#slices.length > 0) this.#headBegins()
  }

  /** The run has ended for the host: what it still does in the isolate is allowed no longer than the grace. */
  hurry(run: number): void {
    const index = this.#slices.findIndex((slice) => slice.run === run)
    const slice = this.#slices[index]
    if (slice === undefined) return
    slice.sliceMs = index === 0 ? Math.min(slice.sliceMs, this.headMs) : 0
    if (index === 0) this.#arm()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #headBegins(): void {
    this.#headSince = performance.now()
    this.#arm()
  }

  /** A timer is kept when it fires early enough anyway: setting one for every slice would cost more than the slice. */
  #arm(): void {
    const head = this.#slices[0]
    if (head === undefined || this.#isClosed) return
    const due = this.#headSince + head.sliceMs + this.#graceMs
    if (this.#timer !== undefined && this.#timerDue <= due) return
    clearTimeout(this.#timer)
    this.#timerDue = due
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(1, due - performance.now()))
  }

  #onTimer(): void {
    const lateMs = performance.now() - this.#timerDue
    this.#timer = undefined
    const head = this.#slices[0]
    if (head === undefined || this.#isClosed) return
    if (performance.now() < this.#headSince + head.sliceMs + this.#graceMs) return this.#arm()
    if (lateMs > this.#graceMs / 2) {
      // The host itself was held up, so the answer may lie unread in the pipe. It is read before the next timer fires.
      head.sliceMs += this.#graceMs
      return this.#arm()
    }
    // Timers come before reading in a turn of the event loop: one more chance to read.
    setImmediate(() => {
      if (this.#slices[0] === head && !this.#isClosed) this.#onStuck(head.run)
    })
  }
}
