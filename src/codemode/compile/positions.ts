/** A place in a text as people and V8 count it: both from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface LineTable {
  readonly lineCount: number
  positionAt(offset: number): Position
  /** The offset of a place; the end of the text for places behind it. */
  offsetAt(position: Position): number
  /** Line `line` without its line break; empty when there is no such line. */
  lineText(line: number): string
}

const LF = 10
const CR = 13
const LINE_SEPARATOR = 0x2028
const PARAGRAPH_SEPARATOR = 0x2029

/**
 * Line starts of `text`. Editors and models break lines at LF, CRLF and CR; V8 and esbuild also at U+2028 and U+2029
 * (`'script'`). A position must be read with the table of whoever counted it.
 */
export function createLineTable(text: string, breaks: 'editor' | 'script'): LineTable {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const isBreak =
      unit === LF ||
      (unit === CR && text.charCodeAt(at + 1) !== LF) ||
      (breaks === 'script' && (unit === LINE_SEPARATOR || unit === PARAGRAPH_SEPARATOR))
    if (isBreak) starts.push(at + 1)
  }
  const startOf = (line: number): number => starts[line - 1] ?? text.length

  return {
    lineCount: starts.length,
    positionAt(offset) {
      let low = 0
      let high = starts.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((starts[middle] ?? 0) <= offset) low = middle
        else high = middle - 1
      }
      return { line: low + 1, column: Math.max(0, Math.min(offset, text.length) - (starts[low] ?? 0)) + 1 }
    },
    offsetAt({ line, column }) {
      if (line < 1) return 0
      return Math.min(startOf(line) + Math.max(0, column - 1), text.length)
    },
    lineText(line) {
      let end = startOf(line + 1)
      const start = line < 1 ? text.length : startOf(line)
      while (end > start && (text.charCodeAt(end - 1) === LF || text.charCodeAt(end - 1) === CR)) end--
      return text.slice(start, end)
    },
  }
}
