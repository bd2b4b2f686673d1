import { readFileSync } from 'node:fs'
import { compileProgram, type ParsedProgram } from '../src/codemode/compile.ts'
import { preflight } from '../src/codemode/preflight.ts'
import { ToolRegistry, GLOBAL_SCOPE, type ToolDefinition, type ToolView } from '../src/index.ts'
import { systemClock } from '../src/pipeline/system-clock.ts'
import { deriveNames } from '../src/registry/native-names.ts'
import { loadTemplates } from '../src/sdk/templates.ts'
import { createTypeChecker, type TypeChecker } from '../src/typecheck/checker.ts'
import { findCompiler } from '../src/typecheck/find-compiler.ts'
import { compare, toRows, type Benchmark, type Rounds, type Size, type Table } from './_runner.ts'

interface Sizes extends Rounds {
  readonly programsPerRound: number
  readonly toolCounts: readonly number[]
  readonly lineCounts: readonly number[]
  readonly coldStarts: number
}

const SIZES: Readonly<Record<Size, Sizes>> = {
  full: {
    warmUp: 2,
    measured: 10,
    programsPerRound: 20,
    toolCounts: [10, 100, 1_000],
    lineCounts: [20, 200],
    coldStarts: 12,
  },
  tiny: { warmUp: 0, measured: 1, programsPerRound: 2, toolCounts: [10], lineCounts: [20], coldStarts: 1 },
}

/** More than any check needs: a budget that is passed would look like a fast check. */
const BUDGET_MS = 60_000

export const preflightBenchmark: Benchmark = {
  method: [
    'Compiling (one parse, then types are blanked, or esbuild where that is not enough) and checking (names of tools, then types, in the compiler’s own process) begin together as they do in a run; a sample ends when both have. Each text is new, so no cache helps. Programs are correct: mistakes cost some questions more.',
    'Every tool has typed arguments and a typed result of nested objects. A program of 20 lines calls five tools, one of 200 lines fifty.',
    'Warm: the declarations of the view have been read. Cold view: the process runs, the view is new to it. Cold process: the process starts with the program.',
    'The first row of the first table compiles alone: the rest of a row is what checking adds to the way to the first call.',
  ],
  async measure(size) {
    const sizes = SIZES[size]
    return [await measureWarm(sizes), await measureCold(sizes)]
  },
}

async function measureWarm(sizes: Sizes): Promise<Table> {
  await using checker = startChecker()
  const views = sizes.toolCounts.map((count) => ({ count, view: viewOf(count) }))
  for (const { count, view } of views) await prepareRun(programOf(20, count), view, checker)
  const round = (work: () => Promise<number>) => async () => {
    const samples: number[] = []
    for (let n = 0; n < sizes.programsPerRound; n++) samples.push(await work())
    return samples
  }
  return await compare('Preflight of one program, warm', 'ms', 'a sample is one program', sizes, [
    ...sizes.lineCounts.map((lines) => ({
      name: `compile only, ${lines} lines`,
      round: round(() => prepareRun(programOf(lines, 10), viewOf(1), undefined)),
    })),
    ...views.flatMap(({ count, view }) =>
      sizes.lineCounts.map((lines) => ({
        name: `compile and check, ${lines} lines, ${count} tools`,
        round: round(() => prepareRun(programOf(lines, count), view, checker)),
      })),
    ),
  ])
}

async function measureCold(sizes: Sizes): Promise<Table> {
  const measured: { readonly name: string; readonly samples: number[] }[] = []
  for (const count of sizes.toolCounts) {
    const newView: number[] = []
    const newProcess: number[] = []
    for (let n = 0; n < sizes.coldStarts; n++) {
      await using checker = startChecker()
      await prepareRun('return 1', viewOf(1), checker)
      newView.push(await prepareRun(programOf(20, count), viewOf(count), checker))
    }
    for (let n = 0; n < sizes.coldStarts; n++) {
      const view = viewOf(count)
      const startedAt = performance.now()
      await using checker = startChecker()
      await prepareRun(programOf(20, count), view, checker)
      newProcess.push(performance.now() - startedAt)
    }
    measured.push({ name: `cold view, ${count} tools`, samples: newView })
    measured.push({ name: `cold process, ${count} tools`, samples: newProcess })
  }
  return {
    title: 'Preflight of the first program',
    unit: 'ms',
    sample: 'a sample is the first program of 20 lines',
    rows: toRows(measured),
  }
}

function startChecker(): TypeChecker {
  const { prelude } = loadTemplates((file) => readFileSync(file, 'utf8'))
  return createTypeChecker({
    found: findCompiler(),
    prelude,
    clock: systemClock,
    firstBudgetMs: BUDGET_MS,
    budgetMs: BUDGET_MS,
  })
}

/** Compiles, and checks if there is a checker; the time in ms. A program that was not checked ends the benchmark. */
async function prepareRun(text: string, view: ToolView, checker: TypeChecker | undefined): Promise<number> {
  const startedAt = performance.now()
  let checking: ReturnType<typeof preflight> | undefined
  const compiled = await compileProgram(text, {
    maxProgramBytes: 262_144,
    onParsed(program: ParsedProgram) {
      if (checker !== undefined)
        checking = preflight(program, { mode: 'error', view, names: deriveNames(view), checker })
    },
  })
  const checked = await checking
  const ms = performance.now() - startedAt
  if (!compiled.ok) throw new Error(compiled.message)
  if (checked?.refusal !== undefined || (checked?.notices.length ?? 0) > 0)
    throw new Error(checked?.refusal?.message ?? checked?.notices[0]?.message)
  return ms
}

function viewOf(count: number): ToolView {
  const registry = new ToolRegistry()
  registry.registerAll(Array.from({ length: count }, (_, n) => toolNumber(n)))
  return registry.view(GLOBAL_SCOPE)
}

function toolNumber(n: number): ToolDefinition {
  const text = { type: 'string' }
  const person = { type: 'object', properties: { [`login_${n}`]: text, name: text }, required: ['name'] }
  const item = {
    type: 'object',
    properties: { id: { type: 'integer' }, title: text, labels: { type: 'array', items: text }, author: person },
    required: ['id', 'title', 'labels', 'author'],
  }
  return {
    name: `list_things_${n}`,
    description: `Lists the things of kind ${n}, newest first.`,
    parameters: {
      type: 'object',
      properties: {
        owner: text,
        state: { type: 'string', enum: ['open', 'closed', `kind_${n}`] },
        page: { type: 'integer' },
      },
      required: ['owner'],
    },
    validateArguments: 'in-body',
    output: {
      schema: { type: 'object', properties: { items: { type: 'array', items: item } }, required: ['items'] },
      render: () => [],
    },
    execute: () => Promise.resolve({ items: [] }),
  }
}

let programs = 0
/** A correct program that no program before it equals. */
function programOf(lines: number, toolCount: number): string {
  programs++
  const text = [`const total${programs} = { count: 0, names: [] as string[] }`]
  for (let block = 0; text.length < lines - 1; block++) {
    const tool = (block * 7) % toolCount
    text.push(
      `const page${block} = await tools.list_things_${tool}({ owner: 'acme', state: 'open', page: ${block} })`,
      `const fresh${block} = page${block}.items.filter((item) => item.labels.includes('new') && item.id > ${programs})`,
      `for (const item of fresh${block}) total${programs}.names.push(\`\${item.title} by \${item.author.name}\`)`,
      `total${programs}.count += fresh${block}.length`,
    )
  }
  text.push(`return total${programs}`)
  return text.join('\n')
}
