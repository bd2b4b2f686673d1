import { deriveNames, type BatchedResult, type Engine, type SessionLog } from '../../index.ts'
import { runStep, type ProviderCall } from '../run-step.ts'

interface Waiting extends PromiseWithResolvers<BatchedResult> {
  readonly call: ProviderCall
  readonly signal: AbortSignal | undefined
}

/**
 * Makes batches of calls that come one by one: the SDK starts each call of a step by itself. What comes in one turn of
 * the event loop is one batch (all calls of `generateText`); calls of a stream that come later join what is under way
 * if all of them may overlap, and wait for its end otherwise, as they would in a batch.
 */
export class StepGather {
  readonly #engine: Engine
  readonly #session: SessionLog
  #waiting: Waiting[] = []
  readonly #underWay = new Set<Promise<void>>()
  #isUnderWaySafe = true
  #isDue = false

  constructor(engine: Engine, session: SessionLog) {
    this.#engine = engine
    this.#session = session
  }

  make(call: ProviderCall, signal: AbortSignal | undefined): Promise<BatchedResult> {
    const waiting = { call, signal, ...Promise.withResolvers<BatchedResult>() }
    this.#waiting.push(waiting)
    this.#schedule()
    return waiting.promise
  }

  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#start()
    })
  }

  /** Starts what may start now. What must wait is looked at again when something has ended. */
  #start(): void {
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting
      // A batch has one signal; calls have different ones when tools have time-outs in the SDK.
      const group = this.#waiting.filter(({ signal }) => signal === first?.signal)
      const isSafe = group.every(({ call }) => this.#mayOverlap(call))
      if (this.#underWay.size > 0 && !(isSafe && this.#isUnderWaySafe)) return
      this.#waiting = this.#waiting.filter((waiting) => !group.includes(waiting))
      this.#isUnderWaySafe = isSafe
      const work: Promise<void> = this.#run(group, first?.signal).finally(() => {
        this.#underWay.delete(work)
        this.#start()
      })
      this.#underWay.add(work)
    }
  }

  /** Never rejects: who waits for a call hears what went wrong with it. */
  async #run(group: readonly Waiting[], signal: AbortSignal | undefined): Promise<void> {
    try {
      const { results } = await runStep(
        this.#engine,
        this.#session,
        group.map(({ call }) => call),
        signal === undefined ? {} : { signal },
      )
      for (const [index, result] of results.entries()) group[index]?.resolve(result)
    } catch (thrown) {
      for (const { reject } of group) reject(thrown)
    }
  }

  #mayOverlap({ name, arguments: raw }: ProviderCall): boolean {
    const { scope } = this.#session
    const { nameByNative } = deriveNames(this.#engine.registry.view(scope))
    return this.#engine.runtime.isConcurrencySafe({
      name: nameByNative.get(name) ?? name,
      arguments: { raw },
      scope,
      entry: 'model',
    })
  }
}
