import type { LineTable, Position } from './positions.ts'

/** A program can be one line of 256 KiB: only this much of a line is shown, around the column. */
const MAX_WIDTH = 110

/**
 * The line of `at` with its neighbours and a caret below the column. Control characters print as dots: the frame goes
 * into logs and terminals.
 */
export function codeFrame(lines: LineTable, at: Position, around: { before: number; after: number }): string {
  const first = Math.max(1, at.line - around.before)
  const last = Math.min(lines.lineCount, at.line + around.after)
  const width = String(last).length
  const cutFrom = at.column > MAX_WIDTH - 20 ? at.column - 1 - MAX_WIDTH / 2 : 0
  const rows: string[] = []
  for (let line = first; line <= last; line++) {
    const mark = line === at.line ? '>' : ' '
    rows.push(`${mark} ${String(line).padStart(width)} | ${excerpt(lines.lineText(line), cutFrom)}`.trimEnd())
    if (line === at.line) rows.push(`  ${' '.repeat(width)} | ${' '.repeat(at.column - 1 - cutFrom + lead(cutFrom))}^`)
  }
  return rows.join('\n')
}

function lead(cutFrom: number): number {
  return cutFrom > 0 ? 1 : 0
}

function excerpt(line: string, cutFrom: number): string {
  return `${cutFrom > 0 ? '…' : ''}${printable(line.slice(cutFrom), MAX_WIDTH)}`
}

/** Text of the program as a part of a message: short, and without characters that could take the message over. */
export function printable(text: string, maxLength: number): string {
  let shown = ''
  for (const character of text.slice(0, maxLength).toWellFormed()) shown += isControl(character) ? '·' : character
  return text.length > maxLength ? `${shown}…` : shown
}

/** Tabs too: the caret counts every character as one cell. Bidirectional controls could make a line read otherwise. */
function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return (
    code < 0x20 ||
    (code >= 0x7f && code < 0xa0) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
  )
}
