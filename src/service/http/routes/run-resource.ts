import type { RunResult } from '../../../engine.ts'
import type { LoggedRun } from '../../runs/run-table.ts'
import type { RunRecord } from '../../runs/run-record.ts'

/** A run in memory, as clients see it. */
export function toRun(record: RunRecord): Record<string, unknown> {
  const { ids, status, createdAtMs, startedAtMs, endedAtMs, result, refusal } = record
  return {
    id: ids.runId,
    sessionId: ids.sessionId,
    callId: ids.callId,
    status,
    createdAtMs,
    startedAtMs,
    endedAtMs,
    ...(refusal !== undefined && { error: refusal }),
    ...(result !== undefined && fromResult(result)),
  }
}

function fromResult({ outcome, value, partial, contexts, concludesTurn }: RunResult): Record<string, unknown> {
  const known = value ?? partial
  return {
    ...(value !== undefined && 'result' in value && { result: value.result }),
    logs: known?.logs ?? [],
    calls: known?.calls ?? [],
    notices: known?.notices ?? [],
    content: outcome.content,
    contexts,
    concludesTurn,
    ...(outcome.isError && { error: outcome.error }),
    ...(outcome.approval !== undefined && { approval: outcome.approval }),
  }
}

/** A run that only the log knows. The log keeps what a model may read, not the value. */
export function fromLog({ ids, call, result, contexts }: LoggedRun): Record<string, unknown> {
  const facts = {
    id: ids.runId,
    sessionId: ids.sessionId,
    callId: ids.callId,
    createdAtMs: call.atMs,
    startedAtMs: call.atMs,
    isFromLog: true,
  }
  if (result === undefined) {
    const error = {
      code: 'OUTCOME_UNKNOWN',
      message: 'the service died while the run was under way; the log of its session says which calls had settled',
      phase: 'run',
      bodyStarted: true,
      retryable: false,
    }
    return { ...facts, status: 'failed', error }
  }
  return {
    ...facts,
    status: statusOf(result),
    endedAtMs: result.atMs,
    content: result.content,
    contexts: contexts.map(({ message }) => message),
    concludesTurn: result.concludesTurn === true,
    ...(result.errorInfo !== undefined && { error: result.errorInfo }),
    ...(result.approval !== undefined && { approval: result.approval }),
  }
}

function statusOf({ isError, errorInfo }: NonNullable<LoggedRun['result']>): string {
  if (!isError) return 'succeeded'
  return errorInfo?.code === 'ABORTED' || errorInfo?.code === 'ABORTED_BEFORE_DISPATCH' ? 'cancelled' : 'failed'
}
