import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { load } from '../../benchmarks/_load.ts'

const MAIN = join(import.meta.dirname, '../../benchmarks/load.ts')

test(
  'clients of two tenants get the right values and every event while a sandbox process and an upstream are killed',
  { timeout: 180_000 },
  async () => {
    const report = await load({ durationMs: 10_000, concurrency: 40, rps: undefined })
    expect(report.complaints).toEqual([])
    expect(report.broken).toEqual({ failed: 0, wrong: 0, streams: 0, processes: 0, service: 0 })
    // It did do something: every part of the mix was there.
    expect(report.latencyMs.north.runs).toBeGreaterThan(5)
    expect(report.latencyMs.south.runs).toBeGreaterThan(5)
    expect(report.events).toBeGreaterThan(20)
    expect(report.returns).toBeGreaterThan(0)
    expect(report.killedSandboxes).toBeGreaterThan(0)
    expect(report.killedUpstreams).toBe(1)
  },
)

test('the command prints figures as JSON and ends with 0 when all promises held', { timeout: 120_000 }, async () => {
  const args = ['--seconds', '3', '--concurrency', '4', '--rps', '5', '--json']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...args])
  const report = JSON.parse(stdout) as Record<string, unknown>
  expect(report).toMatchObject({
    ok: true,
    rps: 5,
    latencyMs: { north: { p50: expect.any(Number) as number, p99: expect.any(Number) as number } },
  })
  // Progress is for people, and goes past what programs read.
  expect(stderr).toContain('MB resident')
})

test('a number of clients that is none is refused', async () => {
  const failed = await promisify(execFile)(process.execPath, [MAIN, '--concurrency', '0']).catch(
    (error: unknown) => error,
  )
  expect(failed).toMatchObject({ code: 2 })
})
