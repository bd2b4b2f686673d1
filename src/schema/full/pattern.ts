/** Steps that testing one string against one pattern may take, in order of magnitude: about a tenth of a second. */
const MAX_STEPS = 1e8
/** A repetition that may go on this often is as bad as one without an end. */
const MANY = 16
const MAX_PATTERN_CHARS = 2_000

export type UsablePattern =
  /** Strings longer than `maxLength` must not be tested. */
  | { readonly ok: true; readonly source: string; readonly maxLength: number }
  | { readonly ok: false; readonly reason: string }

/**
 * Makes a pattern of somebody else's schema safe to test, or says why it cannot be. V8 backtracks and cannot be
 * interrupted: `(a+)+$` on thirty letters would stop the whole service. So a pattern is read first. Repetitions inside
 * repetitions are let through only when each round has a clear beginning or end; the number of repetitions in a row gives
 * the power with which the time grows, and so the longest string that is worth it.
 *
 * What this does not see: character sets are compared by their first 384 characters only, and case-insensitive groups
 * (`(?i:…)`) as if they were not. A pattern made with that knowledge can still be slow.
 */
export function usablePattern(written: string): UsablePattern {
  if (written.length > MAX_PATTERN_CHARS) return { ok: false, reason: `longer than ${MAX_PATTERN_CHARS} characters` }
  const source = compiles(written) ? written : withoutNeedlessEscapes(written)
  if (!compiles(source)) return { ok: false, reason: 'not a regular expression of ECMAScript' }
  const tree = new PatternReader(source).read()
  if (tree === undefined) return { ok: false, reason: 'nested too deeply' }
  const loops = choiceLoops(tree)
  if (loops === Infinity) return { ok: false, reason: 'could take forever: a repetition inside a repetition' }
  const anchored = tree.every((sequence) => sequence[0]?.kind === 'start')
  const power = hasLoop(tree) ? Math.max(1, loops) + (anchored ? 0 : 1) : 1
  return { ok: true, source, maxLength: power === 1 ? Infinity : Math.floor(MAX_STEPS ** (1 / power)) }
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

/** Unicode mode refuses `\-`, `\_` or `\@`, which every other dialect takes for the character itself. */
function withoutNeedlessEscapes(source: string): string {
  return source.replace(/\\([\s\S])/g, (whole, escaped: string) => {
    if (/[\^$\\.*+?()[\]{}|/A-Za-z0-9]/.test(escaped)) return whole
    return escaped === '-' ? '\\x2d' : escaped
  })
}

type Choice = readonly Sequence[]
type Sequence = readonly Item[]
interface Item {
  readonly kind: 'char' | 'group' | 'look' | 'start' | 'edge' | 'back'
  /** Of a char: the piece of pattern that matches it. */
  readonly source: string
  readonly inner: Choice
  readonly min: number
  readonly max: number
}

/** Reads a pattern that is known to compile. */
class PatternReader {
  readonly #source: string
  #at = 0
  constructor(source: string) {
    this.#source = source
  }

  read(): Choice | undefined {
    return this.#choice(0)
  }

  #choice(depth: number): Choice | undefined {
    if (depth > 50) return undefined
    const choice: Item[][] = [[]]
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      if (this.#source[this.#at] === '|') {
        this.#at++
        choice.push([])
        continue
      }
      const item = this.#item(depth)
      if (item === undefined) return undefined
      choice.at(-1)?.push(item)
    }
    return choice
  }

  #item(depth: number): Item | undefined {
    const group = this.#take(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y)
    if (group !== '') {
      const inner = this.#choice(depth + 1)
      this.#at++
      return inner && { kind: /[=!]$/.test(group) ? 'look' : 'group', source: '', inner, ...this.#count() }
    }
    const source =
      this.#take(/\[(?:\\[\s\S]|[^\]\\])*\]/y) ||
      this.#take(/\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9][0-9]*|[\s\S])/y) ||
      this.#take(/[\s\S]/uy)
    const kind =
      source === '^'
        ? 'start'
        : /^(?:\$|\\[bB])$/.test(source)
          ? 'edge'
          : /^\\(?:k<|[1-9])/.test(source)
            ? 'back'
            : 'char'
    return { kind, source, inner: [], ...this.#count() }
  }

  #count(): { min: number; max: number } {
    const text = this.#take(/(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??/y)
    if (text === '') return { min: 1, max: 1 }
    if (text[0] === '*') return { min: 0, max: Infinity }
    if (text[0] === '+') return { min: 1, max: Infinity }
    if (text[0] === '?') return { min: 0, max: 1 }
    const [low = '', high] = text.replace(/[{}?]/g, '').split(',')
    return { min: Number(low), max: high === undefined ? Number(low) : high === '' ? Infinity : Number(high) }
  }

  #take(what: RegExp): string {
    what.lastIndex = this.#at
    const found = what.exec(this.#source)?.[0] ?? ''
    this.#at += found.length
    return found
  }
}

/** Repetitions whose lengths multiply; Infinity when the time is exponential. */
function choiceLoops(choice: Choice): number {
  return choice.reduce((sum, sequence) => sum + sequenceLoops(sequence), 0)
}

function sequenceLoops(sequence: Sequence): number {
  let loops = 0
  for (const [index, item] of sequence.entries()) {
    if (item.kind === 'group' && item.max >= MANY && item.min !== item.max) {
      if (!hasClearRounds(item.inner)) return Infinity
      loops += 1
    } else if (item.kind === 'group' || item.kind === 'look') {
      // A group that may occur a few times is a few groups in a row.
      loops += choiceLoops(item.inner) * Math.max(1, Math.min(item.max, MANY))
    } else if (item.kind === 'back') loops += 1
    else if (isLoop(item) && !endsClearly(item, sequence[index + 1])) loops += 1
  }
  return loops
}

function isLoop(item: Item): boolean {
  return item.max >= MANY && item.min !== item.max
}

function hasLoop(choice: Choice): boolean {
  return choice.some((sequence) => sequence.some((item) => isLoop(item) || hasLoop(item.inner)))
}

/** `[a-z]+-`: what must follow cannot be part of the repetition, so there is one way only to end it. */
function endsClearly(item: Item, next: Item | undefined): boolean {
  return next?.kind === 'char' && next.min > 0 && areDisjoint(item, next)
}

/** Whether a text can be cut into rounds of this group in one way only, so that nothing has to be tried twice. */
function hasClearRounds(rounds: Choice): boolean {
  if (!rounds.every((sequence) => sequence.length > 0 && sequence.every((item) => item.kind === 'char'))) return false
  if (rounds.length === 1) {
    const [only = []] = rounds
    return only.every((item) => item.min === item.max) || isMarked(only, 0) || isMarked(only, only.length - 1)
  }
  // Each round of fixed length, and told by its first character which one it is.
  return rounds.every(
    (one, index) =>
      one.every((item) => item.min === item.max) &&
      rounds.slice(index + 1).every((other) => areDisjoint(one[0]!, other[0]!)), // None is empty.
  )
}

/** Whether the item there occurs once in every round and is like no other in it. */
function isMarked(sequence: Sequence, at: number): boolean {
  const mark = sequence[at]
  if (mark?.min !== 1 || mark.max !== 1) return false
  const others = sequence.filter((_, index) => index !== at)
  return others.every((item) => areDisjoint(mark, item)) && others.filter(isVariable).length <= 1
}

function isVariable(item: Item): boolean {
  return item.min !== item.max
}

function areDisjoint(one: Item, other: Item): boolean {
  const first = new RegExp(`^${one.source}$`, 'u')
  const second = new RegExp(`^${other.source}$`, 'u')
  if (one.source === other.source) return false
  for (let code = 0; code < 384; code++) {
    const char = String.fromCharCode(code)
    if (first.test(char) && second.test(char)) return false
  }
  // Outside the sample: two sets that both hold characters there may share some.
  return !(SAMPLES_BEYOND.some((char) => first.test(char)) && SAMPLES_BEYOND.some((char) => second.test(char)))
}

const SAMPLES_BEYOND = ['я', '中', 'あ', '한', '\u2028', '\u{1f600}', '\u0600', '\u{10ffff}']
