import type { Readable, Writable } from 'node:stream'
import { printable } from '../importers/printable.ts'

/** Everything a command may touch of its process. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export type Paint = (text: string) => string
export interface Palette {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
}

/** Colours for a terminal that wants them; plain text for files, pipes and `NO_COLOR`. */
export function paletteFor(stream: Io['stdout'], env: Io['env']): Palette {
  const coloured = stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  const paint = (on: number, off: number): Paint =>
    coloured ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) }
}

/** Text of a program, a tool or a server, for people: whole, but without anything that steers a terminal. */
export function safe(text: string): string {
  return printable(text, Number.POSITIVE_INFINITY)
}

/** One JSON document. What JSON leaves unescaped and a terminal obeys is escaped as well. */
export function writeJson(io: Io, document: unknown): void {
  const text = JSON.stringify(document, undefined, 2).replaceAll(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  io.stdout.write(`${text}\n`)
}

export function warn(io: Io, message: string): void {
  const { yellow } = paletteFor(io.stderr, io.env)
  io.stderr.write(`${yellow('warning:')} ${safe(message)}\n`)
}
