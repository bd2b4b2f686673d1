import type { Card } from '../../cards.ts'
import type { CallSummary } from '../../codemode/bridge.ts'
import { blockText } from '../../data/block-text.ts'
import { parseContentBlock } from '../../data/parse-content.ts'
import type { RunResult } from '../../engine.ts'
import type { LogLine, Notice } from '../../executor/executor.ts'
import type { ServerProblem } from '../../importers/server-entry.ts'
import { parseJsonText } from '../../importers/tool-result.ts'
import { paletteFor, safe, type Io } from '../io.ts'

/** A run as one JSON document. */
export function runDocument(
  result: RunResult,
  extra: {
    readonly exitCode: number
    readonly problems: readonly ServerProblem[]
    readonly cards?: readonly Card[] | undefined
  },
): unknown {
  const { outcome, callId, sessionId } = result
  return {
    ok: !outcome.isError,
    exitCode: extra.exitCode,
    callId,
    sessionId,
    ...(outcome.isError ? { error: withoutRun(outcome.error) } : { result: result.value?.result }),
    ...factsOf(result),
    content: outcome.content,
    ...(extra.cards !== undefined && { cards: extra.cards }),
    problems: extra.problems,
  }
}

interface RunFacts {
  readonly logs: readonly LogLine[]
  readonly calls: readonly CallSummary[]
  readonly notices: readonly Notice[]
}

function factsOf({ value, partial }: RunResult): RunFacts {
  const { logs, calls, notices } = value ?? partial ?? { logs: [], calls: [], notices: [] }
  return { logs, calls, notices }
}

/** The failure without the logs and calls in its details, which stand beside it. */
function withoutRun(error: Extract<RunResult['outcome'], { isError: true }>['error']): unknown {
  const { details, ...rest } = error
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return error
  const { logs: _logs, calls: _calls, notices: _notices, ...others } = details as Readonly<Record<string, unknown>> // JSON.
  return Object.keys(others).length === 0 ? rest : { ...rest, details: others }
}

/** A run for people: what came back, what was printed, what was noticed, what was called and how long it took. */
export function writeRun(io: Io, result: RunResult, shown: readonly string[] = []): void {
  const { bold, dim, red } = paletteFor(io.stdout, io.env)
  const { logs, calls, notices } = factsOf(result)
  const lines: string[] = []
  const { outcome } = result
  if (outcome.isError) {
    lines.push(`${red(bold('Failed'))} ${outcome.error.code}`, indent(outcome.error.message))
  } else if (result.value?.result === undefined) {
    lines.push(dim('The program returned nothing.'))
  } else {
    lines.push(bold('Result'), indent(resultText(result.value.result)))
  }
  if (logs.length > 0) {
    lines.push('', bold('Console'))
    for (const { level, text } of logs)
      lines.push(indent(level === 'log' || level === 'info' ? text : `[${level}] ${text}`))
  }
  if (shown.length > 0) lines.push('', bold('Shown'), ...shown.map((block) => indent(shownText(block))))
  if (notices.length > 0) {
    lines.push('', bold('Notices'))
    for (const { message } of notices) lines.push(indent(`- ${message}`))
  }
  if (calls.length > 0)
    lines.push('', bold(`Calls (${calls.length})`), ...calls.map((call) => callLine(io, call, calls)))
  io.stdout.write(`${lines.join('\n')}\n`)
}

function callLine(io: Io, call: CallSummary, all: readonly CallSummary[]): string {
  const { dim, green, red, yellow } = paletteFor(io.stdout, io.env)
  const width = Math.min(48, Math.max(...all.map(({ name }) => name.length)))
  const mark = call.state !== 'settled' ? yellow('–') : call.isError ? red('✗') : green('✓')
  const state =
    call.state === 'settled' ? '' : call.state === 'abandoned' ? 'left behind, outcome unknown' : 'not started'
  const queued = call.queuedMs >= 1 ? dim(`(waited ${formatMs(call.queuedMs)})`) : ''
  const parts = [
    dim(`+${formatMs(call.startedMs)}`.padStart(9)),
    safe(call.name).padEnd(width),
    formatMs(call.runMs).padStart(9),
    queued,
    call.code ?? '',
    state,
    cut(safe(call.message ?? '').split('\n')[0] ?? ''),
  ]
  return `  ${mark} ${parts.filter((part) => part !== '').join(' ')}`
}

/** A block that was given to `show`: its text, or what it is. It comes from the guest and may be anything. */
function shownText(json: string): string {
  const parsed = parseContentBlock(parseJsonText(json))
  return parsed.ok ? blockText(parsed.block) : '[a block that cannot be read]'
}

const MAX_MESSAGE = 120
function cut(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`
}

export function formatMs(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function resultText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

function indent(text: string): string {
  return safe(text).replaceAll(/^/gm, '  ')
}
