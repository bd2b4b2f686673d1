import type { GuardOptions } from './guard-request.ts'

const EXPOSED = 'location, retry-after, preference-applied'
const ALLOWED =
  'authorization, content-type, idempotency-key, last-event-id, prefer, mcp-session-id, mcp-protocol-version'

/** What a browser asks before a request of a page of an allowed origin; undefined for every other request. */
export function answerPreflight(request: Request, { allowedOrigins }: GuardOptions): Response | undefined {
  const origin = request.headers.get('origin')
  if (request.method !== 'OPTIONS' || origin === null || !allowedOrigins.has(origin)) return undefined
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '600',
    },
  })
}

/** Lets pages of the allowed origins, by name and no others, read the answer. */
export function withCors(given: Response, request: Request, { allowedOrigins }: GuardOptions): Response {
  // A handler of a mounted path may give one whose headers are sealed.
  const response = new Response(given.body, given)
  response.headers.set('x-content-type-options', 'nosniff')
  const origin = request.headers.get('origin')
  if (allowedOrigins.size > 0) response.headers.append('vary', 'origin')
  if (origin === null || !allowedOrigins.has(origin)) return response
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-expose-headers', EXPOSED)
  return response
}
