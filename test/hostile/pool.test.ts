/** Threat-model rows D17, D18: programs against the pool that runs them all. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { useBench } from '../support/hostile-bench.ts'
import { sandboxPids } from '../support/sandbox-pids.ts'

const STUCK = `const a = []; a[2 ** 32 - 2] = 1; a.sort()`
const bench = useBench({ limits: { cpuMs: 400 } })

test('D17 as many stuck programs as there is room: more are refused, and when they are killed the pool works again', async () => {
  const engine = await createEngine({
    typecheck: 'off',
    pool: { maxChildren: 2, childrenPerTenant: 1, maxQueue: 6 },
    limits: { cpuMs: 400, wallMs: 20_000 },
  })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  const stuck = Array.from({ length: 4 }, () => engine.run(STUCK))
  await pause(150)
  const late = Array.from({ length: 12 }, () => engine.run('return 1'))
  const codes = (await Promise.all(late)).map(({ outcome }) => (outcome.isError ? outcome.error.code : 'OK'))
  expect(new Set(codes)).toEqual(new Set(['OK', 'OVERLOADED']))
  expect(codes.filter((code) => code === 'OK').length).toBeGreaterThan(0)
  for (const run of stuck) {
    const { outcome } = await run
    expect(outcome).toMatchObject({
      isError: true,
      error: { code: expect.stringMatching(/TIMEOUT|MEMORY_LIMIT|SANDBOX_LOST/) },
    })
  }
  const after = await Promise.all([1, 2, 3].map((n) => engine.run(`return ${n}`)))
  expect(after.map(({ value }) => value?.result)).toEqual([1, 2, 3])
  await expect.poll(() => sandboxPids().length, { timeout: 5_000 }).toBeLessThanOrEqual(2 + 4)
})

test('D17 stuck programs of one tenant take nothing from another', async () => {
  const engine = await createEngine({
    typecheck: 'off',
    pool: { maxChildren: 4, childrenPerTenant: 1, maxQueue: 64 },
    tenantOf: ({ sessionId }) => sessionId?.split(':')[0] ?? 'none',
    limits: { cpuMs: 400, wallMs: 30_000 },
  })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  const of = (tenant: string, n: number) => ({ session: engine.openSession({ id: `${tenant}:${n}` }) })
  const stuck = Array.from({ length: 6 }, (_, n) => engine.run(STUCK, of('bad', n)))
  await pause(50)
  const good = await Promise.all(Array.from({ length: 6 }, (_, n) => engine.run(`return ${n}`, of('good', n))))
  expect(good.map(({ value }) => value?.result)).toEqual([0, 1, 2, 3, 4, 5])
  let stillStuck = 0
  const counted = stuck.map((run) => run.then(() => (stillStuck -= 1)))
  stillStuck += counted.length
  // The good tenant was done while the bad one still sat on its children.
  expect(stillStuck).toBeGreaterThan(0)
  await Promise.all(counted)
}, 60_000)

test('D18 programs that kill their child at once: no hot respawn, and an innocent run outlives them', async () => {
  let most = 0
  const seen = new Set<number>()
  const watch = setInterval(() => {
    const pids = sandboxPids()
    for (const pid of pids) seen.add(pid)
    most = Math.max(most, pids.length)
  }, 40)
  onTestFinished(() => clearInterval(watch))
  // Memory that is taken at once kills from outside, at the first look.
  const { code } = await bench.attack(`return 'ﷺ'.repeat(2e7).normalize('NFKD').length`, {
    async meanwhile({ engine }) {
      for (let round = 0; round < 5; round++) {
        const storm = await Promise.all(
          Array.from({ length: 3 }, () => engine.run(`return 'ﷺ'.repeat(2e7).normalize('NFKD').length`)),
        )
        for (const { outcome } of storm) {
          expect(outcome).toMatchObject({
            isError: true,
            error: { code: expect.stringMatching(/MEMORY_LIMIT|TIMEOUT|SANDBOX_LOST/) },
          })
        }
      }
    },
  })
  expect(code).toBe('MEMORY_LIMIT')
  expect(most).toBeLessThanOrEqual(8)
  // Sixteen kills: a child for each, its spare, and no more.
  expect(seen.size).toBeLessThanOrEqual(40)
}, 60_000)
