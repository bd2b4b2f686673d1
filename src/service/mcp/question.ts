import type { ApprovalDesk, Decision, PendingApproval } from '../approvals/approval-desk.ts'

/** A question of a call that is under way, until somebody has answered it or the call does not want it any more. */
export interface Question {
  readonly approval: PendingApproval
  /** Aborted when it is no longer open, whoever answered. */
  readonly closed: AbortSignal
  /** The first decision counts; later ones change nothing. */
  decide(decision: Decision): void
}

/** Gives the listener every question of one call, from now on. */
export function watchQuestions(
  desk: ApprovalDesk,
  of: { readonly sessionId: string; readonly callId: string },
  onQuestion: (question: Question) => void,
): Disposable {
  return desk.onAsk((approval) => {
    if (approval.sessionId !== of.sessionId || approval.rootCallId !== of.callId) return undefined
    const closing = new AbortController()
    onQuestion({
      approval,
      closed: closing.signal,
      decide(decision) {
        desk.decide(approval.scope, approval.id, decision)
        closing.abort(DECIDED)
      },
    })
    return { [Symbol.dispose]: () => closing.abort(DECIDED) }
  })
}

const DECIDED = new Error('the question is no longer open')
