import { relative } from 'node:path'
import type { Engine } from '../../engine.ts'
import type { ExecutorReport } from '../../executor/executor.ts'
import type { ToolView } from '../../registry/view.ts'
import { GLOBAL_SCOPE } from '../../registry/scope.ts'
import { paletteFor, safe, type Io } from '../io.ts'
import type { ServeSources } from './serve-sources.ts'
import type { ServeTokens } from './serve-tokens.ts'

export interface Served {
  readonly url: string
  readonly from: ServeSources
  readonly tokens: ServeTokens
  readonly engine: Engine
  readonly report: ExecutorReport
}

const MAX_TOOLS_SHOWN = 12

/** One screen: where it is, who may come in, what there is to call, and which walls stand around programs. */
export function writeServed(io: Io, { url, from, tokens, engine, report }: Served): void {
  const { bold, dim, green, yellow } = paletteFor(io.stdout, io.env)
  const row = (name: string, ...lines: readonly string[]) =>
    lines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(9)} ${line}`)
  const walls = report.confinement.walls
  const missing = walls.filter(({ stands }) => !stands).map(({ name }) => name)
  const lines = [
    `Codeferry listens on ${bold(url)}`,
    ...row('API', `${url}/openapi.json`),
    ...row('MCP', `${url}/mcp`),
    ...row('sessions', from.database === undefined ? 'in memory: gone at the end' : shortPath(from.database, io)),
    ...row('tokens', ...tokenLines(tokens, from, io).map((line, index) => (index > 1 ? dim(line) : line))),
    ...row('tools', toolLine(engine.registry.view(GLOBAL_SCOPE))),
    ...row(
      'sandbox',
      `${report.confinement.level}: ${green(
        walls
          .filter(({ stands }) => stands)
          .map(({ name }) => name)
          .join(', ') || 'no wall',
      )}`,
      ...(missing.length === 0 ? [] : [yellow(`missing: ${missing.join(', ')} (codeferry doctor says why)`)]),
    ),
    dim('SIGHUP reads the configuration anew; Ctrl-C or SIGTERM lets what runs end first.'),
  ]
  io.stdout.write(`${lines.join('\n')}\n`)
}

/** The same for programs. */
export function servedDocument({ url, from, tokens, engine, report }: Served): unknown {
  const view = engine.registry.view(GLOBAL_SCOPE)
  return {
    url,
    database: from.database,
    tokens: tokens.tokens.map(({ name, scope, may }) => ({ name, scope, may })),
    ...(tokens.secret !== undefined && { token: tokens.secret }),
    mode: view.mode,
    tools: [...view.toolsByName.keys()],
    sandbox: report,
    problems: engine.problems,
  }
}

function tokenLines({ tokens, file, secret }: ServeTokens, { database }: ServeSources, io: Io): readonly string[] {
  const names = tokens.map(({ name, scope, may }) => safe(`${name} (${scope}: ${may.join(', ')})`)).join('; ')
  const of = database === undefined ? '' : ` --db ${shortPath(database, io)}`
  const more = file === undefined ? 'codeferry token new <name> --print' : `codeferry token new <name>${of}`
  return [
    names === '' ? 'none: nobody may use it' : names,
    ...(secret === undefined ? [] : [`${secret}  shown this once`]),
    `another one: ${more}, then SIGHUP`,
  ]
}

function toolLine({ toolsByName, mode }: ToolView): string {
  const names = [...toolsByName.keys()]
  if (names.length === 0) return 'none; give --config <codeferry.json> or --mock <tools.json>'
  const rest = names.length > MAX_TOOLS_SHOWN ? `, … (${names.length - MAX_TOOLS_SHOWN} more)` : ''
  return safe(`${names.length} in mode ${mode}: ${names.slice(0, MAX_TOOLS_SHOWN).join(', ')}${rest}`)
}

function shortPath(path: string, io: Io): string {
  const near = relative(io.cwd, path)
  return near === '' || near.startsWith('..') ? path : near
}
