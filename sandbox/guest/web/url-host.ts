/** Hosts of the URL standard: domains, IPv4 in all its spellings, IPv6, opaque hosts. */
import { percentDecodeBytes, percentEncode, SETS, utf8Text } from './percent.ts'

/** Serialized. */
export type Host = string

// oxlint-disable-next-line no-control-regex -- the standard forbids exactly these
const FORBIDDEN_HOST = /[\u0000\t\n\r #/:<>?@[\\\]^|]/
// oxlint-disable-next-line no-control-regex -- the standard forbids exactly these
const FORBIDDEN_DOMAIN = /[\u0000-\u0020"#%/:<>?@[\\\]^`{|}\u007f]/

export function parseHost(input: string, isOpaque: boolean): Host | null {
  if (input.startsWith('[')) {
    if (!input.endsWith(']')) return null
    const pieces = parseIpv6(input.slice(1, -1))
    return pieces === null ? null : `[${serializeIpv6(pieces)}]`
  }
  if (isOpaque) return FORBIDDEN_HOST.test(input) ? null : percentEncode(input, SETS.c0)
  const domain = domainToAscii(utf8Text(percentDecodeBytes(input)))
  if (domain === null || domain === '' || FORBIDDEN_DOMAIN.test(domain)) return null
  if (!endsInNumber(domain)) return domain
  const address = parseIpv4(domain)
  return address === null ? null : serializeIpv4(address)
}

/** Lower-cased and normalized; labels beyond ASCII in Punycode. The mapping is NFKC, not the whole of UTS 46. */
function domainToAscii(domain: string): string | null {
  const mapped = domain
    .replace(/\u00ad|\u200b|\u2060|\ufeff|[\u180b-\u180d]|[\ufe00-\ufe0f]/g, '')
    .toLowerCase()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u3002\uff0e\uff61]/g, '.')
  const labels: string[] = []
  for (const label of mapped.split('.')) {
    // oxlint-disable-next-line no-control-regex -- ASCII as a whole
    if (/^[\u0000-\u007f]*$/.test(label)) {
      if (label.startsWith('xn--') && !isPunycode(label.slice(4))) return null
      labels.push(label)
      continue
    }
    if (label.includes('\ufffd')) return null
    const encoded = punycode(Array.from(label, (point) => point.codePointAt(0) as number))
    if (encoded === null) return null
    labels.push('xn--' + encoded)
  }
  return labels.join('.')
}

function isPunycode(text: string): boolean {
  return text !== '' && /^[a-z0-9-]+$/.test(text) && !text.endsWith('-')
}

/** RFC 3492. */
function punycode(points: readonly number[]): string | null {
  const basic = points.filter((point) => point < 0x80)
  let out = String.fromCharCode(...basic)
  let handled = basic.length
  if (handled > 0) out += '-'
  let n = 128
  let delta = 0
  let bias = 72
  let isFirst = true
  while (handled < points.length) {
    let next = Infinity
    for (const point of points) if (point >= n && point < next) next = point
    delta += (next - n) * (handled + 1)
    if (delta > 0x7fffffff) return null
    n = next
    for (const point of points) {
      if (point < n) delta++
      if (point !== n) continue
      let q = delta
      for (let k = 36; ; k += 36) {
        const threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias
        if (q < threshold) break
        out += digit(threshold + ((q - threshold) % (36 - threshold)))
        q = Math.floor((q - threshold) / (36 - threshold))
      }
      out += digit(q)
      bias = adapt(delta, handled + 1, isFirst)
      isFirst = false
      delta = 0
      handled++
    }
    delta++
    n++
  }
  return out
}
function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 97 : value + 22)
}
function adapt(delta: number, count: number, isFirst: boolean): number {
  let left = isFirst ? Math.floor(delta / 700) : Math.floor(delta / 2)
  left += Math.floor(left / count)
  let k = 0
  for (; left > 455; k += 36) left = Math.floor(left / 35)
  return k + Math.floor((36 * left) / (left + 38))
}

function endsInNumber(domain: string): boolean {
  const parts = domain.split('.')
  if (parts.at(-1) === '') {
    if (parts.length === 1) return false
    parts.pop()
  }
  const last = parts.at(-1) as string
  return /^[0-9]+$/.test(last) || /^0[xX][0-9A-Fa-f]*$/.test(last)
}

function parseIpv4(domain: string): number | null {
  const parts = domain.split('.')
  if (parts.at(-1) === '' && parts.length > 1) parts.pop()
  if (parts.length > 4) return null
  const numbers: number[] = []
  for (const part of parts) {
    const number = parseIpv4Number(part)
    if (number === null) return null
    numbers.push(number)
  }
  const last = numbers.pop() as number
  if (numbers.some((number) => number > 255) || last >= 256 ** (4 - numbers.length)) return null
  let address = last
  numbers.forEach((number, index) => (address += number * 256 ** (3 - index)))
  return address
}

function parseIpv4Number(part: string): number | null {
  if (part === '') return null
  if (/^0[xX]/.test(part)) {
    const digits = part.slice(2)
    return digits === '' ? 0 : /^[0-9A-Fa-f]+$/.test(digits) ? parseInt(digits, 16) : null
  }
  if (part.length > 1 && part.startsWith('0')) return /^[0-7]+$/.test(part) ? parseInt(part, 8) : null
  return /^[0-9]+$/.test(part) ? Number(part) : null
}

function serializeIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}

function parseIpv6(input: string): number[] | null {
  const pieces = [0, 0, 0, 0, 0, 0, 0, 0]
  let piece = 0
  let compress: number | null = null
  let at = 0
  if (input.startsWith(':')) {
    if (input[1] !== ':') return null
    at = 2
    piece++
    compress = piece
  }
  while (at < input.length) {
    if (piece === 8) return null
    if (input[at] === ':') {
      if (compress !== null) return null
      at++
      piece++
      compress = piece
      continue
    }
    let value = 0
    let length = 0
    while (length < 4 && at < input.length && /[0-9A-Fa-f]/.test(input[at] as string)) {
      value = value * 16 + parseInt(input[at] as string, 16)
      at++
      length++
    }
    if (input[at] === '.') {
      if (length === 0 || piece > 6) return null
      const parts = input.slice(at - length).split('.')
      if (parts.length !== 4) return null
      const bytes = parts.map((part) => (/^(0|[1-9][0-9]{0,2})$/.test(part) ? Number(part) : 256))
      if (bytes.some((byte) => byte > 255)) return null
      pieces[piece++] = (bytes[0] as number) * 256 + (bytes[1] as number)
      pieces[piece++] = (bytes[2] as number) * 256 + (bytes[3] as number)
      break
    }
    if (input[at] === ':') {
      at++
      if (at === input.length) return null
    } else if (at < input.length) return null
    pieces[piece++] = value
  }
  if (compress !== null) {
    let swaps = piece - compress
    let to = 7
    while (to !== 0 && swaps > 0) {
      const from = compress + swaps - 1
      ;[pieces[to], pieces[from]] = [pieces[from] as number, pieces[to] as number]
      to--
      swaps--
    }
  } else if (piece !== 8) return null
  return pieces
}

function serializeIpv6(pieces: readonly number[]): string {
  let best = -1
  let bestLength = 1
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (start + length < 8 && pieces[start + length] === 0) length++
    if (length > bestLength) {
      best = start
      bestLength = length
    }
  }
  if (best < 0) return pieces.map((piece) => piece.toString(16)).join(':')
  const hex = (part: readonly number[]) => part.map((piece) => piece.toString(16)).join(':')
  return `${hex(pieces.slice(0, best))}::${hex(pieces.slice(best + bestLength))}`
}
