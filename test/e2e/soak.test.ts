import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { soak } from '../../benchmarks/_soak.ts'

const root = join(import.meta.dirname, '../..')

test(
  'good and hostile programs run side by side while sandbox processes are killed: no innocent run is lost or wrong, no call is made twice',
  { timeout: 300_000 },
  async () => {
    const { broken, complaints, figures } = await soak({
      durationMs: 60_000,
      concurrency: 16,
      everyMs: 4_000,
      killEveryMs: 3_000,
      onFigures() {},
    })
    expect(complaints).toEqual([])
    expect(broken).toEqual({ lost: 0, wrong: 0, twice: 0, surprises: 0, left: 0 })
    const last = figures.at(-1)
    // It did do something: every part of the mix was there.
    expect(last?.innocents).toBeGreaterThan(20)
    expect(last?.hostiles).toBeGreaterThan(5)
    expect(last?.calls).toBeGreaterThan(50)
    expect(last?.killed).toBeGreaterThan(0)
  },
)

test('the command prints figures as JSON and ends with 0 when all promises held', { timeout: 120_000 }, async () => {
  const args = ['--minutes', '0.05', '--concurrency', '4', '--every', '1', '--kill', '1', '--json']
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'benchmarks/soak.ts'), ...args])
  const report = JSON.parse(stdout) as { ok: boolean; figures: { hostMb: number; lagMs: object }[] }
  expect(report.ok).toBe(true)
  expect(report.figures.length).toBeGreaterThan(1)
  for (const { hostMb, lagMs } of report.figures) {
    expect(hostMb).toBeGreaterThan(1)
    expect(lagMs).toMatchObject({ p50: expect.any(Number) as number, p99: expect.any(Number) as number })
  }
})

test('a length of time that is none is refused', async () => {
  const failed = await promisify(execFile)(process.execPath, [
    join(root, 'benchmarks/soak.ts'),
    '--minutes',
    'x',
  ]).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 2 })
})
