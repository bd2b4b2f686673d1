import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Executor } from '../../src/executor/executor.ts'
import { createInProcessExecutor } from '../../src/executor/in-process-executor.ts'
import { createEngine } from '../../src/index.ts'
import { testExecutor } from './executor-tests.ts'
import { livingChildren, never, run, start, until } from './harness.ts'

let executor: Executor
beforeAll(async () => {
  executor = await createInProcessExecutor()
})
afterAll(() => executor[Symbol.asyncDispose]())

testExecutor(() => executor)

describe('in the process of the host', () => {
  test('the report says that the process wall does not stand', async () => {
    expect(await executor.report()).toMatchObject({
      isolation: 'in-process',
      node: { version: process.version },
      confinement: { level: 'none', walls: [{ name: 'process', stands: false }] },
    })
  })

  test('no process is started', async () => {
    const before = livingChildren()
    const { run: started, calls } = start(executor, `await tools.never({})`, { tools: { never } })
    await until(() => calls.length === 1)
    expect(livingChildren()).toEqual(before)
    started.cancel('seen')
    expect(await started.ending).toMatchObject({ code: 'ABORTED', openCalls: [1] })
  })

  test('a program that calls without a pause leaves the timers of the host their turns', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const ending = await run(executor, `for (let i = 0; i < 3000; i++) await tools.echo({ i }); return 'done'`)
    clearInterval(timer)
    expect(ending).toMatchObject({ resultJson: '"done"' })
    expect(ticks).toBeGreaterThan(3)
  })

  test('programs see UTC wherever the host is, and the host keeps its zone', async () => {
    const program = `return [new Date(0).getTimezoneOffset(), new Date(0).toString(), new Date(0).toLocaleString('en-GB')]`
    const script = `
      const { createInProcessExecutor } = await import(${JSON.stringify(new URL('../../src/executor/in-process-executor.ts', import.meta.url).href)})
      const { run } = await import(${JSON.stringify(new URL('./harness.ts', import.meta.url).href)})
      await using executor = await createInProcessExecutor()
      const { resultJson } = await run(executor, ${JSON.stringify(program)})
      console.log(JSON.stringify([JSON.parse(resultJson), new Date(0).getTimezoneOffset()]))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TZ: 'America/New_York' },
    })
    expect(JSON.parse(stdout)).toEqual([
      [0, 'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)', '01/01/1970, 00:00:00'],
      300,
    ])
  })

  test('one program more than may wait is refused, and those that wait get their turn', async () => {
    await using small = await createInProcessExecutor({ maxRuns: 1, maxQueue: 1 })
    const first = start(small, `return await tools.gate({})`, { tools: { gate: () => gate.promise } })
    const gate = Promise.withResolvers<string>()
    const second = start(small, `return 'second'`)
    expect(await run(small, `return 'third'`)).toMatchObject({ kind: 'stopped', code: 'OVERLOADED' })
    gate.resolve('first')
    expect(await first.run.ending).toMatchObject({ resultJson: '"first"' })
    expect(await second.run.ending).toMatchObject({ resultJson: '"second"' })
  })

  test('a run that waits its turn can be cancelled', async () => {
    await using small = await createInProcessExecutor({ maxRuns: 1 })
    const first = start(small, `await tools.never({})`, { tools: { never } })
    const second = start(small, `return 'second'`)
    second.run.cancel('not any more')
    expect(await second.run.ending).toMatchObject({ code: 'ABORTED', message: 'not any more' })
    first.run.cancel('nor this')
    expect(await first.run.ending).toMatchObject({ code: 'ABORTED' })
  })

  test('closing ends what still runs, and nothing starts afterwards', async () => {
    const own = await createInProcessExecutor()
    const { run: started, calls } = start(own, `await tools.never({})`, { tools: { never } })
    await until(() => calls.length === 1)
    await own[Symbol.asyncDispose]()
    expect(await started.ending).toMatchObject({ code: 'ABORTED', message: 'the executor was closed' })
    expect(await run(own, `return 1`)).toMatchObject({ code: 'ABORTED' })
  })
})

describe('an engine with isolation "in-process"', () => {
  test('runs programs, and says at the start which wall is missing', async () => {
    const told: string[] = []
    await using engine = await createEngine({
      isolation: 'in-process',
      onProblem: ({ message }) => told.push(message),
    })
    expect((await engine.run('return 6 * 7')).value?.result).toBe(42)
    expect(told).toEqual([expect.stringContaining('no process wall stands')])
    expect((await engine.report()).isolation).toBe('in-process')
  })

  test('is refused when confinement is asked for too, and so is an isolation that there is not', async () => {
    await expect(createEngine({ isolation: 'in-process', requireConfinement: 'basic' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
    // @ts-expect-error -- there is no such isolation
    await expect(createEngine({ isolation: 'thread' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})

test('a host that uses child processes never loads isolated-vm', async () => {
  const script = `
    const { createEngine } = await import(${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)})
    await using engine = await createEngine({ requireConfinement: 'none' })
    await engine.run('return 1')
    console.log(process.report.getReport().sharedObjects.filter((path) => path.includes('isolated-vm')).length)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout.trim()).toBe('0')
})

test('a Node that cannot hold isolates is refused in one line that says what to do', async () => {
  const script = `
    const { probeInProcess } = await import(${JSON.stringify(new URL('../../src/executor/in-process-executor.ts', import.meta.url).href)})
    await probeInProcess('/nowhere').catch((thrown) => console.log(JSON.stringify([thrown.code, thrown.message])))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const [code, message] = JSON.parse(stdout) as [string, string]
  expect(code).toBe('SANDBOX_UNAVAILABLE')
  expect(message).toMatch(/cannot hold isolates[^\n]*--no-node-snapshot/)
})
