import { percentDecodeBytes, percentEncode, percent, SETS, utf8Bytes, utf8Text } from './percent.ts'
import { isSpecial, parseUrl, serializePath, serializeUrl, type UrlRecord, type UrlState } from './url-parser.ts'

/** The `URL` of a program. */
export class URL {
  readonly #url: UrlRecord
  readonly #searchParams: URLSearchParams

  constructor(url: unknown, base?: unknown) {
    const parsed = parse(url, base)
    if (parsed === null) throw invalid(url, base)
    this.#url = parsed
    this.#searchParams = new URLSearchParams(parsed.query ?? '')
    connect(this.#searchParams, (query) => {
      this.#url.query = query === '' ? null : query
    })
  }

  static canParse(url: unknown, base?: unknown): boolean {
    return parse(url, base) !== null
  }
  static parse(url: unknown, base?: unknown): URL | null {
    return parse(url, base) === null ? null : new URL(url, base)
  }

  get href(): string {
    return serializeUrl(this.#url)
  }
  set href(value: string) {
    const parsed = parse(value, undefined)
    if (parsed === null) throw invalid(value, undefined)
    Object.assign(this.#url, parsed)
    this.#refreshParams()
  }
  get origin(): string {
    const { scheme, host, port } = this.#url
    if (scheme === 'blob') {
      const inner = parseUrl(serializePath(this.#url), null)
      return inner !== null && (inner.scheme === 'http' || inner.scheme === 'https')
        ? new URL(serializeUrl(inner)).origin
        : 'null'
    }
    if (!isSpecial(this.#url) || scheme === 'file') return 'null'
    return `${scheme}://${host}${port === null ? '' : ':' + port}`
  }
  get protocol(): string {
    return this.#url.scheme + ':'
  }
  set protocol(value: string) {
    this.#override(String(value) + ':', 'scheme start')
  }
  get username(): string {
    return this.#url.username
  }
  set username(value: string) {
    if (this.#hasAuthority()) this.#url.username = percentEncode(String(value).toWellFormed(), SETS.userinfo)
  }
  get password(): string {
    return this.#url.password
  }
  set password(value: string) {
    if (this.#hasAuthority()) this.#url.password = percentEncode(String(value).toWellFormed(), SETS.userinfo)
  }
  get host(): string {
    const { host, port } = this.#url
    return host === null ? '' : host + (port === null ? '' : ':' + port)
  }
  set host(value: string) {
    if (typeof this.#url.path !== 'string') this.#override(String(value), 'host')
  }
  get hostname(): string {
    return this.#url.host ?? ''
  }
  set hostname(value: string) {
    if (typeof this.#url.path !== 'string') this.#override(String(value), 'hostname')
  }
  get port(): string {
    return this.#url.port === null ? '' : String(this.#url.port)
  }
  set port(value: string) {
    if (!this.#hasAuthority()) return
    if (String(value) === '') this.#url.port = null
    else this.#override(String(value), 'port')
  }
  get pathname(): string {
    return serializePath(this.#url)
  }
  set pathname(value: string) {
    if (typeof this.#url.path === 'string') return
    this.#url.path = []
    this.#override(String(value), 'path start')
  }
  get search(): string {
    return this.#url.query === null || this.#url.query === '' ? '' : '?' + this.#url.query
  }
  set search(value: string) {
    const text = String(value)
    if (text === '') this.#url.query = null
    else {
      this.#url.query = ''
      this.#override(text.startsWith('?') ? text.slice(1) : text, 'query')
    }
    this.#refreshParams()
  }
  get searchParams(): URLSearchParams {
    return this.#searchParams
  }
  get hash(): string {
    return this.#url.fragment === null || this.#url.fragment === '' ? '' : '#' + this.#url.fragment
  }
  set hash(value: string) {
    const text = String(value)
    if (text === '') {
      this.#url.fragment = null
      return
    }
    this.#url.fragment = ''
    this.#override(text.startsWith('#') ? text.slice(1) : text, 'fragment')
  }
  toString(): string {
    return this.href
  }
  toJSON(): string {
    return this.href
  }

  #hasAuthority(): boolean {
    return this.#url.host !== null && this.#url.host !== '' && this.#url.scheme !== 'file'
  }
  /** On failure nothing is changed: the machine works on a copy. */
  #override(value: string, state: UrlState): void {
    const copy: UrlRecord = { ...this.#url, path: Array.isArray(this.#url.path) ? [...this.#url.path] : this.#url.path }
    // A port after a host is dropped by itself when it is bad; the host stays.
    const result = parseUrl(value, null, copy, state)
    if (result !== null || state === 'host') Object.assign(this.#url, copy)
  }
  #refreshParams(): void {
    replace(this.#searchParams, parseForm(this.#url.query ?? ''))
  }
}

function parse(url: unknown, base: unknown): UrlRecord | null {
  let baseRecord: UrlRecord | null = null
  if (base !== undefined) {
    baseRecord = parseUrl(usv(base), null)
    if (baseRecord === null) return null
  }
  return parseUrl(String(url), baseRecord)
}

function invalid(url: unknown, base: unknown): TypeError {
  const error = new TypeError('Invalid URL')
  Object.defineProperties(error, {
    code: { value: 'ERR_INVALID_URL', writable: true, enumerable: true, configurable: true },
    input: { value: String(url), writable: true, enumerable: true, configurable: true },
  })
  if (base !== undefined) Object.defineProperty(error, 'base', { value: usv(base), enumerable: true })
  return error
}

type Pair = [string, string]

let connect: (params: URLSearchParams, changed: (query: string) => void) => void
let replace: (params: URLSearchParams, pairs: Pair[]) => void

export class URLSearchParams {
  #pairs: Pair[] = []
  #changed: ((query: string) => void) | undefined

  static {
    connect = (params, changed) => {
      params.#changed = changed
    }
    replace = (params, pairs) => {
      params.#pairs = pairs
    }
  }

  constructor(init: unknown = '') {
    if (typeof init === 'object' && init !== null) {
      const iterate = (init as { [Symbol.iterator]?: unknown })[Symbol.iterator]
      if (typeof iterate === 'function') {
        for (const entry of init as Iterable<Iterable<unknown>>) {
          const pair = [...entry]
          if (pair.length !== 2) throw new TypeError('Each query pair must be an iterable [name, value] tuple')
          this.#pairs.push([usv(pair[0]), usv(pair[1])])
        }
      } else {
        for (const key of Object.keys(init)) this.#pairs.push([usv(key), usv((init as Record<string, unknown>)[key])])
      }
    } else {
      const text = usv(init)
      this.#pairs = parseForm(text.startsWith('?') ? text.slice(1) : text)
    }
  }

  get size(): number {
    return this.#pairs.length
  }
  append(name: unknown, value: unknown): void {
    this.#pairs.push([usv(name), usv(value)])
    this.#update()
  }
  delete(name: unknown, value?: unknown): void {
    this.#pairs = this.#pairs.filter((pair) => !matches(pair, name, value))
    this.#update()
  }
  get(name: unknown): string | null {
    return this.#pairs.find((pair) => pair[0] === usv(name))?.[1] ?? null
  }
  getAll(name: unknown): string[] {
    return this.#pairs.filter((pair) => pair[0] === usv(name)).map((pair) => pair[1])
  }
  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some((pair) => matches(pair, name, value))
  }
  set(name: unknown, value: unknown): void {
    const key = usv(name)
    const first = this.#pairs.find((pair) => pair[0] === key)
    if (first === undefined) this.#pairs.push([key, usv(value)])
    else {
      first[1] = usv(value)
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== key)
    }
    this.#update()
  }
  sort(): void {
    this.#pairs.sort((left, right) => (left[0] < right[0] ? -1 : left[0] > right[0] ? 1 : 0))
    this.#update()
  }
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
    for (const [name, value] of this.#pairs) callback.call(self, value, name, this)
  }
  *entries(): Generator<Pair> {
    for (let index = 0; index < this.#pairs.length; index++) yield [...(this.#pairs[index] as Pair)] as Pair
  }
  *keys(): Generator<string> {
    for (const [name] of this.entries()) yield name
  }
  *values(): Generator<string> {
    for (const [, value] of this.entries()) yield value
  }
  [Symbol.iterator](): Generator<Pair> {
    return this.entries()
  }
  toString(): string {
    return this.#pairs.map(([name, value]) => encodeForm(name) + '=' + encodeForm(value)).join('&')
  }
  /** So that a returned or printed value shows what is in it. */
  toJSON(): string {
    return this.toString()
  }

  #update(): void {
    this.#changed?.(this.toString())
  }
}

function matches(pair: Pair, name: unknown, value: unknown): boolean {
  return pair[0] === usv(name) && (value === undefined || pair[1] === usv(value))
}
function usv(value: unknown): string {
  return String(value).toWellFormed()
}

function parseForm(text: string): Pair[] {
  const pairs: Pair[] = []
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = at < 0 ? part : part.slice(0, at)
    pairs.push([decodeForm(name), at < 0 ? '' : decodeForm(part.slice(at + 1))])
  }
  return pairs
}
function decodeForm(text: string): string {
  return utf8Text(percentDecodeBytes(text.replaceAll('+', ' ')))
}
function encodeForm(text: string): string {
  let out = ''
  for (const byte of utf8Bytes(text)) {
    const unit = String.fromCharCode(byte)
    out += byte === 0x20 ? '+' : /[A-Za-z0-9*\-._]/.test(unit) ? unit : percent(byte)
  }
  return out
}
