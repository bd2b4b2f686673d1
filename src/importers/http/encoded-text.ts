/** Finds one text whose characters may be escaped, each in its own way. */
export interface EncodedText {
  replaceIn(text: string, replacement: string): string
}

/** One character: as it is, or as its escapes (anchored where the search stands). */
interface Character {
  readonly raw: string
  readonly escapes: RegExp
  /** Backslashes that may follow, as the run that ends here may be written with more. */
  readonly slack: number
}

/**
 * A matcher for a text in which any character may stand as `\u002B`, `\/`, `%2b`, `%252B` or `&#43;`: peers differ in what
 * they escape and in the case of their digits, and a text may go through several of them. It keeps all the places where the
 * characters so far can end, so that no text makes it try combinations.
 */
export function encodedText(wanted: string): EncodedText {
  const letters = Array.from(wanted)
  const known = new Map<string, RegExp>()
  let run = 0
  const characters = letters.map((raw, i): Character => {
    const escapes = known.get(raw) ?? new RegExp(escapesOf(raw), 'y')
    known.set(raw, escapes)
    run = raw === '\\' ? run + 1 : 0
    return { raw, escapes, slack: letters[i + 1] === '\\' ? 0 : Math.min(run, MAX_RUN) * (MAX_BACKSLASHES - 1) }
  })
  const [first = ''] = wanted
  // Of several backslashes the last one begins the match: a text of nothing else is then passed over quickly.
  const start = new RegExp(`${literal(first)}|${escapesOf(first, '\\\\')}`, 'g')
  return {
    replaceIn(text, replacement) {
      let clean = ''
      let done = 0
      start.lastIndex = 0
      for (let found = start.exec(text); found !== null; found = start.exec(text)) {
        const end = endOf(characters, text, found.index)
        start.lastIndex = end ?? found.index + 1
        if (end === undefined) continue
        clean += text.slice(done, found.index) + replacement
        done = end
      }
      return done === 0 ? text : clean + text.slice(done)
    },
  }
}

const AMBIGUOUS: ReadonlySet<string> = new Set(['\\', '%', '&'])

function endOf(characters: readonly Character[], text: string, from: number): number | undefined {
  let ends: readonly number[] = [from]
  for (const character of characters) {
    const [at = from] = ends
    // What is no beginning of an escape can match in one way only.
    if (ends.length === 1 && !AMBIGUOUS.has(character.raw) && text.startsWith(character.raw, at)) {
      ends = [at + character.raw.length]
      continue
    }
    const next = new Set<number>()
    for (const at of ends) addEnds(character, text, at, next)
    if (next.size === 0) return undefined
    ends = [...next]
  }
  return Math.max(...ends)
}

/** Backslashes are doubled with every level of quoting: one of the secret may be up to this many of the text. */
const MAX_BACKSLASHES = 8
const MAX_RUN = 4

function addEnds({ raw, escapes, slack }: Character, text: string, at: number, ends: Set<number>): void {
  const own: number[] = []
  if (text.startsWith(raw, at)) own.push(at + raw.length)
  escapes.lastIndex = at
  const escaped = escapes.exec(text)
  if (escaped !== null) own.push(at + escaped[0].length)
  for (const end of own) {
    for (let more = 0; more <= slack && (more === 0 || text[end + more - 1] === '\\'); more++) ends.add(end + more)
  }
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['\b', 'b'],
  ['\f', 'f'],
  ['"', '"'],
  ["'", "'"],
  ['/', '\\/'],
])
const NAMED: ReadonlyMap<string, string> = new Map([
  ['&', 'amp'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['"', 'quot'],
  ["'", 'apos'],
])

/** The source of a regular expression for one character's escapes; every repetition in it is bounded. */
function escapesOf(character: string, backslashes = '\\\\{1,7}'): string {
  const code = character.codePointAt(0) ?? 0
  const short = SHORT_ESCAPES.get(character)
  const name = NAMED.get(character)
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25){0,2}${hex(byte, 2)}`).join('')
  const [high = 0, low] = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
  const unicode = `u${hex(high, 4)}${low === undefined ? '' : `\\\\{1,7}u${hex(low, 4)}`}`
  const behindBackslash = [
    unicode,
    ...(code <= 0xff ? [`x${hex(code, 2)}`] : []),
    ...(short === undefined ? [] : [short]),
  ]
  return [
    `${backslashes}(?:${behindBackslash.join('|')})`,
    percent,
    ...(character === ' ' ? ['\\+'] : []),
    `&#0{0,4}${code};`,
    `&#[xX]0{0,4}${hex(code, 1)};`,
    ...(name === undefined ? [] : [`&${name};`]),
  ].join('|')
}

/** A character as itself, whatever it means in a regular expression. */
function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
}

/** Digits in either case. */
function hex(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
