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
  readonly isExclusive: boolean
  state: 'submitted' | 'waiting' | 'running' | 'settled'
  start?: () => void
}

export function createScheduler(maxConcurrentCalls: number): Scheduler {
  // Unsettled tickets in order of submission; settled ones leave, so the scan below is over what is open.
  const open = new Set<Entry>()
  let running = 0

  function pump() {
    let anyBefore = false
    for (const entry of open) {
      const mayStart =
        entry.state === 'waiting' &&
        running < maxConcurrentCalls &&
        (!entry.isExclusive || (!anyBefore && running === 0))
      if (mayStart) {
        entry.state = 'running'
        running++
        entry.start?.()
      }
      // Nothing passes an exclusive call that is still open, whatever it is doing.
      if (entry.isExclusive) return
      anyBefore = true
    }
  }

  function leaveSlot(entry: Entry, next: 'submitted' | 'settled') {
    if (entry.state === 'running') running--
    entry.state = next
  }

  return {
    submit(isExclusive) {
      const entry: Entry = { isExclusive, state: 'submitted' }
      open.add(entry)
      return {
        admit(signal) {
          return new Promise((resolve) => {
            const slot = { [Symbol.dispose]: () => (leaveSlot(entry, 'submitted'), pump()) }
            const onAbort = () => {
              if (entry.state !== 'waiting') return
              entry.state = 'submitted'
              resolve({ [Symbol.dispose]: () => {} })
            }
            if (signal.aborted) return resolve({ [Symbol.dispose]: () => {} })
            signal.addEventListener('abort', onAbort, { once: true })
            entry.start = () => {
              signal.removeEventListener('abort', onAbort)
              resolve(slot)
            }
            entry.state = 'waiting'
            pump()
          })
        },
        settled() {
          if (!open.delete(entry)) return
          leaveSlot(entry, 'settled')
          pump()
        },
      }
    },
  }
}
