import { sessionId as toSessionId } from '../../data/ids.ts'
import type { SessionLog } from '../../session/log.ts'
import type { EngineLeases } from './engine-leases.ts'
import { newSessionId } from './run-ids.ts'
import type { WatchedStore } from './watched-store.ts'

export interface SessionTableOptions {
  readonly leases: EngineLeases
  readonly store: WatchedStore
  readonly now: () => number
  /** An idle session leaves memory after this, … */
  readonly keepMs: number
  /** … or when there are more, the longest idle first. */
  readonly maxSessions: number
}

/** A session in use: held in memory until disposed. */
export interface HeldSession extends Disposable {
  readonly log: SessionLog
}

/**
 * Which sessions this service holds in memory. A session is let go when it has been idle for long: a store with a file
 * still has it, and it is opened again when it is asked for; of a memory store it is gone.
 */
export class SessionTable {
  readonly #options: SessionTableOptions
  // In the order of their last use.
  readonly #entriesById = new Map<string, Entry>()

  constructor(options: SessionTableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entriesById.size
  }

  /** Opens a session: a new one, or one under an id that nobody has used. */
  open(scope: string, id: string = newSessionId()): HeldSession {
    using lease = this.#options.leases.take()
    const log = lease.engine.openSession({ id, scope })
    const entry = this.#entriesById.get(id) ?? { scope, log, uses: 0, isStepping: false, isClosing: false, usedAtMs: 0 }
    this.#entriesById.set(id, entry)
    const held = this.#hold(id, entry, log)
    this.sweep()
    return held
  }

  /** A session of this scope that exists; undefined for every other id, whatever the reason. */
  async find(scope: string, id: string): Promise<HeldSession | undefined> {
    const known = await this.scopeOf(id)
    return known === scope ? this.open(scope, id) : undefined
  }

  /** Whether such a session exists in this scope, without holding it. */
  async has(scope: string, id: string): Promise<boolean> {
    return (await this.scopeOf(id)) === scope
  }

  /** Lets a session go at once; false when it is in use. */
  async close(id: string): Promise<boolean> {
    const entry = this.#entriesById.get(id)
    if (entry === undefined) return true
    await entry.log.flush()
    // Asked after the wait: somebody may have come meanwhile, and from here on nothing waits.
    if (entry.uses > 0) return false
    using lease = this.#options.leases.take()
    lease.engine.closeSession(id)
    this.#entriesById.delete(id)
    return true
  }

  /** One step at a time: two would answer each other's calls out of order. Undefined while one is under way. */
  beginStep(id: string): Disposable | undefined {
    const entry = this.#entriesById.get(id)
    if (entry === undefined || entry.isStepping) return undefined
    entry.isStepping = true
    return { [Symbol.dispose]: () => void (entry.isStepping = false) }
  }

  /** Lets go of what has been idle too long. Called from time to time. */
  sweep(): void {
    const oldestMs = this.#options.now() - this.#options.keepMs
    let surplus = this.#entriesById.size - this.#options.maxSessions
    for (const [id, entry] of this.#entriesById) {
      if (entry.uses > 0 || entry.isClosing) continue
      if (entry.usedAtMs > oldestMs && surplus <= 0) return
      surplus--
      entry.isClosing = true
      // What the store does not take now is tried again at the next sweep.
      this.close(id).then(
        () => void (entry.isClosing = false),
        () => void (entry.isClosing = false),
      )
    }
  }

  async scopeOf(id: string): Promise<string | undefined> {
    const { store } = this.#options
    const entry = this.#entriesById.get(id)
    if (entry !== undefined) return entry.scope
    if (store.scopeOf !== undefined) return store.scopeOf(toSessionId(id))
    const [first] = await store.read(toSessionId(id))
    return first?.type === 'session/opened' ? first.scope : undefined
  }

  #hold(id: string, entry: Entry, log: SessionLog): HeldSession {
    entry.uses++
    let isHeld = true
    return {
      log,
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        entry.uses--
        entry.usedAtMs = this.#options.now()
        if (this.#entriesById.get(id) !== entry) return
        this.#entriesById.delete(id)
        this.#entriesById.set(id, entry)
        this.sweep()
      },
    }
  }
}

interface Entry {
  readonly scope: string
  readonly log: SessionLog
  uses: number
  isStepping: boolean
  isClosing: boolean
  usedAtMs: number
}
