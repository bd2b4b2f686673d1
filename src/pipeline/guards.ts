import { thrownMessage } from '../data/failure.ts'
import type { Guard, GuardDecision } from './call.ts'
import type { LiveCall } from './live-call.ts'
import { settleFailure, type Settlement } from './settle.ts'
import { hush } from './signals.ts'

/** Every guard must pass. What is not plainly a pass is a failure of the guard, and the call does not run. */
export function runGuards(call: LiveCall, guards: readonly Guard[]): Settlement | undefined {
  for (const guard of guards) {
    let decision: GuardDecision | undefined
    try {
      decision = readDecision(hush(guard.check(call.view)))
    } catch (thrown) {
      return guardFailed(call, guard, thrownMessage(thrown))
    }
    switch (decision?.decision) {
      case 'pass':
        break
      case 'deny':
        return settleFailure(call, 'GUARD_DENIED', `${call.toolName}: ${decision.reason}`, {
          phase: 'guards',
          runsPost: true,
        })
      case undefined:
        return guardFailed(call, guard, 'it gave no decision (pass, or deny with a reason); guards are synchronous')
    }
  }
  return undefined
}

function guardFailed(call: LiveCall, guard: Guard, message: string): Settlement {
  return settleFailure(call, 'POLICY_FAILED', `${call.toolName}: the guard "${guard.name}" failed: ${message}`, {
    phase: 'guards',
  })
}

function readDecision(given: unknown): GuardDecision | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { decision, reason } = given as { decision?: unknown; reason?: unknown } // Checked field by field.
  if (decision === 'pass') return { decision }
  return decision === 'deny' && typeof reason === 'string' ? { decision, reason } : undefined
}
