import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { casesOf, judge } from '../../benchmarks/_sdk-faithfulness.ts'
import { madeUp, readSample, type SampleTool } from '../../benchmarks/_sdk-sample.ts'
import { installedContestants, SDK_CONTESTANTS } from '../../benchmarks/peers/sdk-contestants.ts'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)

interface Report {
  benchmark: string
  size: string
  method: string[]
  tables: {
    title: string
    unit: string
    sample: string
    rows: { name: string; p50: number; target?: { p50: number } }[]
  }[]
}

test(
  'the benchmark of the SDK text runs over a folder of catalogs and keeps its results',
  { timeout: 240_000 },
  async () => {
    const corpus = await mkdtemp(join(tmpdir(), 'codeferry-sdk-bench-'))
    const out = await mkdtemp(join(tmpdir(), 'codeferry-sdk-bench-'))
    onTestFinished(async () => {
      for (const folder of [corpus, out]) await rm(folder, { recursive: true, force: true })
    })
    const tools = Array.from({ length: 12 }, (_, n) => ({ ...madeUp(n), name: madeUp(n).tool }))
    await writeFile(join(corpus, 'one.json'), JSON.stringify({ tools }))
    await exec(process.execPath, [
      '--expose-gc',
      join(root, 'benchmarks/main.ts'),
      'sdk',
      '--size',
      'tiny',
      '--corpus',
      corpus,
      '--out',
      out,
    ])
    expect((await readdir(out)).toSorted()).toEqual(['sdk.json', 'sdk.md', 'sdk.svg'])
    const report = JSON.parse(await readFile(join(out, 'sdk.json'), 'utf8')) as Report
    expect(report).toMatchObject({ benchmark: 'sdk', size: 'tiny' })
    const [size] = report.tables
    expect(size?.sample).toContain('12 tools of 1 catalogs')
    const names = size?.rows.map(({ name }) => name) ?? []
    const installed = installedContestants()
    expect(names).toEqual(['raw JSON of the tools', ...installed.map(({ name }) => name)])
    if (installed.length < SDK_CONTESTANTS.length) {
      expect(size?.sample).toContain(`${SDK_CONTESTANTS.length - installed.length} generators are left out`)
    }
    for (const title of [
      'First text of a process',
      'Text in warm code',
      'Import of the generator',
      'Codeferry: the text again',
      'Codeferry: many tools at L1',
      'TypeScript errors',
      'Valid arguments',
      'Wrong arguments',
    ]) {
      expect(
        report.tables.some((table) => table.title.startsWith(title)),
        title,
      ).toBe(true)
    }
    expect(await readFile(join(out, 'sdk.svg'), 'utf8')).not.toContain('NaN')
  },
)

test('without their packages ours and the library we depend on are measured, and the others are counted', () => {
  const there = installedContestants(join(tmpdir(), 'no-such-folder'))
  expect(there.filter(({ name }) => name.startsWith('codeferry'))).toHaveLength(4)
  expect(there.filter(({ name }) => name.startsWith('json-schema-to-typescript'))).toHaveLength(2)
  expect(SDK_CONTESTANTS.length - there.length).toBe(3)
})

test('without catalogs the tools are made up, distinct, and said to be', () => {
  const { tools, origin } = readSample(undefined, join(tmpdir(), 'no-such-folder'))
  expect(origin).toContain('made-up tools')
  expect(new Set(tools.map(({ name }) => name)).size).toBe(1_000)
})

test('types are told apart by the arguments that they take', { timeout: 60_000 }, () => {
  const tool: SampleTool = {
    server: 's',
    tool: 't',
    name: 's_t',
    description: '',
    inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { enum: ['x', 'y'] } }, required: ['a'] },
  }
  const cases = casesOf([tool])
  expect(cases[0]?.valid.length).toBeGreaterThan(0)
  expect(cases[0]?.invalid.length).toBeGreaterThan(2)
  const texts = [
    { name: 'right', text: 'interface A { a: string; b?: "x" | "y" }', argsType: () => 'A' },
    { name: 'loose', text: 'type A = any', argsType: () => 'A' },
    { name: 'narrow', text: 'interface A { a: 7 }', argsType: () => 'A' },
    { name: 'absent', text: 'type B = A', argsType: () => 'C' },
    { name: 'broken', text: 'type A = {', argsType: () => 'A' },
  ]
  const [right, loose, narrow, absent, broken] = judge(texts, cases)
  const invalid = cases[0]?.invalid.length
  expect(right).toEqual({ parses: true, errors: 0, validRefused: 0, invalidTaken: 0, withoutType: 0 })
  expect(loose).toMatchObject({ validRefused: 0, invalidTaken: invalid })
  expect(narrow?.validRefused).toBe(cases[0]?.valid.length)
  expect(absent).toMatchObject({ errors: 1, withoutType: 1, validRefused: 0, invalidTaken: 0 })
  expect(broken?.parses).toBe(false)
})

test('the result in the tree is of a full run', async () => {
  const folder = join(root, 'benchmarks/results')
  const report = JSON.parse(await readFile(join(folder, 'sdk.json'), 'utf8')) as Report
  expect(report).toMatchObject({ benchmark: 'sdk', size: 'full' })
  expect(existsSync(join(folder, 'sdk.svg'))).toBe(true)
})
