import type { ServerProblem } from '../../importers/server-entry.ts'
import { STAGES } from '../../pipeline/stages.ts'
import { paletteFor, safe, type Io } from '../io.ts'
import type { Spread, ToolMeasure } from '../measure-tool.ts'

export type BenchedTool = { readonly name: string } & (
  { readonly measure: ToolMeasure } | { readonly failure: string } | { readonly skipped: string }
)

/** All times in milliseconds. */
export function benchDocument(
  tools: readonly BenchedTool[],
  run: { readonly exitCode: number; readonly arguments: string; readonly problems: readonly ServerProblem[] },
): unknown {
  return {
    ok: run.exitCode === 0,
    exitCode: run.exitCode,
    arguments: run.arguments,
    node: process.version,
    tools: tools.map((tool) =>
      'measure' in tool ? { name: tool.name, ...tool.measure, stageMs: inOrder(tool.measure.stageMs) } : tool,
    ),
    problems: run.problems,
  }
}

/** For people. A server may have a thousand tools: those that were not called are only counted beyond some. */
export function writeBench(io: Io, tools: readonly BenchedTool[]): void {
  const { bold, dim, red } = paletteFor(io.stdout, io.env)
  const lines: string[] = []
  for (const tool of tools) {
    if ('failure' in tool) lines.push(`${bold(safe(tool.name))}\n  ${red('failed')} ${safe(tool.failure)}\n`)
    if ('measure' in tool) lines.push(`${bold(safe(tool.name))}\n${measureLines(tool.measure, dim).join('\n')}\n`)
  }
  const skipped = tools.flatMap((tool) => ('skipped' in tool ? [tool] : []))
  for (const { name, skipped: why } of skipped.slice(0, MAX_SKIPPED)) {
    lines.push(dim(`${safe(name)} was not called: ${safe(why)}`))
  }
  if (skipped.length > MAX_SKIPPED) lines.push(dim(`and ${skipped.length - MAX_SKIPPED} more were not called`))
  if (tools.length === 0) lines.push('There are no tools. Give --config <mcp.json> or --mock <tools.json>.')
  io.stdout.write(`${lines.join('\n')}\n`)
}

const MAX_SKIPPED = 20
const HEAD = '                          min       p50       p95       p99  ms'

function measureLines(measure: ToolMeasure, dim: (text: string) => string): readonly string[] {
  const { native, nested, overhead, sandbox, stageMs, calls } = measure
  const stages = Object.entries(inOrder(stageMs))
    .filter(([, ms]) => ms >= 0.0005)
    .map(([stage, ms]) => `${stage} ${figure(ms)}`)
  return [
    dim(HEAD),
    row('native call', native),
    row('call from a program', nested),
    row('  beside the tool', overhead),
    row('  of it the sandbox', sandbox),
    dim(`  stages (p50, ms): ${stages.join(' · ')}`),
    dim(`  ${calls} calls; from a program ${(nested.p50 / native.p50).toFixed(2)} × native (p50)`),
  ]
}

function row(name: string, { min, p50, p95, p99 }: Spread): string {
  return `  ${name.padEnd(20)}${[min, p50, p95, p99].map((ms) => figure(ms).padStart(8)).join('  ')}`
}

function figure(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(2) : ms.toFixed(3)
}

function inOrder(stageMs: ToolMeasure['stageMs']): Readonly<Record<string, number>> {
  return Object.fromEntries(STAGES.flatMap((stage) => (stageMs[stage] === undefined ? [] : [[stage, stageMs[stage]]])))
}
