import { closeSync, openSync, statSync, unlinkSync, type Stats } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { CodedError, thrownMessage } from '../data/failure.ts'
import { isRecord } from '../data/json.ts'

/* The file of a session store: whether it is one, who may write to it, and what is said when it cannot be used. */

/** 'cfry' as a big-endian integer: tells our files from any other SQLite database. */
const APPLICATION_ID = 0x63667279
const SCHEMA_VERSION = 1
/** Another program may hold the file for a moment. Waiting blocks the whole process, so longer than this is a failure. */
const BUSY_TIMEOUT_MS = 1_000

const TABLES = `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, opened_at_ms REAL NOT NULL
  ) STRICT;
  CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (key), sequence INTEGER NOT NULL, version INTEGER NOT NULL,
    at_ms REAL NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, sequence)
  ) STRICT;
`

/** A store's database, held by one writer until it is closed. */
export interface OwnedDatabase {
  readonly database: DatabaseSync
  /** Whether to wait when another program holds the file. After a wait in vain the next one would be in vain too. */
  setPatience(isPatient: boolean): void
  close(): void
}

/** Opens a session database for writing, or makes one. Throws `CONFIG_INVALID`; a file that is not ours stays as it is. */
export function openForWriting(path: string): OwnedDatabase {
  if (path === '' || path === ':memory:') {
    throw new CodedError('CONFIG_INVALID', `session store: ${JSON.stringify(path)} is no file; use createMemoryStore`)
  }
  const found = statFile(path)
  // With a write-ahead log the main file alone does not say what is in the database: SQLite looks at both, below.
  if (found !== undefined && found.size > 0 && !hasWriteAheadLog(path)) {
    using database = openAsItLies(path)
    checkHeader(database, path)
  }
  const lock = lockForWriting(path)
  try {
    const database = openOrCreate(path)
    let wasPatient = true
    return {
      database,
      setPatience(isPatient) {
        if (wasPatient === isPatient) return
        wasPatient = isPatient
        database.exec(`PRAGMA busy_timeout = ${isPatient ? BUSY_TIMEOUT_MS : 0}`)
      },
      close() {
        database.close()
        lock.release()
      },
    }
  } catch (thrown) {
    lock.release()
    throw thrown
  }
}

function openOrCreate(path: string): DatabaseSync {
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
    throw storeFailure(path, thrown)
  }
}

// --- one writer -----------------------------------------------------------------------------------------------------

const LOCK_ATTEMPTS = 5

/**
 * Sequence numbers live in the writer's memory, so a second writer would collide. The lock is a SQLite transaction that
 * stays open on a file beside the database: the system drops it when the process dies, however it dies. A clean end
 * removes the file. Whoever had opened it before that holds a lock on a file without a name, so the name is looked at
 * again once the lock is had.
 */
function lockForWriting(path: string): { release(): void } {
  const lockPath = `${path}.lock`
  for (let attempt = 1; ; attempt++) {
    createPrivately(lockPath)
    const before = inodeOf(lockPath)
    let lock: DatabaseSync | undefined
    try {
      lock = new DatabaseSync(lockPath, { timeout: 250 })
      lock.exec('BEGIN EXCLUSIVE')
    } catch (thrown) {
      lock?.close()
      const reason = isBusy(thrown)
        ? 'another store is writing to it; stop that one, or use another path'
        : `the lock file ${lockPath} cannot be opened: ${thrownMessage(thrown)}; the folder must exist and be writable`
      throw new CodedError('CONFIG_INVALID', `session store ${path}: ${reason}`, { cause: thrown })
    }
    if (before !== undefined && before === inodeOf(lockPath)) return heldLock(lock, lockPath)
    lock.close()
    if (attempt === LOCK_ATTEMPTS) {
      throw new CodedError(
        'CONFIG_INVALID',
        `session store ${path}: its lock file ${lockPath} does not stay in place; other stores come and go, or something removes it`,
      )
    }
  }
}

function heldLock(lock: DatabaseSync, lockPath: string): { release(): void } {
  return {
    release() {
      try {
        // While the lock is held: afterwards the name may be another writer's.
        unlinkSync(lockPath)
      } catch {
        // It stays behind, which costs nothing but the sight of it.
      }
      lock.close()
    },
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
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

// --- opening --------------------------------------------------------------------------------------------------------

/** Nothing there: undefined. Throws for what is there and is no file. */
export function statFile(path: string): Stats | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return found
  const what = found.isDirectory() ? 'is a directory' : 'is no regular file'
  throw new CodedError('CONFIG_INVALID', `session store ${path}: ${what}; give the path of a file`)
}

/** Whether committed events may lie beside the main file. */
export function hasWriteAheadLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

export function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS })
  } catch (thrown) {
    const hint = readOnly ? 'the file must exist and be readable' : 'the folder must exist and be writable'
    throw new CodedError('CONFIG_INVALID', `session store ${path}: ${thrownMessage(thrown)}; ${hint}`, {
      cause: thrown,
    })
  }
}

/**
 * The main file as it lies there, without locks and without side files, which a reader of a database in WAL mode would
 * make otherwise. True only while no writer is at work on it: the caller looks.
 */
export function openAsItLies(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  try {
    return new DatabaseSync(url, { readOnly: true })
  } catch (thrown) {
    throw new CodedError(
      'CONFIG_INVALID',
      `session store ${path}: ${thrownMessage(thrown)}; the file must exist and be readable`,
      { cause: thrown },
    )
  }
}

export function checkHeader(database: DatabaseSync, path: string): 'empty' | 'ours' {
  let applicationId: unknown
  let version: unknown
  let tables: unknown
  try {
    applicationId = database.prepare('PRAGMA application_id').get()?.['application_id']
    version = database.prepare('PRAGMA user_version').get()?.['user_version']
    tables = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']
  } catch (thrown) {
    throw storeFailure(path, thrown)
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

// --- what is wrong --------------------------------------------------------------------------------------------------

export function notOurs(path: string, found: string, cause?: unknown): CodedError {
  const message = `session store ${path}: not a session database: ${found}; choose another path`
  return new CodedError('CONFIG_INVALID', message, { cause })
}

/** What SQLite threw, as one sentence about this file. What has a code already passes through. */
export function storeFailure(path: string, thrown: unknown, what = ''): CodedError {
  if (thrown instanceof CodedError) return thrown
  const said = thrownMessage(thrown)
  switch (resultCode(thrown)) {
    case RESULT.busy:
    case RESULT.locked:
      return failure(`another program has locked it (${said}); let that one end, or use another path`)
    case RESULT.corrupt:
      return failure(`the file is damaged (${said}); restore it from a copy, or use another path`)
    case RESULT.notADatabase:
      return notOurs(path, said, thrown)
    case RESULT.readOnly:
    case RESULT.cannotOpen:
      return failure(`this user may not write to it, or to files beside it (${said})`)
    case undefined:
    default:
      return failure(said)
  }

  function failure(reason: string): CodedError {
    return new CodedError('CONFIG_INVALID', `session store ${path}: ${what}${reason}`, { cause: thrown })
  }
}

/** SQLite's primary result codes. */
const RESULT = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, cannotOpen: 14, notADatabase: 26 } as const

export function isBusy(thrown: unknown): boolean {
  return resultCode(thrown) === RESULT.busy
}

function resultCode(thrown: unknown): number | undefined {
  const code = isRecord(thrown) ? thrown['errcode'] : undefined
  // The upper bits tell more of the same.
  return typeof code === 'number' ? code & 0xff : undefined
}
