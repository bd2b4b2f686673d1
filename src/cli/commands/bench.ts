import { CodedError } from '../../data/failure.ts'
import { nearestNames } from '../../data/nearest-names.ts'
import { isRecord } from '../../data/json.ts'
import { GLOBAL_SCOPE } from '../../registry/scope.ts'
import type { ToolDefinition } from '../../registry/tool.ts'
import type { ToolView } from '../../registry/view.ts'
import { EXIT } from '../exit-codes.ts'
import { benchDocument, writeBench, type BenchedTool } from '../format/bench.ts'
import { watchInterrupt } from '../interrupt.ts'
import { writeJson, type Io } from '../io.ts'
import { CallWatch, measureTool } from '../measure-tool.ts'
import { readSources, startEngine, type SourceOptions } from '../tool-sources.ts'

export interface BenchCommandOptions extends SourceOptions {
  readonly tool?: readonly string[]
  readonly args?: string
  readonly calls: number
  readonly seconds: number
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
  readonly json?: boolean
}

/**
 * Measures what a call costs from a program, against the same call made natively. It really calls: so only tools that
 * say they are read-only, or that are named.
 */
export async function benchCommand(options: BenchCommandOptions, io: Io): Promise<number> {
  const argsJson = checkArgs(options)
  const sources = readSources(options, io)
  using interrupt = watchInterrupt()
  const watch = new CallWatch()
  const starting = startEngine(sources, io, {
    mode: 'both',
    typecheck: 'off',
    observers: [watch],
    ...(options.requireConfinement !== undefined && { requireConfinement: options.requireConfinement }),
  })
  await using engine = await interrupt.race(starting)
  const chosen = chooseTools(engine.registry.view(GLOBAL_SCOPE), options, sources.approvalRequired)
  const benched: BenchedTool[] = []
  for (const { tool, skip } of chosen) {
    if (interrupt.exitCode !== undefined) break
    if (skip !== undefined) {
      benched.push({ name: tool.name, skipped: skip })
      continue
    }
    const { calls, seconds } = options
    const measured = await measureTool(engine, watch, {
      name: tool.name,
      argsJson,
      calls,
      budgetMs: seconds * 1_000,
      signal: interrupt.signal,
    })
    if (measured !== undefined) benched.push({ name: tool.name, ...measured })
  }
  const problems = [...sources.problems, ...engine.problems]
  const isAnyMissing = problems.some(({ server }) => server !== undefined)
  const exitCode = interrupt.exitCode ?? verdict(benched, isAnyMissing)
  if (options.json === true) {
    writeJson(io, benchDocument(benched, { exitCode, arguments: argsJson, problems }))
  } else writeBench(io, benched)
  return exitCode
}

function verdict(benched: readonly BenchedTool[], isAnyMissing: boolean): number {
  if (benched.some((tool) => 'failure' in tool) || !benched.some((tool) => 'measure' in tool)) return EXIT.failed
  return isAnyMissing ? EXIT.serversMissing : EXIT.ok
}

interface Choice {
  readonly tool: ToolDefinition
  /** Why it is not called. */
  readonly skip?: string
}

function chooseTools(
  view: ToolView,
  { tool: named = [], args }: BenchCommandOptions,
  approvalRequired: ReadonlySet<string>,
): readonly Choice[] {
  const names = [...view.toolsByName.keys()]
  const unknown = named.find((name) => !view.toolsByName.has(name))
  if (unknown !== undefined) {
    const [near] = nearestNames(unknown, names)
    const advice = near === undefined ? '"codeferry tools" lists those that there are' : `did you mean ${near}?`
    throw new CodedError('CONFIG_INVALID', `--tool ${unknown}: there is no such tool; ${advice}`)
  }
  const tools = named.length > 0 ? named.flatMap((name) => view.toolsByName.get(name) ?? []) : view.toolsByName.values()
  return [...tools].map((tool): Choice => {
    if (approvalRequired.has(tool.name)) return { tool, skip: 'it needs a person’s yes each time' }
    if (named.length === 0 && tool.annotations?.readOnlyHint !== true) {
      return { tool, skip: `it does not say that it is read-only; --tool ${tool.name} calls it all the same` }
    }
    const missing = args === undefined ? requiredOf(tool) : []
    if (missing.length === 0) return { tool }
    return { tool, skip: `it needs ${missing.join(', ')}: --tool ${tool.name} --args '{…}'` }
  })
}

function requiredOf({ parameters }: ToolDefinition): readonly string[] {
  const { required } = parameters
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function checkArgs({ args, tool }: BenchCommandOptions): string {
  if (args === undefined) return '{}'
  if (tool?.length !== 1) {
    throw new CodedError('CONFIG_INVALID', '--args are the arguments of one tool: name it with one --tool')
  }
  try {
    if (isRecord(JSON.parse(args))) return args
  } catch {
    // Told below.
  }
  throw new CodedError('CONFIG_INVALID', `--args must be a JSON object, as in --args '{"city":"Oslo"}'; got ${args}`)
}
