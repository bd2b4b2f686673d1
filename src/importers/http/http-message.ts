import { CodedError } from '../../data/failure.ts'

/** A request that is ready to be sent. */
export interface HttpRequest {
  readonly method: string
  readonly url: URL
  /** Lower-case names. They go to the request's own origin only: a redirect elsewhere takes none of them along. */
  readonly headers: ReadonlyMap<string, string>
  readonly body?: Uint8Array
}

export interface HttpReply {
  readonly status: number
  /** Lower-case names; of several values the first. */
  readonly headers: ReadonlyMap<string, string>
  /** Decompressed, and whole: a longer one than allowed is a failure. */
  readonly body: Uint8Array
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// What HTTP allows in a value: visible characters, spaces, tabs and Latin-1. Line ends would begin another header.
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers that frame the message or choose the peer: whoever sets one of them makes another request of it. */
const RESERVED = new Set(
  'connection content-length expect host keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name.toLowerCase())
}

/** What is wrong with a header, without its value; undefined when it can be sent. */
export function headerFault(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 100))
  if (!HEADER_NAME.test(name)) return `${shown} is no name of a header`
  if (isReservedHeader(name)) return `the header ${shown} is set by the connection and cannot be given`
  if (!HEADER_VALUE.test(value)) {
    return `the value of the header ${shown} holds a line end, a control character or one beyond Latin-1; encode it`
  }
  return undefined
}

/** Sets a header that comes from a call. */
export function setHeader(headers: Map<string, string>, name: string, value: string): void {
  const fault = headerFault(name, value)
  if (fault !== undefined) throw new CodedError('INVALID_ARGS', `${fault}; nothing was sent`)
  headers.set(name.toLowerCase(), value)
}
