import { spawn } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasCode } from '../../src/data/failure.ts'
import { sessionId } from '../../src/data/ids.ts'
import { checkEvents } from '../../src/session/invariants.ts'
import { createSqliteStore, openSqliteReader } from '../../src/session/sqlite-log.ts'
import { killedArguments, ROUND } from './fixtures/killed-arguments.ts'
import { call, result } from './sample-events.ts'

const a = sessionId('a')
const now = () => 5
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'))
  path = join(folder, 'log.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

function refusal(act: () => unknown): string {
  try {
    act()
  } catch (thrown) {
    expect(hasCode(thrown, 'CONFIG_INVALID')).toBe(true)
    return String(thrown)
  }
  return 'no refusal'
}

test('a later store goes on where the earlier one stopped', async () => {
  {
    await using store = createSqliteStore({ path, now })
    store.open(a, 'agent').append(call('call-1'))
  }
  await using store = createSqliteStore({ path, now })
  expect(() => store.open(a, 'global')).toThrow(/belongs to scope "agent"/)
  const log = store.open(a, 'agent')
  expect(log.append(result('call-1')).sequence).toBe(3)
  expect(log.events().map(({ type }) => type)).toEqual(['session/opened', 'tool/call', 'tool/result'])
})

test('what is appended is the record: later changes to the object do not reach it', async () => {
  const event = { type: 'tool/call', callId: 'c', name: 'before', arguments: '{}' }
  {
    await using store = createSqliteStore({ path, now })
    store.open(a, 'agent').append(event as never)
    event.name = 'after'
  }
  using reader = openSqliteReader(path)
  expect((await reader.read(a))[1]).toMatchObject({ name: 'before' })
})

test('a reader sees what is flushed while the writer is at work, and not what waits', async () => {
  await using store = createSqliteStore({ path, now })
  const log = store.open(a, 'agent')
  log.append(call('call-1'))
  await log.flush()
  log.append(result('call-1'))
  using reader = openSqliteReader(path)
  expect((await reader.read(a)).map(({ type }) => type)).toEqual(['session/opened', 'tool/call'])
  expect(await reader.list()).toEqual([{ sessionId: 'a', scope: 'agent', openedAtMs: 5, events: 2 }])
  await log.flush()
  expect(await reader.read(a, 3)).toEqual(log.events().slice(2))
})

test('without any flush the group commit brings events into the file', async () => {
  await using store = createSqliteStore({ path, now })
  store.open(a, 'agent').append(call('call-1'))
  using reader = openSqliteReader(path)
  await expect.poll(() => reader.read(a)).toHaveLength(2)
})

test('flushes of one turn share one commit and each covers its own appends', async () => {
  await using store = createSqliteStore({ path, now })
  const logs = Array.from({ length: 20 }, (_, n) => store.open(sessionId(`s${n}`), 'agent'))
  using reader = openSqliteReader(path)
  await Promise.all(
    logs.map(async (log) => {
      log.append(call('call-1'))
      await log.flush()
      expect(await reader.read(log.sessionId)).toHaveLength(2)
    }),
  )
})

test('a second writer is refused, in this process and while the first lives', async () => {
  {
    await using first = createSqliteStore({ path, now })
    expect(refusal(() => createSqliteStore({ path, now }))).toMatch(/log\.db: another store is writing to it/)
    first.open(a, 'agent')
  }
  await using second = createSqliteStore({ path, now })
  expect(await second.list()).toHaveLength(1)
})

test.skipIf(process.platform === 'win32')('the files are for their owner only', async () => {
  await using store = createSqliteStore({ path, now })
  store.open(a, 'agent').append(call('call-1'))
  await store.open(a, 'agent').flush()
  const files = readdirSync(folder)
  expect(files).toEqual(expect.arrayContaining(['log.db', 'log.db-shm', 'log.db-wal', 'log.db.lock']))
  expect(files.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([])
})

test('a commit that fails rejects the flush, keeps the events, and a later flush brings them in', async () => {
  await using store = createSqliteStore({ path, now })
  const log = store.open(a, 'agent')
  await log.flush()
  const other = new DatabaseSync(path)
  other.exec(`CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
  log.append(call('call-1'))
  await expect(log.flush()).rejects.toThrow(/events are not written: the disk is full/)
  expect(log.events()).toHaveLength(2)
  other.exec('DROP TRIGGER full')
  other.close()
  await log.flush()
  using reader = openSqliteReader(path)
  expect(await reader.read(a)).toHaveLength(2)
})

test('sessions that were opened while commits failed come in whole, in order, beside one another', async () => {
  await using store = createSqliteStore({ path, now })
  const other = new DatabaseSync(path)
  other.exec(
    `CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.sequence = 30 BEGIN SELECT RAISE(ABORT, 'full'); END`,
  )
  const logs = ['s1', 's2', 's3'].map((id) => store.open(sessionId(id), 'agent'))
  for (let n = 1; n <= 40; n++) for (const log of logs) log.append(call(`call-${n}`))
  await expect(logs[0]?.flush()).rejects.toThrow(/full/)
  other.exec('DROP TRIGGER full')
  other.exec(`INSERT INTO sessions (id, scope, opened_at_ms) VALUES ('taken in between', 'agent', 1)`)
  other.close()
  const late = store.open(sessionId('s4'), 'agent')
  late.append(call('call-1'))
  await late.flush()
  using reader = openSqliteReader(path)
  for (const log of [...logs, late]) {
    expect(await reader.read(log.sessionId)).toEqual(log.events())
    expect(log.events(2)).toHaveLength(log === late ? 1 : 40)
  }
})

test('what is asked for from a sequence on is the same before, across and after a commit', async () => {
  await using store = createSqliteStore({ path, now })
  const log = store.open(a, 'agent')
  for (let n = 0; n < 5; n++) log.append(call(`call-${n}`))
  await log.flush()
  for (let n = 5; n < 9; n++) log.append(call(`call-${n}`))
  const seen = () => [1, 4, 6, 7, 9, 10, 11, 50].map((from) => log.events(from).map(({ sequence }) => sequence))
  const before = seen()
  expect(before.map((sequences) => [sequences[0], sequences.length])).toEqual([
    [1, 10],
    [4, 7],
    [6, 5],
    [7, 4],
    [9, 2],
    [10, 1],
    [undefined, 0],
    [undefined, 0],
  ])
  await log.flush()
  expect(seen()).toEqual(before)
})

test('disposal with a commit that fails says so, and frees the file', async () => {
  const store = createSqliteStore({ path, now })
  const log = store.open(a, 'agent')
  const other = new DatabaseSync(path)
  other.exec(`CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
  await expect(store[Symbol.asyncDispose]()).rejects.toThrow(/the disk is full/)
  await expect(log.flush()).rejects.toThrow(/disposed/)
  other.close()
  await createSqliteStore({ path, now })[Symbol.asyncDispose]()
})

test('an event that has no JSON form is refused at once and leaves no gap', async () => {
  await using store = createSqliteStore({ path, now })
  const log = store.open(a, 'agent')
  expect(() => log.append({ ...call('call-1'), name: 1n } as never)).toThrow(TypeError)
  expect(log.append(call('call-1')).sequence).toBe(2)
})

test('after a clean end only the database is left, and a reader adds nothing to it', async () => {
  {
    await using store = createSqliteStore({ path, now })
    store.open(a, 'agent').append(call('call-1'))
  }
  expect(readdirSync(folder)).toEqual(['log.db'])
  using reader = openSqliteReader(path)
  expect(await reader.read(a)).toHaveLength(2)
  expect(readdirSync(folder)).toEqual(['log.db'])
})

test('a reader that was opened between two writers sees what the second one flushes', async () => {
  await createSqliteStore({ path, now })[Symbol.asyncDispose]()
  using reader = openSqliteReader(path)
  expect(await reader.list()).toEqual([])
  {
    await using store = createSqliteStore({ path, now })
    const log = store.open(a, 'agent')
    await log.flush()
    expect(await reader.read(a)).toHaveLength(1)
    log.append(call('call-1'))
    await log.flush()
    expect(await reader.read(a)).toHaveLength(2)
  }
  expect(await reader.list()).toHaveLength(1)
})

test('the lock of a writer that was killed is taken over, and gone after a clean end', async () => {
  writeFileSync(`${path}.lock`, '')
  {
    await using _store = createSqliteStore({ path, now })
    expect(refusal(() => createSqliteStore({ path, now }))).toMatch(/another store is writing to it/)
    expect(readdirSync(folder)).toContain('log.db.lock')
  }
  expect(readdirSync(folder)).toEqual(['log.db'])
})

test('of writers in other processes that come while one ends, never two hold the file', async () => {
  const script = `
    const { createSqliteStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/session/sqlite-log.ts'))})
    const { mkdirSync, rmdirSync } = await import('node:fs')
    let had = 0
    for (let n = 0; n < 40; n++) {
      let store
      try { store = createSqliteStore({ path: ${JSON.stringify(path)}, now: () => 1 }) } catch { continue }
      had++
      mkdirSync(${JSON.stringify(join(folder, 'held'))}) // Throws when another one holds it.
      await new Promise((resolve) => setTimeout(resolve, 1))
      rmdirSync(${JSON.stringify(join(folder, 'held'))})
      await store[Symbol.asyncDispose]()
    }
    if (had === 0) process.exit(9)`
  const node = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'node')
  const codes = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(node, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] })
      let err = ''
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
      const [code] = await once(child, 'close')
      return code === 0 ? 'fine' : err
    }),
  )
  expect(codes).toEqual(['fine', 'fine', 'fine'])
  expect(readdirSync(folder)).toEqual(['log.db'])
}, 30_000)

test('files that are no session database are refused with what was found', () => {
  writeFileSync(join(folder, 'text'), 'not a database, by any measure. '.repeat(200))
  const foreign = new DatabaseSync(join(folder, 'foreign'))
  foreign.exec('CREATE TABLE recipes (name TEXT)')
  foreign.close()
  new DatabaseSync(join(folder, 'empty')).close()
  mkdirSync(join(folder, 'directory'))
  writeFileSync(join(folder, 'cut'), readFileSync(join(folder, 'foreign')).subarray(0, 4_096))
  const cases: readonly [string, RegExp][] = [
    ['text', /text: not a session database: file is not a database; choose another path/],
    ['foreign', /foreign: not a session database: it belongs to another program/],
    ['no/folder', /the folder must exist and be writable/],
    ['directory', /directory: is a directory; give the path of a file/],
    [
      'cut',
      /cut: the file is damaged \(database disk image is malformed\); restore it from a copy, or use another path/,
    ],
  ]
  for (const [name, message] of cases) {
    expect(refusal(() => createSqliteStore({ path: join(folder, name), now }))).toMatch(message)
    if (name !== 'no/folder') expect(refusal(() => openSqliteReader(join(folder, name)))).toMatch(message)
  }
  // None of them has got company by being looked at.
  expect(readdirSync(folder).toSorted()).toEqual(['cut', 'directory', 'empty', 'foreign', 'text'])
  expect(refusal(() => createSqliteStore({ path: ':memory:', now }))).toMatch(/use createMemoryStore/)
  expect(refusal(() => openSqliteReader(join(folder, 'none')))).toMatch(/the file must exist and be readable/)
  expect(refusal(() => openSqliteReader(join(folder, 'empty')))).toMatch(/it holds no sessions/)
  expect(refusal(() => openSqliteReader(join(folder, 'foreign')))).toMatch(/belongs to another program/)
  expect(readdirSync(folder)).not.toContain('none')
})

test('a database of a later schema is refused by writer and reader', async () => {
  await createSqliteStore({ path, now })[Symbol.asyncDispose]()
  const edit = new DatabaseSync(path)
  edit.exec('PRAGMA user_version = 99')
  edit.close()
  const message = /written with schema version 99, this release reads version 1; use a newer release/
  expect(refusal(() => createSqliteStore({ path, now }))).toMatch(message)
  expect(refusal(() => openSqliteReader(path))).toMatch(message)
})

async function writeMany(): Promise<void> {
  await using store = createSqliteStore({ path, now })
  const log = store.open(a, 'agent')
  for (let n = 0; n < 500; n++) log.append(call(`call-${n}-${'x'.repeat(500)}`))
}

test('a database that is damaged inside is one coded failure that says so, for writer and reader', async () => {
  await writeMany()
  const bytes = readFileSync(path)
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 4_096), Buffer.alloc(bytes.length - 4_096, 0x5a)]))
  const damaged = {
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/^session store .*: the file is damaged \(/),
  }
  {
    await using store = createSqliteStore({ path, now })
    expect(() => store.open(a, 'agent')).toThrow(expect.objectContaining(damaged))
    await expect(store.list()).rejects.toMatchObject(damaged)
  }
  using reader = openSqliteReader(path)
  await expect(reader.read(a)).rejects.toMatchObject(damaged)
})

test('a database that another program has locked is one coded failure, and the waiting for it is not repeated', async () => {
  await using store = createSqliteStore({ path, now })
  const log = store.open(a, 'agent')
  await log.flush()
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  log.append(call('call-1'))
  const locked = {
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/: events are not written: another program has locked it \(database is locked\)/),
  }
  await expect(log.flush()).rejects.toMatchObject(locked)
  // Twenty times the wait would be longer than this test may take.
  for (let n = 0; n < 20; n++) await expect(log.flush()).rejects.toMatchObject(locked)
  other.exec('ROLLBACK')
  other.close()
  await log.flush()
})

test('a database that is locked when a store or a reader comes is refused with the cause', async () => {
  await createSqliteStore({ path, now })[Symbol.asyncDispose]()
  const other = new DatabaseSync(path)
  other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  expect(refusal(() => createSqliteStore({ path, now }))).toMatch(
    /another program has locked it \(database is locked\)/,
  )
  other.close()
  expect(readdirSync(folder)).toEqual(['log.db'])
})

test.each([
  ["UPDATE events SET body = '{' WHERE sequence = 2", /session a, event 2: /],
  ["UPDATE events SET body = '[]' WHERE sequence = 2", /session a, event 2: /],
  ["UPDATE events SET type = 'tool/result' WHERE sequence = 2", /type column and its body differ/],
  ['UPDATE events SET version = 2 WHERE sequence = 2', /version 2; this reader knows 1 and lower/],
  ['UPDATE events SET body = \'{"type":"tool/call","sequence":9}\' WHERE sequence = 2', /"\/callId" must be a string/],
])('an edited row is refused by its number: %s', async (edit, message) => {
  {
    await using store = createSqliteStore({ path, now })
    store.open(a, 'agent').append(call('call-1'))
  }
  const database = new DatabaseSync(path)
  database.exec(edit)
  database.close()
  using reader = openSqliteReader(path)
  await expect(reader.read(a)).rejects.toThrow(message)
})

test.each([1, 52, 152, 402, 702, 952])(
  'killed with SIGKILL during 1,000 appends, after %i acknowledgements, a writer loses no acknowledged event',
  async (afterAcknowledgements) => {
    const fixture = join(import.meta.dirname, 'fixtures', 'append-a-thousand.ts')
    const node = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'node')
    const child = spawn(node, [fixture, path], { stdio: ['pipe', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    child.stdin.on('error', () => {}) // It is killed while we may be writing.
    let text = ''
    let rounds = 0
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const lines = text.split('\n').length - 1
      if (lines >= afterAcknowledgements) child.kill('SIGKILL')
      else for (; rounds < Math.floor(lines / ROUND); rounds++) child.stdin.write('.')
    })
    const [, signal] = await exited
    if (!child.stdout.readableEnded) await once(child.stdout, 'close')
    // The last line may be cut; only a whole one is an acknowledgement.
    const acknowledged = text.split('\n').slice(0, -1).map(Number)
    expect(signal).toBe('SIGKILL')
    expect(acknowledged.length).toBeGreaterThanOrEqual(afterAcknowledgements)
    // It had no leave to finish: the kill came while it had appends to make, or had just made its round of them.
    expect(acknowledged.length).toBeLessThanOrEqual(Math.ceil(afterAcknowledgements / ROUND) * ROUND)

    {
      using reader = openSqliteReader(path)
      const events = await reader.read(sessionId('killed'))
      const kept = new Map(events.map((event) => [event.sequence, event]))
      expect(acknowledged.filter((sequence) => !kept.has(sequence))).toEqual([])
      // Not only the rows: what is in them, to the last event that was kept.
      for (const { sequence, ...event } of events.slice(1))
        expect(event).toMatchObject({ type: 'tool/call', callId: `c${sequence}`, arguments: killedArguments(sequence) })
      expect(checkEvents(events)).toEqual([])
      const file = new DatabaseSync(path, { readOnly: true })
      expect(file.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      file.close()
    }
    await using store = createSqliteStore({ path, now })
    const next = store.open(sessionId('killed'), 'global').append(call('after'))
    expect(next.sequence).toBeGreaterThan(Math.max(...acknowledged))
  },
)

test('a copy of the file without its side files still reads after a clean end', async () => {
  {
    await using store = createSqliteStore({ path, now })
    store.open(a, 'agent').append(call('call-1'))
  }
  const copy = join(folder, 'copy.db')
  copyFileSync(path, copy)
  using reader = openSqliteReader(copy)
  expect(await reader.read(a)).toHaveLength(2)
})
