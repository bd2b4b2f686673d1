import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sessionId } from '../../../src/data/ids.ts'
import { mintToken } from '../../../src/service/auth/mint-token.ts'
import { createTokenCheck } from '../../../src/service/auth/token-check.ts'
import { readTokenFile, writeTokenFile } from '../../../src/service/auth/token-file.ts'
import { parsePrefer } from '../../../src/service/http/prefer.ts'
import { createFairQueue, QueueClosed } from '../../../src/service/runs/fair-queue.ts'
import { KeyedReplies } from '../../../src/service/runs/keyed-replies.ts'
import { newRunIds, parseRunId } from '../../../src/service/runs/run-ids.ts'
import { watchStore } from '../../../src/service/runs/watched-store.ts'
import { createMemoryStore } from '../../../src/session/memory-log.ts'
import { createSqliteStore } from '../../../src/session/sqlite-log.ts'
import { temporaryFolder, token } from './rig.ts'

describe('tokens', () => {
  test('are known by their digest, the whole of it, and a damaged entry opens nothing', () => {
    const { secret, entry } = mintToken({ name: 'a', scope: 's', may: ['run'] })
    const damaged = { ...entry, sha256: entry.sha256.slice(0, 32) }
    const check = createTokenCheck(() => [damaged, token('other', 's', 'x', []), entry])
    expect(check(`Bearer ${secret}`)).toMatchObject({ name: 'a', scope: 's' })
    expect(check(`bearer ${secret}`)).toMatchObject({ name: 'a' })
    for (const wrong of [
      undefined,
      null,
      '',
      secret,
      `Bearer ${secret} x`,
      `Bearer ${entry.sha256}`,
      `Bearer ${secret}${'x'.repeat(5_000)}`,
    ])
      expect(check(wrong)).toBeUndefined()
  })

  test('are kept in a file that only its owner reads, and a damaged file is an error, not an empty one', () => {
    using folder = temporaryFolder()
    const file = folder.file('tokens.json')
    expect(readTokenFile(file)).toBeUndefined()
    writeFileSync(file, 'x')
    chmodSync(file, 0o644)
    expect(() => readTokenFile(file)).toThrow(/not a list of tokens/)
    const { entry } = mintToken({ name: 'a', scope: 's', may: ['run'] })
    writeTokenFile(file, [entry])
    expect(readTokenFile(file)).toEqual([entry])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"run"', '"everything"'))
    expect(() => readTokenFile(file)).toThrow(/not a list of tokens/)
  })
})

describe('answers for a key', () => {
  const reply = (body: string, status = 200) => ({ status, headers: [], body })
  function keep(options: { readonly maxKeysPerTenant?: number; readonly maxCharsPerTenant?: number } = {}) {
    let clock = 0
    const replies = new KeyedReplies({
      now: () => clock,
      keepMs: 100,
      maxKeysPerTenant: 10,
      maxCharsPerTenant: 1_000,
      ...options,
    })
    let made = 0
    const once = (key: string, status = 200, tenant = 'a', digest = 'd') =>
      replies.once(tenant, key, digest, async () => reply(`${++made}`, status))
    return { replies, once, made: () => made, pass: (ms: number) => (clock += ms) }
  }

  test('are made once, until they are old', async () => {
    const kept = keep()
    const first = await kept.once('k')
    expect(await kept.once('k')).toEqual(first)
    expect(await kept.once('k', 200, 'b')).not.toEqual(first)
    expect(await kept.once('k', 200, 'a', 'other')).toEqual({ kind: 'mismatch' })
    kept.pass(200)
    expect(await kept.once('k')).not.toEqual(first)
  })

  test('that say "try again" are not kept, and what throws is not either', async () => {
    const kept = keep()
    await kept.once('k', 503)
    await kept.once('k', 429)
    await kept.once('k', 200)
    expect(kept.made()).toBe(3)
    await expect(kept.replies.once('a', 'x', 'd', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await kept.once('x')).toMatchObject({ kind: 'reply' })
  })

  test('are bounded: the oldest go first, and when all are under way one more is refused', async () => {
    const kept = keep({ maxKeysPerTenant: 3 })
    for (const key of ['1', '2', '3', '4']) await kept.once(key)
    await kept.once('4')
    expect(kept.made()).toBe(4)
    await kept.once('1')
    expect(kept.made()).toBe(5)
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof reply>>()
    const open = ['x', 'y', 'z'].map((key) => kept.replies.once('b', key, 'd', () => promise))
    expect(await kept.once('one more', 200, 'b')).toEqual({ kind: 'full' })
    resolve(reply(''))
    await Promise.all(open)
  })
})

describe('the queue', () => {
  const { signal } = new AbortController()
  test('sends those who wait away when it closes, and lets nobody in afterwards', async () => {
    const queue = createFairQueue({ maxRunning: 1, maxRunningPerTenant: 1, maxWaiting: 5, maxWaitingPerTenant: 5 })
    const place = await queue.enter('a', signal)
    const waiting = Promise.resolve(queue.enter('a', signal))
    const sent = expect(waiting).rejects.toThrow(QueueClosed)
    queue.close()
    await sent
    expect(queue.enter('b', signal)).toBe('closed')
    if (typeof place !== 'string') place[Symbol.dispose]()
    expect([queue.running, queue.waiting]).toEqual([0, 0])
  })

  test('counts a parked place as free, once, however often it is parked, and takes it back', async () => {
    const queue = createFairQueue({ maxRunning: 1, maxRunningPerTenant: 1, maxWaiting: 5, maxWaitingPerTenant: 5 })
    const place = await queue.enter('a', signal)
    if (typeof place === 'string') throw new Error(place)
    const parked = [place.park(), place.park()]
    expect(queue.running).toBe(0)
    const other = await queue.enter('a', signal)
    expect(queue.running).toBe(1)
    parked[0]?.[Symbol.dispose]()
    expect(queue.running).toBe(1)
    parked[1]?.[Symbol.dispose]()
    expect(queue.running).toBe(2)
    place[Symbol.dispose]()
    place.park()[Symbol.dispose]()
    if (typeof other !== 'string') other[Symbol.dispose]()
    expect(queue.running).toBe(0)
  })
})

describe('a watched store', () => {
  test.each(['memory', 'sqlite'])('of a %s store lets go of sessions; only the file still has them', async (kind) => {
    using folder = temporaryFolder()
    await using store = watchStore(
      kind === 'memory'
        ? createMemoryStore({ now: () => 1 })
        : createSqliteStore({ path: folder.file('s.sqlite'), now: () => 1 }),
    )
    const id = sessionId('s')
    const log = store.open(id, 'team')
    expect(store.lend().open(id, 'team')).toBe(log)
    store.release?.(id)
    // What is not durable yet stays where it is.
    if (kind === 'sqlite') expect((await store.read(id)).length).toBe(1)
    await log.flush()
    store.release?.(id)
    expect((await store.read(id)).length).toBe(kind === 'sqlite' ? 1 : 0)
    expect(store.scopeOf?.(id)).toBe(kind === 'sqlite' ? 'team' : undefined)
    if (kind === 'sqlite') {
      expect(() => log.append({ type: 'session/opened', scope: 'team' })).toThrow(/released/)
      expect(store.open(id, 'team').events().length).toBe(1)
    }
  })
})

test('ids of a run tell its session and its call, and a key gives the same ones to the same tenant only', () => {
  const ids = newRunIds({ scope: 'a' })
  expect(parseRunId(ids.runId)).toEqual(ids)
  const inSession = newRunIds({ scope: 'a', sessionId: `session-${'1'.repeat(32)}` })
  expect(parseRunId(inSession.runId)).toEqual(inSession)
  const keyed = (scope: string, key: string) => newRunIds({ scope, key }).runId
  expect(keyed('a', 'k')).toBe(keyed('a', 'k'))
  expect(new Set([keyed('a', 'k'), keyed('b', 'k'), keyed('a', 'l'), ids.runId]).size).toBe(4)
  for (const strange of ['', 'run-', 'run-xyz', `run-${'1'.repeat(31)}`, `session-${'1'.repeat(32)}`])
    expect(parseRunId(strange)).toBeUndefined()
})

test.each([
  [null, false, 0],
  ['respond-async', true, 0],
  ['Respond-Async, wait=10', true, 10_000],
  ['wait=10', false, 0],
  ['respond-async; wait=999999', true, 300_000],
  ['respond-async, wait=-1', true, 0],
  ['handling=lenient,,;', false, 0],
])('Prefer %j is read as async %s, wait %i', (header, isAsync, waitMs) => {
  expect(parsePrefer(header)).toEqual({ isAsync, waitMs })
})
