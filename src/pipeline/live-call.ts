import type { CallId } from '../data/ids.ts'
import type { JsonObject } from '../data/json.ts'
import type { Approval } from '../data/outcome.ts'
import type { Violation } from '../schema/violations.ts'
import type { CallToken, ToolDefinition } from '../registry/tool.ts'
import type { CallRequest, CallView } from './call.ts'
import type { Refusal } from './mode.ts'
import { isViolationList } from './failure-content.ts'
import { fuseSignals, FusedSignal, signalOf } from './fused-signal.ts'
import { hush } from './signals.ts'
import type { CallTrace } from './trace.ts'

/** The end of a body before its time. Both sides abort together; listening to `abortable` makes no signal. */
export interface BodyAbort {
  readonly signal: AbortSignal | undefined
  readonly abortable: AbortSignal | FusedSignal | undefined
}

interface SharedStop {
  readonly own: AbortSignal | undefined
  readonly stop: AbortSignal | FusedSignal | undefined
  readonly fused: FusedSignal
  users: number
}

/** One call while it is under way: what was pinned when it was created, and the few facts that change. */
export class LiveCall {
  readonly view: CallView
  readonly token: CallToken
  readonly request: CallRequest
  /** Pinned: neither a reload nor an accessor among the arguments changes which tool and which finalizer this is. */
  readonly definition: ToolDefinition | undefined
  readonly finalizer: ToolDefinition['finalizeContent']
  readonly refusal: Refusal | undefined
  readonly parent: LiveCall | undefined
  readonly trace: CallTrace | undefined
  readonly startedAtMs: number

  policyBegun = false
  bodyStarted = false
  /** What a person said, once one has. */
  approval: Approval | undefined
  /** Children ever made, and those that have not settled. */
  children = 0
  openChildren = 0

  readonly #callerSignal: AbortSignal | FusedSignal | undefined
  readonly #fused: FusedSignal | undefined
  #idleSignal: AbortSignal | undefined
  /** What this call listens to together with its siblings. */
  readonly #shared: SharedStop | undefined
  /** The same for its children: all that are open together and were given the same signal. */
  #sharedByChildren: SharedStop | undefined
  #highestChild = 0
  #notes: { readonly code: string; readonly message: string }[] | undefined
  #violations: readonly Violation[] | undefined
  /** Of the body that runs now; children of this call hear its abort. */
  bodyStop: BodyAbort | undefined

  constructor(made: {
    view: CallView
    token: CallToken
    request: CallRequest
    definition: ToolDefinition | undefined
    finalizer: ToolDefinition['finalizeContent']
    refusal: Refusal | undefined
    parent: LiveCall | undefined
    trace: CallTrace | undefined
    startedAtMs: number
  }) {
    this.view = made.view
    this.token = made.token
    this.request = made.request
    this.definition = made.definition
    this.finalizer = made.finalizer
    this.refusal = made.refusal
    this.parent = made.parent
    this.trace = made.trace
    this.startedAtMs = made.startedAtMs
    const own = made.request.signal
    const inherited = made.parent?.bodyStop?.abortable
    if (made.parent === undefined || (own === undefined && inherited === undefined)) {
      this.#callerSignal = own
    } else {
      this.#shared = made.parent.#share(own, inherited)
      this.#callerSignal = this.#fused = fuseSignals(this.#shared.fused)
    }
    if (made.parent !== undefined) {
      made.parent.children++
      made.parent.openChildren++
    }
  }

  get callId(): CallId {
    return this.view.callId
  }
  get toolName(): string {
    return this.view.toolName
  }
  get args(): JsonObject {
    return this.view.arguments
  }

  /** The caller's own signal and the parent's; undefined when nobody can cancel this call. */
  get callerSignal(): AbortSignal | FusedSignal | undefined {
    return this.#callerSignal
  }
  get isAborted(): boolean {
    return this.#callerSignal?.aborted === true
  }
  /** For hooks that are promised a signal; made on demand, as most calls have nobody who looks at it. */
  signalForHooks(): AbortSignal {
    if (this.#callerSignal !== undefined) return signalOf(this.#callerSignal)
    this.#idleSignal ??= new AbortController().signal
    return this.#idleSignal
  }

  nextChildNumber(): number {
    return ++this.#highestChild
  }
  /** A composite may number its children itself; those that it does not number must not collide with them. */
  noteChildId(id: CallId): void {
    const number = Number(id.slice(this.callId.length + 1))
    if (Number.isSafeInteger(number) && number > this.#highestChild) this.#highestChild = number
  }

  /** Something that changes no outcome and goes into the report of this call. */
  note(diagnostic: { readonly code: string; readonly message: string }): void {
    ;(this.#notes ??= []).push(Object.freeze(diagnostic))
  }
  get notes(): readonly { readonly code: string; readonly message: string }[] {
    return this.#notes ?? []
  }

  /** What the tool's own check says. Asked once: arguments are frozen, so the answer cannot change. May throw. */
  argumentViolations(): readonly Violation[] {
    if (this.#violations === undefined) {
      const check = this.definition?.validateArguments
      const found: unknown = typeof check === 'function' ? hush(check(this.args)) : []
      if (!isViolationList(found)) throw new TypeError('it gave no list of violations; it must be synchronous')
      this.#violations = found
    }
    return this.#violations
  }

  /** Outlives the body if a child does: that child's caller can still cancel it. */
  #share(own: AbortSignal | undefined, stop: AbortSignal | FusedSignal | undefined): SharedStop {
    let shared = this.#sharedByChildren
    if (shared === undefined || shared.own !== own || shared.stop !== stop) {
      const isOne = own === undefined || (stop !== undefined && own === this.bodyStop?.signal)
      shared = { own, stop, fused: isOne ? fuseSignals(stop) : fuseSignals(own, stop), users: 0 }
      this.#sharedByChildren = shared
    }
    shared.users++
    return shared
  }

  /** The call is over: listeners go, and the parent has one child less. */
  release(): void {
    this.#fused?.[Symbol.dispose]()
    if (this.#shared !== undefined && --this.#shared.users === 0) {
      this.#shared.fused[Symbol.dispose]()
      if (this.parent !== undefined && this.parent.#sharedByChildren === this.#shared) {
        this.parent.#sharedByChildren = undefined
      }
    }
    if (this.parent !== undefined) this.parent.openChildren--
  }
}
