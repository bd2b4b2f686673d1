import type { SessionId } from '../data/ids.ts'
import type { SessionEvent, StoredEvent } from './events.ts'

/** Where events live. An append that has resolved is kept, whatever happens to the process afterwards (as far as the store can). */
export interface SessionStore extends AsyncDisposable {
  /** Opens or creates. The same id gives the same log. */
  open(id: SessionId, scope: string): SessionLog
  list(): Promise<readonly SessionSummary[]>
  /** The events of one session, in order: all of them, or the first `limit`. Empty for an unknown id. */
  read(id: SessionId, fromSequence?: number, limit?: number): Promise<readonly StoredEvent[]>
  /** The scope of a session that was opened once, without reading its events; undefined for an unknown id. */
  scopeOf?(id: SessionId): string | undefined
  /**
   * Lets go of what is held in memory for a session whose log nobody uses any more. What has a place outside memory can
   * still be read, and opened again; in a memory store the session is gone. Flush first: what waits is kept waiting.
   */
  release?(id: SessionId): void
}

export interface SessionSummary {
  readonly sessionId: SessionId
  readonly scope: string
  readonly openedAtMs: number
  readonly events: number
}

export interface SessionLog {
  readonly sessionId: SessionId
  readonly scope: string
  /** Takes the event now (order is the order of calls); stores may write it in a batch behind. */
  append(event: SessionEvent): StoredEvent
  /** Resolves when all that was appended before is durable. Rejects if the store failed. */
  flush(): Promise<void>
  /** From `fromSequence` (default 1, the first) on. */
  events(fromSequence?: number): readonly StoredEvent[]
}
