import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { utf8ByteLength } from '../data/bytes.ts'
import type { ArtifactLimits } from './memory.ts'
import type { ArtifactStore } from './store.ts'

// Artifacts are a courtesy: what a power cut takes is not worth waiting for the disk at each of them.
const SET_UP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF;
  CREATE TABLE IF NOT EXISTS artifacts (
    sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, text TEXT NOT NULL,
    bytes INTEGER NOT NULL, expires_at_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS artifacts_by_owner ON artifacts (owner, sequence);
`

/**
 * Artifacts in a file of their own, which is made with the first of them and read by its owner alone: they take no memory
 * of the process and are there after it. The same bounds as in memory; the oldest go first.
 */
export function createSqliteArtifacts(options: {
  readonly path: string
  readonly limits: ArtifactLimits
  readonly nowMs: () => number
  readonly newId: () => string
}): ArtifactStore & Disposable {
  const { path, limits, nowMs, newId } = options
  let file: ReturnType<typeof open> | undefined
  let isClosed = false
  // Large texts are read in many small parts, and each costs a reading of the whole: the last one is kept while memory
  // is not wanted for something else.
  let latest: WeakRef<Found> | undefined
  const use = () => (isClosed ? undefined : (file ??= open(path)))

  return {
    put(owner, text) {
      const bytes = utf8ByteLength(text)
      if (bytes > limits.maxBytesPerOwner || bytes > limits.maxBytes) return undefined
      const database = use()
      if (database === undefined) return undefined
      const id = `artifact-${newId()}`
      database.dropExpired.run(nowMs())
      database.makeRoomOfOwner.run({ owner, most: limits.maxBytesPerOwner - bytes })
      database.makeRoom.run({ most: limits.maxBytes - bytes })
      database.insert.run(id, owner, text, bytes, nowMs() + limits.maxAgeMs)
      return { id, length: text.length }
    },
    read(owner, id, { offset, length }) {
      const database = use()
      const kept = latest?.deref()
      const isKnown = kept?.id === id && database?.has.get(id, owner, nowMs()) !== undefined
      const found = isKnown ? kept : (database?.find.get(id, owner, nowMs()) as Found | undefined) // The columns it asks for.
      if (found === undefined) return undefined
      if (!isKnown) latest = new WeakRef(found)
      // SQLite counts code points; a range is in the units of JavaScript.
      return { text: found.text.slice(offset, offset + length), offset, length: found.text.length }
    },
    [Symbol.dispose]() {
      isClosed = true
      file?.database.close()
      file = undefined
    },
  }
}

interface Found {
  readonly id: string
  readonly text: string
}

function open(path: string) {
  const database = new DatabaseSync(path, { timeout: 1_000 })
  chmodSync(path, 0o600)
  database.exec(SET_UP)
  // What is older than so many bytes of newer ones goes.
  const older = (of: string) =>
    `DELETE FROM artifacts WHERE sequence IN (SELECT sequence FROM (
       SELECT sequence, SUM(bytes) OVER (ORDER BY sequence DESC) AS total FROM artifacts ${of}
     ) WHERE total > :most)`
  return {
    database,
    dropExpired: database.prepare('DELETE FROM artifacts WHERE expires_at_ms <= ?'),
    makeRoomOfOwner: database.prepare(older('WHERE owner = :owner')),
    makeRoom: database.prepare(older('')),
    insert: database.prepare('INSERT INTO artifacts (id, owner, text, bytes, expires_at_ms) VALUES (?, ?, ?, ?, ?)'),
    has: database.prepare('SELECT 1 FROM artifacts WHERE id = ? AND owner = ? AND expires_at_ms > ?'),
    find: database.prepare('SELECT id, text FROM artifacts WHERE id = ? AND owner = ? AND expires_at_ms > ?'),
  }
}
