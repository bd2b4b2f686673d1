import { thrownMessage } from '../data/failure.ts'
import type { Policy, PreDecision } from './call.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleAborted, settleFailure, type Settlement } from './settle.ts'
import { isThenable, untilAborted } from './signals.ts'

export type PrePolicy = Policy & Required<Pick<Policy, 'pre'>>

export type PreVerdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reasons: readonly string[] }
  | { readonly kind: 'refused'; readonly settled: Settlement }

export const ALLOWED: PreVerdict = Object.freeze({ kind: 'allow' })

/**
 * Asks every pre-policy in order. The first denial or cancellation is final; questions are collected, so that a person
 * is asked once, with all reasons, and only about a call that no policy denies anyway.
 */
export async function runPre(call: LiveCall, policies: readonly PrePolicy[], parts: RuntimeParts): Promise<PreVerdict> {
  const reasons: string[] = []
  for (const policy of policies) {
    if (call.isAborted) return refused(settleAborted(call, 'pre'))
    let given: unknown
    try {
      given = policy.pre(call.view, call.signalForHooks())
      if (isThenable(given)) {
        const ended = await untilAborted(given, call.callerSignal, () =>
          parts.countLate(call.callId, 'a pre-policy decision'),
        )
        if (ended.kind === 'left') return refused(settleAborted(call, 'pre'))
        if (ended.kind === 'thrown') throw ended.thrown
        given = ended.value
      }
    } catch (thrown) {
      return refused(policyFailed(call, policy, thrownMessage(thrown)))
    }
    const decision = readDecision(given)
    switch (decision?.decision) {
      case 'allow':
        break
      case 'ask':
        reasons.push(decision.reason)
        break
      case 'deny':
        return refused(
          settleFailure(call, 'POLICY_DENIED', `${call.toolName}: ${decision.reason}`, {
            phase: 'pre',
            runsPost: true,
          }),
        )
      case 'cancel':
        return refused(
          settleFailure(call, 'ABORTED_BEFORE_DISPATCH', `${call.toolName}: ${decision.reason}`, {
            phase: 'pre',
            runsPost: true,
          }),
        )
      case undefined:
        return refused(policyFailed(call, policy, 'it gave no decision (allow, deny, ask or cancel, with a reason)'))
    }
  }
  if (call.isAborted) return refused(settleAborted(call, 'pre'))
  return reasons.length === 0 ? ALLOWED : { kind: 'ask', reasons: Object.freeze(reasons) }
}

function policyFailed(call: LiveCall, policy: Policy, message: string): Settlement {
  return settleFailure(call, 'POLICY_FAILED', `${call.toolName}: the policy "${policy.name}" failed: ${message}`, {
    phase: 'pre',
  })
}

/** Each field is read once; anything that is not a whole decision is none, which fails closed. */
function readDecision(given: unknown): PreDecision | undefined {
  try {
    if (typeof given !== 'object' || given === null) return undefined
    const { decision, reason } = given as { decision?: unknown; reason?: unknown } // Checked field by field below.
    if (decision === 'allow') return { decision }
    if (decision !== 'deny' && decision !== 'ask' && decision !== 'cancel') return undefined
    return typeof reason === 'string' ? { decision, reason } : undefined
  } catch {
    return undefined
  }
}

function refused(settled: Settlement): PreVerdict {
  return { kind: 'refused', settled }
}
