import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileProgram } from '../../src/codemode/compile.ts'
import { holdCompiler } from '../../src/codemode/compile/lower.ts'
import { createEngine } from '../../src/index.ts'

/** Processes of esbuild that this very process started. */
function esbuildPids(): readonly number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const [parent] = readFileSync(`/proc/${entry}/stat`, 'utf8').replace(/^.*\) \w /s, '').split(' ')
      const isOurs = readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes('--service=')
      return isOurs && Number(parent) === process.pid ? [Number(entry)] : []
    } catch {
      return [] // It ended while it was looked at.
    }
  })
} // prettier-ignore

let count = 0
/** A program that only esbuild can lower, and that no cache knows. */
const fresh = () => `enum E { A${++count} }\nreturn E.A${count}`
const compile = (text = fresh()) => compileProgram(text, { maxProgramBytes: 10_000 })
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('a compiler that dies is started again, and no program is told', async () => {
  await compile()
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    for (const pid of esbuildPids()) process.kill(pid, signal)
    // At once, and once its end is known.
    expect(await Promise.all([compile(), compile(), compile()])).toMatchObject([{ ok: true }, { ok: true }, { ok: true }])
    for (const pid of esbuildPids()) process.kill(pid, signal)
    await until(() => esbuildPids().length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await compile()).toMatchObject({ ok: true })
  }
}) // prettier-ignore

test('a compiler that dies over and over does not fail programs that compile at the same time', async () => {
  const killing = setInterval(() => esbuildPids().forEach((pid) => process.kill(pid, 'SIGKILL')), 300)
  try {
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(Array.from({ length: 20 }, () => compile()))
      expect(all.every(({ ok }) => ok)).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  } finally {
    clearInterval(killing)
  }
})

test('it goes when its last holder does, and comes back when it is asked for', async () => {
  const [first, second] = [holdCompiler(), holdCompiler()]
  await compile()
  expect(esbuildPids()).toHaveLength(1)
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  expect(await compile()).toMatchObject({ ok: true })
  second[Symbol.dispose]()
  await until(() => esbuildPids().length === 0)
  expect(await compile()).toMatchObject({ ok: true })
})

test('it goes with the last engine, and an engine that is left goes on compiling', async () => {
  const [one, other] = await Promise.all([createEngine(), createEngine()])
  expect((await one.run(fresh())).outcome.isError).toBe(false)
  await one[Symbol.asyncDispose]()
  expect((await other.run(fresh())).outcome.isError).toBe(false)
  expect(esbuildPids()).toHaveLength(1)
  await other[Symbol.asyncDispose]()
  await until(() => esbuildPids().length === 0)
})
