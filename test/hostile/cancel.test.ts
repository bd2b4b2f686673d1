/** Threat-model rows C01–C10: ends that race. One ending, no call after it, no child and no rejection left behind. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createApprovalPolicy, createEngine } from '../../src/index.ts'
import type { Engine } from '../../src/index.ts'
import { BUDGETS, looseTool, useBench } from '../support/hostile-bench.ts'
import { sandboxPids } from '../support/sandbox-pids.ts'

let killDuringQuestion = false
const bench = useBench((record) => ({
  tools: [looseTool(record, 'pay', () => 'paid')],
  policies: [createApprovalPolicy({ rules: [{ tools: 'pay', reason: 'money leaves' }] })],
  approver: {
    async ask(_request, signal) {
      if (killDuringQuestion) for (const pid of sandboxPids()) process.kill(pid, 'SIGKILL')
      await pause(300, undefined, { signal }).catch(() => {})
      return { answer: 'approve' }
    },
  },
}))
const run = (engine: Engine, program: string, signal?: AbortSignal) =>
  engine.run(program, { ...(signal !== undefined && { signal }) })

test('C01 a cancelled run aborts its call in flight, and its late result goes nowhere', async () => {
  const stop = new AbortController()
  const { code, calls, events } = await bench.attack(`await tools.never({}); await tools.echo({ late: true })`, {
    signal: stop.signal,
    async meanwhile({ invocations }) {
      while (invocations.every(({ name }) => name !== 'never')) await pause(2)
      stop.abort(new Error('the client left'))
    },
  })
  expect(code).toMatch(/^ABORTED/)
  expect(calls.map(({ name, signal }) => [name, signal.aborted])).toEqual([['never', true]])
  expect(events.filter((event) => event.type === 'tool/result')).toHaveLength(1)
  expect(events.filter((event) => event.type === 'tool/code-dispatch')).toHaveLength(1)
})

test('C02 cancelled around the tick of its return, each run has exactly one outcome', async () => {
  const session = bench.engine.openSession()
  const outcomes: string[] = []
  for (let n = 0; n < 40; n++) {
    const stop = new AbortController()
    const running = bench.engine.run(`await tools.slow({ ms: 1 }); return 1`, { session, signal: stop.signal })
    if (n % 3 === 0) setTimeout(() => stop.abort(), n / 4)
    else if (n % 3 === 1) void pause(n / 4).then(() => setImmediate(() => stop.abort()))
    else stop.abort()
    const { outcome } = await running
    outcomes.push(outcome.isError ? outcome.error.code : 'OK')
  }
  for (const code of outcomes) expect(['OK', 'ABORTED', 'ABORTED_BEFORE_DISPATCH']).toContain(code)
  expect(session.events().filter((event) => event.type === 'tool/result')).toHaveLength(40)
  expect((await bench.attack(`return 1`)).code).toBe('OK')
})

test('C03 calls nobody awaited are let settle and reported, none runs after the end', async () => {
  const { code, value, calls, notices } = await bench.attack(
    `for (let n = 0; n < 5; n++) tools.slow({ ms: 30 }); tools.fails({}); return 'early'`,
  )
  expect([code, value, calls.length]).toEqual(['OK', 'early', 6])
  expect(notices.join()).toMatch(/slow/)
})

test('C03 what unawaited calls would still start is bounded by the end of the drain', async () => {
  const { code, calls } = await bench.attack(
    `const again = () => tools.slow({ ms: 5 }).then(again); again(); throw new Error('over')`,
    { limits: { drainMs: 150 } },
  )
  expect(code).toBe('PROGRAM_ERROR')
  expect(calls.length).toBeGreaterThan(1)
})

test('C04 results that come after the run was disposed are dropped without a rejection', async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const { code } = await bench.attack(`await Promise.all(Array.from({ length: 100 }, () => tools.slow({ ms: 900 })))`, {
    limits: { wallMs: 400 },
  })
  expect(code).toBe('TIMEOUT')
  await pause(700)
  expect(rejections).toEqual([])
})

test('C05 a child that dies while a person is asked: the question stands once, the run goes on elsewhere', async () => {
  killDuringQuestion = true
  onTestFinished(() => void (killDuringQuestion = false))
  const { code, value, calls } = await bench.attack(`return await tools.pay({})`)
  expect([code, value, calls.length]).toEqual(['OK', 'paid', 1])
})

test('C05 a run that ends while a person is asked takes the question back: a late yes does nothing', async () => {
  const stop = new AbortController()
  const { code, calls } = await bench.attack(`return await tools.pay({})`, {
    signal: stop.signal,
    async meanwhile() {
      await pause(120)
      stop.abort()
    },
  })
  expect(code).toMatch(/^ABORTED/)
  await pause(300)
  expect(calls).toEqual([])
})

test('C07 a rejection nobody handles, before or after the return, fails neither this run nor the next', async () => {
  const first = await bench.attack(
    `Promise.reject(new Error('early')); setTimeout(() => Promise.reject(new Error('late')), 1); tools.fails({}); (async () => { await null; throw new Error('detached') })(); return 1`,
  )
  expect([first.code, first.value]).toEqual(['OK', 1])
  const second = await bench.attack(`return 2`)
  expect([second.code, second.value]).toEqual(['OK', 2])
})

test('C07 timers and calls go on around a rejection that nobody handles', async () => {
  const { code, value } = await bench.attack(`
    const seen = []
    for (const ms of [5, 5, 5]) setTimeout(() => { seen.push(ms); Promise.reject(new Error('x')) }, ms)
    const calls = [1, 2, 3].map((n) => tools.echo({ n }).then((v) => { seen.push(v.n); Promise.reject(new Error('y')) }))
    await Promise.all(calls)
    await new Promise((go) => setTimeout(go, 20))
    return seen.length`)
  expect([code, value]).toEqual(['OK', 6])
})

test('C08 cancelling twice, after the end, or before the start is one and the same', async () => {
  const twice = new AbortController()
  const { code } = await bench.attack(`await tools.never({})`, {
    signal: twice.signal,
    async meanwhile() {
      await pause(50)
      twice.abort('once')
      twice.abort('again')
    },
  })
  expect(code).toMatch(/^ABORTED/)
  const late = new AbortController()
  expect((await run(bench.engine, 'return 1', late.signal)).value?.result).toBe(1)
  late.abort()
  const { outcome, callId } = await run(bench.engine, 'await tools.echo({})', AbortSignal.abort())
  expect(outcome).toMatchObject({ isError: true, error: { code: expect.stringMatching(/^ABORTED/) } })
  expect(bench.callsOf(callId)).toEqual([])
})

test('C09 an engine that is closed with runs in every state leaves no child and no open run', async () => {
  const others = sandboxPids()
  const engine = await createEngine({
    typecheck: 'off',
    limits: BUDGETS,
    tools: [
      looseTool(
        () => {},
        'never',
        () => new Promise(() => {}),
      ),
    ],
  })
  const runs = [
    `await tools.never({})`,
    `for (;;) {}`,
    `const a = []; a[2 ** 32 - 2] = 1; a.sort()`,
    `await new Promise((go) => setTimeout(go, 4000))`,
    `return 1`,
  ].map((program) => engine.run(program))
  await pause(200)
  await engine[Symbol.asyncDispose]()
  const codes = (await Promise.all(runs)).map(({ outcome }) => (outcome.isError ? outcome.error.code : 'OK'))
  expect(codes[4]).toMatch(/OK|ABORTED/)
  for (const code of codes.slice(0, 4))
    expect(['ABORTED', 'ABANDONED', 'TIMEOUT', 'ABORTED_BEFORE_DISPATCH']).toContain(code)
  const mine = sandboxPids().filter((pid) => !others.includes(pid))
  // The bench's own pool may have replaced a child meanwhile; of the closed engine there is nothing.
  expect(mine.length).toBeLessThanOrEqual(1)
})

test('C10 a time limit, a memory limit and a cancellation that come together are one classified ending', async () => {
  const programs = [
    `await tools.echo({}); const a = []; for (;;) a.push(new Array(1e5).fill(1))`,
    `const a = []; a[2 ** 32 - 2] = 1; a.sort()`,
    `for (;;) await tools.slow({ ms: 1 })`,
  ]
  for (const program of programs) {
    const stop = new AbortController()
    const { code, events } = await bench.attack(program, {
      signal: stop.signal,
      limits: { cpuMs: 300, wallMs: 450, memoryMb: 32 },
      async meanwhile() {
        await pause(440)
        stop.abort()
      },
    })
    expect(['TIMEOUT', 'MEMORY_LIMIT', 'ABORTED', 'ABANDONED', 'CALL_LIMIT']).toContain(code)
    expect(events.filter((event) => event.type === 'tool/result')).toHaveLength(1)
  }
})
