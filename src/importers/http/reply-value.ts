import { textBlock, type ContentBlock } from '../../data/content.ts'
import { CodedError } from '../../data/failure.ts'
import type { Json, JsonObject } from '../../data/json.ts'
import { printable } from '../printable.ts'
import { essence, isJsonType, isTextType } from './encode-body.ts'
import type { HttpReply } from './http-message.ts'
import { exactJson } from './exact-json.ts'
import { hideInValue } from './hide-in-value.ts'
import type { HideSecrets } from './secrets.ts'

/** As much of an error's body as a model needs to correct its call. */
const MAX_EXCERPT = 2_000

/** What a program gets for a body that is neither JSON nor text. */
export interface BinaryValue extends JsonObject {
  readonly mimeType: string
  readonly bytes: number
  readonly base64: string
}

export interface ReplyValue {
  readonly value: Json
  /** Absent: the value speaks for itself. */
  readonly content?: readonly ContentBlock[]
}

/**
 * From an answer to a program's value: JSON as it is, text as text, anything else as `{ mimeType, bytes, base64 }`, nothing
 * as null, and the headers for a HEAD. An answer that is not 2xx throws `TOOL_FAILED` with its status and what it says.
 */
export function replyValue(reply: HttpReply, method: string, hideSecrets: HideSecrets): ReplyValue {
  if (reply.status < 200 || reply.status > 299) throw statusFailure(reply, hideSecrets)
  if (method === 'HEAD') return { value: shownHeaders(reply, hideSecrets) }
  if (reply.body.length === 0) return { value: null }
  const declared = reply.headers.get('content-type') ?? ''
  const mimeType = essence(declared)
  const text = mimeType === '' || isTextType(mimeType) ? decoded(reply.body, declared) : undefined
  if (text !== undefined) {
    const parsed = mimeType === '' || isJsonType(mimeType) ? exactJson(text) : undefined
    return { value: parsed === undefined ? hideSecrets(text) : hideInValue(parsed.value, hideSecrets) }
  }
  return binary(reply.body, mimeType || 'application/octet-stream')
}

function binary(body: Uint8Array, mimeType: string): ReplyValue {
  const base64 = Buffer.from(body).toString('base64')
  const value: BinaryValue = { mimeType, bytes: body.length, base64 }
  const content: ContentBlock = mimeType.startsWith('image/')
    ? { type: 'image', data: base64, mimeType }
    : textBlock(`${body.length} bytes of ${printable(mimeType, 100)}; programs get them as base64`)
  return { value, content: [content] }
}

function statusFailure(reply: HttpReply, hideSecrets: HideSecrets): CodedError {
  const declared = reply.headers.get('content-type') ?? ''
  const isText = declared === '' || isTextType(declared)
  // Cleaned first: a control character in the middle of a secret would hide it from the search and be gone afterwards.
  const whole = isText ? printable(decoded(reply.body, declared) ?? '', Number.POSITIVE_INFINITY) : ''
  const text = printable(hideSecrets(whole), MAX_EXCERPT).trim()
  const retryAfterMs = retryAfter(reply.headers.get('retry-after'), reply.headers.get('date'))
  const hint =
    retryAfterMs === undefined ? '' : ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} s before another try.`
  return new CodedError('TOOL_FAILED', `HTTP ${reply.status}${text === '' ? ' with no text' : `: ${text}`}${hint}`, {
    details: {
      status: reply.status,
      ...(text !== '' && { body: text }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  })
}

const MAX_RETRY_AFTER_S = 365 * 24 * 3_600

/** Seconds, or a date; the date is measured against the peer's own clock. */
function retryAfter(value: string | undefined, now: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Math.min(Number(value), MAX_RETRY_AFTER_S) * 1_000
  const wait = Date.parse(value) - Date.parse(now ?? '')
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), MAX_RETRY_AFTER_S * 1_000) : undefined
}

const SHOWN_HEADERS = ['content-length', 'content-type', 'etag', 'last-modified']

function shownHeaders(reply: HttpReply, hideSecrets: HideSecrets): JsonObject {
  return {
    status: reply.status,
    ...Object.fromEntries(
      SHOWN_HEADERS.flatMap((name) => {
        const value = reply.headers.get(name)
        return value === undefined ? [] : [[name, hideSecrets(value)] as const]
      }),
    ),
  }
}

/** Undefined for bytes that are not text in the charset they claim, or when nobody knows that charset. */
function decoded(body: Uint8Array, contentType: string): string | undefined {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}
