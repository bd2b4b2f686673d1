import type { Engine } from '../../engine.ts'
import { CallBatch, type BatchCall, type BatchOptions, type BatchResult } from '../../pipeline/call-batch.ts'
import { systemClock } from '../../pipeline/system-clock.ts'
import type { SessionLog } from '../../session/log.ts'
import type { Tenant } from '../auth/tenant.ts'
import { enterWork } from './enter-work.ts'
import type { ServiceParts } from './service-parts.ts'

export interface CallsToMake {
  readonly tenant: Tenant
  readonly log: SessionLog
  /** Of the client; absent: the calls go on without it. */
  readonly signal: AbortSignal | undefined
  readonly entry?: (engine: Engine) => NonNullable<BatchOptions['entry']>
  readonly calls: (engine: Engine) => readonly BatchCall[]
}

/** Calls of one step, with a place in the queue, in the session's log and through every policy. Throws `Problem`. */
export async function makeCalls(parts: ServiceParts, order: CallsToMake): Promise<BatchResult> {
  using work = await enterWork(parts, order)
  const { engine, signal } = work
  const batch = new CallBatch({
    runtime: engine.runtime,
    session: order.log,
    scope: order.tenant.scope,
    clock: systemClock,
    signal,
    ...(order.entry !== undefined && { entry: order.entry(engine) }),
  })
  const result = await batch.run(order.calls(engine))
  await order.log.flush()
  for (const { outcome } of result.results)
    parts.metrics.count('codeferry_calls_total', { failed: String(outcome.isError) })
  return result
}
