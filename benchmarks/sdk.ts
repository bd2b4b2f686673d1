import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadTokenCounter } from '../src/sdk/styles/count-tokens.ts'
import { casesOf, judge } from './_sdk-faithfulness.ts'
import { measureOurs } from './_sdk-ours.ts'
import { rawJsonOf, readSample, type Sample } from './_sdk-sample.ts'
import { note, toRows, type Benchmark, type Size, type Table, type Unit } from './_runner.ts'
import { installedContestants, SDK_CONTESTANTS, type SdkContestant } from './peers/sdk-contestants.ts'

interface Sizes {
  readonly toolCounts: readonly number[]
  /** New processes for each generator and sample. */
  readonly starts: number
  readonly warmRuns: number
  readonly manyTools: readonly number[]
  readonly rounds: number
}

const SIZES: Readonly<Record<Size, Sizes>> = {
  full: { toolCounts: [500, 100, 10], starts: 3, warmRuns: 3, manyTools: [1_000, 2_000, 5_000, 10_000], rounds: 5 },
  tiny: { toolCounts: [10], starts: 1, warmRuns: 1, manyTools: [20, 40], rounds: 1 },
}

/** From the specification: share of the raw JSON, and milliseconds. */
const BARS = { shareOfRaw: 0.6, coldMs: 100, importMs: 20 }

export const sdkBenchmark: Benchmark = {
  method: [
    'All generators are given the same tools (name, description, input and output schema), mixed over all servers in an order that is the same on every machine, with names that are distinct identifiers. Each makes one whole text: json-schema-to-typescript by one compilation a schema, with the tool’s description above it; quicktype by one run over all schemas that it can take (samples of more than 100 tools take it minutes and are left out).',
    'Each sample is taken in a process of its own: the time to import, the time of the first text, then of texts in warm code from new objects. Reading the tools is in none of them. Ours is measured as it is published, as JavaScript; making the view and its names is in its time.',
    'Tokens are those of o200k_base. Raw JSON is the compact JSON of the same tools. json-schema-to-typescript, @cloudflare/codemode and quicktype keep all descriptions; @tanstack/ai-code-mode keeps those of tools, and none of parameters.',
    'Faithfulness: the whole text is compiled by TypeScript 7 under `strict`, with arguments behind it that were made from the schemas of the first 100 tools: valid ones (at most 3 a tool) and ones with a single fault that a type can tell (at most 6: missing, wrong type, wrong word of a list), both judged by the full validator. An unknown key alone is held against nobody. Arguments of tools without a type in a text are in none of its figures.',
    'Targets are the bars of the specification: 60 % of the raw JSON at 200 characters of description, 100 ms for 500 tools in a new process, 1 ms when nothing changed, 20 ms to import, 1 s for 10,000 tools at L1, 5 ms when one of 1,000 tools changed.',
  ],
  async measure(size, { corpus } = {}) {
    const sizes = SIZES[size]
    const sample = readSample(corpus)
    const contestants = installedContestants()
    const field: Field = { sample, contestants, leftOut: SDK_CONTESTANTS.length - contestants.length, failures: [] }
    using folder = temporaryFolder()
    const library = buildOurs(folder.path)
    const runs = sizes.toolCounts.map((count) => ({
      count,
      results: takeAll(field, count, sizes, library, folder.path),
    }))
    const countTokens = await loadTokenCounter()
    return [
      ...runs.map(({ count, results }) => tokenTable(field, count, results, countTokens)),
      ...runs.flatMap(({ count, results }) => timeTables(count, results)),
      importTable(runs.flatMap(({ results }) => results)),
      ...(await measureOurs(sizes, sample)),
      ...runs.slice(0, 2).flatMap(({ count, results }) => faithfulnessTables(sample, count, results)),
    ]
  },
}

interface Field {
  readonly sample: Sample
  readonly contestants: readonly SdkContestant[]
  readonly leftOut: number
  /** What did not work, in words. */
  readonly failures: string[]
}
interface Result {
  readonly contestant: SdkContestant
  readonly text: string
  readonly importMs: readonly number[]
  readonly coldMs: readonly number[]
  readonly warmMs: readonly number[]
}

function takeAll(field: Field, count: number, sizes: Sizes, library: string, folder: string): readonly Result[] {
  const sampleFile = join(folder, `sample-${count}.json`)
  writeFileSync(sampleFile, JSON.stringify(field.sample.tools.slice(0, count)))
  const players = field.contestants.filter(({ maxTools = Infinity }) => count <= maxTools)
  const results = players.map((contestant) => ({
    contestant,
    text: '',
    importMs: [] as number[],
    coldMs: [] as number[],
    warmMs: [] as number[],
  }))
  for (let round = 0; round < sizes.starts; round++) {
    for (let turn = 0; turn < results.length; turn++) {
      const result = results[(turn + round) % results.length]
      if (result === undefined) continue
      note(`${count} tools, round ${round + 1} of ${sizes.starts}: ${result.contestant.name}`)
      const textFile = join(folder, 'text.ts')
      const script = join(import.meta.dirname, 'peers/sdk-contestant.ts')
      const given = [script, result.contestant.name, library, sampleFile, textFile, String(sizes.warmRuns)]
      const { stdout, stderr, status } = spawnSync(process.execPath, ['--no-warnings', ...given], {
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      })
      if (status !== 0) {
        const why = /\w*Error: .*/.exec(stderr)?.[0] ?? `it ended with ${status}`
        if (result.contestant.peer === undefined)
          throw new Error(`${result.contestant.name} failed: ${stderr.slice(0, 800)}`)
        field.failures.push(`${result.contestant.name}, ${count} tools: ${why.slice(0, 200)}`)
        results.splice(results.indexOf(result), 1)
        continue
      }
      const taken = JSON.parse(stdout) as { importMs: number; coldMs: number; warmMs: number[] } // Our own script’s.
      result.importMs.push(taken.importMs)
      result.coldMs.push(taken.coldMs)
      result.warmMs.push(...taken.warmMs)
      result.text = readFileSync(textFile, 'utf8')
    }
  }
  return results
}

function tokenTable(
  { sample, leftOut, failures }: Field,
  count: number,
  results: readonly Result[],
  countTokens: (text: string) => number,
): Table {
  const raw = countTokens(rawJsonOf(sample.tools.slice(0, count)))
  const rows = results.map(({ contestant: { name }, text }) => ({
    name,
    samples: [countTokens(text)],
    ...(name.includes('(L3)') && { target: { p50: Math.floor(raw * BARS.shareOfRaw) } }),
  }))
  const missing = leftOut === 0 ? '' : `; ${leftOut} generators are left out, as their packages are not installed`
  return {
    title: `Size of the text of ${tools(count, sample)}`,
    unit: 'tokens',
    sample: `of ${sample.origin}${missing}${failures.map((one) => `; ${one}`).join('')}`,
    rows: toRows([{ name: 'raw JSON of the tools', samples: [raw] }, ...rows]),
  }
}

function tools(count: number, sample: Sample): string {
  return `${Math.min(count, sample.tools.length)} tools`
}

function timeTables(count: number, results: readonly Result[]): readonly Table[] {
  const table = (
    title: string,
    sample: string,
    pick: (result: Result) => readonly number[],
    target?: number,
  ): Table => ({
    title,
    unit: 'ms',
    sample,
    rows: toRows(
      results.map((result, at) => ({
        name: result.contestant.name,
        samples: pick(result),
        ...(at === 0 && target !== undefined && { target: { p50: target } }),
      })),
    ),
  })
  return [
    table(
      `First text of a process, ${count} tools`,
      'a sample is a new process',
      ({ coldMs }) => coldMs,
      count === 500 ? BARS.coldMs : undefined,
    ),
    table(
      `Text in warm code, ${count} tools`,
      'a sample is one text, of tools that were not seen before',
      ({ warmMs }) => warmMs,
    ),
  ]
}

function importTable(results: readonly Result[]): Table {
  const byName = Map.groupBy(results, ({ contestant }) => contestant.name)
  return {
    title: 'Import of the generator',
    unit: 'ms',
    sample: 'a sample is a new process',
    rows: toRows(
      [...byName].map(([name, all], at) => ({
        name,
        samples: all.flatMap(({ importMs }) => importMs),
        ...(at === 0 && { target: { p50: BARS.importMs } }),
      })),
    ),
  }
}

const JUDGED_TOOLS = 100

function faithfulnessTables(sample: Sample, count: number, results: readonly Result[]): readonly Table[] {
  note(`${count} tools: compiling the texts`)
  const cases = casesOf(sample.tools.slice(0, Math.min(count, JUDGED_TOOLS)))
  const found = judge(
    results.map(({ contestant, text }) => ({ name: contestant.name, text, argsType: contestant.argsType })),
    cases,
  )
  const judged = results.flatMap(({ contestant: { name } }, at) => {
    const one = found[at]
    return one === undefined ? [] : [{ name, ...one }]
  })
  const parsed = judged.filter(({ parses }) => parses)
  const broken = judged.filter(({ parses }) => !parses).map(({ name }) => name)
  const leftOut = broken.length === 0 ? '' : `; left out, as the text does not parse: ${broken.join(', ')}`
  const invalid = cases.reduce((sum, one) => sum + one.invalid.length, 0)
  const valid = cases.reduce((sum, one) => sum + one.valid.length, 0)
  if (parsed.some(({ invalidTaken }) => invalid > 0 && invalidTaken === invalid))
    throw new Error('a type that refuses nothing was not compiled')
  const table = (
    title: string,
    unit: Unit,
    of: string,
    all: typeof judged,
    pick: (one: (typeof judged)[number]) => number,
  ): Table => ({
    title: `${title}, text of ${count} tools`,
    unit,
    sample: of,
    rows: toRows(all.map((one) => ({ name: one.name, samples: [pick(one)] }))),
  })
  return [
    table(
      'TypeScript errors',
      'errors',
      'of the whole text; one that does not parse may hide others',
      judged,
      ({ errors }) => errors,
    ),
    table(
      'Valid arguments that are refused',
      'arguments',
      `of ${valid}${leftOut}`,
      parsed,
      ({ validRefused }) => validRefused,
    ),
    table(
      'Wrong arguments that are taken',
      'arguments',
      `of ${invalid}${leftOut}`,
      parsed,
      ({ invalidTaken }) => invalidTaken,
    ),
    table(
      'Tools without a type of their arguments',
      'tools',
      `of ${cases.length}${leftOut}`,
      parsed,
      ({ withoutType }) => withoutType,
    ),
  ]
}

/** What a user imports: the sources without their types, as `npm run build` makes them. */
function buildOurs(folder: string): string {
  const root = join(import.meta.dirname, '..')
  const library = join(folder, 'library')
  const config = join(root, '.ci/tsconfig.build.json')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  spawnSync(process.execPath, [tsc, '-p', config, '--outDir', library, '--declaration', 'false'], { encoding: 'utf8' })
  writeFileSync(join(library, 'package.json'), '{"type":"module"}')
  symlinkSync(join(root, 'node_modules'), join(library, 'node_modules'))
  return library
}

function temporaryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'codeferry-sdk-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
