import type { CallId } from '../data/ids.ts'
import type { Clock } from '../data/clock.ts'
import type { SnapshotLimits } from '../data/snapshot.ts'

/** Something that changed no outcome and that the owner should know. */
export interface Diagnostic {
  readonly code: string
  readonly message: string
  readonly callId?: CallId
}

/** What the stages share of their runtime. */
export interface RuntimeParts {
  readonly clock: Clock
  readonly limits: SnapshotLimits
  /** How long a body, wrapper or policy that ignores an abort is waited for. */
  readonly drainMs: number
  readonly approvalMs: number
  readonly diagnose: (diagnostic: Diagnostic) => void
  /** Something arrived for a call that is over: dropped and counted. */
  readonly countLate: (callId: CallId, what: string) => void
}
