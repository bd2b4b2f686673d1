import type { ContentBlock, UserMessage } from '../data/content.ts'
import type { CallId, SessionId } from '../data/ids.ts'
import type { Json, JsonObject } from '../data/json.ts'
import type { DurableResult, Outcome } from '../data/outcome.ts'
import type { Violation } from '../schema/violations.ts'

/**
 * One tool definition is four contracts that never stand in for each other: what the model is told, what is
 * executed, what is kept, what a UI draws. `defineTool` and the importers make these; the pipeline runs them.
 */
export interface ToolDefinition {
  // --- model contract -------------------------------------------------------------------------------------------
  /** `<name>` or `<namespace>.<name>`, byte for byte as its owner wrote it: 1–128 of `[A-Za-z0-9_.\-/]`. */
  readonly name: string
  /** The part of `name` before the first dot that groups tools in the SDK (one per MCP server); absent: ungrouped. */
  readonly namespace?: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of the arguments, as the model sees it. */
  readonly parameters: JsonObject

  // --- execution contract ---------------------------------------------------------------------------------------
  /** Who checks arguments: this function, or (said out loud) the body. There is no silent third choice. */
  readonly validateArguments: ((args: JsonObject) => readonly Violation[]) | 'in-body'
  /** Gives the canonical JSON value, or throws. `args` is frozen. */
  execute(args: JsonObject, exec: Execution): unknown
  readonly timeoutMs?: number
  /** Literally `true` lets the call overlap with others; anything else, a throw too, makes it run alone. */
  isConcurrencySafe?(args: JsonObject): boolean
  /** Which entry a model has: directly, from programs, or either. Default `both`. */
  readonly tier?: 'native' | 'code' | 'both'

  // --- durable content ------------------------------------------------------------------------------------------
  readonly output: ToolOutput
  /** The owner's last word on content, tried once for every outcome. May return content only. */
  finalizeContent?(exec: CallFacts, result: Outcome): readonly ContentBlock[] | undefined

  // --- host and UI ----------------------------------------------------------------------------------------------
  presentCall?(args: JsonObject): RenderIntent
  presentResult?(args: JsonObject, durable: DurableResult): RenderIntent
  readonly annotations?: ToolAnnotations
}

export interface ToolOutput {
  /** JSON Schema of the canonical value; absent: untyped (`any` to programs). */
  readonly schema?: JsonObject
  /** Checks the canonical value; absent: every JSON value is fine. */
  validate?(value: Json): readonly Violation[]
  /** Model-facing content of a success. Pure. */
  render(args: JsonObject, value: Json): readonly ContentBlock[]
  /** Replayable UI metadata of a success. Pure. */
  presentationMeta?(args: JsonObject, value: Json): Json | undefined
}

/** MCP's hints, with MCP's meaning: claims of the owner, not guarantees. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** Facts about a call that are safe to show to any layer. */
export interface CallFacts {
  readonly callId: CallId
  readonly rootCallId: CallId
  readonly parentCallId?: CallId
  readonly toolName: string
  readonly scope: string
  readonly sessionId?: SessionId
}

/** What a body gets. `signal` is the caller's own fused with whatever a wrapper put in its place. */
export interface Execution extends CallFacts {
  readonly signal: AbortSignal
  /**
   * For tools whose other side does a thing once for each key: the same for every attempt at this call, another for
   * every other call. Of visible ASCII; says nothing. The pipeline always gives one.
   */
  readonly idempotencyKey?: string
  /** The live identity of this call: pass it as `parent` of a nested call. Compared by identity, never serialised. */
  readonly token: CallToken
  /** Sends a user message home on the result; it reaches the model after the result, never before. */
  deferContext(message: UserMessage | string): void
  /**
   * Durable content in the body's own words (a peer's blocks, a preview), in place of `output.render` on a success and
   * of the default text when the body throws. The last one wins; a policy that replaces the value discards it.
   */
  attachContent(content: readonly ContentBlock[]): void
  /** Asks that the turn end after this result; counts only if the call succeeds. */
  concludeTurn(): void
  reportProgress(progress: { readonly message?: string; readonly fraction?: number }): void
}

declare const tokenBrand: unique symbol
/** Minted in `pipeline/token.ts` alone; carries nothing. */
export interface CallToken {
  readonly [tokenBrand]: 'call-token'
}

/** Provider-neutral intent of a presenter. Depends only on what is in the log. */
export type RenderIntent =
  | { readonly kind: 'generic'; readonly title: string; readonly detail?: string }
  | { readonly kind: 'terminal'; readonly command: string; readonly output?: string; readonly exitCode?: number }
  | {
      readonly kind: 'diff'
      readonly path: string
      readonly before?: string
      readonly after?: string
      readonly patch?: string
    }
  | {
      readonly kind: 'search'
      readonly query: string
      readonly hits?: readonly { readonly title: string; readonly ref: string }[]
    }
  | { readonly kind: 'read'; readonly path: string; readonly range?: string; readonly text?: string }
  | { readonly kind: 'web'; readonly url: string; readonly title?: string; readonly text?: string }
