import { fuseSignals, type FusedSignal } from '../pipeline/fused-signal.ts'

/**
 * Decides when a program's calls may enter their bodies. Order of submission is the order of tickets: calls that are
 * safe together overlap up to a bound; an exclusive one waits until all before it have settled and runs alone, and
 * holds back all behind it. A ticket without a slot (a call that waits for a person) holds nothing back but the
 * exclusive calls behind it.
 */
export interface Scheduler {
  submit(isExclusive: boolean): Ticket
}

export interface Ticket {
  /** Resolves when the body may start, or when `signal` aborts (the caller then sees the abort for itself). */
  admit(signal: AbortSignal): Promise<Disposable>
  /** The call has settled, whether it was ever admitted or not. Idempotent. */
  settled(): void
}

interface Entry {
  readonly number: number
  readonly isExclusive: boolean
  state: 'submitted' | 'waiting' | 'running' | 'settled'
  start?: () => void
  unwatch?: () => void
}

export function createScheduler(maxConcurrentCalls: number): Scheduler {
  // Each in order of submission. Who has left a line is dropped from it when it comes to its head.
  const open = createLine((entry) => entry.state !== 'settled')
  const exclusive = createLine((entry) => entry.state !== 'settled')
  const waiting = createLine((entry) => entry.state === 'waiting')
  const aborts = createAbortWatch()
  let submitted = 0
  let running = 0

  function pump() {
    while (running < maxConcurrentCalls) {
      const next = waiting.first()
      if (next === undefined) return
      if (next.isExclusive && (running > 0 || open.first() !== next)) return
      // Nothing passes an exclusive call that is still open, whatever it is doing.
      const barrier = exclusive.first()
      if (barrier !== undefined && barrier.number < next.number) return
      next.state = 'running'
      running++
      next.start?.()
    }
  }

  function leave(entry: Entry, next: 'submitted' | 'settled') {
    if (entry.state === 'running') running--
    entry.state = next
    entry.unwatch?.()
  }

  return {
    submit(isExclusive) {
      const entry: Entry = { number: ++submitted, isExclusive, state: 'submitted' }
      open.add(entry)
      if (isExclusive) exclusive.add(entry)
      return {
        admit(signal) {
          return new Promise((resolve) => {
            if (signal.aborted) return resolve(NO_SLOT)
            const slot = { [Symbol.dispose]: () => (leave(entry, 'submitted'), pump()) }
            entry.start = () => {
              entry.unwatch?.()
              resolve(slot)
            }
            entry.state = 'waiting'
            waiting.add(entry)
            pump()
            // Most calls are let in at once and need not hear of an abort here. (The pump changes the state.)
            if ((entry as Entry).state !== 'waiting') return
            entry.unwatch = aborts.watch(signal, () => {
              leave(entry, 'submitted')
              resolve(NO_SLOT)
            })
          })
        },
        settled() {
          if (entry.state === 'settled') return
          leave(entry, 'settled')
          pump()
        },
      }
    },
  }
}

const NO_SLOT: Disposable = { [Symbol.dispose]: () => {} }

/** Entries in order of submission. One that is not wanted any more is dropped when it comes to the head. */
function createLine(isWanted: (entry: Entry) => boolean) {
  let entries: Entry[] = []
  let head = 0
  return {
    add(entry: Entry): void {
      let index = entries.length
      while (index > head && (entries[index - 1]?.number ?? 0) > entry.number) index--
      if (index === entries.length) entries.push(entry)
      else entries.splice(index, 0, entry)
    },
    first(): Entry | undefined {
      for (let entry = entries[head]; entry !== undefined; entry = entries[++head]) if (isWanted(entry)) break
      const first = entries[head]
      if (head > entries.length / 2) {
        entries = entries.slice(head)
        head = 0
      }
      return first
    },
  }
}

/** One listener on a signal, however many wait: a signal compares each listener with all that it has. */
function createAbortWatch() {
  const sharedBySignal = new Map<AbortSignal, { readonly fused: FusedSignal; users: number }>()
  return {
    /** Calls `listener` when the signal aborts; gives what takes it away again, which may be called twice. */
    watch(signal: AbortSignal, listener: () => void): () => void {
      const shared = sharedBySignal.get(signal) ?? { fused: fuseSignals(signal), users: 0 }
      sharedBySignal.set(signal, shared)
      shared.users++
      shared.fused.addEventListener('abort', listener)
      let isWatched = true
      return () => {
        if (!isWatched) return
        isWatched = false
        shared.fused.removeEventListener('abort', listener)
        if (--shared.users > 0) return
        shared.fused[Symbol.dispose]()
        sharedBySignal.delete(signal)
      }
    },
  }
}
