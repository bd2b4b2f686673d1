/** Threat-model row D07 (crowd): each run within its own memory, all together over that of a process. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine, defineTool } from '../../src/index.ts'

test('many runs that each keep what they may do not get each other, nor a small neighbour, ended', async () => {
  let made = 0
  const hold = defineTool({
    name: 'hold',
    description: 'Holds.',
    parameters: { type: 'object', properties: {} },
    isConcurrencySafe: () => true,
    async execute() {
      made += 1
      await pause(1_500)
      return null
    },
  })
  const engine = await createEngine({
    typecheck: 'off',
    tools: [hold],
    pool: { childrenPerTenant: 1, maxChildren: 2 },
    limits: { wallMs: 60_000 },
  })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  const hoarders = Array.from({ length: 14 }, () =>
    engine.run(
      `const kept = []; while (kept.length < 10) kept.push(new Float64Array(1e6).fill(1.5)); await tools.hold({}); return kept.length`,
    ),
  )
  while (made < 5) await pause(5)
  const small = await Promise.all(
    [1, 2, 3].map((n) => engine.run(`let n = 0; for (let i = 0; i < 3e7; i++) n += i % 7; return n > 0 && ${n}`)),
  )
  expect(small.map(({ outcome, value }) => (outcome.isError ? outcome.error : value?.result))).toEqual([1, 2, 3])
  const endings = (await Promise.all(hoarders)).map(({ outcome, value }) =>
    outcome.isError ? outcome.error : value?.result,
  )
  expect(endings).toEqual(Array.from({ length: 14 }, () => 10))
  // Moved or not, each made its one call once.
  expect(made).toBe(14)
}, 90_000)
