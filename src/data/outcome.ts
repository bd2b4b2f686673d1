import type { ContentBlock, UserMessage } from './content.ts'
import type { Failure } from './failure.ts'
import type { Json } from './json.ts'

/** How a call ended, as the caller inside this process gets it: frozen, never thrown. */
export type Outcome = Success | Failed

interface Settled {
  /** What the model may read later. */
  readonly content: readonly ContentBlock[]
  /** Replayable UI data; never shown to the model. */
  readonly meta?: Json
  /** Messages that ride home on this result, in order. */
  readonly contexts?: readonly UserMessage[]
  /** What a person said about the call; absent when nobody was asked, or nobody answered. */
  readonly approval?: Approval
}

/** The answer of a person to the question whether a call may be made. Why it was refused stands in the failure. */
export interface Approval {
  readonly answer: 'approve' | 'reject' | 'dismiss'
  /** As whoever asked knows the person. */
  readonly by?: string
}

export interface Success extends Settled {
  readonly isError: false
  /** The canonical value: a frozen JSON snapshot that matched `output.schema`. */
  readonly value: Json
  /** The turn should end after this result. Only ever true on a success. */
  readonly concludesTurn?: boolean
  /** A wrapper, not the body, made this success. */
  readonly synthetic?: boolean
}

export interface Failed extends Settled {
  readonly isError: true
  readonly error: Failure
}

/** What `tool/result` keeps for ever. The canonical value and the contexts are not in it. */
export interface DurableResult {
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  readonly errorInfo?: Failure
  readonly meta?: Json
  readonly approval?: Approval
}

export function toDurable(outcome: Outcome): DurableResult {
  return {
    content: outcome.content,
    isError: outcome.isError,
    ...(outcome.isError && { errorInfo: outcome.error }),
    ...(outcome.meta !== undefined && { meta: outcome.meta }),
    ...(outcome.approval !== undefined && { approval: outcome.approval }),
  }
}
