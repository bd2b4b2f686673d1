import type { Clock } from '../data/clock.ts'
import type { Abortable } from './fused-signal.ts'

export type Waited<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'thrown'; readonly thrown: unknown }
  /** Not waited for any longer; what still comes is reported to `onLate`. */
  | { readonly kind: 'left' }

/** Waits for `work`, but not past an abort of `signal`. Never rejects. */
export function untilAborted<T>(
  work: PromiseLike<T>,
  signal: Abortable | undefined,
  onLate: () => void,
): Promise<Waited<T>> {
  return wait(work, signal, onLate, (leave) => {
    leave()
    return undefined
  })
}

/**
 * Waits for `work`; after an abort of `signal` for `drainMs` more. `mayLeave` is asked when that time is up, and a
 * "no" grants the same time again (a composite whose children are still being drained).
 */
export function untilDrained<T>(
  work: PromiseLike<T>,
  signal: Abortable | undefined,
  options: {
    readonly clock: Clock
    readonly drainMs: number
    readonly onLate: () => void
    readonly mayLeave?: () => boolean
  },
): Promise<Waited<T>> {
  const { clock, drainMs, mayLeave } = options
  return wait(work, signal, options.onLate, (leave) => {
    let timer = clock.after(drainMs, expire)
    function expire() {
      if (mayLeave === undefined || mayLeave()) leave()
      else timer = clock.after(drainMs, expire)
    }
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
  })
}

function wait<T>(
  work: PromiseLike<T>,
  signal: Abortable | undefined,
  onLate: () => void,
  onAborted: (leave: () => void) => Disposable | undefined,
): Promise<Waited<T>> {
  return new Promise((resolve) => {
    let isOver = false
    let timer: Disposable | undefined
    const end = (how: Waited<T>) => {
      if (isOver) return how.kind === 'left' ? undefined : onLate()
      isOver = true
      signal?.removeEventListener('abort', onAbort)
      timer?.[Symbol.dispose]()
      resolve(how)
    }
    const onAbort = () => {
      signal?.removeEventListener('abort', onAbort)
      timer = onAborted(() => end({ kind: 'left' }))
    }
    // Handlers first: work that is already settled must not be reported as left behind.
    try {
      Promise.resolve(work).then(
        (value) => end({ kind: 'value', value }),
        (thrown: unknown) => end({ kind: 'thrown', thrown }),
      )
    } catch (thrown) {
      end({ kind: 'thrown', thrown })
    }
    if (signal === undefined || isOver) return
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
}

/** Whether a hook gave something to wait for. Total: an accessor that throws is just not a promise. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false
  try {
    return typeof (value as { then?: unknown }).then === 'function'
  } catch {
    return false
  }
}

/**
 * For what a synchronous hook gave: an author who wrote it async gave a promise, which is no answer, and whose rejection
 * would otherwise end the process unheard.
 */
export function hush<T>(given: T): T {
  try {
    if (given instanceof Promise) given.catch(() => {})
  } catch {
    // A proxy that cannot be looked at is no promise that can reject.
  }
  return given
}
