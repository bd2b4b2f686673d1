/** UTF-8 and percent-encoding, by the sets of the URL standard. */

export function utf8Bytes(text: string): number[] {
  const bytes: number[] = []
  for (const point of text.toWellFormed()) {
    const code = point.codePointAt(0) as number
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63))
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
    else {
      bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
    }
  }
  return bytes
}

/** Lossy: what is no UTF-8 becomes U+FFFD, by the "maximal subpart" rule of the Encoding standard. */
export function utf8Text(bytes: ArrayLike<number>, isFatal = false): string {
  let text = ''
  let needed = 0
  let code = 0
  let lower = 0x80
  let upper = 0xbf
  const bad = () => {
    if (isFatal) throw new TypeError('The encoded data is not valid UTF-8')
    text += '\ufffd'
    needed = 0
    lower = 0x80
    upper = 0xbf
  }
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number
    if (needed > 0) {
      if (byte < lower || byte > upper) {
        bad()
        index--
        continue
      }
      lower = 0x80
      upper = 0xbf
      code = (code << 6) | (byte & 63)
      needed--
      if (needed === 0) text += String.fromCodePoint(code)
      continue
    }
    if (byte < 0x80) text += String.fromCharCode(byte)
    else if (byte >= 0xc2 && byte <= 0xdf) {
      needed = 1
      code = byte & 31
    } else if (byte >= 0xe0 && byte <= 0xef) {
      if (byte === 0xe0) lower = 0xa0
      if (byte === 0xed) upper = 0x9f
      needed = 2
      code = byte & 15
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      if (byte === 0xf0) lower = 0x90
      if (byte === 0xf4) upper = 0x8f
      needed = 3
      code = byte & 7
    } else bad()
  }
  if (needed > 0) bad()
  return text
}

const C0 = ''
const FRAGMENT = ' "<>`'
const QUERY = ' "#<>'
const PATH = QUERY + '?^`{}'
const USERINFO = PATH + '/:;=@[\\]|'
/** Characters to escape besides controls and everything from U+007F up. */
export const SETS = {
  c0: C0,
  fragment: FRAGMENT,
  query: QUERY,
  specialQuery: QUERY + "'",
  path: PATH,
  userinfo: USERINFO,
} as const

export function percentEncode(text: string, set: string): string {
  let out = ''
  for (const point of text) {
    const code = point.codePointAt(0) as number
    if (code > 0x1f && code < 0x7f && !set.includes(point)) out += point
    else for (const byte of utf8Bytes(point)) out += percent(byte)
  }
  return out
}

export function percent(byte: number): string {
  return '%' + (byte < 16 ? '0' : '') + byte.toString(16).toUpperCase()
}

export function percentDecodeBytes(text: string): number[] {
  const bytes = utf8Bytes(text)
  const out: number[] = []
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number
    const high = hexValue(bytes[index + 1])
    const low = hexValue(bytes[index + 2])
    if (byte !== 0x25 || high < 0 || low < 0) out.push(byte)
    else {
      out.push(high * 16 + low)
      index += 2
    }
  }
  return out
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 32
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
