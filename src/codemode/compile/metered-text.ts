/**
 * Program text that counts how often the parser looks at it, and ends the parse when that is out of proportion.
 *
 * The parser tries ambiguous TypeScript both ways, so 130 characters of nested `<T>(<T>(…` take it minutes (twice the
 * work per level) and 200 KB of `a<a<a<…` half a minute. It runs on the host's own thread, so the work must be bounded
 * here. It offers no budget of its own, but all its work shows in reads of single characters; real programs take 1.5 to
 * 3.5 reads a character. The count does not depend on the machine or its load, as a time-out would.
 */
export class MeteredText extends String {
  readonly #text: string
  #readsLeft: number

  constructor(text: string) {
    super(text)
    this.#text = text
    this.#readsLeft = BASE_READS + READS_PER_CHARACTER * text.length
  }

  override charCodeAt(index: number): number {
    if (--this.#readsLeft < 0) throw new TooMuchWork()
    return this.#text.charCodeAt(index)
  }
}

const BASE_READS = 200_000
const READS_PER_CHARACTER = 6

/** Thrown into the parser; it lets everything but its own SyntaxErrors pass. */
export class TooMuchWork extends Error {}
