import type { Position } from './positions.ts'

const COMPILED = 'program.js:'
const SUBMITTED = 'program.ts:'
/** A stack is text from the guest: only so much of it is read. */
const MAX_STACK = 64 * 1024
const MAX_FRAMES = 50

export interface StackWords {
  originalPosition(line: number, column: number): Position | undefined
  /** A guest may have placed a frame itself, or made it up: whether the submitted text has such a place. */
  isSubmitted(position: Position): boolean
  /** The function's name in a frame is ours, not the program's. */
  isInternal(name: string): boolean
}

/**
 * Rewrites a stack so that it speaks of the submitted text: `program.ts:line:column`. Frames that are not the program's,
 * or stand for code that it did not write, go; the text above the frames stays.
 */
export function mapStackText(stack: string, { originalPosition, isSubmitted, isInternal }: StackWords): string {
  const kept: string[] = []
  let frames = 0
  // A stack has frames of one kind; the others are text that somebody wrote.
  const file = stack.includes(COMPILED) ? COMPILED : SUBMITTED
  for (const line of stack.slice(0, MAX_STACK).split('\n')) {
    const trimmed = line.trim()
    if (!trimmed.startsWith('at ')) {
      // Text between frames belongs to a message with line breaks; after frames it can only be a forgery.
      if (frames === 0) kept.push(line)
      continue
    }
    const frame = readFrame(trimmed, file)
    if (frame === undefined || frames >= MAX_FRAMES) continue
    const position = file === COMPILED ? originalPosition(frame.line, frame.column) : frame
    if (position === undefined || !isSubmitted(position)) continue
    frames++
    const place = `program.ts:${position.line}:${position.column}`
    const { name } = frame
    kept.push(name === '' || isInternal(lastWord(name)) ? `    at ${place}` : `    at ${name} (${place})`)
  }
  return kept.join('\n')
}

interface Frame {
  /** `async main`, `Map.get`; empty for code outside functions. */
  readonly name: string
  readonly line: number
  readonly column: number
}

/** Reads `at name (program.js:1:2)`, `at program.js:1:2` and frames of `eval` that name a place of the program. */
function readFrame(text: string, file: string): Frame | undefined {
  const at = text.indexOf(file)
  if (at < 0) return undefined
  const [line, afterLine] = readNumber(text, at + file.length)
  if (line === undefined || text[afterLine] !== ':') return undefined
  const [column] = readNumber(text, afterLine + 1)
  if (column === undefined) return undefined
  const opened = text.indexOf(' (')
  const name = opened > 3 && opened < at ? text.slice(3, opened) : ''
  return { name, line, column }
}

function readNumber(text: string, from: number): readonly [number | undefined, number] {
  let end = from
  while (end < from + 9 && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++
  return [end === from ? undefined : Number(text.slice(from, end)), end]
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1)
}
