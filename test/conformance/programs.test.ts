import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { judgeProgram, startChecker, viewOf } from '../support/preflight-bench.ts'
import { loadProgramCases } from '../support/program-cases.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['test/corpus/programs', 'test/programs']

test('every program of our own gives what its case says, through the real engine', async () => {
  const cases = loadProgramCases(`${root}/test/programs`)
  expect(cases.length).toBeGreaterThanOrEqual(60)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['test/corpus/programs/harness.mjs', '--adapter', 'test/corpus/adapter.mjs', '--dir', 'test/programs'],
    { cwd: root, maxBuffer: 16 * 1024 * 1024 },
  ).catch((error: Error & { stdout?: string }) => ({ stdout: error.stdout ?? error.message }))
  expect(stdout.trim().split('\n').at(-1), stdout).toBe(`${cases.length} passed, 0 failed`)
}, 180_000)

test('a program that passes unchecked is not refused when it is checked', async () => {
  await using checker = startChecker()
  const refused: string[] = []
  let judged = 0
  for (const folder of FOLDERS)
    for (const { id, tools, steps } of loadProgramCases(`${root}/${folder}`))
      for (const { text, expectsFailure } of steps) {
        const view = viewOf(tools)
        const unchecked = await judgeProgram(text, view, checker, 'off')
        const checked = await judgeProgram(text, view, checker, 'error')
        judged++
        const wasFine = unchecked.isCompiled && unchecked.refusal === undefined && !expectsFailure
        if (wasFine && checked.isCompiled && checked.refusal !== undefined)
          refused.push(`${id}: ${checked.refusal.message}`)
        if (checked.isCompiled)
          expect(
            checked.notices.map(({ code }) => code),
            id,
          ).not.toContain('not-type-checked')
      }
  expect(judged).toBeGreaterThan(200)
  expect(refused).toEqual([])
}, 180_000)
