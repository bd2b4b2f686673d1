import { execFile, fork } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)

/** As `npm run bench` does. Nothing here looks at how long anything takes. */
function bench(...args: string[]) {
  return exec(process.execPath, ['--expose-gc', join(root, 'benchmarks/main.ts'), ...args], {
    maxBuffer: 16 * 1024 * 1024,
  })
}

interface Row {
  name: string
  samples: number
  min: number
  p50: number
  p99: number
  ratio: number
  target?: { p50?: number; p99?: number }
}
interface Report {
  benchmark: string
  takenAt: string
  size: string
  machine: Record<string, unknown>
  method: string[]
  tables: { title: string; unit: string; sample: string; rows: Row[] }[]
}

function expectReport(report: Report, name: string): void {
  expect(report).toMatchObject({ benchmark: name, size: 'tiny' })
  expect(new Date(report.takenAt).getTime()).toBeGreaterThan(0)
  for (const fact of ['cpu', 'cores', 'memoryGb', 'system', 'node', 'v8', 'loadBefore', 'loadAfter'])
    expect(report.machine[fact], fact).toBeDefined()
  expect(report.method.length).toBeGreaterThan(2)
  for (const { title, unit, sample, rows } of report.tables) {
    expect(title && unit && sample).toBeTruthy()
    expect(rows.length, title).toBeGreaterThan(1)
    expect(rows[0]?.ratio, title).toBe(1)
    for (const row of rows) {
      expect(row.samples, row.name).toBeGreaterThan(0)
      expect(row.min, row.name).toBeLessThanOrEqual(row.p50)
      expect(row.p50, row.name).toBeLessThanOrEqual(row.p99)
    }
  }
}

const titlesOf = (report: Report) => report.tables.map(({ title }) => title)
const rowNames = (report: Report, table: number) => report.tables[table]?.rows.map(({ name }) => name)

test('the pipeline benchmark runs and gives its tables as JSON', { timeout: 120_000 }, async () => {
  const { stdout } = await bench('pipeline', '--size', 'tiny', '--json')
  const report = JSON.parse(stdout) as Report
  expectReport(report, 'pipeline')
  expect(titlesOf(report)).toHaveLength(6)
  expect(rowNames(report, 0)).toEqual([
    'no policy, no log',
    'five idle policies, no log',
    'five policies, no log',
    'five policies, memory log',
    'five policies, SQLite log',
  ])
  expect(report.tables[0]?.rows.map(({ target }) => target?.p50)).toEqual([15, 15, 15, 40, 40])
  expect(rowNames(report, 1)?.slice(0, 3)).toEqual(['all stages', 'create', 'mode'])
  expect(report.tables[4]?.rows.find(({ name }) => name === 'cached')?.target).toEqual({ p50: 1 })
})

test(
  'the dispatch benchmark runs over real sandbox processes and keeps its results as JSON, Markdown and a chart',
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'codeferry-bench-test-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await bench('dispatch', '--size', 'tiny', '--out', folder)
    expect((await readdir(folder)).toSorted()).toEqual(['dispatch.json', 'dispatch.md', 'dispatch.svg'])
    const read = (extension: string) => readFile(join(folder, `dispatch.${extension}`), 'utf8')
    const report = JSON.parse(await read('json')) as Report
    expectReport(report, 'dispatch')
    expect(rowNames(report, 0)).toEqual([
      'raw ping-pong over pipes',
      'call, memory log',
      'call, SQLite log',
      'call, memory log, in-process',
    ])
    expect(rowNames(report, 3)).toEqual(['100 B', '10 kB', '1 MB'])
    expect(rowNames(report, 4)).toEqual(expect.arrayContaining(['there and back', 'stage pre', 'stage body']))
    expect(rowNames(report, 5)).toEqual([
      'with spare',
      'with spare, type-checked',
      'no spare',
      'one after the other',
      'one after the other, type-checked',
    ])
    const markdown = await read('md')
    for (const { title, rows } of report.tables) {
      expect(markdown).toContain(`## ${title}`)
      for (const { name } of rows) expect(markdown).toContain(`| ${name}`)
    }
    expect(markdown).toContain('](dispatch.svg)')
    const chart = await read('svg')
    for (const { name } of report.tables[0]?.rows ?? []) expect(chart).toContain(`>${name}</text>`)
    expect(chart).not.toContain('NaN')
  },
)

test('an unknown benchmark is refused with the list of those that there are', async () => {
  const failed = await bench('pipelines').catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 2 })
  expect(String((failed as { stderr: unknown }).stderr)).toContain('pipeline | dispatch')
})

test('a benchmark without access to the collector says how to start it', async () => {
  const failed = await exec(process.execPath, [join(root, 'benchmarks/main.ts'), 'pipeline', '--size', 'tiny']).catch(
    (error: unknown) => error,
  )
  expect(String((failed as { stderr: unknown }).stderr)).toContain('npm run bench')
})

test('the results in the tree are of a full run', async () => {
  const folder = join(root, 'benchmarks/results')
  for (const name of ['pipeline', 'dispatch']) {
    const report = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Report
    expect(report).toMatchObject({ benchmark: name, size: 'full' })
    expect(await readFile(join(folder, `${name}.md`), 'utf8')).toContain('(size: full)')
  }
})

test(
  'a contestant of the comparison says when it is ready, and does what it is asked',
  { timeout: 60_000 },
  async () => {
    const child = fork(join(root, 'benchmarks/peers/contestant.mjs'), ['codeferry.mjs', '{}'], {
      execArgv: ['--no-node-snapshot', '--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    try {
      const answer = () => new Promise((resolve) => child.once('message', resolve))
      expect(await answer()).toEqual({ samples: [] })
      child.send({ name: 'noop', runs: 2 })
      expect(await answer()).toEqual({ samples: [expect.any(Number), expect.any(Number)] })
    } finally {
      child.kill()
    }
  },
)
