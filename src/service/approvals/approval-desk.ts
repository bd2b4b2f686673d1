import type { JsonObject } from '../../data/json.ts'
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../pipeline/call.ts'

/** A question that waits for a person. */
export interface PendingApproval {
  readonly id: string
  readonly scope: string
  readonly sessionId: string
  readonly callId: string
  readonly rootCallId: string
  readonly toolName: string
  /** What will be executed, byte for byte, when it is approved. */
  readonly arguments: JsonObject
  readonly reasons: readonly string[]
  readonly askedAtMs: number
}

export interface Decision {
  /** `dismiss`: whoever was asked did not want to decide; the call fails as one that nobody answered. */
  readonly answer: 'approve' | 'reject' | 'dismiss'
  readonly by: string
  readonly reason?: string
}

/** `unknown`: never asked, asked in another scope, or withdrawn. `decided`: somebody was first. */
export type DecideResult =
  { readonly result: 'done'; readonly approval: PendingApproval } | { readonly result: 'unknown' | 'decided' }

/** Where questions to a person wait: the approver of an engine on one side, the people of each scope on the other. */
export interface ApprovalDesk {
  readonly approver: Approver
  /** Of one scope, oldest first. */
  pending(scope: string): readonly PendingApproval[]
  find(scope: string, id: string): PendingApproval | undefined
  /** First come, first served: of two decisions at once one counts, and the other is told so. */
  decide(scope: string, id: string, decision: Decision): DecideResult
  readonly count: number
  /**
   * What the listener gives is disposed when the question is no longer open, and the call goes on after that. The signal
   * is the question's: aborted, nobody waits for it any more.
   */
  onAsk(listener: AskListener): Disposable
}

export type AskListener = (approval: PendingApproval, signal: AbortSignal) => Disposable | AsyncDisposable | undefined

export interface ApprovalDeskOptions {
  readonly now: () => number
  /** At least 128 random bits. */
  readonly newId: () => string
  /** Questions of one scope at a time; one more fails its call closed. Default 1,000. */
  readonly maxPerScope?: number
}

interface Open {
  readonly approval: PendingApproval
  readonly answer: (answer: ApprovalAnswer) => void
}

/** How many ids of decided questions are remembered, to tell "too late" from "never heard of". */
const MAX_DECIDED = 1_000

/** Questions live as long as their calls do: they are in memory, and a question whose call has gone is gone too. */
export function createApprovalDesk(options: ApprovalDeskOptions): ApprovalDesk {
  const maxPerScope = options.maxPerScope ?? 1_000
  const openById = new Map<string, Open>()
  const scopeOfDecided = new Map<string, string>()
  const listeners = new Set<AskListener>()

  function pending(scope: string): readonly PendingApproval[] {
    return [...openById.values()].map(({ approval }) => approval).filter((approval) => approval.scope === scope)
  }

  async function ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    signal.throwIfAborted()
    if (pending(request.scope).length >= maxPerScope) {
      throw new Error(`${maxPerScope} questions wait for a person already; answer some of them first`)
    }
    const approval = toPending(request, `approval-${options.newId()}`, options.now())
    const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>()
    const withdraw = () => reject(signal.reason as Error) // An abort's reason; the pipeline reads it as a withdrawal.
    signal.addEventListener('abort', withdraw, { once: true })
    openById.set(approval.id, { approval, answer: resolve })
    await using told = new AsyncDisposableStack()
    for (const listener of listeners) told.use(listener(approval, signal))
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', withdraw)
      openById.delete(approval.id)
    }
  }

  return {
    approver: { ask },
    pending,
    find(scope, id) {
      const open = openById.get(id)
      return open?.approval.scope === scope ? open.approval : undefined
    },
    decide(scope, id, { answer, by, reason }) {
      const open = openById.get(id)
      if (open === undefined || open.approval.scope !== scope)
        return { result: scopeOfDecided.get(id) === scope ? 'decided' : 'unknown' }
      openById.delete(id)
      scopeOfDecided.set(id, scope)
      for (const oldest of scopeOfDecided.keys()) {
        if (scopeOfDecided.size <= MAX_DECIDED) break
        scopeOfDecided.delete(oldest)
      }
      open.answer(toAnswer(answer, by, reason))
      return { result: 'done', approval: open.approval }
    },
    get count() {
      return openById.size
    },
    onAsk(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
}

function toAnswer(answer: Decision['answer'], by: string, reason: string | undefined): ApprovalAnswer {
  switch (answer) {
    case 'approve':
      return { answer, by }
    case 'reject':
      return { answer, by, ...(reason !== undefined && { reason }) }
    case 'dismiss':
      return { answer }
  }
}

function toPending(request: ApprovalRequest, id: string, askedAtMs: number): PendingApproval {
  return {
    id,
    scope: request.scope,
    sessionId: request.sessionId ?? '',
    callId: request.callId,
    rootCallId: request.rootCallId,
    toolName: request.toolName,
    arguments: request.arguments,
    reasons: request.reasons,
    askedAtMs,
  }
}
