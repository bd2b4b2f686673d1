import { digestJson } from '../data/canonical.ts'
import type { CallId } from '../data/ids.ts'
import type { Outcome } from '../data/outcome.ts'
import type { SessionLog } from '../session/log.ts'

/**
 * Writes the two log-only events of a dispatch: one start, exactly one settle under the same root.
 *
 * A settle event is held until the program has its answer: its digest and its text are made while the program goes on,
 * not while it waits. In the log it still stands where it belongs, before every start that came after it.
 */
export interface DispatchLog {
  /** Throws what the session throws, before anything of the call is done: what cannot be logged is not run. */
  started(dispatch: StartedDispatch): void
  settled(dispatch: SettledDispatch): void
  /** Writes what is held: nothing of a run may come after the run's own result. Throws what the session throws. */
  flush(): void
}

export interface StartedDispatch {
  readonly callId: CallId
  readonly name: string
  readonly arguments: string
}

export interface SettledDispatch {
  readonly callId: CallId
  readonly name: string
  readonly outcome: Outcome
  readonly bodyStarted: boolean
  readonly queuedMs: number
  readonly runMs: number
}

/**
 * Without a session (a direct call of `run_code` in this process) there is nothing to write to. `later` runs a function
 * once, after what is due now: answers leave in this turn of the event loop, so the next one is late enough.
 */
export function createDispatchLog(
  session: SessionLog | undefined,
  ids: { readonly rootCallId: CallId; readonly parentCallId: CallId },
  later: (fn: () => void) => void = (fn) => void setImmediate(fn),
): DispatchLog {
  if (session === undefined) return { started() {}, settled() {}, flush() {} }
  const held: SettledDispatch[] = []
  let isAwaited = false

  function flush() {
    // Out only when it is in the log: a store that refuses now may take it at the next attempt, and never twice.
    for (let next = held[0]; next !== undefined; next = held[0]) {
      session?.append(toEvent(next, ids))
      held.shift()
    }
  }

  return {
    started(dispatch) {
      flush()
      session.append({ type: 'tool/code-dispatch-start', ...ids, ...dispatch })
    },
    settled(dispatch) {
      held.push(dispatch)
      if (isAwaited) return
      isAwaited = true
      later(() => {
        isAwaited = false
        try {
          flush()
        } catch {
          // Nobody is here to be told. The next start, or the end of the run, meets the same fault and says so.
        }
      })
    },
    flush,
  }
}

function toEvent(
  { callId, name, outcome, bodyStarted, queuedMs, runMs }: SettledDispatch,
  ids: { readonly rootCallId: CallId; readonly parentCallId: CallId },
) {
  return {
    type: 'tool/code-dispatch' as const,
    ...ids,
    callId,
    name,
    isError: outcome.isError,
    ...(outcome.isError ? { errorInfo: outcome.error } : { valueDigest: digestJson(outcome.value) }),
    content: outcome.content,
    ...(outcome.meta !== undefined && { meta: outcome.meta }),
    ...(outcome.approval !== undefined && { approval: outcome.approval }),
    timings: { queuedMs, runMs },
    bodyStarted,
  }
}
