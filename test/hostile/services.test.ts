/** Threat-model row D04: work of the host that a program asks for without calling a tool. */
import { describe, expect, test } from 'vitest'
import { looseTool, useBench } from '../support/hostile-bench.ts'

/** Names that are near to each other: what a question about one of them costs grows with all. */
const crowded = useBench((record) => ({
  limits: { cpuMs: 2_000, wallMs: 20_000 },
  tools: Array.from({ length: 400 }, (_, n) =>
    looseTool(record, `get_list_of_create_update_delete_${'x'.repeat(n % 40)}${n}`, () => n),
  ),
}))

describe('D04 floods of questions to the host', () => {
  test.each([
    ['searches', `for (;;) await sdk.search('echo')`],
    [
      'descriptions of names that are near to all',
      `const names = Array.from({ length: 50 }, (_, n) => 'get_list_of_create_update_delete_' + n)
       for (;;) await Promise.all(Array.from({ length: 100 }, () => sdk.describe(names)))`,
    ],
    [
      'reads',
      `for (;;) await artifacts.read('artifact-1').catch((error) => { if (error.code === 'CALL_LIMIT') throw error })`,
    ],
  ])('%s are no way around: so many are answered, and an innocent run goes on meanwhile', async (_name, program) => {
    const { code, message, progress } = await crowded.attack(program)
    expect(code).toBe('CALL_LIMIT')
    expect(message).toMatch(/sdk and artifacts/)
    expect(progress).toBeGreaterThan(0)
  })

  test('a loop that catches the refusals of services ends at its time', async () => {
    const { code, progress } = await crowded.attack(`for (;;) try { await sdk.describe(['x'.repeat(120)]) } catch {}`, {
      limits: { cpuMs: 400, wallMs: 2_000 },
    })
    expect(code).toBe('TIMEOUT')
    expect(progress).toBeGreaterThan(0)
  })

  test('hundreds of calls of names that no tool has are refused one by one, and an innocent run goes on meanwhile', async () => {
    const { code, calls, progress } = await crowded.attack(
      `await Promise.allSettled(Array.from({ length: 200 }, (_, n) => tools.full('get_list_of_create_update_delete_zz' + n)))`,
    )
    expect([code, calls]).toEqual(['OK', []])
    expect(progress).toBeGreaterThan(0)
  })
})
