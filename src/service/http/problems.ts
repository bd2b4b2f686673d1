import { FAILURE_CODES, isFailureCode, type FailureCode } from '../../data/failure-codes.ts'
import type { Json } from '../../data/json.ts'

/** What can be wrong with a request before any call or run is made of it. Everything after that has a failure code. */
const REQUEST_CODES = {
  BAD_REQUEST: { status: 400, title: 'The request is not one this service can read.' },
  UNAUTHENTICATED: { status: 401, title: 'The request needs a bearer token of this service.' },
  FORBIDDEN: { status: 403, title: 'The request may not be made.' },
  NOT_FOUND: { status: 404, title: 'There is no such thing here.' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'This path does not take that method.' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request did not arrive in time.' },
  CONFLICT: { status: 409, title: 'The request does not fit the state that things are in.' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is larger than this service takes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body must be JSON, not compressed.' },
  KEY_REUSED: { status: 422, title: 'The Idempotency-Key was used for another request.' },
  TOO_MANY_REQUESTS: { status: 429, title: 'This tenant has too much waiting already.' },
  INTERNAL: { status: 500, title: 'A fault of the service.' },
  SHUTTING_DOWN: { status: 503, title: 'The service ends and takes nothing new.' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

export type ProblemCode = keyof typeof REQUEST_CODES | FailureCode
export const REQUEST_CODE_NAMES: readonly string[] = Object.keys(REQUEST_CODES)

export interface ProblemExtras {
  /** Told in `Retry-After`. */
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Where the code's own would be about something else. */
  readonly title?: string
  /** Members besides those of RFC 9457. */
  readonly members?: Readonly<Record<string, Json>>
}

/** A refusal on its way to a response; thrown by handlers and what they call, and by nothing below them. */
export class Problem extends Error {
  readonly code: string
  readonly extras: ProblemExtras
  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail)
    this.code = code
    this.extras = extras
  }
}

/** A key means one request: another one under it is a mistake of the client, not a second try. */
export function keyReused(): Problem {
  return new Problem(
    'KEY_REUSED',
    'the Idempotency-Key was sent before with another request; use a new key for each new one',
  )
}

/** RFC 9457. `code` is what programs read; codes of tools' own are a failed tool. */
export function problemResponse(code: string, detail: string, extras: ProblemExtras = {}): Response {
  const { status, title } = factsOf(code)
  const type = `urn:codeferry:problem:${code}`
  const body = { type, title: extras.title ?? title, status, code, detail, ...extras.members }
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(extras.retryAfterSeconds !== undefined && { 'retry-after': String(extras.retryAfterSeconds) }),
      ...extras.headers,
    },
  })
}

function factsOf(code: string): { readonly status: number; readonly title: string } {
  if (Object.hasOwn(REQUEST_CODES, code)) return REQUEST_CODES[code as keyof typeof REQUEST_CODES] // Asked above.
  const { httpStatus, summary } = FAILURE_CODES[isFailureCode(code) ? code : 'TOOL_FAILED']
  return { status: httpStatus, title: summary }
}
