import { append, createList, quote, type List } from './primordials.ts'

/** Characters of one part: see `PART_BYTES` in wire.ts. A constant of its own, as guest files import wire types only. */
const PART_CHARS = 48 * 1024
/** A program that loops on `sdk`-made notices must not fill the heap or the host's log. */
const MAX_NOTICES = 200
const MAX_PROGRESS = 100

/**
 * What the guest has said and the child has not fetched yet, as JSON texts of wire events. The texts are made at once,
 * so nothing the program does later to an object can change what was said.
 *
 * Strictly in order, nothing merged or taken back: a slice that was cut short must have said the beginning of what the
 * whole slice says, or a run that is moved to another child would seem to diverge from its record.
 */
const chunks: List<string> = createList()
let chunk = ''
let first = 0
let noticeCount = 0
let progressCount = 0

export function emit(json: string): void {
  chunk = chunk === '' ? json : chunk + ',' + json
  if (chunk.length >= PART_CHARS) {
    append(chunks, chunk)
    chunk = ''
  }
}

export function emitCall(n: number, op: string, name: string, args: string): void {
  emit('{"e":"call","n":' + n + ',"op":"' + op + '","name":' + quote(name) + ',"args":' + quote(args) + '}')
}

export function emitTimer(id: number, ms: number): void {
  emit('{"e":"timer","id":' + id + ',"ms":' + ms + '}')
}

export function emitClear(id: number): void {
  emit('{"e":"clear","id":' + id + '}')
}

/** Something was done to the program's values or names that it should know. Capped: it is advice, not data. */
export function emitNotice(code: string, text: string): void {
  noticeCount++
  if (noticeCount > MAX_NOTICES) return
  if (noticeCount === MAX_NOTICES) text = 'Further notices of this run are left out.'
  emit('{"e":"notice","code":' + quote(code) + ',"text":' + quote(text) + '}')
}

/** A loop that reports every step is heard a hundred times between two deliveries. */
export function emitProgress(json: string): void {
  progressCount++
  if (progressCount <= MAX_PROGRESS) emit(json)
}

/** A delivery has come. */
export function beginSlice(): void {
  progressCount = 0
}

/** Takes the next batch. `more` says that another is waiting. */
export function takeBatch(): { readonly events: string; readonly more: boolean } {
  let events: string
  if (first < chunks.length) {
    events = chunks[first] as string
    chunks[first] = ''
    first++
  } else {
    events = chunk
    chunk = ''
  }
  const more = first < chunks.length || chunk !== ''
  if (!more) {
    chunks.length = 0
    first = 0
  }
  return { events, more }
}
