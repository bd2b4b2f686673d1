import type { CompiledProgram, CompileFailure } from './compile.ts'
import { loweringFailure } from './compile/failure.ts'
import { createLineTable } from './compile/positions.ts'

/** How the sandbox ends the message of a syntax error: with the place in the compiled code. */
const PLACE = / \[program\.js:(\d{1,9}):(\d{1,9})\]$/

/**
 * A syntax error that only V8 finds, such as a regular expression that is none, in the words of all others: about the
 * submitted text, never about the code that was made from it. `message` is text from the sandbox.
 */
export function lateSyntaxError(message: string, compiled: CompiledProgram): CompileFailure {
  const [, line, column] = PLACE.exec(message) ?? []
  const at = compiled.originalPosition(Number(line), Number(column))
  const { source } = compiled
  const offset = at && createLineTable(source, 'editor').offsetAt(at)
  return loweringFailure(source, offset, message.replace(PLACE, ''))
}
