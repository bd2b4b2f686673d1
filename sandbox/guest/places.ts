/**
 * Where the program's author finds a place of the compiled code. Without a table (a program that was not compiled) the
 * places are those of the code. Read when a stack is, and never before: most programs never fail.
 */
import type { StartBody } from '../wire.ts'
import {
  append,
  charCodeAt,
  createList,
  regExpExec,
  SafeMap,
  stringEndsWith,
  stringIndexOf,
  stringSlice,
  type List,
} from './primordials.ts'

const COMPILED = 'program.js:'
const SUBMITTED = 'program.ts:'
const PLACE = /^(\d{1,9}):(\d{1,9})/

let places: StartBody['places']
let lines: List<string> | undefined
const entriesByLine = new SafeMap<number, List<number>>()

export function setPlaces(given: StartBody['places']): void {
  places = given
}

/** Whether a line of a stack, as `placeFrame` wrote it, is of the program. */
export function isProgramFrame(line: string): boolean {
  return stringIndexOf(line, places === undefined ? COMPILED : SUBMITTED) >= 0
}

/** A call site in the program's own terms, or undefined for code that its author did not write. */
export function placeFrame(site: string): string | undefined {
  let at = stringIndexOf(site, COMPILED)
  if (at < 0) return undefined
  if (places === undefined) return site
  at += COMPILED.length
  const found = regExpExec(PLACE, stringSlice(site, at, at + 20))
  if (found === null) return undefined
  const place = submittedPlace(+(found[1] as string), +(found[2] as string))
  if (place === undefined) return undefined
  const opened = stringIndexOf(site, ' (')
  const name = opened > 0 && opened < at ? stringSlice(site, 0, opened) : ''
  // Functions that only the compiler named.
  return name === '' || stringEndsWith(name, places.ownSuffix) ? place : name + ' (' + place + ')'
}

/** The last entry at or before the column holds; see `StartBody.places`. */
function submittedPlace(line: number, column: number): string | undefined {
  const entries = entriesOf(line)
  let low = 0
  let high = entries.length / 4
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[4 * middle] as number) <= column) low = middle + 1
    else high = middle
  }
  if (low === 0) return undefined
  const at = 4 * (low - 1)
  const kind = entries[at + 1] as number
  if (kind === NONE) return undefined
  const moved = kind === MOVING ? column - (entries[at] as number) : 0
  return SUBMITTED + entries[at + 2] + ':' + ((entries[at + 3] as number) + moved)
}

const NONE = 45 // -
const MOVING = 43 // +
const COMMA = 44

/** Column, kind, line and column, flat. */
function entriesOf(line: number): List<number> {
  const known = entriesByLine.get(line)
  if (known !== undefined) return known
  lines ??= split((places as NonNullable<StartBody['places']>).table)
  const text = lines[line - 1] ?? ''
  const entries: List<number> = createList()
  let number = 0
  for (let index = 0; index < text.length; index++) {
    const unit = charCodeAt(text, index)
    if (unit >= 48 && unit <= 57) number = number * 10 + unit - 48
    else {
      append(entries, number)
      number = 0
      // A point between line and column, a comma after an entry, else the kind.
      if (unit !== COMMA && unit !== 46) append(entries, unit)
      // It leads to nothing; its column is what comes next, which is 0.
      if (unit === NONE) append(entries, 0)
    }
  }
  if (text !== '') append(entries, number)
  entriesByLine.set(line, entries)
  return entries
}

function split(table: string): List<string> {
  const list: List<string> = createList()
  let start = 0
  for (;;) {
    const end = stringIndexOf(table, ';', start)
    if (end < 0) break
    append(list, stringSlice(table, start, end))
    start = end + 1
  }
  append(list, stringSlice(table, start))
  return list
}
