import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CodedError } from '../data/failure.ts'
import { sessionId as toSessionId, type SessionId } from '../data/ids.ts'
import { isRecord } from '../data/json.ts'
import type { StoredEvent } from './events.ts'
import type { SessionSummary } from './log.ts'
import { parseEvent } from './parse-event.ts'
import { storeFailure } from './sqlite-file.ts'

/** What the file says of one session. */
export interface Kept {
  readonly key: number
  readonly scope: string
  readonly lastSequence: number
}

/** Throws coded failures that name the file, or the row. */
export interface Reads {
  find(id: SessionId): Kept | undefined
  list(): readonly SessionSummary[]
  /** Without `limit`: all. */
  read(id: SessionId, fromSequence: number, limit?: number): readonly StoredEvent[]
}

export function prepareReads(database: DatabaseSync, path: string): Reads {
  return guarded(path, () => prepare(database, path))
}

function prepare(database: DatabaseSync, path: string): Reads {
  const find = database.prepare(
    'SELECT key, scope, (SELECT max(sequence) FROM events WHERE session = key) AS last FROM sessions WHERE id = ?',
  )
  const list = database.prepare(
    'SELECT id, scope, opened_at_ms, (SELECT count(*) FROM events WHERE session = key) AS events FROM sessions ORDER BY key',
  )
  const select: StatementSync = database.prepare(
    `SELECT sequence, version, at_ms, events.type AS type, body FROM events JOIN sessions ON key = session
     WHERE id = ? AND sequence >= ? ORDER BY sequence LIMIT ?`,
  )
  return {
    find(id) {
      const row = guarded(path, () => find.get(id))
      return row && { key: Number(row['key']), scope: String(row['scope']), lastSequence: Number(row['last'] ?? 0) }
    },
    list: () =>
      guarded(path, () => list.all()).map((row) => ({
        sessionId: toSessionId(String(row['id'])),
        scope: String(row['scope']),
        openedAtMs: Number(row['opened_at_ms']),
        events: Number(row['events']),
      })),
    read: (id, fromSequence, limit = -1) =>
      guarded(path, () => select.all(id, fromSequence, limit)).map((row) => rowToEvent(id, row)),
  }
}

function guarded<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    throw storeFailure(path, thrown)
  }
}

/** Rows are parsed like anything that comes from outside: the file may have been edited, or written by a newer release. */
function rowToEvent(sessionId: SessionId, row: Readonly<Record<string, unknown>>): StoredEvent {
  const envelope = { sessionId, sequence: row['sequence'], version: row['version'], atMs: row['at_ms'] }
  const parsed = parseEvent(withBody(envelope, row['body']))
  if (parsed.ok && parsed.event.type === row['type']) return parsed.event
  const reason = parsed.ok
    ? 'its type column and its body differ'
    : parsed.problems.map(({ message }) => message).join('; ')
  throw new CodedError('CONFIG_INVALID', `session ${sessionId}, event ${String(row['sequence'])}: ${reason}`)
}

function withBody(envelope: Readonly<Record<string, unknown>>, body: unknown): unknown {
  try {
    const parsed: unknown = JSON.parse(String(body))
    return isRecord(parsed) ? { ...parsed, ...envelope } : undefined
  } catch {
    return undefined
  }
}
