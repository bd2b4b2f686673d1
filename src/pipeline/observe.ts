import { thrownMessage } from '../data/failure.ts'
import type { Outcome } from '../data/outcome.ts'
import type { CallReport, Observer } from './call.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'

/** Says that a call has begun, to those who want to hear it. */
export function tellOfStart(call: LiveCall, observers: readonly Observer[], parts: RuntimeParts): void {
  for (const observer of observers) {
    try {
      observer.started?.(call.view)
    } catch (thrown) {
      parts.diagnose({
        code: 'OBSERVER_FAILED',
        message: `an observer threw: ${thrownMessage(thrown)}`,
        callId: call.callId,
      })
    }
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
  for (const observer of observers) {
    const failed = (thrown: unknown) =>
      parts.diagnose({
        code: 'OBSERVER_FAILED',
        message: `an observer threw: ${thrownMessage(thrown)}`,
        callId: call.callId,
      })
    try {
      const given: unknown = observer.settled?.(call.view, outcome, report)
      if (given instanceof Promise) given.catch(failed)
    } catch (thrown) {
      failed(thrown)
    }
  }
}

const NO_TIMES: Readonly<Record<string, number>> = Object.freeze({})
