import type { QueueRefusal } from '../runs/fair-queue.ts'
import { Problem } from './problems.ts'
import type { ServiceParts } from './service-parts.ts'

/** Why work could not even wait, for the client: its own doing is 429, everybody's is 503. */
export function queueProblem(
  refusal: QueueRefusal,
  { queue, metrics }: Pick<ServiceParts, 'queue' | 'metrics'>,
): Problem {
  metrics.count('codeferry_refused_total', { reason: refusal })
  // As long as what waits will take, told by recent work. Never so late that a client gives up.
  const retryAfterSeconds = Math.min(60, Math.max(1, Math.ceil(queue.expectedWaitMs / 1_000)))
  switch (refusal) {
    case 'tenant-full':
      return new Problem('TOO_MANY_REQUESTS', 'too much work of this tenant waits already; wait for some of it', {
        retryAfterSeconds,
      })
    case 'full':
      return new Problem('OVERLOADED', 'too much work waits already; try again later', { retryAfterSeconds })
    case 'closed':
      return new Problem('SHUTTING_DOWN', 'the service ends and takes nothing new', { retryAfterSeconds: 5 })
  }
}
