import { expect, test } from 'vitest'
import { createDispatchLog, type SettledDispatch } from '../../src/codemode/dispatch-log.ts'
import { digestJson } from '../../src/data/canonical.ts'
import { callId, sessionId } from '../../src/data/ids.ts'
import { createEngine, defineTool } from '../../src/index.ts'
import { createMemoryStore } from '../../src/session/memory-log.ts'

const ids = { rootCallId: callId('root'), parentCallId: callId('root') }

function createRig() {
  const store = createMemoryStore({ now: () => 0 })
  const session = store.open(sessionId('s'), 'global')
  let refusal: Error | undefined
  const turns: (() => void)[] = []
  const log = createDispatchLog(
    {
      ...session,
      append(event) {
        if (refusal !== undefined) throw refusal
        return session.append(event)
      },
    },
    ids,
    (fn) => turns.push(fn),
  )
  return {
    log,
    turns,
    refuse: (error: Error | undefined) => (refusal = error),
    events: () => session.events().flatMap((event) => ('callId' in event ? [`${event.type} ${event.callId}`] : [])),
    session,
  }
}

const start = (n: number) => ({ callId: callId(`root/${n}`), name: 'echo', arguments: '{}' })
const settle = (n: number): SettledDispatch => ({
  callId: callId(`root/${n}`),
  name: 'echo',
  outcome: { isError: false, value: { b: n, a: 1 }, content: [] },
  bodyStarted: true,
  queuedMs: 0,
  runMs: 1,
})

test('a settle event is not written while the program waits, but in the next turn, with the digest of its value', () => {
  const { log, turns, events, session } = createRig()
  log.started(start(1))
  log.settled(settle(1))
  expect(events()).toEqual(['tool/code-dispatch-start root/1'])
  expect(turns).toHaveLength(1)
  turns[0]?.()
  expect(session.events().at(-1)).toMatchObject({
    type: 'tool/code-dispatch',
    callId: 'root/1',
    valueDigest: digestJson({ a: 1, b: 1 }),
    timings: { queuedMs: 0, runMs: 1 },
  })
})

test('events that settle in one turn share the next one and keep their order', () => {
  const { log, turns, events } = createRig()
  for (const n of [1, 2, 3]) log.started(start(n))
  for (const n of [3, 1, 2]) log.settled(settle(n))
  expect(turns).toHaveLength(1)
  turns[0]?.()
  expect(events().slice(3)).toEqual([3, 1, 2].map((n) => `tool/code-dispatch root/${n}`))
})

test('a call that starts before that turn stands behind what has settled before it', () => {
  const { log, turns, events } = createRig()
  log.started(start(1))
  log.settled(settle(1))
  log.started(start(2))
  turns[0]?.()
  expect(events()).toEqual([
    'tool/code-dispatch-start root/1',
    'tool/code-dispatch root/1',
    'tool/code-dispatch-start root/2',
  ])
})

test('at the end of a run everything is written at once', () => {
  const { log, events } = createRig()
  log.started(start(1))
  log.settled(settle(1))
  log.flush()
  expect(events().at(-1)).toBe('tool/code-dispatch root/1')
})

test('when the store refuses an event, the next start and the end of the run fail, and no event is lost or doubled', () => {
  const { log, turns, events, refuse } = createRig()
  log.started(start(1))
  log.settled(settle(1))
  refuse(new Error('the disk is full'))
  expect(() => turns[0]?.()).not.toThrow()
  expect(() => log.started(start(2))).toThrow('the disk is full')
  expect(() => log.flush()).toThrow('the disk is full')
  refuse(undefined)
  log.flush()
  log.flush()
  expect(events()).toEqual(['tool/code-dispatch-start root/1', 'tool/code-dispatch root/1'])
})

test('without a session nothing is written and nothing waits', () => {
  const turns: (() => void)[] = []
  const log = createDispatchLog(undefined, ids, (fn) => turns.push(fn))
  log.started(start(1))
  log.settled(settle(1))
  log.flush()
  expect(turns).toEqual([])
})

test('a run whose calls the store does not take fails, though its program returned', async () => {
  const store = createMemoryStore({ now: () => 0 })
  let called = 0
  const touch = defineTool({
    name: 'touch',
    description: 'Counts.',
    parameters: { type: 'object', properties: {} },
    isConcurrencySafe: () => true,
    execute: () => ++called,
  })
  await using engine = await createEngine({
    tools: [touch],
    requireConfinement: 'none',
    store: {
      list: () => store.list(),
      read: (id, from) => store.read(id, from),
      open(id, scope) {
        const session = store.open(id, scope)
        return {
          ...session,
          append(event) {
            if (event.type === 'tool/code-dispatch') throw new Error('the disk is full')
            return session.append(event)
          },
        }
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    },
  })
  const { outcome } = await engine.run(`
    const first = await tools.touch({})
    const second = await tools.touch({}).catch((error) => error.message)
    return [first, second]
  `)
  // The second call meets the fault at its start, before anything of it is done.
  expect(called).toBe(1)
  expect(outcome).toMatchObject({ isError: true, error: { message: expect.stringContaining('the disk is full') } })
})
