import { utf8ByteLength } from './bytes.ts'
import { isRecord } from './json.ts'
import type { JsonObject } from './json.ts'
import { scanJson } from './json-scan.ts'
import type { JsonNote } from './json-scan.ts'
import { snapshot, SNAPSHOT_DEFAULTS } from './snapshot.ts'
import type { SnapshotLimits } from './snapshot.ts'

/** Where in a text: `offset` counts UTF-16 units from 0, `line` and `column` from 1. */
export interface TextPosition {
  readonly offset: number
  readonly line: number
  readonly column: number
}

export type ParsedArguments =
  | { readonly ok: true; readonly value: JsonObject; readonly notes: readonly JsonNote[] }
  | { readonly ok: false; readonly message: string; readonly position: TextPosition; readonly path: string }

const NO_ARGUMENTS: JsonObject = Object.freeze({})

/**
 * Parses the raw argument string of a model, strictly. Nothing at all means no arguments. Size and depth are checked
 * before anything is parsed, and duplicate keys are refused: which of the two a policy saw and which a tool got must not
 * depend on the parser.
 */
export function parseArguments(raw: string, limits?: SnapshotLimits): ParsedArguments {
  const maxBytes = limits?.maxBytes ?? SNAPSHOT_DEFAULTS.maxBytes
  const maxDepth = limits?.maxDepth ?? SNAPSHOT_DEFAULTS.maxDepth
  // The length comes first: a text of more units than bytes allowed need not be measured.
  if (raw.length > maxBytes || utf8ByteLength(raw) > maxBytes) {
    return refuse(
      raw,
      0,
      '',
      `the arguments are larger than ${maxBytes} bytes; send less, or refer to the data by name`,
    )
  }
  if (raw.trim() === '') return { ok: true, value: NO_ARGUMENTS, notes: [] }

  const scan = scanJson(raw, maxDepth)
  if (!scan.ok) {
    const { line, column, offset } = positionAt(raw, scan.offset)
    const place = `line ${line}, column ${column} (offset ${offset})`
    const inside = scan.path === '' ? '' : `, inside ${scan.path}`
    const message = `the arguments are not valid JSON: ${place}${inside}: ${scan.message}`
    return refuse(raw, scan.offset, scan.path, message)
  }
  const parsed: unknown = JSON.parse(raw)
  if (!isRecord(parsed)) {
    const found = Array.isArray(parsed) ? 'an array' : parsed === null ? 'null' : `a ${typeof parsed}`
    return refuse(
      raw,
      firstOffset(raw),
      '',
      `the arguments must be one JSON object, such as {"name": "value"}; found ${found}`,
    )
  }
  const taken = snapshot(parsed, limits)
  // What JSON.parse can make and JSON cannot say again: 1e999 (Infinity) and -0.
  if (!taken.ok)
    return refuse(raw, 0, taken.path, `the arguments are not plain JSON data at ${taken.path}: ${taken.reason}`)
  return { ok: true, value: taken.value as JsonObject, notes: scan.notes } // The copy of a record is a record.
}

function refuse(raw: string, offset: number, path: string, message: string): ParsedArguments {
  return { ok: false, message, position: positionAt(raw, offset), path }
}

function positionAt(text: string, offset: number): TextPosition {
  let line = 1
  let lineStart = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++
    lineStart = at + 1
  }
  return { offset, line, column: offset - lineStart + 1 }
}

function firstOffset(text: string): number {
  return text.length - text.trimStart().length
}
