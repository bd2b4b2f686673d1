import type { Engine } from '../../engine.ts'
import type { SessionLog } from '../../session/log.ts'
import type { Tenant } from '../auth/tenant.ts'
import { QueueClosed } from '../runs/fair-queue.ts'
import { Problem } from './problems.ts'
import { queueProblem } from './queue-problem.ts'
import type { ServiceParts } from './service-parts.ts'

/** Work that has begun; disposing it says that it has ended. */
export interface Work extends Disposable {
  readonly engine: Engine
  /** Of the client, and of the end of the service. */
  readonly signal: AbortSignal
}

/** Work to be done in a session: waits for its turn. Throws `Problem` when there is no place, or the client has gone. */
export async function enterWork(
  parts: ServiceParts,
  order: { readonly tenant: Tenant; readonly log: SessionLog; readonly signal: AbortSignal | undefined },
): Promise<Work> {
  const { tenant, log } = order
  const signal = order.signal === undefined ? parts.cut : AbortSignal.any([order.signal, parts.cut])
  const entering = parts.queue.enter(tenant.scope, signal)
  if (typeof entering === 'string') throw queueProblem(entering, parts)
  using held = new DisposableStack()
  const place = held.use(
    await entering.catch((fault: unknown) => {
      if (fault instanceof QueueClosed) throw queueProblem('closed', parts)
      throw new Problem('ABORTED_BEFORE_DISPATCH', 'the request was cancelled while it waited; nothing was called')
    }),
  )
  const { engine } = held.use(parts.leases.take())
  held.use(parts.active.begin({ sessionId: log.sessionId, tenant: tenant.name, tokenId: tenant.tokenId, place }))
  // After a reload the engine is another one, which has to know the session as well: programs log through it.
  engine.openSession({ id: log.sessionId, scope: log.scope })
  const owned = held.move()
  return { engine, signal, [Symbol.dispose]: () => owned.dispose() }
}
