import type { JsonObject } from '../../data/json.ts'
import { parseArguments } from '../../data/parse-json.ts'
import { Problem } from './problems.ts'

export interface BodyLimits {
  readonly maxBytes: number
  readonly maxDepth: number
}

const EMPTY = new Uint8Array()

/**
 * The body as bytes, never more than the limit in memory: refused by its declared length before anything is read, and
 * by what came as soon as that is too much. Throws `Problem`.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes)
  // Bodies are read as they come: a compressed one would be small only until it is looked at.
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== '') {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'send the body without Content-Encoding', { headers: CLOSE })
  }
  if (request.body === null) return EMPTY
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body) {
      length += chunk.byteLength
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (thrown) {
    if (thrown instanceof Problem) throw thrown
    throw new Problem('BAD_REQUEST', 'the body ended before it was whole', { headers: CLOSE })
  }
  return Buffer.concat(chunks, length)
}

/** One JSON object, strictly: UTF-8, no duplicate keys, no deeper than the limit. Throws `Problem`. */
export async function readJson(request: Request, limits: BodyLimits): Promise<JsonObject> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  // A form or a text may be posted by any page without asking; JSON may not.
  if (type !== 'application/json') {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'send a JSON body with "Content-Type: application/json"', {
      headers: CLOSE,
    })
  }
  const bytes = await readBytes(request, limits.maxBytes)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Problem('BAD_REQUEST', 'the body is not UTF-8')
  }
  const parsed = parseArguments(text, { maxBytes: limits.maxBytes, maxDepth: limits.maxDepth })
  if (!parsed.ok) throw new Problem('BAD_REQUEST', parsed.message.replace(/^the arguments(?: are\b)?/, inSingular))
  return parsed.value
}

/** The sentences are about the arguments of a call. */
function inSingular(subject: string): string {
  return subject.endsWith(' are') ? 'the body is' : 'the body'
}

function tooLarge(maxBytes: number): Problem {
  return new Problem('BODY_TOO_LARGE', `the body is larger than ${maxBytes} bytes (server.maxBodyBytes)`, {
    headers: CLOSE,
  })
}

/** Whoever sends what is not read must not be listened to any longer. */
const CLOSE = { connection: 'close' }
