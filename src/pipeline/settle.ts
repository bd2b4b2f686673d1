import type { ContentBlock, UserMessage } from '../data/content.ts'
import type { FailureCode } from '../data/failure-codes.ts'
import { createFailure, type Failure, type FailurePhase } from '../data/failure.ts'
import type { Json } from '../data/json.ts'
import type { Approval, Failed, Outcome, Success } from '../data/outcome.ts'
import { snapshot } from '../data/snapshot.ts'
import { failureContent } from './failure-content.ts'
import type { LiveCall } from './live-call.ts'

/** An outcome on its way through the rest of the stages. Frozen like the outcome in it. */
export interface Settlement {
  readonly outcome: Outcome
  /** Whether post-policies see it (the failure table). */
  readonly runsPost: boolean
}

export interface FailureParts {
  readonly phase: FailurePhase
  /** Default: false. */
  readonly runsPost?: boolean
  readonly details?: unknown
  readonly retryable?: boolean
  /** Default: the failure in words. */
  readonly content?: readonly ContentBlock[] | undefined
  readonly contexts?: readonly UserMessage[] | undefined
}

/** Whether the body had begun is read off the call itself: no stage can report it otherwise. */
export function settleFailure(
  call: LiveCall,
  code: FailureCode | (string & {}),
  message: string,
  parts: FailureParts,
): Settlement {
  const details = parts.details === undefined ? undefined : jsonDetails(parts.details)
  const failure = Object.freeze(
    createFailure(code, message, {
      phase: parts.phase,
      bodyStarted: call.bodyStarted,
      ...(parts.retryable !== undefined && { retryable: parts.retryable }),
      ...(details !== undefined && { details }),
    }),
  )
  return settlement(failed(failure, parts.content ?? failureContent(failure), parts.contexts), parts.runsPost === true)
}

export function settleSuccess(success: Omit<Success, 'isError'>): Settlement {
  const { value, content, meta, contexts, concludesTurn, synthetic } = success
  return settlement(
    Object.freeze<Success>({
      isError: false,
      value,
      content,
      ...(meta !== undefined && { meta }),
      ...(contexts !== undefined && contexts.length > 0 && { contexts: Object.freeze(contexts) }),
      ...(concludesTurn === true && { concludesTurn }),
      ...(synthetic === true && { synthetic }),
    }),
    true,
  )
}

/** The caller cancelled. A call whose body never began can say that nothing happened. */
export function settleAborted(call: LiveCall, phase: FailurePhase, contexts?: readonly UserMessage[]): Settlement {
  if (!call.bodyStarted) {
    return settleFailure(
      call,
      'ABORTED_BEFORE_DISPATCH',
      `${call.toolName}: the call was cancelled before the tool started.`,
      {
        phase,
        contexts,
        runsPost: call.policyBegun,
      },
    )
  }
  const when = phase === 'body' ? 'while the tool ran' : 'after the tool had run'
  return settleFailure(call, 'ABORTED', `${call.toolName}: the call was cancelled ${when}.`, { phase, contexts })
}

export function withContent(outcome: Outcome, content: readonly ContentBlock[]): Outcome {
  return Object.freeze({ ...outcome, content })
}

/** The outcome as it is, or one that says what a person decided about its call. */
export function withApproval(outcome: Outcome, approval: Approval | undefined): Outcome {
  return approval === undefined ? outcome : Object.freeze({ ...outcome, approval })
}

export function withContexts(settled: Settlement, more: readonly UserMessage[]): Settlement {
  if (more.length === 0) return settled
  const contexts = Object.freeze([...(settled.outcome.contexts ?? []), ...more])
  return settlement(Object.freeze({ ...settled.outcome, contexts }), settled.runsPost)
}

function failed(
  error: Failure,
  content: readonly ContentBlock[],
  contexts: readonly UserMessage[] | undefined,
): Failed {
  return Object.freeze<Failed>({
    isError: true,
    error,
    content,
    ...(contexts !== undefined && contexts.length > 0 && { contexts: Object.freeze(contexts) }),
  })
}

function settlement(outcome: Outcome, runsPost: boolean): Settlement {
  return { outcome, runsPost }
}

/** Details are a courtesy: what is not JSON is left out rather than made another failure. */
function jsonDetails(details: unknown): Json | undefined {
  const taken = snapshot(details)
  return taken.ok ? taken.value : undefined
}
