/** A place among the work that runs. Disposing it lets the next one in. */
export interface Place extends Disposable {
  /**
   * For work that waits for a person: its place is free meanwhile. Disposing this waits for a place again, before the
   * tenant's new work; when the signal is aborted, no longer: what is cut needs none.
   */
  park(signal: AbortSignal): AsyncDisposable
}

export interface FairQueueOptions {
  /** Work that runs at the same time, in all. */
  readonly maxRunning: number
  /** Of one tenant: below `maxRunning`, so that no tenant's long work takes every place. */
  readonly maxRunningPerTenant: number
  readonly maxWaiting: number
  readonly maxWaitingPerTenant: number
  /** Milliseconds; default: the process's own clock. */
  readonly now?: () => number
}

/** Why somebody may not even wait. */
export type QueueRefusal = 'tenant-full' | 'full' | 'closed'

export interface FairQueue {
  readonly running: number
  readonly waiting: number
  /** About how long one more has to wait, told by how long recent work had its place. */
  readonly expectedWaitMs: number
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
  /** Work that was parked and goes on: before those who wait to begin. */
  readonly returning: Set<() => void>
  readonly waiters: Set<Waiter>
}

/** How much the last one counts in what is told of recent work. */
const NEWEST = 0.1

/**
 * One queue for each tenant, and places handed out in turn: who has sent a thousand requests waits behind their own,
 * and the next tenant's first one is next.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  // In the order of whose turn it is.
  const linesByTenant = new Map<string, Line>()
  let running = 0
  let waiting = 0
  let returning = 0
  let heldMs: number | undefined
  let isClosed = false
  const now = options.now ?? (() => performance.now())

  function lineOf(tenant: string): Line {
    const line = linesByTenant.get(tenant) ?? {
      running: 0,
      returning: new Set<() => void>(),
      waiters: new Set<Waiter>(),
    }
    linesByTenant.set(tenant, line)
    return line
  }

  function forgetIfIdle(tenant: string, line: Line): void {
    const isIdle = line.running === 0 && line.waiters.size === 0 && line.returning.size === 0
    if (isIdle && linesByTenant.get(tenant) === line) linesByTenant.delete(tenant)
  }

  function hasRoom(line: Line): boolean {
    return running < options.maxRunning && line.running < options.maxRunningPerTenant
  }

  function letIn(): void {
    for (let isFound = true; isFound && running < options.maxRunning;) {
      isFound = false
      for (const [tenant, line] of linesByTenant) {
        const [back] = line.returning
        const [first] = line.waiters
        if ((back ?? first) === undefined || !hasRoom(line)) continue
        // Behind everybody else for the next one.
        linesByTenant.delete(tenant)
        linesByTenant.set(tenant, line)
        if (back !== undefined) back()
        else if (first !== undefined) {
          line.waiters.delete(first)
          waiting--
          first.enter()
        }
        isFound = true
        break
      }
    }
  }

  function take(tenant: string, line: Line): Place {
    // Where the place is counted; undefined while it is free.
    let heldIn: Line | undefined = line
    let heldSince = now()
    let isOver = false
    count(line, 1)
    const free = () => {
      const left = heldIn
      if (left === undefined) return
      heldIn = undefined
      note(now() - heldSince)
      count(left, -1)
      letIn()
      forgetIfIdle(tenant, left)
    }
    const hold = (own: Line) => {
      heldIn = own
      heldSince = now()
      count(own, 1)
    }
    /** Until there is a place, the signal is aborted, or the work is over. */
    const comeBack = async (signal: AbortSignal) => {
      const own = lineOf(tenant)
      if (own.returning.size === 0 && hasRoom(own)) return hold(own)
      const { promise, resolve } = Promise.withResolvers<void>()
      const leave = () => {
        if (own.returning.delete(enter)) returning--
        forgetIfIdle(tenant, own)
        resolve()
      }
      const enter = () => {
        hold(own)
        leave()
      }
      own.returning.add(enter)
      returning++
      stopComing = leave
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
      await promise
      signal.removeEventListener('abort', leave)
    }
    let stopComing = () => {}
    let parked = 0
    return {
      park(signal) {
        parked++
        stopComing()
        free()
        let isBack = false
        return {
          async [Symbol.asyncDispose]() {
            if (isBack) return
            isBack = true
            parked--
            if (parked === 0 && !isOver) await comeBack(signal)
          },
        }
      },
      [Symbol.dispose]() {
        isOver = true
        stopComing()
        free()
      },
    }
  }

  function note(ms: number): void {
    heldMs = heldMs === undefined ? ms : heldMs + NEWEST * (ms - heldMs)
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
      return waiting + returning
    },
    get expectedWaitMs() {
      return ((heldMs ?? 0) * (waiting + returning + 1)) / Math.max(1, Math.min(running, options.maxRunning))
    },
    enter(tenant, signal) {
      if (isClosed) return 'closed'
      const line = lineOf(tenant)
      if (signal.aborted) return Promise.reject(signal.reason as Error) // An abort's reason is what it is.
      if (line.waiters.size === 0 && line.returning.size === 0 && hasRoom(line))
        return Promise.resolve(take(tenant, line))
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
