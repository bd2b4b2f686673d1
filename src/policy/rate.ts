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
  return {
    name: 'rate',
    pre(call) {
      let longest = 0
      for (const rule of rules) if (rule.matches(call.toolName)) longest = Math.max(longest, rule.waitMs(call))
      if (longest > 0) {
        return {
          decision: 'deny',
          reason: `too many calls in a short time; the next is possible in ${Math.ceil(longest)} ms`,
        }
      }
      // Only once every rule agrees: a call that one rule denies uses up nothing of the others.
      for (const rule of rules) if (rule.matches(call.toolName)) rule.count(call)
      return { decision: 'allow' }
    },
    async around(call, next) {
      const places: Pool[] = []
      try {
        // Always in the order of the rules, so that two calls never wait for each other.
        for (const rule of rules) {
          if (!rule.matches(call.toolName)) continue
          const pool = rule.poolOf(call)
          if (pool !== undefined && (pool.enter() || (await pool.turn(call.signal)))) places.push(pool)
        }
        return await next()
      } finally {
        for (const pool of places.toReversed()) pool.leave()
      }
    },
  }
}

class CountedRule {
  readonly matches: (toolName: string) => boolean
  readonly #rule: RateRule
  readonly #clock: Clock
  /** Times of the calls within the window. */
  readonly #timesByKey = new Map<string, Times>()
  #sweepAtSize = MIN_SWEEP_SIZE
  readonly #poolByKey = new Map<string, Pool>()

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
    const oldest = times?.fromEnd(maxCalls)
    return oldest === undefined ? 0 : oldest + perMs - now
  }

  count(call: CallView): void {
    if (this.#rule.maxCalls === undefined) return
    const key = this.#keyOf(call)
    let times = this.#timesByKey.get(key)
    if (times === undefined) this.#timesByKey.set(key, (times = new Times()))
    times.add(this.#clock.monotonicMs())
  }

  /** Where a call takes its place; undefined where any number may run. */
  poolOf(call: CallView): Pool | undefined {
    const { maxConcurrent } = this.#rule
    if (maxConcurrent === undefined) return undefined
    const key = this.#keyOf(call)
    let pool = this.#poolByKey.get(key)
    if (pool === undefined) {
      pool = new Pool(maxConcurrent, () => this.#poolByKey.delete(key))
      this.#poolByKey.set(key, pool)
    }
    return pool
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

  #timesWithin(key: string, sinceMs: number): Times | undefined {
    if (this.#timesByKey.size > this.#sweepAtSize) {
      // Keys come from outside and must not pile up; sweeping at doubled size keeps its cost per call constant.
      for (const other of this.#timesByKey.keys()) this.#forget(other, sinceMs)
      this.#sweepAtSize = Math.max(MIN_SWEEP_SIZE, 2 * this.#timesByKey.size)
    }
    return this.#forget(key, sinceMs)
  }

  /** Drops what is older; a key without any times is removed. */
  #forget(key: string, sinceMs: number): Times | undefined {
    const times = this.#timesByKey.get(key)
    if (times === undefined || times.dropUntil(sinceMs) > 0) return times
    this.#timesByKey.delete(key)
    return undefined
  }
}

const MIN_SWEEP_SIZE = 1_000

/** A queue of moments, oldest first. What is dropped stays in the array until it is half of it: each is moved once. */
class Times {
  #times: number[] = []
  #first = 0

  add(time: number): void {
    this.#times.push(time)
  }

  /** The last one is 1 from the end. */
  fromEnd(place: number): number | undefined {
    const index = this.#times.length - place
    return index < this.#first ? undefined : this.#times[index]
  }

  /** Gives how many are left. */
  dropUntil(time: number): number {
    const times = this.#times
    while (this.#first < times.length && (times[this.#first] ?? time) <= time) this.#first++
    if (this.#first > times.length / 2) {
      this.#times = times.slice(this.#first)
      this.#first = 0
    }
    return this.#times.length - this.#first
  }
}

/** Who runs and who waits. One in which nobody runs is empty, and given up. */
class Pool {
  readonly #size: number
  readonly #onEmpty: () => void
  #running = 0
  /** In order of arrival. */
  readonly #waiting = new Set<() => void>()

  constructor(size: number, onEmpty: () => void) {
    this.#size = size
    this.#onEmpty = onEmpty
  }

  /** Takes a place, if one is free. */
  enter(): boolean {
    if (this.#running >= this.#size) return false
    this.#running++
    return true
  }

  /** Waits for a place: true when one is handed over. After an abort it waits no longer: the call ends before its body. */
  turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#waiting.delete(onTurn)
        resolve(false)
      }
      const onTurn = () => {
        signal.removeEventListener('abort', onAbort)
        resolve(true)
      }
      this.#waiting.add(onTurn)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  leave(): void {
    for (const next of this.#waiting) {
      // A place that is handed over stays counted from the one before.
      this.#waiting.delete(next)
      return next()
    }
    if (--this.#running === 0) this.#onEmpty()
  }
}
