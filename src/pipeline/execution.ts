import { digestJson } from '../data/canonical.ts'
import type { ContentBlock, UserMessage } from '../data/content.ts'
import type { CallId, SessionId } from '../data/ids.ts'
import { parseContent } from '../data/parse-content.ts'
import type { CallToken, Execution } from '../registry/tool.ts'
import type { BodyAbort, LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { hush } from './signals.ts'
import { parseUserMessage } from './user-message.ts'

/** What one run of a body sent home besides its value. */
export interface Sent {
  readonly contexts: readonly UserMessage[]
  readonly concludesTurn: boolean
  readonly content: readonly ContentBlock[] | undefined
}

/**
 * The body's side of one attempt. A retry gets a new one, so that nothing of a failed attempt rides on the result of
 * the next. Once closed it takes nothing any more: a body that was left behind talks to nobody. What it offers are
 * own functions, as authors take them apart in their parameter list.
 */
export class BodyExecution implements Execution {
  readonly callId: CallId
  readonly rootCallId: CallId
  declare readonly parentCallId?: CallId
  readonly toolName: string
  readonly scope: string
  declare readonly sessionId?: SessionId
  readonly token: CallToken
  readonly #call: LiveCall
  readonly #stop: BodyAbort
  readonly #parts: Pick<RuntimeParts, 'countLate'>
  #contexts: UserMessage[] | undefined
  #content: readonly ContentBlock[] | undefined
  #concludesTurn = false
  #isClosed = false

  constructor(call: LiveCall, stop: BodyAbort, parts: Pick<RuntimeParts, 'countLate'>) {
    const { view } = call
    this.callId = view.callId
    this.rootCallId = view.rootCallId
    if (view.parentCallId !== undefined) this.parentCallId = view.parentCallId
    this.toolName = view.toolName
    this.scope = view.scope
    if (view.sessionId !== undefined) this.sessionId = view.sessionId
    this.token = call.token
    this.#call = call
    this.#stop = stop
    this.#parts = parts
  }

  get signal(): AbortSignal {
    return this.#stop.signal ?? this.#call.signalForHooks()
  }

  /** Of the session and the call, whose id is its root's and its ordinal: providers repeat their ids, sessions never do. */
  get idempotencyKey(): string {
    return digestJson([this.sessionId ?? null, this.callId])
  }

  readonly deferContext = (message: UserMessage | string): void => {
    if (this.#isClosed) return this.#late('a context')
    const parsed = parseUserMessage(message, this.toolName)
    if (!parsed.ok) throw new TypeError(`${this.toolName}: deferContext: ${parsed.reason}`)
    ;(this.#contexts ??= []).push(parsed.message)
  }

  readonly attachContent = (content: readonly ContentBlock[]): void => {
    if (this.#isClosed) return this.#late('content')
    const parsed = parseContent(content)
    if (!parsed.ok) {
      throw new TypeError(`${this.toolName}: attachContent: ${parsed.path || '(whole)'}: ${parsed.reason}`)
    }
    this.#content = parsed.content
  }

  readonly concludeTurn = (): void => {
    if (this.#isClosed) return this.#late('a wish to end the turn')
    this.#concludesTurn = true
  }

  readonly reportProgress = (progress: { readonly message?: string; readonly fraction?: number }): void => {
    if (this.#isClosed) return this.#late('progress')
    const { message, fraction } = progress
    const isFraction = typeof fraction === 'number' && fraction >= 0 && fraction <= 1
    try {
      const step = { ...(typeof message === 'string' && { message }), ...(isFraction && { fraction }) }
      hush(this.#call.request.onProgress?.(step))
    } catch {
      // A listener's trouble is not the tool's: the body must not fail because somebody watches it.
    }
  }

  #late(what: string): void {
    this.#parts.countLate(this.callId, what)
  }

  close(): Sent {
    this.#isClosed = true
    return { contexts: this.#contexts ?? NONE, concludesTurn: this.#concludesTurn, content: this.#content }
  }
}

const NONE: readonly UserMessage[] = Object.freeze([])
