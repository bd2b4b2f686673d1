import { CodedError } from '../data/failure.ts'
import type { SessionId } from '../data/ids.ts'
import { EVENT_VERSION, type SessionEvent, type StoredEvent } from './events.ts'

/** What every store does alike, so that a session means the same wherever it is kept. */

const MAX_ID = 256

/** Ids are keys in files and URLs, and come from clients: bounded, visible, well-formed. */
export function assertSessionId(id: SessionId): void {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (id.length > 0 && id.length <= MAX_ID && id.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(id)) return
  throw new CodedError(
    'CONFIG_INVALID',
    `session id ${JSON.stringify(id.slice(0, 80))}: must be 1–${MAX_ID} characters of well-formed text without control characters`,
  )
}

/** A session belongs to one scope for ever: reopening it under another would move its history across that border. */
export function assertSameScope(id: SessionId, keptScope: string, scope: string): void {
  if (keptScope === scope) return
  throw new CodedError(
    'CONFIG_INVALID',
    `session ${id}: belongs to scope ${JSON.stringify(keptScope)}; it cannot be opened for scope ${JSON.stringify(scope)}; use another session id`,
  )
}

/** The event with its envelope, as every store keeps and returns it. */
export function toStored(event: SessionEvent, sessionId: SessionId, sequence: number, atMs: number): StoredEvent {
  return Object.freeze({ ...event, version: EVENT_VERSION, sessionId, sequence, atMs })
}

export function sessionReleased(id: SessionId): CodedError {
  return new CodedError('CONFIG_INVALID', `session ${id}: its log was released and takes nothing more; open it again`)
}

export function storeDisposed(): CodedError {
  return new CodedError('CONFIG_INVALID', 'session store: it is disposed and takes nothing more; create a new store')
}
