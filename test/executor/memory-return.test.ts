import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createProcessExecutor } from '../../src/executor/process-executor.ts'
import { livingChildren, never, start, until } from './harness.ts'

const pssMb = (pid: number) =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1_024

test.skipIf(process.platform !== 'linux')(
  'what many runs took goes back to the system when they have ended',
  async () => {
    await using executor = await createProcessExecutor({
      hasWarmSpare: false,
      childrenPerTenant: 1,
      requireConfinement: 'none',
    })
    const [pid = 0] = livingChildren()
    const before = pssMb(pid)
    const runs = Array.from({ length: 60 }, () => start(executor, `await tools.never({})`, { tools: { never } }))
    await until(() => runs.every(({ calls }) => calls.length === 1))
    const during = pssMb(pid)
    for (const { run } of runs) run.cancel('seen')
    await Promise.all(runs.map(({ run }) => run.ending))
    // Prepared isolates are part of what stays: at most as many as a burst asks for.
    await new Promise((resolve) => setTimeout(resolve, 300))
    const after = pssMb(pid)
    expect(during - before).toBeGreaterThan(60)
    expect(after - before).toBeLessThan((during - before) * 0.7)
  },
  60_000,
)
