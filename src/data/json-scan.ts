import { pointerOf } from './pointer.ts'

/** What a text that is JSON holds besides its value: things `JSON.parse` passes over. */
export interface JsonNote {
  readonly path: string
  readonly message: string
}
export type JsonScan =
  | { readonly ok: true; readonly notes: readonly JsonNote[] }
  | { readonly ok: false; readonly message: string; readonly offset: number; readonly path: string }

interface Container {
  /** Keys seen so far; undefined for an array. */
  readonly keys: Set<string> | undefined
  /** Where the scan is inside: the last key, or the index; undefined before the first key. */
  at: string | number | undefined
}

/** What may come next. */
type Expected = 'value' | 'first item or ]' | 'first key or }' | 'key' | ', or the end'

/** More notes than this say nothing new. */
const MAX_NOTES = 20

/**
 * Checks that a text is JSON (RFC 8259), no deeper than `maxDepth` and without duplicate keys, and says exactly where it
 * is not. Does not recurse and builds no value: `JSON.parse` does that afterwards, on a text known to be good.
 */
export function scanJson(text: string, maxDepth: number): JsonScan {
  return new Scanner(text, maxDepth).scan()
}

class Fault {
  readonly message: string
  readonly offset: number
  constructor(message: string, offset: number) {
    this.message = message
    this.offset = offset
  }
}

class Scanner {
  readonly #text: string
  readonly #maxDepth: number
  readonly #open: Container[] = []
  readonly #notes: JsonNote[] = []
  #at = 0

  constructor(text: string, maxDepth: number) {
    this.#text = text
    this.#maxDepth = maxDepth
  }

  scan(): JsonScan {
    try {
      let expected: Expected | 'end' = 'value'
      while (expected !== 'end') expected = this.#step(expected)
      if (this.#at < this.#text.length) throw this.#fault(`found ${this.#found()} after the end of the JSON value`)
      return { ok: true, notes: this.#notes }
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault
      return { ok: false, message: fault.message, offset: fault.offset, path: this.#path() }
    }
  }

  #step(expected: Expected): Expected | 'end' {
    this.#skipSpace()
    const code = this.#text.charCodeAt(this.#at) // NaN at the end, which equals nothing below.
    const inside = this.#open.at(-1)
    switch (expected) {
      case 'first item or ]':
        return code === CLOSE_BRACKET ? this.#close() : this.#value(code)
      case 'value':
        return this.#value(code)
      case 'first key or }':
        return code === CLOSE_BRACE ? this.#close() : this.#key(code, inside)
      case 'key':
        return this.#key(code, inside)
      case ', or the end':
        if (inside === undefined) return 'end'
        if (code === COMMA) return this.#next(inside)
        if (code === (inside.keys === undefined ? CLOSE_BRACKET : CLOSE_BRACE)) return this.#close()
        throw this.#fault(`expected "," or "${inside.keys === undefined ? ']' : '}'}", found ${this.#found()}`)
    }
  }

  #next(inside: Container): Expected {
    this.#at++
    if (inside.keys !== undefined) return 'key'
    inside.at = Number(inside.at) + 1
    return 'value'
  }

  #close(): Expected {
    this.#at++
    this.#open.pop()
    return ', or the end'
  }

  #key(code: number, inside: Container | undefined): Expected {
    if (code !== QUOTE) throw this.#fault(`expected a property name in double quotes, found ${this.#found()}`)
    const start = this.#at
    const key = this.#string(true)
    if (inside?.keys !== undefined) {
      inside.at = key
      if (inside.keys.has(key)) throw new Fault(`duplicate property ${quoted(key)}; give each property once`, start)
      inside.keys.add(key)
    }
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== COLON) {
      throw this.#fault(`expected ":" after the property name, found ${this.#found()}`)
    }
    this.#at++
    return 'value'
  }

  #value(code: number): Expected {
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (this.#open.length >= this.#maxDepth) throw this.#fault(`nested deeper than ${this.#maxDepth} levels`)
      this.#at++
      const isObject = code === OPEN_BRACE
      this.#open.push({ keys: isObject ? new Set() : undefined, at: isObject ? undefined : 0 })
      return isObject ? 'first key or }' : 'first item or ]'
    }
    if (code === QUOTE) this.#string(false)
    else if (code === MINUS || isDigit(code)) this.#number()
    else this.#word()
    return ', or the end'
  }

  #word(): void {
    WORD.lastIndex = this.#at
    if (!WORD.test(this.#text)) throw this.#fault(`expected a JSON value, found ${this.#found()}`)
    this.#at = WORD.lastIndex
  }

  #number(): void {
    NUMBER.lastIndex = this.#at
    const literal = NUMBER.exec(this.#text)?.[0]
    if (literal === undefined) throw this.#fault(`expected a number, found ${this.#found()}`)
    this.#at += literal.length
    if (literal.length > 15 && INTEGER.test(literal) && !literalIsExact(literal)) {
      this.#note(`${literal.slice(0, 40)} is too large to be exact and became ${Number(literal)}; pass it as a string`)
    }
  }

  /** Skips a string; gives its value only when asked, as only keys are needed. */
  #string(wanted: boolean): string {
    const text = this.#text
    const start = this.#at
    let escaped = false
    let index = start + 1
    for (; ; index++) {
      const code = text.charCodeAt(index)
      if (code === QUOTE) break
      if (index >= text.length) throw new Fault('the text ends inside a string', start)
      if (code < 0x20) {
        throw new Fault(`line break or control character inside a string; write it as an escape such as \\n`, index)
      }
      if (code !== BACKSLASH) continue
      escaped = true
      ESCAPE.lastIndex = index
      if (!ESCAPE.test(text)) throw new Fault(`bad escape ${quoted(text.slice(index, index + 2))} in a string`, index)
      index = ESCAPE.lastIndex - 1
    }
    this.#at = index + 1
    const raw = text.slice(start, this.#at)
    if (!escaped) {
      if (!raw.isWellFormed()) this.#note(LONE_SURROGATE)
      return wanted ? raw.slice(1, -1) : ''
    }
    if (!wanted && !raw.includes('\\u') && raw.isWellFormed()) return ''
    const value = String(JSON.parse(raw))
    if (!value.isWellFormed()) this.#note(LONE_SURROGATE)
    return value
  }

  #note(message: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push({ path: this.#path(), message })
  }
  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }
  #found(): string {
    if (this.#at >= this.#text.length) return 'the end of the text'
    return quoted(String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0))
  }
  #fault(message: string): Fault {
    return new Fault(message, this.#at)
  }
  #path(): string {
    return pointerOf(this.#open.map(({ at }) => at).filter((at) => at !== undefined))
  }
}

const LONE_SURROGATE = 'holds half of a surrogate pair, which is not text; it is kept as it is'
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const WORD = /(?:true|false|null)(?![A-Za-z0-9_$])/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y
const INTEGER = /^-?[0-9]+$/

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
/** Long literals are never exact; of the others the digits are compared, as `BigInt` of a huge text is slow. */
function literalIsExact(literal: string): boolean {
  return literal.length < 400 && Number.isFinite(Number(literal)) && BigInt(literal) === BigInt(Number(literal))
}
function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
