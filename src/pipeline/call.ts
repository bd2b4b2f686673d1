import type { CallId } from '../data/ids.ts'
import type { Json, JsonObject } from '../data/json.ts'
import type { Outcome } from '../data/outcome.ts'
import type { ContentBlock, UserMessage } from '../data/content.ts'
import type { CallFacts, CallToken, ToolDefinition } from '../registry/tool.ts'
import type { SessionLog } from '../session/log.ts'

/** One call to make. `execute()` resolves with a frozen outcome and never rejects. */
export interface CallRequest {
  readonly name: string
  /** The model's raw string (parsed once, strictly), or a value from inside this process. */
  readonly arguments: { readonly raw: string } | { readonly value: unknown }
  readonly scope: string
  /** Who calls: decides whether the mode lets the call in. `host` is trusted code of this process. */
  readonly entry: 'model' | 'program' | 'host'
  /** Without a session nobody can be asked: `ask` fails closed. */
  readonly session?: SessionLog
  /** A live call of the same session and root; checked, not trusted. */
  readonly parent?: CallToken
  readonly callId?: CallId
  readonly signal?: AbortSignal
  /** Awaited after the guards and before the wrappers and the body; what it gives is disposed when the body has settled. */
  admit?(call: AdmittedCall): Promise<Disposable>
  /** Called when a person is about to be asked; what it gives is disposed when the answer is there. */
  whileAsking?(): Disposable
  onProgress?(progress: { readonly message?: string; readonly fraction?: number }): void
}

export interface AdmittedCall extends CallFacts {
  readonly definition: ToolDefinition
  readonly arguments: JsonObject
}

/** What policies, guards, approvers and observers see of a call. Frozen; `arguments` are the bytes that are executed. */
export interface CallView extends CallFacts {
  readonly entry: CallRequest['entry']
  readonly arguments: JsonObject
  /** Absent when the name resolved to nothing. */
  readonly definition?: ToolDefinition
  readonly hasSession: boolean
}

export type PreDecision =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: string }
  | { readonly decision: 'ask'; readonly reason: string }
  | { readonly decision: 'cancel'; readonly reason: string }

export type GuardDecision = { readonly decision: 'pass' } | { readonly decision: 'deny'; readonly reason: string }

export type PostDecision =
  | { readonly decision: 'keep'; readonly contexts?: readonly UserMessage[] }
  | { readonly decision: 'replace-value'; readonly value: Json; readonly contexts?: readonly UserMessage[] }
  | {
      readonly decision: 'replace-content'
      readonly content: readonly ContentBlock[]
      readonly contexts?: readonly UserMessage[]
    }
  | { readonly decision: 'block'; readonly feedback: string; readonly contexts?: readonly UserMessage[] }

export interface AroundCall extends CallView {
  /**
   * May be replaced before `next()`; the caller's own signal stays fused in. Aborting one's own signal with a reason
   * that carries the code `TOOL_TIMEOUT` makes the outcome `TOOL_TIMEOUT`, with the reason's message.
   */
  signal: AbortSignal
  /** Sends a user message home on the result, after the body's. */
  deferContext(message: UserMessage | string): void
}

declare const passedBrand: unique symbol
/** Made only by `next()` and by `succeed()`: a wrapper that forgets to pass on does not compile. */
export interface Passed {
  readonly [passedBrand]: 'passed'
  readonly outcome: Outcome
}
export interface Next {
  /** Runs the rest (once more at each call: a retry). Never rejects. */
  (): Promise<Passed>
  /** A success of the wrapper's own making: marked `synthetic` and validated like the body's. */
  succeed(value: Json): Passed
}

/** A client of the pipeline. Every hook is optional; hooks of one kind run in order of registration. */
export interface Policy {
  readonly name: string
  pre?(call: CallView, signal: AbortSignal): PreDecision | Promise<PreDecision>
  around?(call: AroundCall, next: Next): Promise<Passed>
  post?(call: CallView, outcome: Outcome): PostDecision | Promise<PostDecision>
}

/** The owner's veto: synchronous, may only deny, and a granted approval does not skip it. */
export interface Guard {
  readonly name: string
  check(call: CallView): GuardDecision
}

export interface ApprovalRequest extends CallView {
  /** Why the call is asked about, one line a policy. */
  readonly reasons: readonly string[]
}
export type ApprovalAnswer =
  | { readonly answer: 'approve'; readonly by?: string }
  | { readonly answer: 'reject'; readonly reason?: string; readonly by?: string }
  | { readonly answer: 'dismiss' }
/** Asks one question. Aborting `signal` withdraws it. */
export interface Approver {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>
}

export interface Observer {
  /** It reads no `stageNs`: calls are not timed stage by stage for its sake. */
  readonly isBrief?: boolean
  /** A call has begun, before anything is decided about it; `settled` gets the same view. Contained likewise. */
  started?(call: CallView): void
  /** Every outcome, refusals too. What it throws is contained and reported to `onDiagnostic`. */
  settled?(call: CallView, outcome: Outcome, facts: CallReport): void
}
export interface CallReport {
  readonly bodyStarted: boolean
  readonly durationMs: number
  /** Nanoseconds spent in each stage that ran. */
  readonly stageNs: Readonly<Record<string, number>>
  /** Problems that changed nothing in the outcome, e.g. `FINALIZER_FAILED`. */
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[]
}
