import type { StoredEvent } from './events.ts'
import type { SessionLog } from './log.ts'

/**
 * The same session, with a listener for what is appended through it: give it to a run in place of the log itself, and a
 * live view sees each event as it is kept. A listener that throws is not the log's trouble: the event stands, and
 * `onFault` hears of it.
 */
export function watchLog(
  log: SessionLog,
  listener: (event: StoredEvent) => void,
  onFault: (thrown: unknown) => void = () => {},
): SessionLog {
  return {
    sessionId: log.sessionId,
    scope: log.scope,
    append(event) {
      const stored = log.append(event)
      try {
        listener(stored)
      } catch (thrown) {
        onFault(thrown)
      }
      return stored
    },
    flush: () => log.flush(),
    events: (fromSequence) => log.events(fromSequence),
  }
}
