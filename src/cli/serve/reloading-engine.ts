import { thrownMessage } from '../../data/failure.ts'
import type { Engine } from '../../engine.ts'

/** An engine that can be replaced while it works. */
export interface ReloadingEngine extends AsyncDisposable {
  readonly current: Engine
  /**
   * Puts a new engine in the old one's place, which ends when it has nothing to do any more. When the new one does not
   * start, the old one stays; what comes back says why. One reload at a time: those that come meanwhile are one more.
   */
  reload(): Promise<string | undefined>
}

export function createReloadingEngine(
  first: Engine,
  options: {
    readonly start: () => Promise<Engine>
    /** Resolves when nothing is under way in the engine. */
    readonly drained: (engine: Engine) => Promise<void>
    readonly drainMs: number
    readonly onProblem: (message: string) => void
  },
): ReloadingEngine {
  let current = first
  let reloading: Promise<string | undefined> | undefined
  let isWanted = false
  const retiring = new Set<Promise<void>>()
  const leave = Promise.withResolvers<void>()

  async function retire(old: Engine): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        options.onProblem('runs from before the reload did not end within the drain and are cut')
        resolve()
      }, options.drainMs)
    })
    await Promise.race([options.drained(old), late, leave.promise])
    clearTimeout(timer)
    try {
      await old[Symbol.asyncDispose]()
    } catch (thrown) {
      options.onProblem(`the engine from before the reload did not end well: ${thrownMessage(thrown)}`)
    }
  }

  async function replace(): Promise<string | undefined> {
    let problem: string | undefined
    do {
      isWanted = false
      try {
        const old = current
        current = await options.start()
        const work: Promise<void> = retire(old).finally(() => retiring.delete(work))
        retiring.add(work)
        problem = undefined
      } catch (thrown) {
        problem = thrownMessage(thrown)
      }
    } while (isWanted)
    return problem
  }

  return {
    get current() {
      return current
    },
    reload() {
      if (reloading !== undefined) {
        isWanted = true
        return reloading
      }
      reloading = replace().finally(() => (reloading = undefined))
      return reloading
    },
    async [Symbol.asyncDispose]() {
      await reloading
      leave.resolve()
      await Promise.all([...retiring, current[Symbol.asyncDispose]()])
    },
  }
}
