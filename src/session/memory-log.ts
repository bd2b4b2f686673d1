import type { SessionId } from '../data/ids.ts'
import type { StoredEvent } from './events.ts'
import type { SessionLog, SessionStore, SessionSummary } from './log.ts'
import { assertSameScope, assertSessionId, storeDisposed, toStored } from './session.ts'

/** Keeps sessions as long as this process lives; `flush()` therefore has nothing to wait for. */
export function createMemoryStore(options: { readonly now: () => number }): SessionStore {
  const sessionsById = new Map<SessionId, MemorySession>()
  let isDisposed = false

  function openNew(sessionId: SessionId, scope: string): SessionLog {
    const events: StoredEvent[] = []
    const log: SessionLog = {
      sessionId,
      scope,
      append(event) {
        if (isDisposed) throw storeDisposed()
        const stored = toStored(event, sessionId, events.length + 1, options.now())
        events.push(stored)
        return stored
      },
      async flush() {},
      events: (fromSequence = 1) => events.slice(Math.max(0, fromSequence - 1)),
    }
    sessionsById.set(sessionId, { events, log })
    log.append({ type: 'session/opened', scope })
    return log
  }

  return {
    open(id, scope) {
      if (isDisposed) throw storeDisposed()
      const known = sessionsById.get(id)
      if (known !== undefined) {
        assertSameScope(id, known.log.scope, scope)
        return known.log
      }
      assertSessionId(id)
      return openNew(id, scope)
    },
    async list() {
      return [...sessionsById].map(([sessionId, { events, log }]): SessionSummary => {
        return { sessionId, scope: log.scope, openedAtMs: events[0]?.atMs ?? 0, events: events.length }
      })
    },
    async read(id, fromSequence = 1, limit = Number.POSITIVE_INFINITY) {
      const first = Math.max(0, fromSequence - 1)
      return sessionsById.get(id)?.events.slice(first, first + limit) ?? []
    },
    scopeOf: (id) => sessionsById.get(id)?.log.scope,
    release: (id) => void sessionsById.delete(id),
    async [Symbol.asyncDispose]() {
      isDisposed = true
    },
  }
}

interface MemorySession {
  readonly events: StoredEvent[]
  readonly log: SessionLog
}
