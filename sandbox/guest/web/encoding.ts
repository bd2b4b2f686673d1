import { utf8Bytes, utf8Text } from './percent.ts'

export class TextEncoder {
  get encoding(): string {
    return 'utf-8'
  }
  encode(text: unknown = ''): Uint8Array {
    return new Uint8Array(utf8Bytes(String(text)))
  }
  encodeInto(text: unknown, target: Uint8Array): { read: number; written: number } {
    let read = 0
    let written = 0
    for (const point of String(text)) {
      const bytes = utf8Bytes(point)
      if (written + bytes.length > target.length) break
      target.set(bytes, written)
      written += bytes.length
      read += point.length
    }
    return { read, written }
  }
}

const LABELS = new Map<string, 'utf-8' | 'utf-16le' | 'windows-1252'>([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['unicode-1-1-utf-8', 'utf-8'],
  ['utf-16le', 'utf-16le'],
  ['utf-16', 'utf-16le'],
  ['latin1', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'],
  ['ascii', 'windows-1252'],
  ['us-ascii', 'windows-1252'],
  ['windows-1252', 'windows-1252'],
])
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

export class TextDecoder {
  readonly #encoding: 'utf-8' | 'utf-16le' | 'windows-1252'
  readonly #isFatal: boolean
  readonly #keepsBom: boolean
  /** Bytes of a character that a streamed chunk cut in two. */
  #rest: number[] = []
  #isBomSeen = false

  constructor(label: unknown = 'utf-8', options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean }) {
    const encoding = LABELS.get(String(label).trim().toLowerCase())
    if (encoding === undefined) throw new RangeError(`The "${String(label)}" encoding is not supported`)
    this.#encoding = encoding
    this.#isFatal = Boolean(options?.fatal)
    this.#keepsBom = Boolean(options?.ignoreBOM)
  }
  get encoding(): string {
    return this.#encoding
  }
  get fatal(): boolean {
    return this.#isFatal
  }
  get ignoreBOM(): boolean {
    return this.#keepsBom
  }
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { readonly stream?: boolean }): string {
    const isStream = Boolean(options?.stream)
    let bytes: ArrayLike<number> = toBytes(input)
    if (this.#rest.length > 0) bytes = [...this.#rest, ...Array.from(bytes)]
    this.#rest = []
    if (isStream) bytes = this.#holdBack(bytes)
    let text = this.#text(bytes)
    if (!this.#isBomSeen && !this.#keepsBom && text.startsWith('\ufeff')) text = text.slice(1)
    this.#isBomSeen = isStream && (this.#isBomSeen || text !== '')
    return text
  }

  #holdBack(bytes: ArrayLike<number>): ArrayLike<number> {
    const keep = this.#encoding === 'utf-8' ? openTail(bytes) : this.#encoding === 'utf-16le' ? bytes.length % 2 : 0
    if (keep === 0) return bytes
    const all = Array.from(bytes)
    this.#rest = all.slice(all.length - keep)
    return all.slice(0, all.length - keep)
  }
  #text(bytes: ArrayLike<number>): string {
    if (this.#encoding === 'utf-8') return utf8Text(bytes, this.#isFatal)
    let text = ''
    if (this.#encoding === 'utf-16le') {
      for (let index = 0; index + 1 < bytes.length; index += 2) {
        text += String.fromCharCode((bytes[index] as number) | ((bytes[index + 1] as number) << 8))
      }
      if (bytes.length % 2 === 1) text += '\ufffd'
      if (this.#isFatal && (bytes.length % 2 === 1 || !text.isWellFormed())) {
        throw new TypeError('The encoded data is not valid UTF-16')
      }
      return text.toWellFormed()
    }
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number
      text += byte >= 0x80 && byte <= 0x9f ? WINDOWS_1252[byte - 0x80] : String.fromCharCode(byte)
    }
    return text
  }
}

/** How many bytes at the end begin a character that is not complete. */
function openTail(bytes: ArrayLike<number>): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0
  }
  return 0
}

function toBytes(input: ArrayBuffer | ArrayBufferView | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array(0)
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
  if (input instanceof ArrayBuffer) return new Uint8Array(input)
  throw new TypeError('TextDecoder.decode takes an ArrayBuffer or a view of one')
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export function btoa(data: unknown): string {
  const text = String(data)
  let out = ''
  for (let index = 0; index < text.length; index += 3) {
    const units = [text.charCodeAt(index), text.charCodeAt(index + 1), text.charCodeAt(index + 2)]
    if (units.some((unit) => unit > 255)) {
      throw new DOMException('btoa takes characters up to U+00FF; encode the text first', 'InvalidCharacterError')
    }
    const left = text.length - index
    const word =
      ((units[0] as number) << 16) |
      ((left > 1 ? (units[1] as number) : 0) << 8) |
      (left > 2 ? (units[2] as number) : 0)
    out += (ALPHABET[word >> 18] as string) + (ALPHABET[(word >> 12) & 63] as string)
    out +=
      (left > 1 ? (ALPHABET[(word >> 6) & 63] as string) : '=') + (left > 2 ? (ALPHABET[word & 63] as string) : '=')
  }
  return out
}

export function atob(data: unknown): string {
  let text = String(data).replace(/[\t\n\f\r ]/g, '')
  if (text.length % 4 === 0) text = text.replace(/={1,2}$/, '')
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) {
    throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError')
  }
  let out = ''
  let word = 0
  let bits = 0
  for (const unit of text) {
    word = (word << 6) | ALPHABET.indexOf(unit)
    bits += 6
    if (bits < 8) continue
    bits -= 8
    out += String.fromCharCode((word >> bits) & 255)
    word &= (1 << bits) - 1
  }
  return out
}

const LEGACY_CODES: Record<string, number> = {
  InvalidCharacterError: 5,
  AbortError: 20,
  TimeoutError: 23,
  DataCloneError: 25,
}

export class DOMException extends Error {
  readonly #name: string
  constructor(message: unknown = '', name: unknown = 'Error') {
    super(String(message))
    this.#name = typeof name === 'string' ? name : 'Error'
  }
  override get name(): string {
    return this.#name
  }
  get code(): number {
    return LEGACY_CODES[this.#name] ?? 0
  }
}
