import { charCodeAt, stringSlice, toWellFormed } from './primordials.ts'

/** Bytes of `text` in UTF-8; lone surrogates count as the three bytes of their replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const code = charCodeAt(text, index)
    if (code < 0x80) continue
    if (code < 0x800) bytes += 1
    else if (code >= 0xd800 && code <= 0xdbff && index + 1 < text.length) {
      const next = charCodeAt(text, index + 1)
      bytes += 2
      // A pair is four bytes for two units: two here, none for the second.
      if (next >= 0xdc00 && next <= 0xdfff) index++
    } else bytes += 2
  }
  return bytes
}

/** Whether `text` takes more than `limit` bytes. Most texts are far below it and are not looked at. */
export function isOver(text: string, limit: number): boolean {
  if (text.length > limit) return true
  if (text.length * 3 <= limit) return false
  return utf8Length(text) > limit
}

/** At most `limit` bytes of `text`, never ending in half a character. */
export function cutToBytes(text: string, limit: number): string {
  if (!isOver(text, limit)) return text
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const code = charCodeAt(text, index)
    const isPair = code >= 0xd800 && code <= 0xdbff && index + 1 < text.length
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3
    if (bytes + size > limit) return toWellFormed(stringSlice(text, 0, index))
    bytes += size
    if (isPair) index++
  }
  return text
}

/** For messages: the start of a text with a mark where it was cut. */
export function shorten(text: string, chars: number): string {
  return text.length <= chars ? text : toWellFormed(stringSlice(text, 0, chars - 1)) + '…'
}
