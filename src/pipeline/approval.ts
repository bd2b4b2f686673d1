import { hasCode, thrownMessage } from '../data/failure.ts'
import type { Approval } from '../data/outcome.ts'
import type { ApprovalAnswer, ApprovalRequest, Approver } from './call.ts'
import { checkArguments } from './body.ts'
import { fuseSignals } from './fused-signal.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleAborted, settleFailure, type Settlement } from './settle.ts'
import { untilAborted } from './signals.ts'

/**
 * Puts the question of one call to a person: one question, however many policies ask. Gives undefined when it was
 * granted; whatever else happens, the call is refused. The grant is for this call alone.
 */
export async function runApproval(
  call: LiveCall,
  reasons: readonly string[],
  approver: Approver | undefined,
  parts: RuntimeParts,
): Promise<Settlement | undefined> {
  // A person is not asked about a call that cannot run whatever the answer is.
  const invalid = checkArguments(call)
  if (invalid !== undefined) return invalid
  // Nor for a caller who has gone: an approver may not look whether its signal is aborted already.
  if (call.isAborted) return settleAborted(call, 'approval')
  if (!call.view.hasSession || approver === undefined) return unavailable(call, reasons, approver)

  const request: ApprovalRequest = Object.freeze({ ...call.view, reasons })
  using question = fuseSignals(call.callerSignal)
  let isTimedOut = false
  using _timer = parts.clock.after(parts.approvalMs, () => {
    isTimedOut = true
    question.abort(new Error('nobody answered in time'))
  })
  let asking: Disposable | undefined
  try {
    asking = call.request.whileAsking?.()
    const answered = await untilAborted(Promise.resolve(approver.ask(request, question.signal)), question.signal, () =>
      parts.countLate(call.callId, 'the answer of a person'),
    )
    switch (answered.kind) {
      case 'left':
        return isTimedOut
          ? cancelled(call, `nobody answered within ${parts.approvalMs} ms`)
          : settleAborted(call, 'approval')
      case 'thrown':
        // An approver that gives up by throwing an abort has withdrawn the question, not failed.
        if (isWithdrawal(answered.thrown)) return cancelled(call, 'the question was withdrawn')
        return approverFailed(call, thrownMessage(answered.thrown))
      case 'value':
        // An answer and an abort in the same turn: the caller does not want the call any more, whatever the answer.
        return call.isAborted ? settleAborted(call, 'approval') : judge(call, answered.value)
    }
  } catch (thrown) {
    return approverFailed(call, thrownMessage(thrown))
  } finally {
    endAsking(call, asking, parts)
  }
}

function judge(call: LiveCall, given: unknown): Settlement | undefined {
  const answer = readAnswer(given)
  if (answer !== undefined) call.approval = approvalOf(answer)
  switch (answer?.answer) {
    case 'approve':
      call.note({ code: 'APPROVED', message: `approved by ${answer.by ?? 'a person'}` })
      return undefined
    case 'reject': {
      const who = answer.by === undefined ? 'a person' : answer.by
      const why = answer.reason === undefined || answer.reason === '' ? '' : `: ${answer.reason}`
      return settleFailure(call, 'APPROVAL_REJECTED', `${call.toolName}: ${who} refused the call${why}`, {
        phase: 'approval',
        runsPost: true,
      })
    }
    case 'dismiss':
      return cancelled(call, 'the question was dismissed')
    case undefined:
      return approverFailed(call, 'it gave no answer (approve, reject or dismiss)')
  }
}

/** For the log. Why a call was refused is in its failure already. */
function approvalOf(given: ApprovalAnswer): Approval {
  const by = given.answer === 'dismiss' ? undefined : given.by
  return Object.freeze({ answer: given.answer, ...(by !== undefined && { by }) })
}

function unavailable(call: LiveCall, reasons: readonly string[], approver: Approver | undefined): Settlement {
  const why = approver === undefined ? 'no approver is set up' : 'the call belongs to no session'
  return settleFailure(
    call,
    'APPROVAL_UNAVAILABLE',
    `${call.toolName}: a person has to approve this call (${reasons.join('; ')}), and nobody can be asked: ${why}`,
    { phase: 'approval', runsPost: true },
  )
}

function cancelled(call: LiveCall, why: string): Settlement {
  return settleFailure(call, 'APPROVAL_CANCELLED', `${call.toolName}: a person had to approve this call; ${why}`, {
    phase: 'approval',
    runsPost: true,
  })
}

function approverFailed(call: LiveCall, message: string): Settlement {
  return settleFailure(call, 'POLICY_FAILED', `${call.toolName}: the approver failed: ${message}`, {
    phase: 'approval',
  })
}

function readAnswer(given: unknown): ApprovalAnswer | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { answer, reason, by } = given as { answer?: unknown; reason?: unknown; by?: unknown } // Checked below.
  switch (answer) {
    case 'dismiss':
      return { answer }
    case 'approve':
      return { answer, ...(typeof by === 'string' && { by }) }
    case 'reject':
      return { answer, ...(typeof reason === 'string' && { reason }), ...(typeof by === 'string' && { by }) }
    default:
      return undefined
  }
}

function isWithdrawal(thrown: unknown): boolean {
  try {
    return hasCode(thrown, 'ABORT_ERR') || (thrown as { name?: unknown }).name === 'AbortError'
  } catch {
    return false
  }
}

function endAsking(call: LiveCall, asking: Disposable | undefined, parts: RuntimeParts): void {
  try {
    asking?.[Symbol.dispose]()
  } catch (thrown) {
    parts.diagnose({ code: 'HOOK_FAILED', message: `whileAsking: ${thrownMessage(thrown)}`, callId: call.callId })
  }
}
