import type { Clock } from '../data/clock.ts'
import { createFailure, thrownMessage, type Failure } from '../data/failure.ts'
import { callId, type CallId, type IdSource } from '../data/ids.ts'
import type { Json } from '../data/json.ts'
import type { Outcome } from '../data/outcome.ts'
import { SmallSet } from '../data/small-set.ts'
import { SNAPSHOT_DEFAULTS, type SnapshotLimits } from '../data/snapshot.ts'
import { createDisposer, type Disposer } from '../registry/disposer.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { release, runAdmit } from './admit.ts'
import { runApproval } from './approval.ts'
import { runAround, type Wrapper } from './around.ts'
import type { Approver, CallRequest, CallView, Guard, Observer, Policy } from './call.ts'
import { mayOverlap } from './concurrency.ts'
import { createCall, type CreateParts, type Created, type ViewSource } from './create.ts'
import { failureContent } from './failure-content.ts'
import { runFinalizer } from './finalize.ts'
import { runGuards } from './guards.ts'
import { checkCall } from './invariants.ts'
import type { LiveCall } from './live-call.ts'
import { runObservers, tell, tellOfStart } from './observe.ts'
import { hush } from './signals.ts'
import { runPost, type PostPolicy } from './post.ts'
import { runPre, type PrePolicy, type PreVerdict } from './pre.ts'
import { requestFault } from './request-fault.ts'
import type { Diagnostic } from './runtime-parts.ts'
import { settleAborted, settleFailure, withApproval, type Settlement } from './settle.ts'
import { TokenMint } from './token.ts'

export interface RuntimeOptions {
  readonly registry: ViewSource
  readonly clock: Clock
  readonly ids: IdSource
  /** Answers the questions of policies; without one they fail closed. */
  readonly approver?: Approver
  /** Of arguments and values. */
  readonly limits?: SnapshotLimits
  /** How long a body that ignores an abort is waited for. Default 5,000. */
  readonly drainMs?: number
  /** How long a question to a person stays open. Default 3,600,000. */
  readonly approvalMs?: number
  /** Proves the protocol of every call and reports a breach as `INVARIANT_BROKEN`. Default false. */
  readonly checkInvariants?: boolean
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
  /** Told of every success, without the report that makes observers dear: for what each call of an engine passes through. */
  readonly onSuccess?: (call: CallView, value: Json) => void
}

/**
 * The transaction boundary between whoever wants a call and the tool that makes it: every call, refused or not, goes
 * through the same stages (`stages.ts`) and ends as one frozen outcome.
 */
export class ToolRuntime {
  readonly #parts: CreateParts
  readonly #approver: Approver | undefined
  readonly #checksInvariants: boolean
  readonly #onSuccess: RuntimeOptions['onSuccess']
  // Replaced as a whole by every change: a call that walks a list is not disturbed by it.
  #policies: readonly Policy[] = []
  #pre: readonly PrePolicy[] = []
  #around: readonly Wrapper[] = []
  #post: readonly PostPolicy[] = []
  #guards: readonly Guard[] = []
  #observers: readonly Observer[] = []
  #isTimed = false
  readonly #openIds = new SmallSet<CallId>()
  #lateArrivals = 0
  #nested = 0

  constructor(options: RuntimeOptions) {
    this.#approver = options.approver
    this.#checksInvariants = options.checkInvariants === true
    this.#onSuccess = options.onSuccess
    const report = options.onDiagnostic
    const diagnose = (diagnostic: Diagnostic) => {
      try {
        hush(report?.(diagnostic))
      } catch {
        // The last resort has nobody to turn to; a call must not fail because its owner's reporter does.
      }
    }
    this.#parts = {
      registry: options.registry,
      clock: options.clock,
      ids: options.ids,
      tokens: new TokenMint(),
      limits: options.limits ?? SNAPSHOT_DEFAULTS,
      drainMs: options.drainMs ?? 5_000,
      approvalMs: options.approvalMs ?? 3_600_000,
      isTraced: () => this.#checksInvariants || this.#isTimed,
      diagnose,
      countLate: (id, what) => {
        this.#lateArrivals++
        diagnose({ code: 'LATE_ARRIVAL', message: `${what} came after the call was over; it was dropped`, callId: id })
      },
    }
  }

  /** Adds a policy behind those that are there. It takes part in every stage that a running call has not reached yet. */
  use(policy: Policy): Disposer {
    const entry: Policy = { name: policy.name, ...bound(policy) }
    this.#setPolicies([...this.#policies, entry])
    return createDisposer(() => this.#setPolicies(this.#policies.filter((other) => other !== entry)))
  }

  guard(guard: Guard): Disposer {
    const entry: Guard = { name: guard.name, check: (call) => guard.check(call) }
    this.#guards = [...this.#guards, entry]
    return createDisposer(() => {
      this.#guards = this.#guards.filter((other) => other !== entry)
    })
  }

  observe(observer: Observer): Disposer {
    const entry: Observer = {
      isBrief: observer.isBrief === true,
      started: (call) => observer.started?.(call),
      settled: (call, outcome, report) => observer.settled?.(call, outcome, report),
    }
    this.#setObservers([...this.#observers, entry])
    return createDisposer(() => this.#setObservers(this.#observers.filter((other) => other !== entry)))
  }

  /** What came for calls that were over (ends of bodies left behind, answers nobody waits for), and was dropped. */
  get lateArrivals(): number {
    return this.#lateArrivals
  }

  /** A fresh id for a top-level call, for callers that log a call before they make it. */
  newCallId(): CallId {
    return callId(`call-${this.#parts.ids()}`)
  }

  /**
   * Whether this call may overlap with others, as the registry stands now: only if the tool says literally `true`.
   * Names and arguments that will be refused before any body may overlap with everything.
   */
  isConcurrencySafe(request: Pick<CallRequest, 'name' | 'arguments' | 'scope' | 'entry'>): boolean {
    return mayOverlap(request, this.#parts)
  }

  /** Makes one call. Never rejects; the outcome is frozen. */
  async execute(request: CallRequest): Promise<Outcome> {
    if (this.#nested >= MAX_NESTED) return TOO_DEEP
    let created: Created
    try {
      const fault = requestFault(request)
      if (fault !== undefined) return refusedRequest(fault)
      created = createCall(request, this.#parts)
    } catch (fault) {
      return this.#faultBeforeCreation(fault)
    }
    const { call } = created
    try {
      this.#open(call)
      this.#parts.tokens.enliven(call.token, call)
      if (this.#observers.length > 0) tellOfStart(call, this.#observers, this.#parts)
      let settled: Settlement
      try {
        const settling = this.#begin(created)
        settled = settling instanceof Promise ? await settling : settling
      } catch (fault) {
        settled = this.#internalFault(call, fault)
      }
      // From here on no child can begin: what it would send home has nowhere to go.
      this.#parts.tokens.retire(call.token)
      const posted = this.#runPost(call, settled)
      const outcome = this.#conclude(call, posted instanceof Promise ? await posted : posted)
      this.#close(call)
      return outcome
    } catch {
      // There may be no stack left to say what happened: these words were made beforehand.
      try {
        this.#close(call)
      } catch {
        // Likewise. The call stays in the books of open ones.
      }
      return LOST
    }
  }

  /** Counts those that are under way in one another on the stack at this moment. */
  #begin(created: Created): Promise<Settlement> | Settlement {
    this.#nested++
    try {
      return this.#settle(created)
    } finally {
      this.#nested--
    }
  }

  #close(call: LiveCall): void {
    this.#parts.tokens.retire(call.token)
    call.release()
    this.#openIds.delete(call.callId)
  }

  /** Callers choose ids, and a log with two calls of one id cannot be read; that is for the owner to know, not for the model. */
  #open(call: LiveCall): void {
    if (this.#openIds.has(call.callId)) {
      const diagnostic = { code: 'DUPLICATE_ID', message: `another call with the id ${call.callId} is still open` }
      call.note(diagnostic)
      this.#parts.diagnose({ ...diagnostic, callId: call.callId })
    }
    this.#openIds.add(call.callId)
  }

  /** From the mode check to the end of the body. */
  #settle({ call, malformed }: Created): Promise<Settlement> | Settlement {
    // Nobody looks at a call that was cancelled before it came, not even to say what is wrong with it.
    if (call.isAborted) return settleAborted(call, 'arguments')
    if (malformed !== undefined) {
      const phase = malformed.code === 'INVALID_PARENT' ? 'lookup' : 'arguments'
      return settleFailure(call, malformed.code, malformed.message, { phase, details: malformed.details })
    }

    call.trace?.enter('mode')
    const { refusal, definition } = call
    if (refusal !== undefined || definition === undefined) return this.#refuse(call)

    call.trace?.enter('pre')
    call.policyBegun = true
    const verdict = runPre(call, this.#pre, this.#parts)
    return verdict instanceof Promise || verdict.kind === 'ask'
      ? this.#askAndRun(call, definition, verdict)
      : this.#decided(call, definition, verdict)
  }

  /** When a policy takes its time, or a person is to be asked. */
  async #askAndRun(
    call: LiveCall,
    definition: ToolDefinition,
    asking: Promise<PreVerdict> | PreVerdict,
  ): Promise<Settlement> {
    const verdict = await asking
    if (verdict.kind === 'ask') {
      call.trace?.enter('approval')
      const refused = await runApproval(call, verdict.reasons, this.#approver, this.#parts)
      if (refused !== undefined) return refused
    }
    return this.#decided(call, definition, verdict)
  }

  /** From the guards on. */
  #decided(call: LiveCall, definition: ToolDefinition, verdict: PreVerdict): Promise<Settlement> | Settlement {
    if (verdict.kind === 'refused') return verdict.settled
    if (call.trace !== undefined) call.trace.isAllowed = true

    call.trace?.enter('guards')
    const denied = runGuards(call, this.#guards)
    if (denied !== undefined) return denied
    // After an abort nothing new starts: no slot is asked for, and no wrapper sees a call that will not run.
    if (call.isAborted) return settleAborted(call, 'guards')

    return call.request.admit === undefined
      ? runAround(call, definition, this.#around, this.#parts)
      : this.#runAdmitted(call, definition)
  }

  async #runAdmitted(call: LiveCall, definition: ToolDefinition): Promise<Settlement> {
    call.trace?.enter('admit')
    const admission = await runAdmit(call, definition, this.#parts)
    if (admission.kind === 'refused') return admission.settled
    try {
      return await runAround(call, definition, this.#around, this.#parts)
    } finally {
      release(call, admission.slot, this.#parts)
    }
  }

  #refuse(call: LiveCall): Settlement {
    const code = call.refusal?.code ?? 'UNKNOWN_TOOL'
    const message = call.refusal?.message(call.args) ?? `there is no tool "${call.toolName}" here`
    const ownerNote = call.refusal?.ownerNote
    if (ownerNote !== undefined) {
      call.note({ code: 'HIDDEN_TOOL', message: ownerNote })
      this.#parts.diagnose({ code: 'HIDDEN_TOOL', message: ownerNote, callId: call.callId })
    }
    const isUnknown = code === 'UNKNOWN_TOOL'
    return settleFailure(call, code, message, { phase: isUnknown ? 'lookup' : 'mode', runsPost: isUnknown })
  }

  /** What the post-policies make of it. Never rejects. */
  #runPost(call: LiveCall, { outcome, runsPost: isSeen }: Settlement): Promise<Outcome> | Outcome {
    if (!isSeen) return outcome
    call.trace?.enter('post')
    try {
      const posted = runPost(call, outcome, this.#post, this.#parts)
      return posted instanceof Promise
        ? posted.catch((fault: unknown) => this.#internalFault(call, fault).outcome)
        : posted
    } catch (fault) {
      return this.#internalFault(call, fault).outcome
    }
  }

  /** From the last policy to the end. */
  #conclude(call: LiveCall, posted: Outcome): Outcome {
    const outcome = runFinalizer(call, withApproval(posted, call.approval), this.#parts)
    if (this.#checksInvariants) {
      for (const breach of checkCall(call, outcome)) {
        call.note({ code: 'INVARIANT_BROKEN', message: breach })
        this.#parts.diagnose({ code: 'INVARIANT_BROKEN', message: breach, callId: call.callId })
      }
    }
    const observers = this.#observers
    if (observers.length > 0) runObservers(call, outcome, observers, this.#parts)
    const onSuccess = this.#onSuccess
    if (!outcome.isError && onSuccess !== undefined) tell(call, this.#parts, () => onSuccess(call.view, outcome.value))
    return outcome
  }

  #setObservers(observers: readonly Observer[]): void {
    this.#observers = observers
    this.#isTimed = observers.some(({ isBrief }) => isBrief !== true)
  }

  #setPolicies(policies: readonly Policy[]): void {
    this.#policies = policies
    this.#pre = policies.filter((policy): policy is PrePolicy => policy.pre !== undefined)
    this.#around = policies.filter((policy): policy is Wrapper => policy.around !== undefined)
    this.#post = policies.filter((policy): policy is PostPolicy => policy.post !== undefined)
  }

  /** A fault of the runtime itself. It fails closed, as a policy may not have been asked. */
  #internalFault(call: LiveCall, fault: unknown): Settlement {
    const message = `${call.toolName}: an internal fault ended the call: ${thrownMessage(fault)}`
    this.#parts.diagnose({ code: 'INTERNAL_FAULT', message, callId: call.callId })
    return settleFailure(call, 'POLICY_FAILED', message, { phase: call.bodyStarted ? 'body' : 'pre' })
  }

  /** The view could not be resolved or the request itself cannot be read: there is no call to finalize or observe. */
  #faultBeforeCreation(fault: unknown): Outcome {
    const message = `the call could not be created: ${thrownMessage(fault)}`
    this.#parts.diagnose({ code: 'INTERNAL_FAULT', message })
    return faultOutcome(createFailure('POLICY_FAILED', message, { phase: 'lookup' }))
  }
}

/** Bodies that call tools without waiting, in one another: far more than anybody means, far less than the stack holds. */
const MAX_NESTED = 100
const TOO_DEEP: Outcome = faultOutcome(
  createFailure(
    'POLICY_FAILED',
    `the call was not made: ${MAX_NESTED} calls that do not wait are open in one another`,
    {
      phase: 'pre',
    },
  ),
)
const LOST: Outcome = faultOutcome(
  createFailure('POLICY_FAILED', 'an internal fault ended the call, and the attempt to tell it', {
    phase: 'body',
    bodyStarted: true,
  }),
)

function faultOutcome(failure: Failure): Outcome {
  const error = Object.freeze(failure)
  return Object.freeze({ isError: true, error, content: failureContent(error) })
}

/** Not a call: there is nothing to finalize, observe or log. */
function refusedRequest(fault: string): Outcome {
  return faultOutcome(createFailure('INVALID_ARGS', `the call cannot be made: ${fault}`, { phase: 'lookup' }))
}

function bound(policy: Policy): Partial<Policy> {
  return {
    ...(policy.pre !== undefined && { pre: policy.pre.bind(policy) }),
    ...(policy.around !== undefined && { around: policy.around.bind(policy) }),
    ...(policy.post !== undefined && { post: policy.post.bind(policy) }),
  }
}
