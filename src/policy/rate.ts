import type { Clock } from '../data/clock.ts'
import { CodedError } from '../data/failure.ts'
import type { CallView, Policy } from '../pipeline/call.ts'
import { matchNames, type NamePattern } from './name-pattern.ts'

export interface RateRule {
  readonly tools: NamePattern | readonly NamePattern[]
  /** At most this many calls in any `perMs`; the next is denied. Calls that somebody else denies later count too. */
  readonly maxCalls?: number
  readonly perMs?: number
  /** At most this many bodies at once; the next waits its turn. */
  readonly maxConcurrent?: number
  /** Whose calls are counted together. Default `all`. */
  readonly per?: 'all' | 'scope' | 'session'
}

/** Keeps tools within what their owners or their peers can bear. All tools of one rule share its limits. */
export function createRatePolicy(options: { readonly clock: Clock; readonly rules: readonly RateRule[] }): Policy {
  const rules = options.rules.map((rule) => new CountedRule(rule, options.clock))
  const rulesFor = (call: CallView) => rules.filter((rule) => rule.matches(call.toolName))
  return {
    name: 'rate',
    pre(call) {
      const concerned = rulesFor(call)
      const waits = concerned.map((rule) => rule.waitMs(call))
      const longest = Math.max(0, ...waits)
      if (longest > 0) {
        return {
          decision: 'deny',
          reason: `too many calls in a short time; the next is possible in ${Math.ceil(longest)} ms`,
        }
      }
      // Only once every rule agrees: a call that one rule denies uses up nothing of the others.
      for (const rule of concerned) rule.count(call)
      return { decision: 'allow' }
    },
    async around(call, next) {
      // Always in the order of the rules, so that two calls never wait for each other.
      await using slots = new AsyncDisposableStack()
      for (const rule of rulesFor(call)) slots.use(await rule.enter(call, call.signal))
      return await next()
    },
  }
}

class CountedRule {
  readonly matches: (toolName: string) => boolean
  readonly #rule: RateRule
  readonly #clock: Clock
  /** Times of the calls within the window, oldest first. */
  readonly #timesByKey = new Map<string, number[]>()
  #sweepAtSize = MIN_SWEEP_SIZE
  readonly #poolByKey = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  constructor(rule: RateRule, clock: Clock) {
    for (const field of ['maxCalls', 'perMs', 'maxConcurrent'] as const) {
      const value = rule[field]
      if (value !== undefined && !(value >= 1 && Number.isFinite(value))) {
        throw new CodedError('CONFIG_INVALID', `rate policy: ${field} must be a number from 1; got ${value}`)
      }
    }
    if ((rule.maxCalls === undefined) !== (rule.perMs === undefined)) {
      throw new CodedError('CONFIG_INVALID', 'rate policy: maxCalls and perMs go together')
    }
    this.matches = matchNames(rule.tools)
    this.#rule = rule
    this.#clock = clock
  }

  /** 0: a call may be made now. */
  waitMs(call: CallView): number {
    const { maxCalls, perMs } = this.#rule
    if (maxCalls === undefined || perMs === undefined) return 0
    const now = this.#clock.monotonicMs()
    const times = this.#timesWithin(this.#keyOf(call), now - perMs)
    const oldest = times[times.length - maxCalls]
    return oldest === undefined ? 0 : oldest + perMs - now
  }

  count(call: CallView): void {
    if (this.#rule.maxCalls === undefined) return
    const key = this.#keyOf(call)
    const times = this.#timesByKey.get(key)
    if (times === undefined) this.#timesByKey.set(key, [this.#clock.monotonicMs()])
    else times.push(this.#clock.monotonicMs())
  }

  /** Waits for a place. After an abort it waits no longer: the call then ends before its body, and frees nothing. */
  async enter(call: CallView, signal: AbortSignal): Promise<Disposable> {
    const { maxConcurrent } = this.#rule
    if (maxConcurrent === undefined) return NOTHING
    const key = this.#keyOf(call)
    const pool = this.#poolByKey.get(key) ?? { running: 0, waiting: [] }
    this.#poolByKey.set(key, pool)
    if (pool.running < maxConcurrent) pool.running++
    // A place that is handed over stays counted from the one before.
    else if (!(await turn(pool.waiting, signal))) return NOTHING
    return {
      [Symbol.dispose]: () => {
        const next = pool.waiting.shift()
        if (next !== undefined) return next()
        pool.running--
        if (pool.running === 0) this.#poolByKey.delete(key)
      },
    }
  }

  #keyOf(call: CallView): string {
    switch (this.#rule.per ?? 'all') {
      case 'all':
        return ''
      case 'scope':
        return call.scope
      case 'session':
        // Calls without a session belong together; no session can have this id, as a real one is prefixed.
        return call.sessionId === undefined ? '' : `s:${call.sessionId}`
    }
  }

  #timesWithin(key: string, sinceMs: number): readonly number[] {
    if (this.#timesByKey.size > this.#sweepAtSize) {
      // Keys come from outside and must not pile up; sweeping at doubled size keeps its cost per call constant.
      for (const other of this.#timesByKey.keys()) this.#forget(other, sinceMs)
      this.#sweepAtSize = Math.max(MIN_SWEEP_SIZE, 2 * this.#timesByKey.size)
    }
    return this.#forget(key, sinceMs)
  }

  /** Drops what is older; a key without any times is removed. */
  #forget(key: string, sinceMs: number): readonly number[] {
    const times = this.#timesByKey.get(key)
    if (times === undefined) return []
    const fresh = times.findIndex((time) => time > sinceMs)
    if (fresh > 0) times.splice(0, fresh)
    if (fresh !== -1) return times
    this.#timesByKey.delete(key)
    return []
  }
}

const MIN_SWEEP_SIZE = 1_000
const NOTHING: Disposable = { [Symbol.dispose]: () => {} }

/** Resolves to true when a place is handed over, to false on an abort. */
function turn(waiting: (() => void)[], signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const onAbort = () => {
      waiting.splice(waiting.indexOf(onTurn), 1)
      resolve(false)
    }
    const onTurn = () => {
      signal.removeEventListener('abort', onAbort)
      resolve(true)
    }
    waiting.push(onTurn)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
