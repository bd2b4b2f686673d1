import type { CallId, SessionId } from '../../data/ids.ts'
import type { StoredEvent } from '../../session/events.ts'
import type { SessionLog, SessionStore } from '../../session/log.ts'
import { watchLog } from '../../session/watch-log.ts'

/** A store whose sessions can be looked at live, whoever appends to them: an engine, the one that replaces it, a server. */
export interface WatchedStore extends SessionStore {
  /** Called right after each append. It must not throw: the event stands whatever happens to it. */
  watch(id: SessionId, listener: (event: StoredEvent) => void): Disposable
  /** Whether a model's call was begun in this process and has no result yet. */
  isUnderWay(id: SessionId, call: CallId): boolean
  /** The same store for an engine, which disposes what it is given: this one then stays open. */
  lend(): SessionStore
}

/** Owns `store`: disposing this disposes it. One session is one log object, for as long as it is held in memory. */
export function watchStore(store: SessionStore): WatchedStore {
  const logsById = new Map<SessionId, { readonly raw: SessionLog; readonly log: SessionLog }>()
  const listenersById = new Map<SessionId, Set<(event: StoredEvent) => void>>()

  const openCallsById = new Map<SessionId, Set<CallId>>()

  function tell(event: StoredEvent): void {
    noteCall(event)
    for (const listener of listenersById.get(event.sessionId) ?? []) listener(event)
  }

  function noteCall(event: StoredEvent): void {
    const open = openCallsById.get(event.sessionId) ?? new Set()
    if (event.type === 'tool/call') openCallsById.set(event.sessionId, open.add(event.callId))
    else if (event.type === 'tool/result' && open.delete(event.callId) && open.size === 0)
      openCallsById.delete(event.sessionId)
  }

  const shared: SessionStore = {
    open(id, scope) {
      const raw = store.open(id, scope)
      const known = logsById.get(id)
      if (known?.raw === raw) return known.log
      const log = watchLog(raw, tell)
      logsById.set(id, { raw, log })
      return log
    },
    list: () => store.list(),
    read: (id, fromSequence, limit) => store.read(id, fromSequence, limit),
    release(id) {
      logsById.delete(id)
      openCallsById.delete(id)
      store.release?.(id)
    },
    ...(store.scopeOf !== undefined && { scopeOf: (id: SessionId) => store.scopeOf?.(id) }),
    async [Symbol.asyncDispose]() {},
  }

  return {
    ...shared,
    watch(id, listener) {
      const listeners = listenersById.get(id) ?? new Set()
      listenersById.set(id, listeners)
      const own = (event: StoredEvent) => listener(event)
      listeners.add(own)
      return {
        [Symbol.dispose]() {
          listeners.delete(own)
          if (listeners.size === 0 && listenersById.get(id) === listeners) listenersById.delete(id)
        },
      }
    },
    isUnderWay: (id, call) => openCallsById.get(id)?.has(call) === true,
    lend: () => shared,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
