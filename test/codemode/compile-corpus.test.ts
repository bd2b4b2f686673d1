import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compileProgram } from '../../src/codemode/compile.ts'

/** Only compilation is looked at here; that the programs do what they should is shown end to end. */
interface Expectation {
  readonly anyOf?: readonly Expectation[]
  readonly error?: {
    readonly includes?: readonly string[]
    readonly includesAny?: readonly string[]
    readonly notIncludes?: readonly string[]
    readonly line?: number
  }
}
interface Step {
  readonly program: string
  readonly expect: Expectation
}

const corpus = new URL('../corpus/programs/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, corpus), 'utf8')
const { cases } = JSON.parse(read('index.json')) as {
  readonly cases: readonly (Partial<Step> & { readonly id: string; readonly steps?: readonly Step[] })[]
}
const steps = cases.flatMap((one) =>
  (one.steps ?? [one as Step]).map(({ program, expect: expected }, index) => ({
    id: one.steps === undefined ? one.id : `${one.id}.${index + 1}`,
    program,
    expect: expected,
  })),
)

/** Programs that cannot run at all, so that compiling them would be wrong. */
const NO_PROGRAMS = ['b-import-node-fs', 'b-jsx', 'b-shell-command']

test('the corpus is here', () => {
  expect(steps.length).toBeGreaterThan(100)
  expect(steps.map(({ id }) => id)).toEqual(expect.arrayContaining(NO_PROGRAMS))
})

describe('a program of the corpus compiles, or is refused in the words it should be', () => {
  test.each(steps)('$id', async ({ id, program, expect: expected }) => {
    const result = await compileProgram(read(program).replace(/\n$/, ''), { maxProgramBytes: 256 * 1024 })
    expect(result.ok && NO_PROGRAMS.includes(id)).toBe(false)
    if (result.ok) return
    const allowed = (expected.anyOf ?? [expected]).flatMap(({ error }) => (error === undefined ? [] : [error]))
    const text = result.message.toLowerCase()
    const has = (part: string) => text.includes(part.toLowerCase())
    const fitting = allowed.filter(
      ({ includes = [], includesAny = [], notIncludes = [], line }) =>
        includes.every(has) &&
        (includesAny.length === 0 || includesAny.some(has)) &&
        !notIncludes.some(has) &&
        (line === undefined || line === result.line),
    )
    expect(fitting, result.message).not.toEqual([])
  })
})
