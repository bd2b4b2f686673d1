import { afterEach, describe, expect, test } from 'vitest'
import type { Executor } from '../../src/executor/executor.ts'
import { createProcessExecutor, type ProcessExecutorOptions } from '../../src/executor/process-executor.ts'
import { livingChildren, never, run, start, until } from './harness.ts'

let executor: Executor | undefined
afterEach(async () => {
  await executor?.[Symbol.asyncDispose]()
  executor = undefined
}, 20_000)

async function startExecutor(options: ProcessExecutorOptions): Promise<Executor> {
  executor = await createProcessExecutor({ hasWarmSpare: false, requireConfinement: 'none', ...options })
  return executor
}

describe('the pool', () => {
  test('a tenant keeps its child from run to run', async () => {
    const pool = await startExecutor({ childrenPerTenant: 1 })
    const [before] = livingChildren()
    for (let n = 0; n < 3; n++) expect(await run(pool, `return ${n}`)).toMatchObject({ resultJson: String(n) })
    expect(livingChildren()).toEqual([before])
  }, 20_000)

  test('a child is started for a tenant whose run is about to come, once, and its run gets it', async () => {
    const pool = await startExecutor({ childrenPerTenant: 1 })
    expect(await run(pool, `return 1`, { tenant: 'a' })).toMatchObject({ resultJson: '1' })
    expect(livingChildren()).toHaveLength(1)
    for (let n = 0; n < 3; n++) pool.expect('b')
    await until(() => livingChildren().length === 2)
    const both = livingChildren()
    pool.expect('a')
    expect(await run(pool, `return 2`, { tenant: 'b' })).toMatchObject({ resultJson: '2' })
    expect(livingChildren()).toEqual(both)
  }, 20_000)

  test('an idle child is evicted for another tenant when the pool is full', async () => {
    const pool = await startExecutor({ maxChildren: 1, childrenPerTenant: 1 })
    const first = livingChildren()
    expect(await run(pool, `return 'a'`, { tenant: 'a' })).toMatchObject({ resultJson: '"a"' })
    expect(await run(pool, `return 'b'`, { tenant: 'b' })).toMatchObject({ resultJson: '"b"' })
    const second = livingChildren()
    expect(second).toHaveLength(1)
    expect(second).not.toEqual(first)
  }, 20_000)

  test('a child that is in use is not evicted: the other tenant waits for it, and for no longer', async () => {
    const pool = await startExecutor({ maxChildren: 1, childrenPerTenant: 1 })
    const holder = start(pool, `await tools.never({})`, { tenant: 'a', tools: { never } })
    await until(() => holder.calls.length === 1)
    const waiting = start(pool, `return await tools.echo({ n: 1 })`, { tenant: 'b' })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(waiting.calls).toEqual([])
    holder.run.cancel('done')
    expect(await waiting.run.ending).toMatchObject({ kind: 'returned', resultJson: '{"n":1}' })
  }, 20_000)

  test('a run that waits in the queue can be cancelled and times out there', async () => {
    const pool = await startExecutor({ maxChildren: 1, childrenPerTenant: 1 })
    const holder = start(pool, `await tools.never({})`, { tenant: 'a', tools: { never } })
    await until(() => holder.calls.length === 1)
    const cancelled = start(pool, `return 1`, { tenant: 'b' })
    cancelled.run.cancel('changed my mind')
    expect(await cancelled.run.ending).toMatchObject({ code: 'ABORTED' })
    const late = start(pool, `return 1`, { tenant: 'b', limits: { wallMs: 100 } })
    expect(await late.run.ending).toMatchObject({ kind: 'stopped', code: 'TIMEOUT' })
  }, 20_000)

  test('over its queue it refuses, and what already waited is served', async () => {
    const pool = await startExecutor({ maxChildren: 1, childrenPerTenant: 1, maxRunsPerChild: 1, maxQueue: 1 })
    const holder = start(pool, `await tools.never({})`, { tools: { never } })
    await until(() => holder.calls.length === 1)
    const queued = start(pool, `return 'served'`)
    expect(await run(pool, `return 'refused'`)).toMatchObject({ kind: 'stopped', code: 'OVERLOADED' })
    holder.run.cancel('done')
    expect(await queued.run.ending).toMatchObject({ resultJson: '"served"' })
  }, 20_000)

  test('a child is replaced after its share of runs', async () => {
    const pool = await startExecutor({ maxChildren: 2, childrenPerTenant: 1, recycleAfterRuns: 2 })
    const [first] = livingChildren()
    for (let n = 0; n < 5; n++) expect(await run(pool, `return ${n}`)).toMatchObject({ resultJson: String(n) })
    expect(livingChildren()).not.toContain(first)
  }, 20_000)

  test('a child whose run went over its memory takes no new ones', async () => {
    const pool = await startExecutor({ childrenPerTenant: 1 })
    const [first] = livingChildren()
    const bomb = `const a = []; for (;;) a.push({ n: a.length })`
    expect(await run(pool, bomb, { limits: { cpuMs: 15_000 } })).toMatchObject({ code: 'MEMORY_LIMIT' })
    expect(await run(pool, `return 'fine'`)).toMatchObject({ resultJson: '"fine"' })
    expect(livingChildren()).not.toContain(first)
  }, 30_000)

  test('many runs share two children and all end well', async () => {
    const pool = await startExecutor({ childrenPerTenant: 2 })
    const program = `let sum = 0; for (let n = 0; n < 10; n++) sum += await tools.later({ n }); return sum`
    const tools = {
      later: (args: unknown) => new Promise((resolve) => setTimeout(() => resolve((args as { n: number }).n), 5)),
    }
    const endings = await Promise.all(Array.from({ length: 60 }, () => run(pool, program, { tools })))
    expect(new Set(endings.map((ending) => ending.kind === 'returned' && ending.resultJson))).toEqual(new Set(['45']))
    expect(endings.every(({ usage }) => usage.resumes === 0)).toBe(true)
    expect(livingChildren().length).toBeLessThanOrEqual(2)
  }, 30_000)
})
