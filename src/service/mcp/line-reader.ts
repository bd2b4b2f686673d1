const NEWLINE = 0x0a

/** Cuts a byte stream into lines. A line that is too long is skipped to its end and never held in memory. */
export class LineReader {
  readonly maxBytes: number
  #parts: Buffer[] = []
  #length = 0
  #isSkipping = false

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** The lines that this chunk completes, without their ends; `too long` stands for one that was skipped. */
  *push(chunk: Buffer): Generator<Buffer | 'too long'> {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at))
      from = at + 1
      yield this.#take()
    }
    this.#add(chunk.subarray(from))
  }

  /** What came after the last line end. */
  *end(): Generator<Buffer | 'too long'> {
    if (this.#isSkipping || this.#length > 0) yield this.#take()
  }

  #add(part: Buffer): void {
    if (this.#isSkipping || part.length === 0) return
    this.#length += part.length
    if (this.#length > this.maxBytes) {
      this.#isSkipping = true
      this.#parts = []
    } else this.#parts.push(part)
  }

  #take(): Buffer | 'too long' {
    const line = this.#isSkipping ? 'too long' : Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    this.#isSkipping = false
    return line
  }
}
