import type { ServerProblem } from '../../importers/server-entry.ts'
import { tokensOf } from '../../sdk/render.ts'
import type { TokenStats } from '../../sdk/styles/token-stats.ts'
import type { SdkResult } from '../commands/sdk.ts'
import { paletteFor, safe, warn, type Io } from '../io.ts'

export function sdkDocument(
  { text, style, level, nameMap, warnings, hits }: SdkResult,
  problems: readonly ServerProblem[],
  stats: TokenStats | undefined,
): unknown {
  return {
    text,
    style,
    level,
    tokens: tokensOf(text),
    tools: Object.fromEntries(nameMap),
    hits,
    stats,
    warnings,
    problems,
  }
}

/** The text, or what it costs if that was asked for; warnings on stderr, so that the text can go into a file. */
export function writeSdk(io: Io, result: SdkResult, stats: TokenStats | undefined): void {
  const { text, warnings } = result
  for (const { tool, pointer, reason } of warnings.slice(0, MAX_WARNINGS)) {
    warn(io, `${tool}${pointer === '' ? '' : ` ${pointer}`}: ${reason}`)
  }
  if (warnings.length > MAX_WARNINGS) warn(io, `and ${warnings.length - MAX_WARNINGS} more; --json has them all`)
  io.stdout.write(stats === undefined ? `${safe(text).trimEnd()}\n` : statsTable(io, result, stats))
}

const MAX_WARNINGS = 200
const COLUMNS = ['raw JSON', 'L0', 'L1', 'L2', 'L3', 'L4'] as const
const MAX_SERVER = 32

function statsTable(io: Io, { style, level, hits }: SdkResult, stats: TokenStats): string {
  const { encoding, tools, text, rawJson, levels, servers } = stats
  const what = hits !== undefined && style === 'model' ? 'search' : (level ?? style)
  const { bold, dim } = paletteFor(io.stdout, io.env)
  const rows = [
    [`this (${what})`, text.tokens],
    ['raw JSON', rawJson],
    ...Object.entries(levels).map(([level, tokens]) => [`level ${level}`, tokens] as const),
  ] as const
  const lines = [
    `${bold(count(tools))}, in tokens of ${encoding}`,
    '',
    ...rows.map(([name, tokens]) => `${name.padEnd(18)}${String(tokens).padStart(10)}  ${share(tokens, rawJson)}`),
    '',
    dim(`${'server'.padEnd(MAX_SERVER)}${['tools', ...COLUMNS].map((title) => title.padStart(10)).join('')}`),
    ...servers.map(({ server, ...of }) => {
      const figures = [of.tools, of.rawJson, ...Object.values(of.levels)]
      return `${nameOf(server).padEnd(MAX_SERVER)}${figures.map((figure) => String(figure).padStart(10)).join('')}`
    }),
  ]
  return `${lines.join('\n')}\n`
}

function nameOf(server: string | undefined): string {
  const name = server === undefined ? '(no server)' : safe(server)
  return name.length < MAX_SERVER ? name : `${name.slice(0, MAX_SERVER - 2)}…`
}

function share(tokens: number, of: number): string {
  return of === 0 ? '' : `${((tokens * 100) / of).toFixed(1).padStart(6)} % of raw JSON`
}

function count(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`
}
