/* oxlint-disable typescript/no-explicit-any -- a program is not to be refused for what it does with these */
/**
 * What a program has besides the language itself and its tools. Compiled together with the SDK text, against the
 * ECMAScript library alone: there is no DOM and no Node here.
 */

/** Codes of this service. A tool may reject with its own besides. */
type ToolErrorCode =
  | 'INVALID_ARGS'
  | 'CALL_VIA_RUN_CODE'
  | 'UNKNOWN_TOOL'
  | 'INVALID_PARENT'
  | 'ABORTED_BEFORE_DISPATCH'
  | 'POLICY_DENIED'
  | 'APPROVAL_REJECTED'
  | 'APPROVAL_CANCELLED'
  | 'APPROVAL_UNAVAILABLE'
  | 'GUARD_DENIED'
  | 'POLICY_FAILED'
  | 'TOOL_FAILED'
  | 'TOOL_TIMEOUT'
  | 'INVALID_TOOL_OUTPUT'
  | 'ABORTED'
  | 'WRAPPER_FAILED'
  | 'POST_POLICY_FAILED'
  | 'POST_POLICY_BLOCKED'
  | 'ABANDONED'
  | 'CALL_LIMIT'
  | 'VALUE_TOO_LARGE'
  | 'OUTCOME_UNKNOWN'
  | 'UPSTREAM_UNAVAILABLE'

/** What a failed call rejects with. */
declare class ToolError extends Error {
  readonly name: 'ToolError'
  /** Registered name of the tool. */
  readonly tool: string
  readonly code: ToolErrorCode | (string & {})
  readonly phase: string
  /** Whether the tool had begun: if so, it may have had effects. */
  readonly bodyStarted: boolean
  /** Whether the same call may work later without a change. */
  readonly retryable: boolean
  readonly details?: any
  readonly content?: ContentBlock[]
}

interface TextBlock {
  type: 'text'
  text: string
}
/** `data` is base64. */
interface ImageBlock {
  type: 'image'
  data: string
  mimeType: string
}
/** `data` is base64. */
interface AudioBlock {
  type: 'audio'
  data: string
  mimeType: string
}
interface ResourceBlock {
  type: 'resource'
  resource: { uri: string; mimeType?: string; text?: string; blob?: string }
}
interface ResourceLinkBlock {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
}
type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceBlock | ResourceLinkBlock

/** Passes a content block, or a text, to whoever reads the result. */
declare function show(block: ContentBlock | string | { type: string; [field: string]: any }): void
/** Tells whoever watches how far the program is; `fraction` is 0 to 1. */
declare function progress(message: string, fraction?: number): void
declare function progress(fraction: number, message?: string): void
declare function progress(update: { message?: string; fraction?: number }): void

interface SearchHit {
  /** Registered name. */
  name: string
  /** How it is called: `tools.github.issue_read`. */
  call: string
  signature: string
  description: string
}
declare const sdk: {
  /** Tools that fit the words best, best first. */
  search(query: string, options?: { limit?: number }): Promise<SearchHit[]>
  /** Whole declarations, as text. */
  describe(names: string | readonly string[]): Promise<string>
}
declare const artifacts: {
  /** Part of a text that was too long to be shown; the message that cut it gives the id. */
  read(id: string, options?: { offset?: number; length?: number }): Promise<any>
}

interface Console {
  assert(condition?: any, ...data: any[]): void
  clear(): void
  count(label?: string): void
  countReset(label?: string): void
  debug(...data: any[]): void
  dir(item?: any, options?: any): void
  dirxml(...data: any[]): void
  error(...data: any[]): void
  group(...data: any[]): void
  groupCollapsed(...data: any[]): void
  groupEnd(): void
  info(...data: any[]): void
  log(...data: any[]): void
  table(data?: any, columns?: readonly string[]): void
  time(label?: string): void
  timeEnd(label?: string): void
  timeLog(label?: string, ...data: any[]): void
  trace(...data: any[]): void
  warn(...data: any[]): void
}
/** Everything printed is returned with the result. */
declare var console: Console

declare function setTimeout<Args extends any[]>(callback: (...args: Args) => any, ms?: number, ...args: Args): number
declare function setInterval<Args extends any[]>(callback: (...args: Args) => any, ms?: number, ...args: Args): number
declare function clearTimeout(id?: number | null): void
declare function clearInterval(id?: number | null): void
declare function queueMicrotask(callback: () => void): void
declare function structuredClone<T>(value: T, options?: { transfer?: any[] }): T
declare function atob(data: string): string
declare function btoa(data: string): string

declare class URLSearchParams {
  constructor(
    init?:
      string | URLSearchParams | Record<string, any> | readonly (readonly [string, any])[] | Iterable<[string, any]>,
  )
  readonly size: number
  append(name: string, value: any): void
  delete(name: string, value?: any): void
  get(name: string): string | null
  getAll(name: string): string[]
  has(name: string, value?: any): boolean
  set(name: string, value: any): void
  sort(): void
  toString(): string
  forEach(callback: (value: string, name: string, all: URLSearchParams) => void, self?: any): void
  entries(): IterableIterator<[string, string]>
  keys(): IterableIterator<string>
  values(): IterableIterator<string>
  [Symbol.iterator](): IterableIterator<[string, string]>
}
declare class URL {
  constructor(url: string | URL, base?: string | URL)
  static canParse(url: string | URL, base?: string | URL): boolean
  static parse(url: string | URL, base?: string | URL): URL | null
  hash: string
  host: string
  hostname: string
  href: string
  readonly origin: string
  password: string
  pathname: string
  port: string
  protocol: string
  search: string
  readonly searchParams: URLSearchParams
  username: string
  toString(): string
  toJSON(): string
}

declare class TextEncoder {
  readonly encoding: string
  encode(text?: string): Uint8Array<ArrayBuffer>
  encodeInto(text: string, target: Uint8Array): { read: number; written: number }
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  readonly encoding: string
  readonly fatal: boolean
  readonly ignoreBOM: boolean
  decode(data?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string
}

declare class AbortSignal {
  static abort(reason?: any): AbortSignal
  static timeout(ms: number): AbortSignal
  static any(signals: Iterable<AbortSignal>): AbortSignal
  readonly aborted: boolean
  readonly reason: any
  onabort: ((event: any) => any) | null
  throwIfAborted(): void
  addEventListener(type: string, listener: (event: any) => any, options?: any): void
  removeEventListener(type: string, listener: (event: any) => any, options?: any): void
  dispatchEvent(event: any): boolean
}
declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: any): void
}

declare const crypto: {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`
  getRandomValues<T extends ArrayBufferView>(array: T): T
}
/** Coarse. */
declare const performance: { now(): number; readonly timeOrigin: number }
