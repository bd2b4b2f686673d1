import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Executor } from '../../src/executor/executor.ts'
import { createProcessExecutor } from '../../src/executor/process-executor.ts'
import { testExecutor } from './executor-tests.ts'
import { livingChildren, never, run, start, until } from './harness.ts'

let executor: Executor
beforeAll(async () => {
  executor = await createProcessExecutor()
}, 30_000)
afterAll(() => executor[Symbol.asyncDispose](), 30_000)

testExecutor(() => executor)

describe('the walls of a process', () => {
  test('a built-in that cannot be interrupted is killed from outside, and the next run is fine', async () => {
    const ending = await run(executor, `const a = []; a[2 ** 32 - 2] = 1; a.sort()`, { limits: { cpuMs: 200 } })
    expect(ending).toMatchObject({ kind: 'stopped', code: 'TIMEOUT' })
    expect(await run(executor, `return 'fine'`)).toMatchObject({ resultJson: '"fine"' })
  }, 20_000)

  test('a run cancelled while it computes gives its child back', async () => {
    const { run: started } = start(executor, `for (;;) {}`, { tenant: 'spinner', limits: { cpuMs: 10_000 } })
    await new Promise((resolve) => setTimeout(resolve, 300))
    started.cancel('enough')
    expect(await started.ending).toMatchObject({ code: 'ABORTED' })
    const ending = await run(executor, `return 'fine'`, { tenant: 'spinner', limits: { wallMs: 5_000 } })
    expect(ending).toMatchObject({ resultJson: '"fine"' })
  }, 15_000)

  test('runs of different tenants are never in one process', async () => {
    const before = livingChildren()
    const runs = ['a', 'b', 'c'].map((tenant) =>
      start(executor, `await tools.never({})`, { tenant, tools: { never }, limits: { wallMs: 60_000 } }),
    )
    await until(() => runs.every(({ calls }) => calls.length === 1))
    expect(livingChildren().length).toBeGreaterThanOrEqual(3)
    for (const { run: started } of runs) started.cancel('seen')
    for (const { run: started } of runs) expect(await started.ending).toMatchObject({ code: 'ABORTED' })
    expect(before.length).toBeLessThanOrEqual(8)
  }, 15_000)

  test('a program that computes for long does not hold up the others of its tenant', async () => {
    const tenant = 'mixed'
    const waiting = Array.from({ length: 6 }, () =>
      start(executor, `for (let i = 0; i < 60; i++) await tools.slow({}); return 'done'`, {
        tenant,
        tools: { slow: () => new Promise((resolve) => setTimeout(() => resolve(1), 10)) },
      }),
    )
    await until(() => waiting.every(({ calls }) => calls.length > 0))
    const heavy = start(executor, `await tools.echo({}); for (;;) {}`, {
      tenant,
      limits: { cpuMs: 60_000, wallMs: 60_000 },
    })
    for (const { run: started } of waiting) {
      expect(await started.ending).toMatchObject({ kind: 'returned', resultJson: '"done"' })
    }
    // It still computes, in a child of its own, and has not made its call again.
    heavy.run.cancel('seen')
    expect(await heavy.run.ending).toMatchObject({ code: 'ABORTED', usage: { resumes: 1 } })
    expect(heavy.calls).toHaveLength(1)
  }, 20_000)
})
