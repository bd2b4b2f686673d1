import { digestJson } from '../data/canonical.ts'
import type { CallId } from '../data/ids.ts'
import type { Outcome } from '../data/outcome.ts'
import type { SessionLog } from '../session/log.ts'

/** Writes the two log-only events of a dispatch: one start, exactly one settle under the same root. */
export interface DispatchLog {
  started(dispatch: { callId: CallId; name: string; arguments: string }): void
  settled(dispatch: {
    callId: CallId
    name: string
    outcome: Outcome
    bodyStarted: boolean
    queuedMs: number
    runMs: number
  }): void
}

/** Without a session (a direct call of `run_code` in this process) there is nothing to write to. */
export function createDispatchLog(
  session: SessionLog | undefined,
  ids: { rootCallId: CallId; parentCallId: CallId },
): DispatchLog {
  return {
    started(dispatch) {
      session?.append({ type: 'tool/code-dispatch-start', ...ids, ...dispatch })
    },
    settled({ callId, name, outcome, bodyStarted, queuedMs, runMs }) {
      session?.append({
        type: 'tool/code-dispatch',
        ...ids,
        callId,
        name,
        isError: outcome.isError,
        ...(outcome.isError ? { errorInfo: outcome.error } : { valueDigest: digestJson(outcome.value) }),
        content: outcome.content,
        ...(outcome.meta !== undefined && { meta: outcome.meta }),
        timings: { queuedMs, runMs },
        bodyStarted,
      })
    },
  }
}
