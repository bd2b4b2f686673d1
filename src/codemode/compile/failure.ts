import type { AnalysisProblem } from './analyse.ts'
import { codeFrame, printable } from './code-frame.ts'
import type { Refusal } from './imports.ts'
import { createLineTable, type Position } from './positions.ts'
import { syntaxAdvice } from './syntax-advice.ts'
import { insteadOfModule, insteadOfName } from './unavailable.ts'

/** Why a program does not run at all, in words for the model that wrote it. */
export interface CompileFailure {
  readonly ok: false
  /** Subject, place, code frame, advice. */
  readonly message: string
  /** Both from 1, in the submitted text. */
  readonly line?: number
  readonly column?: number
}

/** More than this many refusals in one message help nobody. */
const MAX_REFUSALS = 5
/** Parsers quote names, and a name can be as long as a program. */
const MAX_MESSAGE = 300

export function tooLarge(bytes: number, maxBytes: number): CompileFailure {
  return {
    ok: false,
    message: `the program has ${bytes} bytes and may have ${maxBytes}. Do not put data into the program: fetch it with a tool, or split the work into several programs`,
  }
}

export function problemFailure(problem: AnalysisProblem, text: string): CompileFailure {
  const offset = 'offset' in problem ? problem.offset : undefined
  const isJsx = 'isJsx' in problem && problem.isJsx
  if (problem.kind !== 'syntax') return { ok: false, message: `${problem.message}. Split it into smaller parts` }
  const message = isJsx ? 'JSX is not supported' : `syntax error: ${inOurStyle(problem.message)}`
  const advice = isJsx
    ? 'A program returns data, not elements: return an object or a string'
    : syntaxAdvice(problem.source, offset)
  return placedFailure(text, offset, message, advice)
}

export function loweringFailure(text: string, offset: number | undefined, message: string): CompileFailure {
  return placedFailure(text, offset, `syntax error: ${inOurStyle(message)}`, '')
}

export function refusalFailure(
  refusals: readonly Refusal[],
  text: string,
  toolNames: readonly string[],
): CompileFailure {
  const [first, ...others] = refusals
  if (first === undefined) throw new Error('a refusal without a reason')
  const failure = placedFailure(text, first.offset, `${first.subject} is not available`, adviceFor(first, toolNames))
  const lines = createLineTable(text, 'editor')
  const more = others.slice(0, MAX_REFUSALS - 1).map((refusal) => {
    const { line } = lines.positionAt(refusal.offset)
    return `Also, line ${line}: ${refusal.subject} is not available: ${adviceFor(refusal, toolNames)}.`
  })
  return { ...failure, message: [failure.message, ...more].join('\n') }
}

function adviceFor({ cause }: Refusal, toolNames: readonly string[]): string {
  if (cause.kind === 'other') return cause.instead
  if (cause.kind === 'name') return insteadOfName(cause.name, toolNames) ?? ''
  return insteadOfModule(cause.name, toolNames)
}

function placedFailure(text: string, offset: number | undefined, message: string, advice: string): CompileFailure {
  if (offset === undefined) return { ok: false, message: advice === '' ? message : `${message}. ${advice}` }
  const lines = createLineTable(text, 'editor')
  const at: Position = lines.positionAt(Math.max(0, offset))
  const frame = codeFrame(lines, at, { before: 2, after: 1 })
  const place = `line ${at.line}, column ${at.column}`
  return {
    ok: false,
    message: [`${message} (${place})`, frame, advice].filter((part) => part !== '').join('\n'),
    ...at,
  }
}

function inOurStyle(message: string): string {
  const [first = '', second = ''] = message.slice(0, 2)
  // `JSX`, `TS…` and quoted things stay.
  const lowered = second === second.toLowerCase() ? first.toLowerCase() + message.slice(1) : message
  return printable(lowered.endsWith('.') ? lowered.slice(0, -1) : lowered, MAX_MESSAGE)
}
