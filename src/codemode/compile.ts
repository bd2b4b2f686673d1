import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping'
import type { Notice } from '../executor/executor.ts'
import { analyseProgram, type Analysis } from './compile/analyse.ts'
import { createTextCache } from './compile/cache.ts'
import { codeFrame } from './compile/code-frame.ts'
import { loweringFailure, problemFailure, refusalFailure, tooLarge, type CompileFailure } from './compile/failure.ts'
import type { ProgramForm } from './compile/forms.ts'
import { LINES_BEFORE, lowerProgram, wrapProgram } from './compile/lower.ts'
import { createLineTable, type Position } from './compile/positions.ts'
import { writePlaces } from './compile/places.ts'
import { mapStackText } from './compile/stack.ts'

export type { CompileFailure } from './compile/failure.ts'
export type { ProgramForm } from './compile/forms.ts'
export type { Position } from './compile/positions.ts'

/** A program that is ready to run. Positions are those of the submitted text, lines and columns from 1. */
export interface CompiledProgram {
  readonly ok: true
  /** JavaScript: a script whose value is an async function of no arguments. Run it under the name `program.js`. */
  readonly code: string
  readonly form: ProgramForm
  readonly notices: readonly Notice[]
  /** Where the program names tools in a way that can be read without running it. */
  readonly usedTools: readonly ToolUse[]
  readonly firstComment?: string
  /** The program alone, in the lines and columns of the submitted text: fences and prose around it are blanks. */
  readonly source: string
  /** Undefined for code that the program's author did not write. */
  originalPosition(line: number, column: number): Position | undefined
  /** A runtime stack (`program.js:…`) as one of the submitted text (`program.ts:…`), the program's own frames only. */
  mapStack(stack: string): string
  /** For the guest, which names places to the program itself. */
  places(): Places
  /** The submitted line at a position, with a caret below the column. */
  frameAt(position: Position): string
}

export interface Places {
  readonly table: string
  readonly ownSuffix: string
}

/** A program that was read and is not lowered yet: enough to judge it, before or while it is compiled. */
export interface ParsedProgram {
  /**
   * A module of TypeScript for a type checker: the form is resolved, and what the program returns stands in calls of
   * a declared function.
   */
  readonly checkedText: string
  /** An offset of `checkedText` in the submitted text; undefined for text that its author did not write. */
  submittedOffset(offset: number): number | undefined
  readonly usedTools: readonly ToolUse[]
  /** Submitted ranges in which a failure is caught. */
  readonly handled: readonly (readonly [start: number, end: number])[]
  positionAt(offset: number): Position
  /** Lines around a position, with a caret below the column. */
  frameAt(position: Position): string
}

export interface ToolUse extends Position {
  /** `github.issue_read`, or the exact name in `tools["exact-name"]`. */
  readonly path: string
  readonly isCall: boolean
  /** The program asks somewhere whether it exists, so that its absence is no mistake. */
  readonly isProbed: boolean
  /** A failure here is caught by the program. */
  readonly isHandled: boolean
  /** In the submitted text. */
  readonly offset: number
}

export interface CompileOptions {
  readonly maxProgramBytes: number
  /** Only for advice: tools that may do what a refused global would have done. */
  readonly toolNames?: readonly string[]
  /** Called once, before lowering begins, for every program that can be read and is not refused. */
  readonly onParsed?: (program: ParsedProgram) => void
}

/** Models send a failed program again with little changed, and agents the same one often: both are short. */
const cache = createTextCache<{ readonly parsed: ParsedProgram; readonly compiled: CompiledProgram }>({
  maxEntries: 100,
  maxSize: 8 * 1024 * 1024,
})

/**
 * Turns what a model wrote into code for a sandbox, or says why not. Never evaluates any of it, and never throws for
 * what the text is: size, nesting and the work of both parsers are bounded.
 */
export async function compileProgram(text: string, options: CompileOptions): Promise<CompiledProgram | CompileFailure> {
  const bytes = Buffer.byteLength(text)
  if (bytes > options.maxProgramBytes) return tooLarge(bytes, options.maxProgramBytes)
  const known = cache.get(text)
  if (known !== undefined) {
    options.onParsed?.(known.parsed)
    return known.compiled
  }

  const analysis = analyseProgram(text)
  if (!analysis.ok) return problemFailure(analysis, text)
  if (analysis.refusals.length > 0) return refusalFailure(analysis.refusals, text, options.toolNames ?? [])
  const { edited, names, marks } = analysis
  const parsed = createParsed(text, analysis)
  options.onParsed?.(parsed)
  const { plain } = analysis
  const lowered =
    plain === undefined ? await lowerProgram(edited.text, names.mark, marks) : wrapProgram(plain, names.mark, marks)
  if (!lowered.ok) {
    const { line, column } = lowered
    const at = line === undefined || column === undefined ? undefined : { line, column }
    const offset = at && edited.originalOffset(createLineTable(edited.text, 'script').offsetAt(at))
    return loweringFailure(text, offset, lowered.message)
  }
  const compiled = createCompiled(text, analysis, parsed.usedTools, lowered.code, lowered.map)
  cache.set(text, { parsed, compiled }, 2 * text.length + lowered.code.length + (lowered.map?.length ?? 0))
  return compiled
}

function createParsed(text: string, { edited, names, toolUses, handled }: Analysis): ParsedProgram {
  const lines = createLineTable(text, 'editor')
  return {
    checkedText: `${edited.text}\n;declare function ${names.mark}(value?: any): any\nexport {}\n`,
    submittedOffset: (offset) => (offset < edited.text.length ? edited.originalOffset(offset) : undefined),
    usedTools: toolUses.map((use) => ({ ...use, ...lines.positionAt(use.offset) })),
    handled,
    positionAt: (offset) => lines.positionAt(offset),
    frameAt: (position) => codeFrame(lines, position, { before: 1, after: 1 }),
  }
}

function createCompiled(
  text: string,
  analysis: Analysis,
  usedTools: readonly ToolUse[],
  code: string,
  map: string | undefined,
): CompiledProgram {
  const { edited, names } = analysis
  const lines = createLineTable(text, 'editor')
  // Only runs that fail need the map: it is decoded when the first position is asked for.
  let tracing: TraceMap | undefined
  let editedLines: ReturnType<typeof createLineTable> | undefined

  const editedPosition = (line: number, column: number): Position | undefined => {
    if (map === undefined) return line > LINES_BEFORE ? { line: line - LINES_BEFORE, column } : undefined
    const found = originalPositionFor((tracing ??= new TraceMap(map)), { line, column: column - 1 })
    return found.line === null ? undefined : { line: found.line, column: found.column + 1 }
  }
  const originalPosition = (line: number, column: number): Position | undefined => {
    if (!(line >= 1 && column >= 1)) return undefined
    const at = editedPosition(line, column)
    if (at === undefined) return undefined
    editedLines ??= createLineTable(edited.text, 'script')
    const offset = edited.originalOffset(editedLines.offsetAt(at))
    return offset === undefined ? undefined : lines.positionAt(offset)
  }
  const isSubmitted = ({ line, column }: Position): boolean =>
    line >= 1 && line <= lines.lineCount && column >= 1 && column <= lines.lineText(line).length + 1
  const internalNames: ReadonlySet<string> = new Set(Object.values(names))
  let places: Places | undefined
  return {
    ok: true,
    code,
    form: analysis.form,
    notices: analysis.notices,
    usedTools,
    ...(analysis.firstComment !== undefined && { firstComment: analysis.firstComment }),
    source: analysis.source,
    originalPosition,
    mapStack: (stack) =>
      mapStackText(stack, { originalPosition, isSubmitted, isInternal: (name) => internalNames.has(name) }),
    places() {
      if (places !== undefined) return places
      if (map !== undefined) tracing ??= new TraceMap(map)
      editedLines ??= createLineTable(edited.text, 'script')
      const table = writePlaces({ edited, editedLines, lines, map: tracing })
      return (places = { table, ownSuffix: analysis.ownSuffix })
    },
    frameAt: (position) => codeFrame(lines, position, { before: 0, after: 0 }),
  }
}
