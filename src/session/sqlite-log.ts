import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { CodedError, thrownMessage } from '../data/failure.ts'
import { sessionId as toSessionId, type SessionId } from '../data/ids.ts'
import { isRecord } from '../data/json.ts'
import type { StoredEvent } from './events.ts'
import type { SessionLog, SessionStore, SessionSummary } from './log.ts'
import { parseEvent } from './parse-event.ts'
import { assertSameScope, assertSessionId, storeDisposed, toStored } from './session.ts'

/** 'cfry' as a big-endian integer: tells our files from any other SQLite database. */
const APPLICATION_ID = 0x63667279
const SCHEMA_VERSION = 1
/** Readers and a backup may hold the file for a moment; longer than this and the commit is reported as failed. */
const BUSY_TIMEOUT_MS = 5_000
/** Events wait at most this long for the commit they share. */
const GROUP_COMMIT_MS = 5
/** While the disk refuses writes, events pile up in memory: past this, appending throws rather than eat the host. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024

const TABLES = `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, opened_at_ms REAL NOT NULL
  ) STRICT;
  CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (key), sequence INTEGER NOT NULL, version INTEGER NOT NULL,
    at_ms REAL NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, sequence)
  ) STRICT;
`

/** Read-only access for another process while a writer is at work (the `log` command). */
export interface SessionReader extends Disposable {
  list(): Promise<readonly SessionSummary[]>
  /** All events of one session, in order. Rejects, naming the row, when a row can't be understood. */
  read(id: SessionId, fromSequence?: number): Promise<readonly StoredEvent[]>
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
  const writerLock = lockForWriting(path)
  let database: DatabaseSync
  try {
    database = openForWriting(path)
  } catch (thrown) {
    writerLock.close()
    throw thrown
  }
  const rows = prepareReads(database)
  const insertSession = database.prepare('INSERT INTO sessions (id, scope, opened_at_ms) VALUES (?, ?, ?)')
  const insertEvent = database.prepare(
    'INSERT INTO events (session, sequence, version, at_ms, type, body) SELECT key, ?, ?, ?, ?, ? FROM sessions WHERE id = ?',
  )
  const logsById = new Map<SessionId, SessionLog>()

  // Appended and not committed, in order of append over all sessions. Only a commit takes from here.
  let pending: PendingEvent[] = []
  let pendingBytes = 0
  let commitTimer: NodeJS.Timeout | undefined
  let sharedFlush: Promise<void> | undefined
  let isDisposed = false

  function append(event: StoredEvent): void {
    const { version, sessionId, sequence, atMs, ...body } = event
    // Serialised here, not at commit: what the caller does to the object afterwards must not change the record.
    const json = JSON.stringify(body)
    if (pendingBytes + json.length > MAX_PENDING_BYTES) {
      throw new CodedError(
        'OVERLOADED',
        `session store ${path}: ${pendingBytes} bytes of events wait for the disk; flush, and look at why commits fail`,
      )
    }
    pending.push({ event, version, sessionId, sequence, atMs, json })
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
      for (const { event, version, sessionId, sequence, atMs, json } of pending) {
        if (event.type === 'session/opened') insertSession.run(sessionId, event.scope, atMs)
        insertEvent.run(sequence, version, atMs, event.type, json, sessionId)
      }
      database.exec('COMMIT')
    } catch (thrown) {
      if (database.isTransaction) database.exec('ROLLBACK')
      return new Error(`session store ${path}: events are not written: ${thrownMessage(thrown)}`, { cause: thrown })
    }
    pending = []
    pendingBytes = 0
    return undefined
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

  function read(id: SessionId, fromSequence: number): readonly StoredEvent[] {
    const waiting = pending.flatMap(({ event }) =>
      event.sessionId === id && event.sequence >= fromSequence ? event : [],
    )
    return [...rows.read(id, fromSequence), ...waiting]
  }

  function makeLog(id: SessionId, scope: string, lastSequence: number): SessionLog {
    let sequence = lastSequence
    const log: SessionLog = {
      sessionId: id,
      scope,
      append(event) {
        if (isDisposed) throw storeDisposed()
        const stored = toStored(event, id, sequence + 1, now())
        append(stored)
        sequence += 1
        return stored
      },
      flush,
      events: (fromSequence = 1) => {
        if (isDisposed) throw storeDisposed()
        return read(id, fromSequence)
      },
    }
    return log
  }

  return {
    open(id, scope) {
      if (isDisposed) throw storeDisposed()
      const known = logsById.get(id)
      if (known !== undefined) {
        assertSameScope(id, known.scope, scope)
        return known
      }
      assertSessionId(id)
      const kept = rows.find(id)
      if (kept !== undefined) assertSameScope(id, kept.scope, scope)
      const log = makeLog(id, scope, kept?.lastSequence ?? 0)
      if (kept === undefined) log.append({ type: 'session/opened', scope })
      logsById.set(id, log)
      return log
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
    async read(id, fromSequence = 1) {
      if (isDisposed) throw storeDisposed()
      return read(id, fromSequence)
    },
    async [Symbol.asyncDispose]() {
      if (isDisposed) return
      const failure = attemptCommit()
      isDisposed = true
      database.close()
      writerLock.close()
      if (failure !== undefined) throw failure
    },
  }
}

interface PendingEvent {
  readonly event: StoredEvent
  readonly version: number
  readonly sessionId: SessionId
  readonly sequence: number
  readonly atMs: number
  readonly json: string
}

/** Opens an existing session database for reading only. Throws `CONFIG_INVALID` when it is missing, newer or not ours. */
export function openSqliteReader(path: string): SessionReader {
  const database = openDatabase(path, true)
  try {
    if (checkHeader(database, path) === 'empty') throw notOurs(path, 'it holds no sessions')
    const rows = prepareReads(database)
    return {
      list: async () => rows.list(),
      read: async (id, fromSequence = 1) => rows.read(id, fromSequence),
      [Symbol.dispose]() {
        if (database.isOpen) database.close()
      },
    }
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

// --- the file -------------------------------------------------------------------------------------------------------

/**
 * Sequence numbers live in the writer's memory, so a second writer would collide. The lock is a SQLite transaction that
 * stays open on a file beside the database: the system drops it when the process dies, however it dies.
 */
function lockForWriting(path: string): DatabaseSync {
  if (path === '' || path === ':memory:') {
    throw new CodedError('CONFIG_INVALID', `session store: ${JSON.stringify(path)} is no file; use createMemoryStore`)
  }
  let lock: DatabaseSync | undefined
  try {
    createPrivately(`${path}.lock`)
    lock = new DatabaseSync(`${path}.lock`, { timeout: 250 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (thrown) {
    lock?.close()
    const reason = isBusy(thrown)
      ? 'another store is writing to it; stop that one, or use another path'
      : `the lock file ${path}.lock cannot be opened: ${thrownMessage(thrown)}; the folder must exist and be writable`
    throw new CodedError('CONFIG_INVALID', `session store ${path}: ${reason}`, { cause: thrown })
  }
}

function openForWriting(path: string): DatabaseSync {
  createPrivately(path)
  const database = openDatabase(path, false)
  try {
    const state = checkHeader(database, path)
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    if (state === 'empty') {
      const stamp = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`
      database.exec(`BEGIN IMMEDIATE; ${TABLES} ${stamp} COMMIT`)
    }
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

/**
 * Arguments and results are nobody else's business; SQLite gives its side files the mode of the database. An existing
 * file is not even opened: closing it would drop the locks that another store of this process holds on it.
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It exists, or it can't be made: SQLite is next and tells them apart.
  }
}

function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS })
  } catch (thrown) {
    const hint = readOnly ? 'the file must exist and be readable' : 'the folder must exist and be writable'
    throw new CodedError('CONFIG_INVALID', `session store ${path}: ${thrownMessage(thrown)}; ${hint}`, {
      cause: thrown,
    })
  }
}

function checkHeader(database: DatabaseSync, path: string): 'empty' | 'ours' {
  let applicationId: unknown
  let version: unknown
  let tables: unknown
  try {
    applicationId = database.prepare('PRAGMA application_id').get()?.['application_id']
    version = database.prepare('PRAGMA user_version').get()?.['user_version']
    tables = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']
  } catch (thrown) {
    throw notOurs(path, thrownMessage(thrown), thrown)
  }
  if (applicationId === 0 && version === 0 && tables === 0) return 'empty'
  if (applicationId !== APPLICATION_ID) throw notOurs(path, 'it belongs to another program')
  if (version !== SCHEMA_VERSION) {
    throw new CodedError(
      'CONFIG_INVALID',
      `session store ${path}: written with schema version ${String(version)}, this release reads version ${SCHEMA_VERSION}; use a newer release`,
    )
  }
  return 'ours'
}

function notOurs(path: string, found: string, cause?: unknown): CodedError {
  return new CodedError(
    'CONFIG_INVALID',
    `session store ${path}: not a session database: ${found}; choose another path`,
    {
      cause,
    },
  )
}

function isBusy(thrown: unknown): boolean {
  return isRecord(thrown) && thrown['errcode'] === 5
}

// --- reading --------------------------------------------------------------------------------------------------------

interface Reads {
  find(id: SessionId): { readonly scope: string; readonly lastSequence: number } | undefined
  list(): readonly SessionSummary[]
  read(id: SessionId, fromSequence: number): readonly StoredEvent[]
}

function prepareReads(database: DatabaseSync): Reads {
  const find = database.prepare(
    'SELECT scope, (SELECT max(sequence) FROM events WHERE session = key) AS last FROM sessions WHERE id = ?',
  )
  const list = database.prepare(
    'SELECT id, scope, opened_at_ms, (SELECT count(*) FROM events WHERE session = key) AS events FROM sessions ORDER BY key',
  )
  const select: StatementSync = database.prepare(
    `SELECT sequence, version, at_ms, events.type AS type, body FROM events JOIN sessions ON key = session
     WHERE id = ? AND sequence >= ? ORDER BY sequence`,
  )
  return {
    find(id) {
      const row = find.get(id)
      return row && { scope: String(row['scope']), lastSequence: Number(row['last'] ?? 0) }
    },
    list: () =>
      list.all().map((row) => ({
        sessionId: toSessionId(String(row['id'])),
        scope: String(row['scope']),
        openedAtMs: Number(row['opened_at_ms']),
        events: Number(row['events']),
      })),
    read: (id, fromSequence) => select.all(id, fromSequence).map((row) => rowToEvent(id, row)),
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
