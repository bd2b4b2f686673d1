import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sessionId } from '../../../src/data/ids.ts'
import { mintToken } from '../../../src/service/auth/mint-token.ts'
import { createTokenCheck } from '../../../src/service/auth/token-check.ts'
import { readTokenFile, writeTokenFile } from '../../../src/service/auth/token-file.ts'
import { createMetrics } from '../../../src/service/http/metrics.ts'
import { parsePrefer } from '../../../src/service/http/prefer.ts'
import { queueProblem } from '../../../src/service/http/queue-problem.ts'
import { createFairQueue, QueueClosed, type FairQueue, type Place } from '../../../src/service/runs/fair-queue.ts'
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
  const reply = (body: string, isFinal = true) => ({ status: isFinal ? 200 : 503, headers: [], body, isFinal })
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
    const once = (key: string, isFinal = true, tenant = 'a', digest = 'd') =>
      replies.once(tenant, key, digest, async () => reply(`${++made}`, isFinal))
    return { replies, once, made: () => made, pass: (ms: number) => (clock += ms) }
  }

  test('are made once, until they are old', async () => {
    const kept = keep()
    const first = await kept.once('k')
    expect(await kept.once('k')).toEqual(first)
    expect(await kept.once('k', true, 'b')).not.toEqual(first)
    expect(await kept.once('k', true, 'a', 'other')).toEqual({ kind: 'mismatch' })
    kept.pass(200)
    expect(await kept.once('k')).not.toEqual(first)
  })

  test('that are not final are not kept, and what throws is not either', async () => {
    const kept = keep()
    await kept.once('k', false)
    await kept.once('k', false)
    await kept.once('k')
    await kept.once('k')
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
    expect(await kept.once('one more', true, 'b')).toEqual({ kind: 'full' })
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

  const one = { maxRunning: 1, maxRunningPerTenant: 1, maxWaiting: 5, maxWaitingPerTenant: 5 }
  async function entered(queue: FairQueue, tenant: string): Promise<Place> {
    const place = await queue.enter(tenant, signal)
    if (typeof place === 'string') throw new Error(place)
    return place
  }

  test('counts a parked place as free, once, however often it is parked', async () => {
    const queue = createFairQueue(one)
    const place = await entered(queue, 'a')
    const parked = [place.park(signal), place.park(signal)]
    expect(queue.running).toBe(0)
    await parked[0]?.[Symbol.asyncDispose]()
    await parked[0]?.[Symbol.asyncDispose]()
    expect(queue.running).toBe(0)
    await parked[1]?.[Symbol.asyncDispose]()
    expect(queue.running).toBe(1)
    place[Symbol.dispose]()
    await place.park(signal)[Symbol.asyncDispose]()
    expect([queue.running, queue.waiting]).toEqual([0, 0])
  })

  test('lets parked work come back when there is room and no sooner, before new work of its tenant', async () => {
    const queue = createFairQueue(one)
    const order: string[] = []
    const place = await entered(queue, 'a')
    const parked = place.park(signal)
    const other = await entered(queue, 'b')
    const fresh = entered(queue, 'a').then((got) => {
      order.push('new')
      return got
    })
    const back = parked[Symbol.asyncDispose]().then(() => order.push('back'))
    expect([queue.running, queue.waiting]).toEqual([1, 2])
    other[Symbol.dispose]()
    await back
    expect([queue.running, queue.waiting, order]).toEqual([1, 1, ['back']])
    place[Symbol.dispose]()
    const last = await fresh
    expect(order).toEqual(['back', 'new'])
    last[Symbol.dispose]()
    expect([queue.running, queue.waiting]).toEqual([0, 0])
  })

  test('lets work that is cut while it comes back go on without a place, and forgets what ended meanwhile', async () => {
    const queue = createFairQueue(one)
    const cut = new AbortController()
    const place = await entered(queue, 'a')
    const parked = place.park(cut.signal)
    const other = await entered(queue, 'b')
    const back = parked[Symbol.asyncDispose]()
    cut.abort()
    await back
    expect([queue.running, queue.waiting]).toEqual([1, 0])
    const again = place.park(signal)[Symbol.asyncDispose]()
    place[Symbol.dispose]()
    await again
    other[Symbol.dispose]()
    expect([queue.running, queue.waiting]).toEqual([0, 0])
  })

  test('keeps its limits whatever is entered, parked, taken back and ended, in whatever order', async () => {
    const step = fc.record({ tenant: fc.constantFrom('a', 'b'), act: fc.nat(3), which: fc.nat(20) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const queue = createFairQueue({
          maxRunning: 3,
          maxRunningPerTenant: 2,
          maxWaiting: 50,
          maxWaitingPerTenant: 50,
        })
        const places: Place[] = []
        const parked: AsyncDisposable[] = []
        for (const { tenant, act, which } of steps) {
          const place = places[which % Math.max(1, places.length)]
          if (act === 0) void entered(queue, tenant).then((got) => places.push(got))
          if (act === 1 && place !== undefined) parked.push(place.park(signal))
          if (act === 2) void parked.splice(which % Math.max(1, parked.length), 1)[0]?.[Symbol.asyncDispose]()
          if (act === 3 && place !== undefined) places.splice(places.indexOf(place), 1)[0]?.[Symbol.dispose]()
          await Promise.resolve().then(() => {})
          expect(queue.running).toBeLessThanOrEqual(3)
        }
        for (const back of parked) void back[Symbol.asyncDispose]()
        for (let n = 0; n < 200; n++) {
          places.shift()?.[Symbol.dispose]()
          await Promise.resolve().then(() => {})
          expect(queue.running).toBeLessThanOrEqual(3)
        }
        expect([queue.running, queue.waiting]).toEqual([0, 0])
      }),
      { numRuns: 100 },
    )
  })

  test('tells how long one more will wait by how long recent work took', async () => {
    let clock = 0
    const queue = createFairQueue({ ...one, now: () => clock })
    expect(queue.expectedWaitMs).toBe(0)
    const place = await entered(queue, 'a')
    clock = 4_000
    place[Symbol.dispose]()
    using _running = await entered(queue, 'a')
    expect(queue.expectedWaitMs).toBe(4_000)
    void entered(queue, 'a')
    void entered(queue, 'b')
    expect(queue.expectedWaitMs).toBe(12_000)
    const metrics = createMetrics()
    expect(queueProblem('full', { queue, metrics }).extras.retryAfterSeconds).toBe(12)
    clock = 10_000_000
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
  const keyed = (scope: string, key: string) => newRunIds({ scope, keyed: { key, digest: 'd'.repeat(64) } }).runId
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
