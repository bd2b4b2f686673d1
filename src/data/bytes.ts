/** Bytes of a text in UTF-8. A lone surrogate counts as U+FFFD, which is what an encoder writes in its place. */
export function utf8ByteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/**
 * Bytes of a string as JSON writes it, quotes and escapes included; a lone surrogate is written `\udxxx`.
 * Stops counting once over `limit`: what it then returns is only known to be more than that.
 */
export function jsonStringBytes(text: string, limit: number): number {
  let bytes = text.length + 2
  for (let i = 0; i < text.length && bytes <= limit; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) {
      if (code < 0x20) bytes += isShortEscape(code) ? 1 : 5
      else if (code === 0x22 || code === 0x5c) bytes += 1
    } else if (code < 0x800) bytes += 1
    else if (code < 0xd800 || code > 0xdfff) bytes += 2
    else if (isPairAt(text, i)) {
      bytes += 2
      i++
    } else bytes += 5
  }
  return bytes
}

/**
 * The beginning of a text within `maxBytes` UTF-8 bytes, marker included, cut between code points. A text that fits is
 * returned as it is. When not even the marker fits, only what fits of the text is left.
 */
export function truncateText(text: string, maxBytes: number): string {
  const total = fittingLength(text, maxBytes)
  if (total === undefined) return text
  const room = maxBytes - utf8ByteLength(cutMarker(total))
  if (room <= 0) return headWithin(text, maxBytes)
  const head = headWithin(text, room)
  return head + cutMarker(total - utf8ByteLength(head))
}

/**
 * Head and tail of a text within `maxBytes` UTF-8 bytes, with a line between them that says how many bytes are missing.
 * The head gets two thirds: it tells what the text is, the tail how it ended. A text that fits is returned as it is.
 */
export function previewText(text: string, maxBytes: number): string {
  const total = fittingLength(text, maxBytes)
  if (total === undefined) return text
  const room = maxBytes - utf8ByteLength(gapMarker(total, total))
  if (room <= 2) return truncateText(text, maxBytes)
  const head = headWithin(text, Math.ceil((room * 2) / 3))
  const tail = tailWithin(text, room - utf8ByteLength(head))
  return head + gapMarker(total - utf8ByteLength(head) - utf8ByteLength(tail), total) + tail
}

/** The longest beginning of a text that is at most `maxBytes` UTF-8 bytes and splits no code point. */
export function headWithin(text: string, maxBytes: number): string {
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const wide = isPairAt(text, end)
    bytes += wide ? 4 : unitBytes(text.charCodeAt(end))
    if (bytes > maxBytes) break
    end += wide ? 2 : 1
  }
  return text.slice(0, end)
}

/** The longest end of a text that is at most `maxBytes` UTF-8 bytes and splits no code point. */
export function tailWithin(text: string, maxBytes: number): string {
  let bytes = 0
  let start = text.length
  while (start > 0) {
    const wide = start > 1 && isPairAt(text, start - 2)
    bytes += wide ? 4 : unitBytes(text.charCodeAt(start - 1))
    if (bytes > maxBytes) break
    start -= wide ? 2 : 1
  }
  return text.slice(start)
}

/** Bytes of the text when it does not fit, else nothing. A text that surely fits is not measured. */
function fittingLength(text: string, maxBytes: number): number | undefined {
  if (text.length * 3 <= maxBytes) return undefined
  const total = utf8ByteLength(text)
  return total <= maxBytes ? undefined : total
}

function cutMarker(missing: number): string {
  return `… [${missing} more bytes]`
}
function gapMarker(missing: number, total: number): string {
  return `\n… [${missing} of ${total} bytes left out] …\n`
}
function unitBytes(code: number): number {
  if (code < 0x80) return 1
  return code < 0x800 ? 2 : 3
}
function isPairAt(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index) & 0xfc00) === 0xd800 &&
    index + 1 < text.length &&
    (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
  )
}
/** \b \t \n \f \r */
function isShortEscape(code: number): boolean {
  return code >= 0x08 && code <= 0x0d && code !== 0x0b
}
