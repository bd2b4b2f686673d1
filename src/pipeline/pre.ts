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

const ALLOWED: PreVerdict = Object.freeze({ kind: 'allow' })

/**
 * Asks every pre-policy in order. The first denial or cancellation is final; questions are collected, so that a person
 * is asked once, with all reasons, and only about a call that no policy denies anyway.
 */
export function runPre(
  call: LiveCall,
  policies: readonly PrePolicy[],
  parts: RuntimeParts,
): Promise<PreVerdict> | PreVerdict {
  return askFrom(0, NO_REASONS, call, policies, parts)
}

/** The policies from this one on, up to the first that takes its time. */
function askFrom(
  first: number,
  before: readonly string[],
  call: LiveCall,
  policies: readonly PrePolicy[],
  parts: RuntimeParts,
): Promise<PreVerdict> | PreVerdict {
  let reasons = before
  for (let index = first; index < policies.length; index++) {
    const policy = policies[index]! // Below the length.
    if (call.isAborted) return refused(settleAborted(call, 'pre'))
    let given: unknown
    try {
      given = policy.pre(call.view, call.signalForHooks())
    } catch (thrown) {
      return refused(policyFailed(call, policy, thrownMessage(thrown)))
    }
    if (isThenable(given)) return askOn(given, index, reasons, call, policies, parts)
    const judged = judge(given, policy, reasons, call)
    if ('kind' in judged) return judged
    reasons = judged
  }
  if (call.isAborted) return refused(settleAborted(call, 'pre'))
  return reasons.length === 0 ? ALLOWED : { kind: 'ask', reasons }
}

/** Waits for the policy at `index`, then asks the others. */
async function askOn(
  given: PromiseLike<unknown>,
  index: number,
  reasons: readonly string[],
  call: LiveCall,
  policies: readonly PrePolicy[],
  parts: RuntimeParts,
): Promise<PreVerdict> {
  const policy = policies[index]! // Its caller asked it.
  const ended = await untilAborted(given, call.callerSignal, () =>
    parts.countLate(call.callId, 'a pre-policy decision'),
  )
  if (ended.kind === 'left') return refused(settleAborted(call, 'pre'))
  if (ended.kind === 'thrown') return refused(policyFailed(call, policy, thrownMessage(ended.thrown)))
  const judged = judge(ended.value, policy, reasons, call)
  return 'kind' in judged ? judged : askFrom(index + 1, judged, call, policies, parts)
}

/** The end of the round, or what is to be asked so far. */
function judge(
  given: unknown,
  policy: PrePolicy,
  reasons: readonly string[],
  call: LiveCall,
): PreVerdict | readonly string[] {
  const decision = readDecision(given)
  switch (decision?.decision) {
    case 'allow':
      return reasons
    case 'ask':
      return Object.freeze([...reasons, decision.reason])
    case 'deny':
      return refused(
        settleFailure(call, 'POLICY_DENIED', `${call.toolName}: ${decision.reason}`, { phase: 'pre', runsPost: true }),
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

const NO_REASONS: readonly string[] = Object.freeze([])
const ALLOW: PreDecision = Object.freeze({ decision: 'allow' })

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
    if (decision === 'allow') return ALLOW
    if (decision !== 'deny' && decision !== 'ask' && decision !== 'cancel') return undefined
    return typeof reason === 'string' ? { decision, reason } : undefined
  } catch {
    return undefined
  }
}

function refused(settled: Settlement): PreVerdict {
  return { kind: 'refused', settled }
}
