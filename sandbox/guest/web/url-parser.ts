/**
 * The URL parser of the WHATWG URL standard, as its state machine, over code points; long because the machine is one
 * function with the standard's own states, and is checked against the standard by reading both side by side. Nothing in `web/` touches the
 * bridge: a program that changes built-ins changes what these classes tell itself, and nothing else.
 */
import { percentEncode, SETS } from './percent.ts'
import { parseHost, type Host } from './url-host.ts'

export interface UrlRecord {
  scheme: string
  username: string
  password: string
  /** Serialized; null: none, '': empty. */
  host: Host | null
  port: number | null
  /** A string is an opaque path. */
  path: string | string[]
  query: string | null
  fragment: string | null
}

export type UrlState =
  | 'scheme start'
  | 'scheme'
  | 'no scheme'
  | 'special relative or authority'
  | 'path or authority'
  | 'relative'
  | 'relative slash'
  | 'special authority slashes'
  | 'special authority ignore slashes'
  | 'authority'
  | 'host'
  | 'hostname'
  | 'port'
  | 'file'
  | 'file slash'
  | 'file host'
  | 'path start'
  | 'path'
  | 'opaque path'
  | 'query'
  | 'fragment'

const DEFAULT_PORTS = new Map<string, number | null>([
  ['ftp', 21],
  ['file', null],
  ['http', 80],
  ['https', 443],
  ['ws', 80],
  ['wss', 443],
])

export function isSpecial(url: UrlRecord): boolean {
  return DEFAULT_PORTS.has(url.scheme)
}

const EOF = ''
const ALPHA = /^[A-Za-z]$/
const ALPHANUMERIC = /^[A-Za-z0-9]$/
const DIGIT = /^[0-9]$/

const isWindowsLetter = (text: string) => /^[A-Za-z][:|]$/.test(text)
const isNormalizedLetter = (text: string) => /^[A-Za-z]:$/.test(text)
function startsWithLetter(points: readonly string[], at: number): boolean {
  if (points.length - at < 2 || !isWindowsLetter((points[at] as string) + (points[at + 1] as string))) return false
  return points.length - at === 2 || ['/', '\\', '?', '#'].includes(points[at + 2] as string)
}
const isSingleDot = (text: string) => text === '.' || text.toLowerCase() === '%2e'
const isDoubleDot = (text: string) => ['..', '.%2e', '%2e.', '%2e%2e'].includes(text.toLowerCase())

function shortenPath(url: UrlRecord): void {
  const path = url.path as string[]
  if (url.scheme === 'file' && path.length === 1 && isNormalizedLetter(path[0] as string)) return
  path.pop()
}

export function emptyUrl(): UrlRecord {
  return { scheme: '', username: '', password: '', host: null, port: null, path: [], query: null, fragment: null }
}

/** Null: not a URL. With `override`, changes `url` in place as a setter does; null then means "no change". */
export function parseUrl(
  given: string,
  base: UrlRecord | null,
  url: UrlRecord = emptyUrl(),
  override?: UrlState,
): UrlRecord | null {
  let input = given.toWellFormed()
  // oxlint-disable-next-line no-control-regex -- the standard strips exactly these
  if (override === undefined) input = input.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, '')
  input = input.replace(/[\t\n\r]/g, '')
  const points: string[] = Array.from(input)
  let state: UrlState = override ?? 'scheme start'
  let buffer = ''
  let atSeen = false
  let insideBrackets = false
  let passwordSeen = false
  for (let pointer = 0; ; pointer++) {
    const c: string = points[pointer] ?? EOF
    const isEnd = pointer >= points.length
    const special = isSpecial(url)
    const rest = (text: string) => points.slice(pointer + 1, pointer + 1 + text.length).join('') === text
    switch (state) {
      case 'scheme start':
        if (ALPHA.test(c)) {
          buffer += c.toLowerCase()
          state = 'scheme'
        } else if (override === undefined) {
          state = 'no scheme'
          pointer--
        } else return null
        break
      case 'scheme':
        if (ALPHANUMERIC.test(c) || c === '+' || c === '-' || c === '.') buffer += c.toLowerCase()
        else if (c === ':') {
          if (override !== undefined) {
            if (special !== DEFAULT_PORTS.has(buffer)) return null
            if ((url.username !== '' || url.password !== '' || url.port !== null) && buffer === 'file') return null
            if (url.scheme === 'file' && (url.host === null || url.host === '')) return null
            url.scheme = buffer
            if (url.port === DEFAULT_PORTS.get(url.scheme)) url.port = null
            return url
          }
          url.scheme = buffer
          buffer = ''
          if (url.scheme === 'file') state = 'file'
          else if (isSpecial(url) && base !== null && base.scheme === url.scheme)
            state = 'special relative or authority'
          else if (isSpecial(url)) state = 'special authority slashes'
          else if (rest('/')) {
            state = 'path or authority'
            pointer++
          } else {
            url.path = ''
            state = 'opaque path'
          }
        } else if (override === undefined) {
          buffer = ''
          state = 'no scheme'
          pointer = -1
        } else return null
        break
      case 'no scheme':
        if (base === null || (typeof base.path === 'string' && c !== '#')) return null
        if (typeof base.path === 'string' && c === '#') {
          Object.assign(url, { ...base, fragment: '' })
          state = 'fragment'
        } else {
          state = base.scheme === 'file' ? 'file' : 'relative'
          pointer--
        }
        break
      case 'special relative or authority':
        if (c === '/' && rest('/')) {
          state = 'special authority ignore slashes'
          pointer++
        } else {
          state = 'relative'
          pointer--
        }
        break
      case 'path or authority':
        if (c === '/') state = 'authority'
        else {
          state = 'path'
          pointer--
        }
        break
      case 'relative': {
        const from = base as UrlRecord
        url.scheme = from.scheme
        if (c === '/') state = 'relative slash'
        else if (isSpecial(url) && c === '\\') state = 'relative slash'
        else {
          copyAuthority(url, from)
          url.path = [...(from.path as string[])]
          url.query = from.query
          if (c === '?') {
            url.query = ''
            state = 'query'
          } else if (c === '#') {
            url.fragment = ''
            state = 'fragment'
          } else if (!isEnd) {
            url.query = null
            shortenPath(url)
            state = 'path'
            pointer--
          }
        }
        break
      }
      case 'relative slash':
        if (special && (c === '/' || c === '\\')) state = 'special authority ignore slashes'
        else if (c === '/') state = 'authority'
        else {
          copyAuthority(url, base as UrlRecord)
          state = 'path'
          pointer--
        }
        break
      case 'special authority slashes':
        if (c === '/' && rest('/')) pointer++
        else pointer--
        state = 'special authority ignore slashes'
        break
      case 'special authority ignore slashes':
        if (c !== '/' && c !== '\\') {
          state = 'authority'
          pointer--
        }
        break
      case 'authority':
        if (c === '@') {
          if (atSeen) buffer = '%40' + buffer
          atSeen = true
          for (const point of buffer) {
            if (point === ':' && !passwordSeen) {
              passwordSeen = true
              continue
            }
            const encoded = percentEncode(point, SETS.userinfo)
            if (passwordSeen) url.password += encoded
            else url.username += encoded
          }
          buffer = ''
        } else if (isEnd || c === '/' || c === '?' || c === '#' || (special && c === '\\')) {
          if (atSeen && buffer === '') return null
          pointer -= Array.from(buffer).length + 1
          buffer = ''
          state = 'host'
        } else buffer += c
        break
      case 'host':
      case 'hostname':
        if (override !== undefined && url.scheme === 'file') {
          pointer--
          state = 'file host'
        } else if (c === ':' && !insideBrackets) {
          if (buffer === '' || override === 'hostname') return null
          const host = parseHost(buffer, !special)
          if (host === null) return null
          url.host = host
          buffer = ''
          state = 'port'
        } else if (isEnd || c === '/' || c === '?' || c === '#' || (special && c === '\\')) {
          pointer--
          if (special && buffer === '') return null
          const hasMore = url.username !== '' || url.password !== '' || url.port !== null
          if (override !== undefined && buffer === '' && hasMore) return null
          const host = parseHost(buffer, !special)
          if (host === null) return null
          url.host = host
          buffer = ''
          state = 'path start'
          if (override !== undefined) return url
        } else {
          if (c === '[') insideBrackets = true
          if (c === ']') insideBrackets = false
          buffer += c
        }
        break
      case 'port':
        if (DIGIT.test(c)) buffer += c
        else if (isEnd || c === '/' || c === '?' || c === '#' || (special && c === '\\') || override !== undefined) {
          if (buffer !== '') {
            const port = Number(buffer)
            if (port > 65535) return null
            url.port = DEFAULT_PORTS.get(url.scheme) === port ? null : port
            buffer = ''
            if (override !== undefined) return url
          }
          if (override !== undefined) return null
          state = 'path start'
          pointer--
        } else return null
        break
      case 'file':
        url.scheme = 'file'
        url.host = ''
        if (c === '/' || c === '\\') state = 'file slash'
        else if (base !== null && base.scheme === 'file') {
          url.host = base.host
          url.path = [...(base.path as string[])]
          url.query = base.query
          if (c === '?') {
            url.query = ''
            state = 'query'
          } else if (c === '#') {
            url.fragment = ''
            state = 'fragment'
          } else if (!isEnd) {
            url.query = null
            if (!startsWithLetter(points, pointer)) shortenPath(url)
            else url.path = []
            state = 'path'
            pointer--
          }
        } else {
          state = 'path'
          pointer--
        }
        break
      case 'file slash':
        if (c === '/' || c === '\\') state = 'file host'
        else {
          if (base !== null && base.scheme === 'file') {
            url.host = base.host
            const first = (base.path as string[])[0]
            if (!startsWithLetter(points, pointer) && first !== undefined && isNormalizedLetter(first)) {
              ;(url.path as string[]).push(first)
            }
          }
          state = 'path'
          pointer--
        }
        break
      case 'file host':
        if (isEnd || c === '/' || c === '\\' || c === '?' || c === '#') {
          pointer--
          if (override === undefined && isWindowsLetter(buffer)) state = 'path'
          else if (buffer === '') {
            url.host = ''
            if (override !== undefined) return url
            state = 'path start'
          } else {
            const host = parseHost(buffer, !special)
            if (host === null) return null
            url.host = host === 'localhost' ? '' : host
            if (override !== undefined) return url
            buffer = ''
            state = 'path start'
          }
        } else buffer += c
        break
      case 'path start':
        if (special) {
          state = 'path'
          if (c !== '/' && c !== '\\') pointer--
        } else if (override === undefined && c === '?') {
          url.query = ''
          state = 'query'
        } else if (override === undefined && c === '#') {
          url.fragment = ''
          state = 'fragment'
        } else if (!isEnd) {
          state = 'path'
          if (c !== '/') pointer--
        } else if (override !== undefined && url.host === null) (url.path as string[]).push('')
        break
      case 'path': {
        const isSlash = c === '/' || (special && c === '\\')
        if (isEnd || isSlash || (override === undefined && (c === '?' || c === '#'))) {
          const path = url.path as string[]
          if (isDoubleDot(buffer)) {
            shortenPath(url)
            if (!isSlash) path.push('')
          } else if (isSingleDot(buffer)) {
            if (!isSlash) path.push('')
          } else {
            if (url.scheme === 'file' && path.length === 0 && isWindowsLetter(buffer)) buffer = buffer[0] + ':'
            path.push(buffer)
          }
          buffer = ''
          if (c === '?') {
            url.query = ''
            state = 'query'
          }
          if (c === '#') {
            url.fragment = ''
            state = 'fragment'
          }
        } else buffer += percentEncode(c, SETS.path)
        break
      }
      case 'opaque path':
        if (c === '?') {
          url.query = ''
          state = 'query'
        } else if (c === '#') {
          url.fragment = ''
          state = 'fragment'
        } else if (c === ' ') {
          // A space that stands before the end of the path is escaped, so that trimming cannot change the URL.
          url.path += rest('?') || rest('#') ? '%20' : ' '
        } else if (!isEnd) url.path += percentEncode(c, SETS.c0)
        break
      case 'query':
        if ((override === undefined && c === '#') || isEnd) {
          url.query += percentEncode(buffer, special ? SETS.specialQuery : SETS.query)
          buffer = ''
          if (c === '#') {
            url.fragment = ''
            state = 'fragment'
          }
        } else buffer += c
        break
      case 'fragment':
        if (!isEnd) url.fragment += percentEncode(c, SETS.fragment)
        break
    }
    if (isEnd && pointer >= points.length) return url
  }
}

function copyAuthority(url: UrlRecord, from: UrlRecord): void {
  url.username = from.username
  url.password = from.password
  url.host = from.host
  url.port = from.port
}

export function serializePath(url: UrlRecord): string {
  return typeof url.path === 'string' ? url.path : url.path.map((segment) => '/' + segment).join('')
}

export function serializeUrl(url: UrlRecord): string {
  let text = url.scheme + ':'
  if (url.host !== null) {
    text += '//'
    if (url.username !== '' || url.password !== '') {
      text += url.username + (url.password === '' ? '' : ':' + url.password) + '@'
    }
    text += url.host + (url.port === null ? '' : ':' + url.port)
  } else if (typeof url.path !== 'string' && url.path.length > 1 && url.path[0] === '') text += '/.'
  text += serializePath(url)
  if (url.query !== null) text += '?' + url.query
  if (url.fragment !== null) text += '#' + url.fragment
  return text
}
