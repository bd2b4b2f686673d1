import type { ContentBlock, UserMessage } from '../data/content.ts'
import type { Failure } from '../data/failure.ts'
import type { CallId, SessionId } from '../data/ids.ts'
import type { Json } from '../data/json.ts'
import type { Approval } from '../data/outcome.ts'

/** Version of this union. A reader refuses a higher one and must understand every lower one. */
export const EVENT_VERSION = 1

/** Append-only facts of a session: a closed union. `arguments` is always the raw string that was submitted. */
export type SessionEvent =
  SessionOpened | ToolCallEvent | ToolResultEvent | CodeDispatchStartEvent | CodeDispatchEvent | ContextEvent

/** What the log adds when it takes an event. */
export type StoredEvent = SessionEvent & {
  readonly version: number
  readonly sessionId: SessionId
  /** 1, 2, 3 … within the session, without a gap. */
  readonly sequence: number
  /** Milliseconds since 1970. */
  readonly atMs: number
}

export interface SessionOpened {
  readonly type: 'session/opened'
  readonly scope: string
}
/** A model's call, before any policy. */
export interface ToolCallEvent {
  readonly type: 'tool/call'
  readonly callId: CallId
  readonly name: string
  readonly arguments: string
}
export interface ToolResultEvent {
  readonly type: 'tool/result'
  readonly callId: CallId
  readonly name: string
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  readonly errorInfo?: Failure
  readonly meta?: Json
  /** What a person decided about the call, when one was asked and answered. */
  readonly approval?: Approval
  readonly concludesTurn?: boolean
  readonly durationMs: number
}
/** A program's call starts (log-only, before policy). */
export interface CodeDispatchStartEvent {
  readonly type: 'tool/code-dispatch-start'
  readonly rootCallId: CallId
  readonly parentCallId: CallId
  readonly callId: CallId
  readonly name: string
  readonly arguments: string
}
/** A program's call settled (log-only, exactly once per start). */
export interface CodeDispatchEvent {
  readonly type: 'tool/code-dispatch'
  readonly rootCallId: CallId
  readonly parentCallId: CallId
  readonly callId: CallId
  readonly name: string
  readonly isError: boolean
  readonly errorInfo?: Failure
  readonly content: readonly ContentBlock[]
  /** UI metadata, as on a result: a nested call has a card of its own. */
  readonly meta?: Json
  readonly approval?: Approval
  /** SHA-256 (hex) of the RFC 8785 form of the canonical value; absent on failures. */
  readonly valueDigest?: string
  readonly timings: { readonly queuedMs: number; readonly runMs: number }
  readonly bodyStarted: boolean
}
/** A message that rode home on a result, committed for the next step. */
export interface ContextEvent {
  readonly type: 'context/added'
  readonly callId: CallId
  readonly message: UserMessage
}
