import type { Stage } from './stages.ts'

/** What a call went through, for observers and the invariant checker. Not kept for calls that nobody looks at. */
export class CallTrace {
  readonly steps: Stage[] = []
  /** Set where the verdict of pre-policy and approval is known to be "allow". */
  isAllowed = false
  #monotonicMs: () => number
  #sinceMs: number
  #current: Stage | undefined
  #msByStage = new Map<Stage, number>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
    this.#sinceMs = monotonicMs()
  }

  enter(stage: Stage): void {
    this.#closeStep()
    this.#current = stage
    this.steps.push(stage)
  }

  /** Ends the last stage and gives nanoseconds by stage. */
  stageNs(): Readonly<Record<string, number>> {
    this.#closeStep()
    this.#current = undefined
    const times: Record<string, number> = {}
    for (const [stage, ms] of this.#msByStage) times[stage] = Math.round(ms * 1e6)
    return Object.freeze(times)
  }

  #closeStep() {
    const now = this.#monotonicMs()
    if (this.#current !== undefined) {
      this.#msByStage.set(this.#current, (this.#msByStage.get(this.#current) ?? 0) + now - this.#sinceMs)
    }
    this.#sinceMs = now
  }
}
