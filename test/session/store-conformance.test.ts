import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sessionId } from '../../src/data/ids.ts'
import type { SessionEvent } from '../../src/session/events.ts'
import type { SessionStore } from '../../src/session/log.ts'
import { createMemoryStore } from '../../src/session/memory-log.ts'
import { createSqliteStore } from '../../src/session/sqlite-log.ts'
import { call, context, dispatchEnd, dispatchStart, result } from './sample-events.ts'

const a = sessionId('a')
const b = sessionId('b')
const everyKind = [
  call('call-1'),
  dispatchStart('call-1/1'),
  dispatchEnd('call-1/1', 'echo', 'call-1', 'call-1', 'TOOL_FAILED'),
  result('call-1'),
  context('call-1', 'note'),
]

const makers: Record<string, (folder: string, now: () => number) => SessionStore> = {
  memory: (_folder, now) => createMemoryStore({ now }),
  sqlite: (folder, now) => createSqliteStore({ path: join(folder, 'log.db'), now }),
}

describe.each(Object.entries(makers))('a %s store', (_kind, make) => {
  let folder: string
  let store: SessionStore
  let clock: number
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'session-'))
    clock = 1_000
    store = make(folder, () => clock++)
  })
  afterEach(async () => {
    await store[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  test('gives a long session in parts, of what is written and of what waits to be', async () => {
    const log = store.open(a, 'agent')
    const sequences = async (from: number, limit?: number) =>
      (await store.read(a, from, limit)).map(({ sequence }) => sequence)
    for (const event of everyKind) log.append(event)
    expect(await sequences(1, 2)).toEqual([1, 2])
    await log.flush()
    expect(await sequences(1, 2)).toEqual([1, 2])
    log.append(call('call-2'))
    log.append(call('call-3'))
    expect(await sequences(5, 3)).toEqual([5, 6, 7])
    expect(await sequences(7, 1)).toEqual([7])
    expect(await sequences(6)).toEqual([6, 7, 8])
    expect(await sequences(9, 4)).toEqual([])
  })

  test('begins a session with its opening and numbers events without a gap', () => {
    const log = store.open(a, 'agent')
    const taken = everyKind.map((event) => log.append(event))
    expect(log.events().map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'session/opened'],
      [2, 'tool/call'],
      [3, 'tool/code-dispatch-start'],
      [4, 'tool/code-dispatch'],
      [5, 'tool/result'],
      [6, 'context/added'],
    ])
    expect(log.events().slice(1)).toEqual(taken)
    expect(log.events()[0]).toEqual({
      type: 'session/opened',
      scope: 'agent',
      version: 1,
      sessionId: 'a',
      sequence: 1,
      atMs: 1_000,
    })
  })

  test('reads the same before and after the flush, from any sequence number', async () => {
    const log = store.open(a, 'agent')
    for (const event of everyKind) log.append(event)
    const before = await store.read(a)
    await log.flush()
    const late = log.append(call('call-2'))
    expect(await store.read(a)).toEqual([...before, late])
    expect(await store.read(a, 5)).toEqual([...before.slice(4), late])
    expect(await store.read(a, 7)).toEqual([late])
    expect(await store.read(a, 8)).toEqual([])
    expect(await store.read(a, -3)).toHaveLength(7)
  })

  test('gives the same log for the same id and nothing for an unknown one', async () => {
    const log = store.open(a, 'agent')
    log.append(call('call-1'))
    expect(store.open(a, 'agent')).toBe(log)
    expect(await store.read(b)).toEqual([])
    expect(log.events()).toHaveLength(2)
  })

  test('keeps sessions apart, and lists them in order of opening', async () => {
    const first = store.open(a, 'agent')
    const second = store.open(b, 'global')
    first.append(call('call-1'))
    await first.flush()
    first.append(result('call-1'))
    second.append(call('call-1'))
    expect(await store.list()).toEqual([
      { sessionId: 'a', scope: 'agent', openedAtMs: 1_000, events: 3 },
      { sessionId: 'b', scope: 'global', openedAtMs: 1_001, events: 2 },
    ])
    expect((await store.read(b)).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  test('refuses to reopen a session for another scope', () => {
    store.open(a, 'agent')
    expect(() => store.open(a, 'global')).toThrow(/session a: belongs to scope "agent"/)
  })

  test.each(['', 'a\u0000b', 'line\nbreak', '\ud800', 'x'.repeat(257)])('refuses the session id %j', (id) => {
    expect(() => store.open(sessionId(id), 'global')).toThrow(/session id/)
  })

  test('keeps names and texts of outside byte for byte', async () => {
    const odd = '__proto__\u0000\u2028\ud83d\ude00"\\'
    const log = store.open(sessionId('__proto__'), 'constructor')
    const meta = JSON.parse('{"__proto__":{"polluted":true},"then":1}')
    log.append(call(odd, odd))
    log.append({ ...result('x'), meta } as SessionEvent)
    await log.flush()
    const [, first, second] = await store.read(sessionId('__proto__'))
    expect(first).toMatchObject({ callId: odd, name: odd })
    expect(second?.type === 'tool/result' && JSON.stringify(second.meta)).toBe(JSON.stringify(meta))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('takes nothing after its disposal, which may come twice', async () => {
    const log = store.open(a, 'agent')
    await store[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
    expect(() => log.append(call('call-1'))).toThrow(/disposed/)
    expect(() => store.open(b, 'agent')).toThrow(/disposed/)
  })

  test('gives the events from a sequence on, those that wait for their commit too', async () => {
    const log = store.open(a, 'global')
    log.append(call('call-1'))
    await log.flush()
    log.append(result('call-1'))
    expect(log.events(2).map(({ sequence, type }) => [sequence, type])).toEqual([
      [2, 'tool/call'],
      [3, 'tool/result'],
    ])
    expect(log.events(4)).toEqual([])
    expect(log.events(0)).toHaveLength(3)
  })

  test('does not let the reader of events() change the log', () => {
    const log = store.open(a, 'agent')
    ;(log.events() as unknown[]).push('forged')
    expect(log.events()).toHaveLength(1)
  })
})
