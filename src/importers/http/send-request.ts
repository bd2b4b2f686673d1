import { request as undiciRequest, type Dispatcher } from 'undici'
import { CodedError } from '../../data/failure.ts'
import { AddressRefused } from './guarded-agent.ts'
import type { HttpReply, HttpRequest } from './http-message.ts'
import { readBody } from './read-body.ts'

export interface SendLimits {
  readonly maxResponseBytes: number
  readonly signal: AbortSignal
}

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** What describes the message and not its sender: all that goes along to another origin. */
const KEPT_ELSEWHERE = new Set(['accept', 'accept-encoding', 'content-type', 'user-agent'])

/**
 * Sends a request and follows redirects by hand, as every step is a decision: http(s) only, never from https down to
 * http, no user names in URLs, at most five; the dispatcher checks every connected address. Outside the origin that the
 * request was made for, its headers (credentials, cookies, what the configuration adds) do not go along, nor do they
 * come back when a later step leads home.
 */
export async function sendRequest(first: HttpRequest, dispatcher: Dispatcher, limits: SendLimits): Promise<HttpReply> {
  let current = first
  for (let redirects = 0; ; redirects++) {
    checkUrl(current.url)
    const answer = await undiciRequest(current.url, {
      dispatcher,
      method: current.method as Dispatcher.HttpMethod, // Checked where the request was made.
      headers: Object.fromEntries(current.headers),
      ...(current.body !== undefined && { body: current.body }),
      signal: limits.signal,
    })
    const headers = firstValues(answer.headers)
    const location = headers.get('location')
    if (!REDIRECTS.has(answer.statusCode) || location === undefined) {
      const isBodiless = current.method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304
      const body = isBodiless
        ? (answer.body.destroy(), new Uint8Array())
        : await readBody(answer.body, headers, limits.maxResponseBytes)
      return { status: answer.statusCode, headers, body }
    }
    // The text of a redirect is of no use and may be long: its connection is given up instead.
    answer.body.on('error', () => {}).destroy()
    if (redirects === MAX_REDIRECTS) throw refused(`it redirects more than ${MAX_REDIRECTS} times`)
    current = redirected(current, answer.statusCode, location)
  }
}

/** What an error of a connection means to a caller, in a code of ours. Says nothing of addresses: they map an inside network. */
export function connectionFailure(thrown: unknown): CodedError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if (error instanceof CodedError) return error
    if (error instanceof AddressRefused) {
      return refused(
        `the host ${JSON.stringify(error.host.slice(0, 200))} is at an address that is not public (private, loopback, link-local or reserved). If it is meant to be reached, its owner lists it in "allowHosts"`,
      )
    }
    if (error instanceof AggregateError && error.errors.length > 0) return connectionFailure(error.errors[0])
  }
  return undefined
}

function redirected(from: HttpRequest, status: number, location: string): HttpRequest {
  if (!URL.canParse(location, from.url)) throw refused('it redirects to something that is no URL')
  const url = new URL(location, from.url)
  checkUrl(url)
  if (from.url.protocol === 'https:' && url.protocol === 'http:') {
    throw refused('it redirects from https down to http, where anybody on the way could read and change the answer')
  }
  // As browsers do: a form that was taken (303), and by custom a POST (301, 302), is followed by a look at the result.
  const becomesGet = (status === 303 && from.method !== 'HEAD') || (status < 303 && from.method === 'POST')
  const isSameOrigin = url.origin === from.url.origin
  const headers = new Map(
    [...from.headers].filter(
      ([name]) => (isSameOrigin || KEPT_ELSEWHERE.has(name)) && !(becomesGet && name === 'content-type'),
    ),
  )
  return {
    method: becomesGet ? 'GET' : from.method,
    url,
    headers,
    ...(!becomesGet && from.body !== undefined && { body: from.body }),
  }
}

function checkUrl(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`only http: and https: are spoken, and the URL says ${JSON.stringify(url.protocol.slice(0, 20))}`)
  }
  if (url.username !== '' || url.password !== '') throw refused('the URL holds a user name or a password')
}

function firstValues(headers: Readonly<Record<string, string | string[] | undefined>>): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const [first] = Array.isArray(value) ? value : [value]
    if (first !== undefined) values.set(name.toLowerCase(), first)
  }
  return values
}

function refused(why: string): CodedError {
  return new CodedError('TOOL_FAILED', `the request is refused: ${why}`, { details: { refused: true } })
}
