import { thrownMessage } from '../data/failure.ts'
import type { Outcome } from '../data/outcome.ts'
import type { CallReport, Observer } from './call.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'

/** Says that a call has begun, to those who want to hear it. */
export function tellOfStart(call: LiveCall, observers: readonly Observer[], parts: RuntimeParts): void {
  for (const observer of observers) {
    tell(call, parts, () => observer.started?.(call.view))
  }
}

/** What those who only look throw, now or later, is for the owner to know and changes nothing. */
export function tell(call: LiveCall, parts: Pick<RuntimeParts, 'diagnose'>, listener: () => unknown): void {
  const failed = (thrown: unknown) =>
    parts.diagnose({
      code: 'OBSERVER_FAILED',
      message: `an observer threw: ${thrownMessage(thrown)}`,
      callId: call.callId,
    })
  try {
    const given = listener()
    if (given instanceof Promise) given.catch(failed)
  } catch (thrown) {
    failed(thrown)
  }
}

/** Shows the outcome to everybody who looks. Nobody who looks can change it, hold it up or make it fail. */
export function runObservers(
  call: LiveCall,
  outcome: Outcome,
  observers: readonly Observer[],
  parts: RuntimeParts,
): void {
  call.trace?.enter('observe')
  const report: CallReport = Object.freeze({
    bodyStarted: call.bodyStarted,
    durationMs: parts.clock.monotonicMs() - call.startedAtMs,
    stageNs: call.trace?.stageNs() ?? NO_TIMES,
    diagnostics: Object.freeze([...call.notes]),
  })
  for (const observer of observers) tell(call, parts, () => observer.settled?.(call.view, outcome, report))
}

const NO_TIMES: Readonly<Record<string, number>> = Object.freeze({})
