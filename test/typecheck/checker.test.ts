import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deriveNames } from '../../src/registry/native-names.ts'
import type { ProgramToCheck } from '../../src/typecheck/program-to-check.ts'
import type { TypeChecker } from '../../src/typecheck/checker.ts'
import { findCompiler } from '../../src/typecheck/find-compiler.ts'
import { compilerPids } from '../support/compiler-pids.ts'
import { judgeProgram, startChecker, viewOf, type Judged } from '../support/preflight-bench.ts'

const text = { type: 'string' }
const TOOLS = [
  {
    name: 'search',
    inputSchema: { type: 'object', properties: { q: text, kind: { enum: ['a', 'b'] } }, required: ['q'] },
    outputSchema: { type: 'object', properties: { hits: { type: 'array', items: text } }, required: ['hits'] },
  },
]
const view = viewOf(TOOLS)
const names = deriveNames(view)

const good = (n: number) => `const { hits } = await tools.search({ q: 'x${n}' })\nreturn hits.length`
const bad = (n: number) => `const { hits } = await tools.search({ q: ${n} })\nreturn hits.length`

function refusalOf(judged: Judged): string | undefined {
  return judged.isCompiled ? judged.refusal?.message : judged.message
}
function noticesOf(judged: Judged): readonly string[] {
  return judged.isCompiled ? judged.notices.map(({ message }) => message) : []
}
const plain = (program: string): ProgramToCheck => ({
  text: program,
  submittedOffset: (offset) => offset,
  calls: [],
  judgedElsewhere: new Set(),
  handled: [],
})

test('programs that come at the same time are judged each by itself', async () => {
  await using checker = startChecker()
  const judged = await Promise.all(
    Array.from({ length: 50 }, (_, n) => judgeProgram(n % 3 === 0 ? bad(n) : good(n), view, checker)),
  )
  for (const [n, one] of judged.entries())
    if (n % 3 === 0) expect(refusalOf(one)).toContain('"q" must be string; got number')
    else expect(one).toEqual({ isCompiled: true, notices: [] })
})

test('without a compiler a program goes on, and it is said that nothing was checked', async () => {
  await using checker = startChecker({ found: { ok: false, reason: 'typescript is not installed' } })
  const judged = await judgeProgram(bad(1), view, checker)
  expect(refusalOf(judged)).toBeUndefined()
  expect(noticesOf(judged)).toEqual(['the types of this program were not checked: typescript is not installed.'])
})

test('a compiler that cannot be started is said, and no program waits for it', async () => {
  const found = { ok: true, compiler: { executable: '/nonexistent/tsc', libraryFolder: '/' } } as const
  await using checker = startChecker({ found })
  expect(noticesOf(await judgeProgram(good(1), view, checker))[0]).toContain('were not checked')
  expect(noticesOf(await judgeProgram(good(2), view, checker))[0]).toContain('were not checked')
})

test('a check that takes longer than its budget lets the program go on, and the next one is checked', async () => {
  await using checker = startChecker({ firstBudgetMs: 5_000, budgetMs: 1_500 })
  await judgeProgram(good(0), view, checker)
  // Types that compute: each level doubles the work.
  const bomb = `type D<T, N extends any[] = []> = N['length'] extends 24 ? T : D<T, [...N, 0]> | D<[T], [...N, 1]>
let x: D<1>
return x`
  const judged = await judgeProgram(bomb, view, checker)
  expect(refusalOf(judged)).toBeUndefined()
  await expect
    .poll(async () => refusalOf(await judgeProgram(bad(Math.random()), view, checker)), { timeout: 20_000 })
    .toContain('"q" must be string')
})

test('when the process is killed, programs that wait are settled, and a new one is started', async () => {
  await using checker = startChecker()
  await judgeProgram(good(0), view, checker)
  const before = compilerPids()
  expect(before.length).toBeGreaterThan(0)
  const waiting = Promise.all(Array.from({ length: 30 }, (_, n) => judgeProgram(good(100 + n), view, checker)))
  for (const pid of before) process.kill(pid, 'SIGKILL')
  for (const one of await waiting) expect(refusalOf(one)).toBeUndefined()
  await expect
    .poll(async () => refusalOf(await judgeProgram(bad(Math.random()), view, checker)), { timeout: 20_000 })
    .toContain('"q" must be string')
})

test('closing ends the process and settles what waits', async () => {
  const checker = startChecker()
  await judgeProgram(good(0), view, checker)
  const mine = compilerPids()
  const waiting = judgeProgram(good(1), view, checker)
  await checker[Symbol.asyncDispose]()
  expect((await waiting).isCompiled).toBe(true)
  expect(compilerPids().filter((pid) => mine.includes(pid))).toEqual([])
  expect(noticesOf(await judgeProgram(good(2), view, checker))[0]).toContain('closed')
})

test('a program cannot make the compiler read a file', async () => {
  await using checker = startChecker()
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'secret.d.ts')
  await writeFile(path, 'declare const secretName: { password: "hunter2" }\n')
  for (const line of [`/// <reference path="${path}" />`, `import '${path}'`, `import type {} from '${path}'`]) {
    const verdict = await check(checker, `${line}\nsecretName.passwort\nexport {}\n`)
    expect(JSON.stringify(verdict)).toContain('secretName is not defined')
    expect(JSON.stringify(verdict)).not.toContain('hunter2')
  }
})

test('what one program declares for all does not reach the next', async () => {
  await using checker = startChecker()
  await check(checker, 'declare global { interface Array<T> { second: T } }\nexport {}\n[1].second')
  const verdict = await check(checker, 'const { hits } = await tools.search({ q: "" })\nhits.second\nexport {}\n')
  expect(verdict).toMatchObject({
    isChecked: true,
    findings: [{ severity: 'error', message: expect.stringContaining('"second"') as string }],
  })
})

test('more views than are kept are all checked, also when they come again', async () => {
  await using checker = startChecker()
  const views = Array.from({ length: 12 }, (_, n) => viewOf([{ ...TOOLS[0], name: `search_${n}` }]))
  for (const round of [1, 2])
    for (const [n, one] of views.entries())
      expect(refusalOf(await judgeProgram(`return await tools.search_${n}({ q: ${round} })`, one, checker))).toContain(
        `tools.search_${n}: "q" must be string`,
      )
})

test('the installed compiler is the one whose interface is spoken', () => {
  expect(findCompiler()).toMatchObject({ ok: true })
  expect(findCompiler('file:///nowhere/at/all.js')).toMatchObject({ ok: false })
})

async function check(checker: TypeChecker, program: string) {
  return await checker.check(plain(program), view, names)
}

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'checker-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
