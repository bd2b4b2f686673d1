import type { Blame } from './child-link.ts'

/**
 * How often a run has been moved to a fresh child. Bounded is only what it may have caused itself; what another run did
 * to its child is not held against it, as its own wall clock is bound enough.
 */
export class ResumeCount {
  readonly #most: number
  #own = 0
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }
  get isUsedUp(): boolean {
    return this.#own >= this.#most
  }

  /** Counts one more. A text says why there may be none. */
  take(blame: Blame): string | undefined {
    if (blame !== 'another') {
      if (this.isUsedUp) return `the run had been resumed ${this.#own} times already`
      this.#own += 1
    }
    this.#total += 1
    return undefined
  }
}
