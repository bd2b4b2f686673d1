import type { DatabaseSync } from 'node:sqlite'
import { CodedError } from '../data/failure.ts'
import type { SessionId } from '../data/ids.ts'
import type { StoredEvent } from './events.ts'
import type { SessionLog, SessionStore } from './log.ts'
import { assertSameScope, assertSessionId, sessionReleased, storeDisposed, toStored } from './session.ts'
import { isBusy, openForWriting, storeFailure } from './sqlite-file.ts'
import { prepareReads, type Kept } from './sqlite-reads.ts'

export { openSqliteReader, type SessionReader } from './sqlite-reader.ts'

/** Events wait at most this long for the commit they share. */
const GROUP_COMMIT_MS = 5
/** While the disk refuses writes, events pile up in memory: past this, appending throws rather than eat the host. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024

/** An insert of many rows costs half of as many inserts. */
const ROWS_AT_ONCE = 16
const COLUMNS = 6

function insertOf(rows: number): string {
  const values = Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?)').join(', ')
  return `INSERT INTO events (session, sequence, version, at_ms, type, body) VALUES ${values}`
}

function prepareWrites(database: DatabaseSync) {
  return {
    insertSession: database.prepare('INSERT INTO sessions (id, scope, opened_at_ms) VALUES (?, ?, ?)'),
    insertEvent: database.prepare(insertOf(1)),
    insertEvents: database.prepare(insertOf(ROWS_AT_ONCE)),
  }
}

/**
 * Keeps sessions in one SQLite file. One process writes; any number may read meanwhile.
 *
 * Durability: `append` is in memory, and in the file at most `GROUP_COMMIT_MS` later; what `flush()` has acknowledged
 * survives a killed process and a power cut. Hence `synchronous=FULL`: with NORMAL, WAL commits are not synced, and a
 * power cut takes the latest acknowledged events (never the consistency of the file). The log is the audit trail of
 * side effects, and all appends of a group share one sync, so the stronger promise is worth its fraction of a millisecond.
 */
export function createSqliteStore(options: { readonly path: string; readonly now: () => number }): SessionStore {
  const { path, now } = options
  const owned = openForWriting(path)
  const { database } = owned
  const { rows, insertSession, insertEvent, insertEvents } = prepareOrClose()
  const logsById = new Map<SessionId, OpenLog>()

  // Appended and not committed, in order of append over all sessions. Only a commit takes from here.
  let pending: PendingEvent[] = []
  let pendingBytes = 0
  // The logs that these events are of.
  let waitingLogs: OpenLog[] = []
  let commitTimer: NodeJS.Timeout | undefined
  let sharedFlush: Promise<void> | undefined
  let isDisposed = false

  function prepareOrClose() {
    try {
      return { rows: prepareReads(database, path), ...prepareWrites(database) }
    } catch (thrown) {
      owned.close()
      throw storeFailure(path, thrown)
    }
  }

  function append(event: StoredEvent, open: OpenLog): void {
    const { version, sessionId, sequence, atMs, ...body } = event
    // Serialised here, not at commit: what the caller does to the object afterwards must not change the record.
    const json = JSON.stringify(body)
    if (pendingBytes + json.length > MAX_PENDING_BYTES) {
      throw new CodedError(
        'OVERLOADED',
        `session store ${path}: ${pendingBytes} bytes of events wait for the disk; flush, and look at why commits fail`,
      )
    }
    pending.push({ event, open, version, sessionId, sequence, atMs, json })
    if (open.waiting.length === 0) waitingLogs.push(open)
    open.waiting.push(event)
    pendingBytes += json.length
    // A failed background commit keeps its events: the next append, flush or dispose tries again, and flush reports.
    commitTimer ??= setTimeout(() => void attemptCommit(), GROUP_COMMIT_MS)
  }

  function attemptCommit(): Error | undefined {
    clearTimeout(commitTimer)
    commitTimer = undefined
    if (pending.length === 0) return undefined
    try {
      database.exec('BEGIN IMMEDIATE')
      writePending()
      database.exec('COMMIT')
    } catch (thrown) {
      rollBack()
      owned.setPatience(!isBusy(thrown))
      return storeFailure(path, thrown, 'events are not written: ')
    }
    owned.setPatience(true)
    pending = []
    pendingBytes = 0
    for (const open of waitingLogs) {
      open.committed += open.waiting.length
      open.waiting = []
    }
    waitingLogs = []
    return undefined
  }

  function rollBack(): void {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch {
      // Of a file that is damaged. What is told is why the commit failed.
    }
  }

  function writePending(): void {
    let values: (string | number)[] = []
    for (const { event, open, version, sessionId, sequence, atMs, json } of pending) {
      // After a rollback this comes again, and so does the key.
      if (event.type === 'session/opened')
        open.key = Number(insertSession.run(sessionId, event.scope, atMs).lastInsertRowid)
      values.push(open.key, sequence, version, atMs, event.type, json)
      if (values.length < ROWS_AT_ONCE * COLUMNS) continue
      insertEvents.run(...values)
      values = []
    }
    for (let row = 0; row < values.length; row += COLUMNS) insertEvent.run(...values.slice(row, row + COLUMNS))
  }

  /** All flushes of one turn of the event loop share one commit. */
  function flush(): Promise<void> {
    sharedFlush ??= new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        sharedFlush = undefined
        // After a disposal whose own commit failed, what still waits is lost: that must not look durable.
        const failure = isDisposed ? (pending.length > 0 ? storeDisposed() : undefined) : attemptCommit()
        if (failure === undefined) resolve()
        else reject(failure)
      })
    })
    return sharedFlush
  }

  /** What has not been committed is here already: asked of the file is only what is nowhere else. */
  function read(id: SessionId, fromSequence: number, limit?: number): readonly StoredEvent[] {
    const open = logsById.get(id)
    if (open === undefined) return rows.read(id, fromSequence, limit)
    const { committed, waiting } = open
    if (fromSequence > committed) return waiting.slice(Math.ceil(fromSequence) - committed - 1).slice(0, limit)
    const kept = rows.read(id, fromSequence, limit)
    return [...kept, ...waiting].slice(0, limit)
  }

  function openLog(id: SessionId, scope: string, kept: Kept | undefined): OpenLog {
    const open: OpenLog = {
      key: kept?.key ?? 0,
      committed: kept?.lastSequence ?? 0,
      waiting: [],
      isReleased: false,
      log: {
        sessionId: id,
        scope,
        append(event) {
          if (isDisposed) throw storeDisposed()
          // Another log of the session may be open by now: two that count for themselves would use a number twice.
          if (open.isReleased) throw sessionReleased(id)
          const stored = toStored(event, id, open.committed + open.waiting.length + 1, now())
          append(stored, open)
          return stored
        },
        flush,
        events(fromSequence = 1) {
          if (isDisposed) throw storeDisposed()
          return read(id, fromSequence)
        },
      },
    }
    return open
  }

  return {
    open(id, scope) {
      if (isDisposed) throw storeDisposed()
      const known = logsById.get(id)
      if (known !== undefined) {
        assertSameScope(id, known.log.scope, scope)
        return known.log
      }
      assertSessionId(id)
      const kept = rows.find(id)
      if (kept !== undefined) assertSameScope(id, kept.scope, scope)
      const open = openLog(id, scope, kept)
      if (kept === undefined) open.log.append({ type: 'session/opened', scope })
      logsById.set(id, open)
      return open.log
    },
    async list() {
      if (isDisposed) throw storeDisposed()
      const summariesById = new Map(rows.list().map((summary) => [summary.sessionId, summary]))
      for (const { event } of pending) {
        const { sessionId, atMs } = event
        const summary = summariesById.get(sessionId) ?? {
          sessionId,
          scope: event.type === 'session/opened' ? event.scope : '',
          openedAtMs: atMs,
          events: 0,
        }
        summariesById.set(sessionId, { ...summary, events: summary.events + 1 })
      }
      return [...summariesById.values()]
    },
    async read(id, fromSequence = 1, limit) {
      if (isDisposed) throw storeDisposed()
      return read(id, fromSequence, limit)
    },
    scopeOf(id) {
      if (isDisposed) throw storeDisposed()
      return logsById.get(id)?.log.scope ?? rows.find(id)?.scope
    },
    release(id) {
      // What is not in the file yet is nowhere else.
      const open = logsById.get(id)
      if (open?.waiting.length !== 0) return
      logsById.delete(id)
      open.isReleased = true
    },
    async [Symbol.asyncDispose]() {
      if (isDisposed) return
      const failure = attemptCommit()
      isDisposed = true
      owned.close()
      if (failure !== undefined) throw failure
    },
  }
}

interface OpenLog {
  readonly log: SessionLog
  /** Of its row; 0 until the commit that makes it. */
  key: number
  /** The last sequence number in the file. */
  committed: number
  /** Events after it. */
  waiting: StoredEvent[]
  isReleased: boolean
}

interface PendingEvent {
  readonly event: StoredEvent
  readonly open: OpenLog
  readonly version: number
  readonly sessionId: SessionId
  readonly sequence: number
  readonly atMs: number
  readonly json: string
}
