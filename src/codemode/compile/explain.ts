import type { CompiledProgram } from '../compile.ts'
import type { Position } from './positions.ts'
import { GLOBALS_SENTENCE, insteadOfName } from './unavailable.ts'

export interface ExplainedError {
  /** For a model: what was thrown, where, the line, and what to do when that is known. */
  readonly message: string
  readonly line?: number
  readonly column?: number
  /** Of the submitted text, without frames that are not the program's. */
  readonly stack: string
}

/**
 * Puts an uncaught error of a run into words. Everything in `error` is text from the guest, and may be forged.
 * `toolNames`: for advice only.
 */
export function explainRuntimeError(
  error: { readonly name: string; readonly message: string; readonly stack: string },
  compiled: CompiledProgram,
  toolNames: readonly string[] = [],
): ExplainedError {
  const stack = compiled.mapStack(error.stack)
  const at = firstPlace(stack)
  // The name says nothing that the message does not, unless it was chosen.
  const isNamed = error.name !== '' && error.name !== 'Error' && !error.message.startsWith(error.name)
  const said = isNamed ? `${error.name}: ${error.message}` : error.message
  const place = at === undefined ? '' : `\n  at program.ts:${at.line}:${at.column}\n${compiled.frameAt(at)}`
  const hint = hintFor(error, toolNames)
  return { message: `${said}${place}${hint === '' ? '' : `\n${hint}`}`, ...at, stack }
}

/** `mapStack` wrote these places itself, as the end of a frame's line. */
function firstPlace(stack: string): Position | undefined {
  for (const line of stack.split('\n')) {
    if (!line.startsWith('    at ')) continue
    const [, place] = line.split('program.ts:')
    const [row, column] = (place ?? '').split(':')
    const position = { line: Number.parseInt(row ?? '', 10), column: Number.parseInt(column ?? '', 10) }
    if (position.line >= 1 && position.column >= 1) return position
  }
  return undefined
}

const NOT_DEFINED = ' is not defined'

function hintFor(
  { name, message }: { readonly name: string; readonly message: string },
  toolNames: readonly string[],
): string {
  if (name !== 'ReferenceError' || !message.endsWith(NOT_DEFINED)) return ''
  const missing = message.slice(0, -NOT_DEFINED.length)
  const instead = insteadOfName(missing, toolNames)
  return instead === undefined ? GLOBALS_SENTENCE : `${missing}: ${instead}.`
}
