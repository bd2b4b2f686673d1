import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { SessionId } from '../data/ids.ts'
import type { StoredEvent } from './events.ts'
import type { SessionSummary } from './log.ts'
import { checkHeader, hasWriteAheadLog, notOurs, openAsItLies, openDatabase, statFile } from './sqlite-file.ts'
import { prepareReads, type Reads } from './sqlite-reads.ts'

/** Read-only access for another process while a writer is at work (the `log` command). */
export interface SessionReader extends Disposable {
  list(): Promise<readonly SessionSummary[]>
  /** All events of one session, in order. Rejects, naming the row, when a row can't be understood. */
  read(id: SessionId, fromSequence?: number): Promise<readonly StoredEvent[]>
}

interface Opened {
  readonly database: DatabaseSync
  readonly rows: Reads
  /** Of the file as it lay there: what it looked like then. Absent: SQLite itself minds the writers. */
  readonly looks?: string
}

/**
 * Opens an existing session database for reading only. Throws `CONFIG_INVALID` when it is missing, newer or not ours.
 *
 * A database at rest is read as it lies there: nothing is made beside it, and it may be where nothing can be made. Once
 * a writer has touched it, it is opened anew.
 */
export function openSqliteReader(path: string): SessionReader {
  let opened = open(path, !hasWriteAheadLog(path))

  function read<T>(from: (rows: Reads) => T): T {
    const { looks } = opened
    if (looks === undefined) return from(opened.rows)
    if (looks === looksOf(path)) {
      try {
        const found = from(opened.rows)
        if (looks === looksOf(path)) return found
      } catch (thrown) {
        if (looks === looksOf(path)) throw thrown
      }
    }
    // A writer came: it may have changed pages under our eyes.
    opened.database.close()
    opened = open(path, false)
    return from(opened.rows)
  }

  return {
    list: async () => read((rows) => rows.list()),
    read: async (id, fromSequence = 1) => read((rows) => rows.read(id, fromSequence)),
    [Symbol.dispose]() {
      if (opened.database.isOpen) opened.database.close()
    },
  }
}

function open(path: string, isAtRest: boolean): Opened {
  statFile(path)
  const looks = looksOf(path)
  const database = isAtRest ? openAsItLies(path) : openDatabase(path, true)
  try {
    if (checkHeader(database, path) === 'empty') throw notOurs(path, 'it holds no sessions')
    return { database, rows: prepareReads(database, path), ...(isAtRest && { looks }) }
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

function looksOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return `${file?.ino} ${file?.mtimeNs} ${file?.size} ${hasWriteAheadLog(path)}`
}
