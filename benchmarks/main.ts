import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { toSvg } from './_chart.ts'
import { describeMachine, toJson, toMarkdown, type Report } from './_report.ts'
import { clearNotes, type Benchmark } from './_runner.ts'
import { dispatchBenchmark } from './dispatch.ts'
import { pipelineBenchmark } from './pipeline.ts'
import { preflightBenchmark } from './preflight.ts'
import { sdkBenchmark } from './sdk.ts'

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  pipeline: pipelineBenchmark,
  dispatch: dispatchBenchmark,
  preflight: preflightBenchmark,
  sdk: sdkBenchmark,
}

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    /** Keeps the results beside this file. */
    write: { type: 'boolean', default: false },
    /** Keeps them in another folder. */
    out: { type: 'string' },
    size: { type: 'string', default: 'full' },
    /** Tool catalogs for those that measure with them; otherwise those beside the checkout, or made-up ones. */
    corpus: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const { size } = options
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name))
if (names.length === 0 || unknown.length > 0 || (size !== 'full' && size !== 'tiny')) {
  const wrong = unknown.length > 0 ? `there is no benchmark ${unknown.join(', ')}\n` : ''
  console.error(
    `${wrong}usage: npm run bench -- <${Object.keys(BENCHMARKS).join(' | ')}>… [--size full|tiny] [--corpus <folder>] [--json] [--write | --out <folder>]`,
  )
  process.exit(2)
}

const folder = options.out ?? (options.write ? join(import.meta.dirname, 'results') : undefined)
for (const name of names) {
  const benchmark = BENCHMARKS[name]
  if (benchmark === undefined) continue
  const loadBefore = loadavg()[0] ?? 0
  const tables = await benchmark.measure(size, options.corpus === undefined ? {} : { corpus: options.corpus })
  clearNotes()
  const report: Report = {
    benchmark: name,
    takenAt: new Date().toISOString(),
    size,
    machine: describeMachine(loadBefore),
    method: benchmark.method,
    tables,
  }
  if (folder !== undefined) await keep(report, folder)
  else console.log(options.json ? toJson(report) : toMarkdown(report))
}

async function keep(report: Report, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const [first] = report.tables
  const files = {
    json: toJson(report),
    md: toMarkdown(report),
    ...(first !== undefined && { svg: toSvg(first) }),
  }
  for (const [extension, text] of Object.entries(files)) {
    const file = join(resolve(folder), `${report.benchmark}.${extension}`)
    await writeFile(file, text)
    console.log(`written: ${file}`)
  }
}
