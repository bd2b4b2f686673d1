import type { Logger } from 'pino'
import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import type { TokenLives } from '../auth/token-lives.ts'
import type { ActiveWork } from '../runs/active-work.ts'
import type { EngineLeases } from '../runs/engine-leases.ts'
import type { FairQueue } from '../runs/fair-queue.ts'
import type { KeyedReplies } from '../runs/keyed-replies.ts'
import type { RunTable } from '../runs/run-table.ts'
import type { SessionTable } from '../runs/session-table.ts'
import type { WatchedStore } from '../runs/watched-store.ts'
import type { CallMetrics } from '../../telemetry/call-metrics.ts'
import type { Metrics } from './metrics.ts'
import type { StreamCount } from './stream-count.ts'

/** What the routes share; made in `service.ts`. */
export interface ServiceParts {
  readonly leases: EngineLeases
  readonly store: WatchedStore
  readonly desk: ApprovalDesk
  readonly queue: FairQueue
  readonly active: ActiveWork & Disposable
  readonly runs: RunTable
  readonly sessions: SessionTable
  readonly replies: KeyedReplies
  readonly streams: StreamCount
  readonly metrics: Metrics
  readonly callMetrics?: CallMetrics
  readonly log: Logger
  readonly isEnding: () => boolean
  /** Aborted when the drain is over: what is still under way is cut. */
  readonly cut: AbortSignal
  /** Aborted after that: event streams end. */
  readonly streamsEnd: AbortSignal
  /** What goes on after its request was let in ends with its token. */
  readonly lives: TokenLives
  readonly heartbeatMs: number
  /** For tests: an answer that is not what its route promises is a fault. */
  readonly checksAnswers: boolean
}
