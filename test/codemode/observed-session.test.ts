import { describe, expect, test } from 'vitest'
import { createSessionTools } from '../../src/codemode/session-tools.ts'
import { callId, sessionId } from '../../src/data/ids.ts'
import { printShape } from '../../src/sdk/observed/print-shape.ts'
import { createMemoryStore } from '../../src/session/memory-log.ts'

const [one, two] = [sessionId('one'), sessionId('two')]
const tool = (name: string) => ({ name, output: {} })
const declared = (name: string) => ({ name, output: { schema: { type: 'object' } } })

describe('what a session knows of its tools', () => {
  test('is which it used, the latest first, and what those without a declared result gave', () => {
    const tools = createSessionTools()
    tools.used(one, tool('a'), { id: 1 })
    tools.used(one, declared('b'), { id: 1 })
    tools.used(one, tool('a'), { id: 2, name: 'x' })
    expect(tools.recent(one)).toEqual(['a', 'b'])
    const observed = tools.observed(one)
    expect([...observed.keys()]).toEqual(['a'])
    expect(observed.get('a')?.results).toBe(2)
    expect(printShape(observed.get('a')?.shape ?? { kinds: new Set(), isOpen: false })).toBe(
      '{ id: number; name?: string }',
    )
  })

  test('is not what another session knows, and nothing of a session that was forgotten', () => {
    const tools = createSessionTools()
    tools.used(one, tool('a'), 1)
    expect(tools.recent(two)).toEqual([])
    expect(tools.observed(two).size).toBe(0)
    tools.forget(one)
    expect(tools.recent(one)).toEqual([])
    expect(tools.observed(one).size).toBe(0)
  })

  test('says nothing of programs themselves', () => {
    const tools = createSessionTools()
    tools.used(one, tool('run_code'), { logs: [] })
    expect(tools.recent(one)).toEqual([])
    expect(tools.observed(one).size).toBe(0)
  })
})

describe('how much is kept', () => {
  test('of one session: so many names and shapes, those used longest ago going first', () => {
    const tools = createSessionTools({ maxRecent: 3, maxObserved: 2 })
    for (const name of ['a', 'b', 'c', 'd', 'b']) tools.used(one, tool(name), 1)
    expect(tools.recent(one)).toEqual(['b', 'd', 'c'])
    expect([...tools.observed(one).keys()]).toEqual(['d', 'b'])
  })

  test('of all sessions: so many, and so many shapes; those used longest ago are forgotten first', () => {
    const byCount = createSessionTools({ maxSessions: 2 })
    for (const name of ['s', 't', 's', 'u']) byCount.used(sessionId(name), tool('a'), 1)
    expect(byCount.recent(sessionId('t'))).toEqual([])
    expect(byCount.recent(sessionId('s'))).toEqual(['a'])
    expect(byCount.recent(sessionId('u'))).toEqual(['a'])

    const byShapes = createSessionTools({ maxShapes: 3 })
    for (const name of ['a', 'b']) byShapes.used(one, tool(name), 1)
    for (const name of ['a', 'b']) byShapes.used(two, tool(name), 1)
    expect(byShapes.observed(one).size).toBe(0)
    expect(byShapes.observed(two).size).toBe(2)
    // What was forgotten counts no more.
    byShapes.used(one, tool('a'), 1)
    expect(byShapes.observed(two).size).toBe(2)
  })

  test('of one tool: the shape of so many results, and their number', () => {
    const tools = createSessionTools({ maxResults: 2, maxPlaces: 3 })
    tools.used(one, tool('a'), { x: 1 })
    tools.used(one, tool('a'), { y: { z: { q: 1 } } })
    tools.used(one, tool('a'), { w: 1 })
    const known = tools.observed(one).get('a')
    expect(known?.results).toBe(2)
    expect(printShape(known?.shape ?? { kinds: new Set(), isOpen: false })).toBe('{ x?: number; y?: any }')
  })
})

describe('a session of an earlier process', () => {
  test('is known by the successes in its log, and what it uses now comes before', () => {
    const log = createMemoryStore({ now: () => 0 }).open(one, 'global')
    const dispatch = (name: string, isError: boolean) =>
      log.append({
        type: 'tool/code-dispatch',
        rootCallId: callId('r'),
        parentCallId: callId('r'),
        callId: callId(`r/${name}`),
        name,
        isError,
        content: [],
        timings: { queuedMs: 0, runMs: 0 },
        bodyStarted: true,
      })
    dispatch('a', false)
    dispatch('b', false)
    dispatch('c', true)
    const tools = createSessionTools()
    tools.used(one, declared('a'), 1)
    expect(tools.useOf(log).recent).toEqual(['a', 'b'])
    dispatch('d', false)
    tools.used(one, declared('e'), 1)
    expect(tools.useOf(log).recent).toEqual(['e', 'a', 'b'])
  })
})
