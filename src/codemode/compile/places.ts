import { decodedMappings, type TraceMap } from '@jridgewell/trace-mapping'
import { pieceAt, type EditedText } from './edits.ts'
import { LINES_BEFORE } from './lower.ts'
import type { LineTable, Position } from './positions.ts'

export interface PlacesOptions {
  readonly edited: EditedText
  /** Of the edited text, as V8 counts. */
  readonly editedLines: LineTable
  /** Of the submitted text, as its author counts. */
  readonly lines: LineTable
  /** Undefined: the code is the edited text, some lines lower. */
  readonly map: TraceMap | undefined
}

/**
 * The way from places of compiled code to the submitted text as one compact text, for a guest that must name them to
 * the program itself. The notation is told in wire.ts. Says the same as the map for every place of the code.
 */
export function writePlaces({ edited, editedLines, lines, map }: PlacesOptions): string {
  const submitted = (offset: number): Position | undefined => {
    const original = edited.originalOffset(offset)
    return original === undefined ? undefined : lines.positionAt(original)
  }
  if (map === undefined) return plainPlaces(edited, editedLines, submitted)
  const rows: string[] = []
  for (const segments of decodedMappings(map)) {
    const entries: string[] = []
    for (const [column, source, line, sourceColumn] of segments) {
      const at =
        source === undefined || line === undefined || sourceColumn === undefined
          ? undefined
          : submitted(editedLines.offsetAt({ line: line + 1, column: sourceColumn + 1 }))
      entries.push(at === undefined ? `${column + 1}-` : `${column + 1}=${at.line}.${at.column}`)
    }
    rows.push(entries.join(','))
  }
  return rows.join(';')
}

/** One entry a line, and one wherever an edit begins or ends inside of it. */
function plainPlaces(
  edited: EditedText,
  editedLines: LineTable,
  submitted: (offset: number) => Position | undefined,
): string {
  const rows: string[][] = Array.from({ length: LINES_BEFORE + editedLines.lineCount }, () => [])
  const starts = new Set<number>(edited.pieces.map(({ editedStart }) => editedStart))
  for (let line = 1; line <= editedLines.lineCount; line++) starts.add(editedLines.offsetAt({ line, column: 1 }))
  for (const offset of [...starts].toSorted((left, right) => left - right)) {
    const { line, column } = editedLines.positionAt(offset)
    const at = submitted(offset)
    const kind = pieceAt(edited.pieces, offset)?.isFixed === true ? '=' : '+'
    rows[line - 1 + LINES_BEFORE]?.push(at === undefined ? `${column}-` : `${column}${kind}${at.line}.${at.column}`)
  }
  return rows.map((entries) => entries.join(',')).join(';')
}
