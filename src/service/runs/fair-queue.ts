/** A place among the work that runs. Disposing it lets the next one in. */
export interface Place extends Disposable {
  /** For work that waits for a person: its place is free meanwhile. Taken back, whoever is in, when this is disposed. */
  park(): Disposable
}

export interface FairQueueOptions {
  /** Work that runs at the same time, in all. */
  readonly maxRunning: number
  /** Of one tenant: below `maxRunning`, so that no tenant's long work takes every place. */
  readonly maxRunningPerTenant: number
  readonly maxWaiting: number
  readonly maxWaitingPerTenant: number
}

/** Why somebody may not even wait. */
export type QueueRefusal = 'tenant-full' | 'full' | 'closed'

export interface FairQueue {
  readonly running: number
  readonly waiting: number
  /** A promise of a place (it rejects with the signal's reason, or with `QueueClosed`), or why there is none to wait for. */
  enter(tenant: string, signal: AbortSignal): Promise<Place> | QueueRefusal
  /** Nobody is let in any more, and those who wait are sent away. */
  close(): void
}

export class QueueClosed extends Error {
  constructor() {
    super('the service ends and starts nothing more')
  }
}

interface Waiter {
  enter(): void
  refuse(error: Error): void
}
interface Line {
  running: number
  readonly waiters: Set<Waiter>
}

/**
 * One queue for each tenant, and places handed out in turn: who has sent a thousand requests waits behind their own,
 * and the next tenant's first one is next.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  // In the order of whose turn it is.
  const linesByTenant = new Map<string, Line>()
  let running = 0
  let waiting = 0
  let isClosed = false

  function lineOf(tenant: string): Line {
    const line = linesByTenant.get(tenant) ?? { running: 0, waiters: new Set<Waiter>() }
    linesByTenant.set(tenant, line)
    return line
  }

  function forgetIfIdle(tenant: string, line: Line): void {
    if (line.running === 0 && line.waiters.size === 0 && linesByTenant.get(tenant) === line)
      linesByTenant.delete(tenant)
  }

  function hasRoom(line: Line): boolean {
    return running < options.maxRunning && line.running < options.maxRunningPerTenant
  }

  function letIn(): void {
    for (let isFound = true; isFound && running < options.maxRunning;) {
      isFound = false
      for (const [tenant, line] of linesByTenant) {
        const [first] = line.waiters
        if (first === undefined || !hasRoom(line)) continue
        line.waiters.delete(first)
        waiting--
        // Behind everybody else for the next one.
        linesByTenant.delete(tenant)
        linesByTenant.set(tenant, line)
        first.enter()
        isFound = true
        break
      }
    }
  }

  function take(tenant: string, line: Line): Place {
    // Where the place is counted; undefined while it is free.
    let heldIn: Line | undefined = line
    let isOver = false
    count(line, 1)
    const free = () => {
      const left = heldIn
      if (left === undefined) return
      heldIn = undefined
      count(left, -1)
      letIn()
      forgetIfIdle(tenant, left)
    }
    let parked = 0
    return {
      park() {
        parked++
        free()
        let isBack = false
        return {
          [Symbol.dispose]() {
            if (isBack) return
            isBack = true
            parked--
            if (parked > 0 || isOver) return
            heldIn = lineOf(tenant)
            count(heldIn, 1)
          },
        }
      },
      [Symbol.dispose]() {
        isOver = true
        free()
      },
    }
  }

  function count(line: Line, by: number): void {
    line.running += by
    running += by
  }

  return {
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
    enter(tenant, signal) {
      if (isClosed) return 'closed'
      const line = lineOf(tenant)
      if (signal.aborted) return Promise.reject(signal.reason as Error) // An abort's reason is what it is.
      if (line.waiters.size === 0 && hasRoom(line)) return Promise.resolve(take(tenant, line))
      if (line.waiters.size >= options.maxWaitingPerTenant) return 'tenant-full'
      if (waiting >= options.maxWaiting) {
        forgetIfIdle(tenant, line)
        return 'full'
      }
      const { promise, resolve, reject } = Promise.withResolvers<Place>()
      const leave = () => {
        if (!line.waiters.delete(waiter)) return
        waiting--
        forgetIfIdle(tenant, line)
        reject(signal.reason as Error) // Likewise.
      }
      const waiter: Waiter = {
        enter() {
          signal.removeEventListener('abort', leave)
          resolve(take(tenant, line))
        },
        refuse(error) {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      line.waiters.add(waiter)
      waiting++
      return promise
    },
    close() {
      isClosed = true
      for (const [tenant, line] of linesByTenant) {
        for (const waiter of line.waiters) waiter.refuse(new QueueClosed())
        waiting -= line.waiters.size
        line.waiters.clear()
        forgetIfIdle(tenant, line)
      }
    },
  }
}
