import { isJsonContentType } from '@modelcontextprotocol/server'
import { scanJson } from '../../data/json-scan.ts'
import { rpcRefusal } from './rpc-refusal.ts'

/** One message, or the batch that the oldest revisions allow. */
export type ReadMessages =
  { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly refusal: Response }

const MAX_DEPTH = 200
/** Each message of a batch is work of its own: a body within its limit could hold a hundred thousand. */
const MAX_BATCH = 32

/** The body of a POST, strictly: JSON by its type, UTF-8, no duplicate keys, neither deep nor many. */
export async function readMessages(request: Request): Promise<ReadMessages> {
  if (!isJsonContentType(request.headers.get('content-type')))
    return refuse(415, PARSE_ERROR, 'send JSON with "Content-Type: application/json"')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await request.arrayBuffer())
  } catch {
    return refuse(400, PARSE_ERROR, 'the body is not UTF-8')
  }
  const scan = scanJson(text, MAX_DEPTH)
  if (!scan.ok) return refuse(400, PARSE_ERROR, `the body is not JSON this service takes: ${scan.message}`)
  const body: unknown = JSON.parse(text)
  if (Array.isArray(body) && (body.length === 0 || body.length > MAX_BATCH))
    return refuse(400, INVALID_REQUEST, `a batch has 1 to ${MAX_BATCH} messages; found ${body.length}`)
  return { ok: true, body }
}

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600

function refuse(status: number, code: number, message: string): ReadMessages {
  return { ok: false, refusal: rpcRefusal(status, code, message) }
}
