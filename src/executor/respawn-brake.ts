/** So many failed starts in a row and starting is given up for a while. */
const FAILURES_TO_BREAK = 5
/** Losses that a pool takes in stride; each one more makes the next start wait longer. */
const FREE_LOSSES = 8
const LOSS_MEMORY_MS = 10_000
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 5_000

/**
 * Keeps a pool from starting processes as fast as they die. Children that never come up break the circuit; children
 * that programs kill only slow it down, as other programs still run well.
 */
export class RespawnBrake {
  #failures = 0
  #losses: number[] = []
  #notBefore = 0
  #lastFailure = 'no failure'

  get lastFailure(): string {
    return this.#lastFailure
  }
  /** Starting has failed again and again. One start is still tried each time the wait is over. */
  get isBroken(): boolean {
    return this.#failures >= FAILURES_TO_BREAK
  }

  mayStart(): boolean {
    return performance.now() >= this.#notBefore
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(message: string): void {
    this.#lastFailure = message
    this.#failures += 1
    this.#wait(this.#failures)
  }

  /** A child that had been ready died uncleanly. */
  lost(): void {
    const now = performance.now()
    this.#losses = [...this.#losses.filter((at) => now - at < LOSS_MEMORY_MS), now]
    if (this.#losses.length > FREE_LOSSES) this.#wait(this.#losses.length - FREE_LOSSES)
  }

  #wait(step: number): void {
    this.#notBefore = performance.now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (step - 1))
  }
}
