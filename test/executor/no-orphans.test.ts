import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createProcessExecutor } from '../../src/executor/process-executor.ts'
import { livingChildren, never, start, until } from './harness.ts'

const HOST = fileURLToPath(new URL('../support/programs/executor-host.ts', import.meta.url))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function privateDirectories(pid: number): string[] {
  return readdirSync(tmpdir()).filter((name) => new RegExp(`^codeferry-\\d+-${pid}-`).test(name))
}

describe('nothing is left behind', () => {
  test('by a closed executor: its runs are aborted, its children gone when the closing is done, its files removed', async () => {
    const executor = await createProcessExecutor()
    const waiting = start(executor, `await tools.never({})`, { tools: { never } })
    const spinning = start(executor, `for (;;) {}`, { tenant: 'other', limits: { cpuMs: 60_000 } })
    await until(() => waiting.calls.length === 1 && livingChildren().length >= 2)
    await executor[Symbol.asyncDispose]()
    expect(livingChildren()).toEqual([])
    expect(privateDirectories(process.pid)).toEqual([])
    expect(await waiting.run.ending).toMatchObject({ kind: 'stopped', code: 'ABORTED', openCalls: [1] })
    expect(await spinning.run.ending).toMatchObject({ kind: 'stopped', code: 'ABORTED' })
    expect(waiting.calls[0]?.signal.aborted).toBe(true)

    const late = start(executor, `return 1`)
    expect(await late.run.ending).toMatchObject({ kind: 'stopped', code: 'ABORTED' })
    await executor[Symbol.asyncDispose]()
  }, 30_000)

  test('by a host that is killed, not even where a program cannot be interrupted', async () => {
    const host = spawn(process.execPath, [HOST], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(host.stdout, 'data')
    const pid = host.pid ?? 0
    await until(() => livingChildren(pid).length >= 2)
    const children = livingChildren(pid)
    expect(privateDirectories(pid)).toHaveLength(1)
    host.kill('SIGKILL')
    await once(host, 'exit')
    await until(() => !children.some(isAlive))

    // What it could not remove, the next host does.
    await using _executor = await createProcessExecutor()
    expect(privateDirectories(pid)).toEqual([])
  }, 30_000)
})
