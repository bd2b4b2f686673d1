import { expect, test } from 'vitest'
import { createMemoryArtifacts } from '../../src/artifacts/memory.ts'
import type { GuestCall } from '../../src/executor/executor.ts'
import {
  createServices,
  MAX_SERVICE_MS,
  MAX_SERVICE_REQUESTS,
  type ServiceAnswer,
} from '../../src/codemode/services.ts'
import { createTurnQueue } from '../../src/codemode/turn-queue.ts'

function servicesOf({ costMs = 0, turns = createTurnQueue(), told = [] as string[] } = {}) {
  let nowMs = 0
  let number = 0
  const artifacts = createMemoryArtifacts({
    limits: { maxBytesPerOwner: 1_000, maxBytes: 1_000, maxAgeMs: 1_000 },
    nowMs: () => 0,
    newId: () => '1',
  })
  artifacts.put('me', 'x'.repeat(500))
  const services = createServices({
    owner: 'me',
    artifacts,
    maxValueBytes: 100,
    monotonicMs: () => nowMs,
    turns,
    searchTools: (query) => {
      nowMs += costMs
      told.push(query)
      return query
    },
    describeTools: (names) => [...names],
  })
  const ask = (op: GuestCall['op'], args: unknown, signal = new AbortController().signal) =>
    services.serve({ number: ++number, op, name: `sdk.${op}`, argumentsJson: JSON.stringify(args), signal })
  return { ask, told, nowMs: () => nowMs }
}

const codeOf = (answer: ServiceAnswer) => ('failure' in answer ? answer.failure.code : 'OK')

test('a run may ask so often, and every request after that is refused in clear words', async () => {
  const { ask, told } = servicesOf()
  const answers = await Promise.all(
    Array.from({ length: MAX_SERVICE_REQUESTS + 2 }, () => ask('search', { query: 'a' })),
  )
  const codes = answers.map(codeOf)
  expect(codes.indexOf('CALL_LIMIT')).toBe(MAX_SERVICE_REQUESTS)
  expect(codes.filter((code) => code === 'OK')).toHaveLength(MAX_SERVICE_REQUESTS)
  expect(told).toHaveLength(MAX_SERVICE_REQUESTS)
  expect(answers.at(-1)).toMatchObject({
    failure: { message: expect.stringMatching(/^sdk\.search: a program may ask .* 1000 times/) as string },
  })
})

test('the time that requests take is charged to the run, and once it is used nothing more is done', async () => {
  const { ask, told, nowMs } = servicesOf({ costMs: MAX_SERVICE_MS / 4 })
  const codes = (await Promise.all(Array.from({ length: 6 }, () => ask('search', { query: 'a' })))).map(codeOf)
  expect(codes).toEqual(['OK', 'OK', 'OK', 'OK', 'CALL_LIMIT', 'CALL_LIMIT'])
  expect([told.length, nowMs()]).toEqual([4, MAX_SERVICE_MS])
})

test('a single long request, such as the one that makes an index for all runs, does not use up all the time', async () => {
  const { ask } = servicesOf({ costMs: MAX_SERVICE_MS * 2 })
  const codes = (await Promise.all(Array.from({ length: 5 }, () => ask('search', { query: 'a' })))).map(codeOf)
  expect(codes).toEqual(['OK', 'OK', 'OK', 'OK', 'CALL_LIMIT'])
})

test('requests are answered one in a turn of the event loop, those of two runs in turns', async () => {
  const turns = createTurnQueue()
  const told: string[] = []
  const flood = servicesOf({ turns, told })
  const other = servicesOf({ turns, told })
  const flooding = Promise.all(Array.from({ length: 50 }, () => flood.ask('search', { query: 'flood' })))
  const asked = other.ask('search', { query: 'other' })
  let perTurn = 0
  while (told.length < 51) {
    const before = told.length
    await new Promise((resolve) => setImmediate(resolve))
    perTurn = Math.max(perTurn, told.length - before)
  }
  await Promise.all([flooding, asked])
  expect(perTurn).toBe(1)
  expect(told.indexOf('other')).toBeLessThanOrEqual(2)
})

test('what waits when its run ends is not done any more', async () => {
  const { ask, told } = servicesOf()
  const ending = new AbortController()
  const answers = Promise.all([
    ask('search', { query: 'a' }, ending.signal),
    ask('search', { query: 'b' }, ending.signal),
  ])
  ending.abort()
  expect((await answers).map(codeOf)).toEqual(['ABORTED_BEFORE_DISPATCH', 'ABORTED_BEFORE_DISPATCH'])
  expect(told).toEqual([])
})

test('arguments that are too long are not even read, and no part of an artifact is larger than what may be received', async () => {
  const { ask, told } = servicesOf()
  expect(codeOf(await ask('search', { query: 'x'.repeat(65_536) }))).toBe('INVALID_ARGS')
  expect(told).toEqual([])
  expect(await ask('artifact', { id: 'artifact-1', length: 400 })).toMatchObject({
    value: { text: 'x'.repeat(100), offset: 0, length: 500 },
  })
})
