import { CodedError } from '../../data/failure.ts'
import { printableLine } from '../printable.ts'
import type { GuardOptions } from './guarded-agent.ts'
import type { HttpReply, HttpRequest } from './http-message.ts'
import { ACCEPTED_CODINGS } from './read-body.ts'
import { createSecretHider, type HideSecrets } from './secrets.ts'
import type { connectionFailure } from './send-request.ts'

export interface HttpCallerOptions extends GuardOptions {
  /** Over everything: connecting, redirects, the last byte. Default 60,000. */
  readonly timeoutMs?: number
  /** Of a decompressed answer. Default 10 MiB. */
  readonly maxResponseBytes?: number
  /** Values that must appear in no message and no result. */
  readonly secrets?: Iterable<string>
  /** Values that must appear in no message about this API, while its answers may hold them: what variables put into URLs. */
  readonly unprinted?: Iterable<string>
}

/** One API's way out. Disposing closes its idle connections and waits for the busy ones. */
export interface HttpCaller extends AsyncDisposable {
  /** Answers of any status; throws a `CodedError` when there is none that can be read. */
  send(request: HttpRequest, signal?: AbortSignal): Promise<HttpReply>
  /** For what an API says. */
  readonly hideSecrets: HideSecrets
  /** For what is said about it. */
  readonly hideInMessages: HideSecrets
}

export const DEFAULT_TIMEOUT_MS = 60_000
export const DEFAULT_MAX_RESPONSE_BYTES = 10 * 1024 * 1024

/** HTTP for tools: guarded against being led inside (see `guarded-agent.ts`), bounded in time and size, silent about secrets. */
export function createHttpCaller(options: HttpCallerOptions = {}): HttpCaller {
  let opening: ReturnType<typeof openWay> | undefined
  const secrets = [...(options.secrets ?? [])]
  const hideInMessages = createSecretHider([...secrets, ...(options.unprinted ?? [])])
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const maxResponseBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES

  return {
    hideSecrets: createSecretHider(secrets),
    hideInMessages,
    async send(request, signal) {
      signal?.throwIfAborted()
      const timeout = AbortSignal.timeout(timeoutMs)
      const headers = new Map(request.headers)
      headers.set('accept-encoding', ACCEPTED_CODINGS)
      if (!headers.has('user-agent')) headers.set('user-agent', 'codeferry')
      const way = await (opening ??= openWay(options))
      try {
        const limits = { maxResponseBytes, signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) }
        return await way.sendRequest({ ...request, headers }, way.agent, limits)
      } catch (thrown) {
        // The caller's own abort comes back as itself: the pipeline tells it from a failure by its identity.
        if (signal?.aborted === true) throw signal.reason
        if (timeout.aborted) {
          throw new CodedError(
            'TOOL_TIMEOUT',
            `no whole answer came within ${timeoutMs} ms; whether the request took effect is not known`,
          )
        }
        throw asFailure(thrown, way.connectionFailure, request.url, hideInMessages)
      }
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.agent.close()
    },
  }
}

/** The HTTP client is loaded with the first request: most processes that import this make none. */
async function openWay(options: GuardOptions) {
  const [{ createGuardedAgent }, { sendRequest, connectionFailure }] = await Promise.all([
    import('./guarded-agent.ts'),
    import('./send-request.ts'),
  ])
  return { agent: createGuardedAgent(options), sendRequest, connectionFailure }
}

function asFailure(
  thrown: unknown,
  failureOf: typeof connectionFailure,
  url: URL,
  hideSecrets: HideSecrets,
): CodedError {
  const known = failureOf(thrown)
  if (known !== undefined) {
    return new CodedError(
      known.code,
      hideSecrets(known.message),
      known.details === undefined ? {} : { details: known.details },
    )
  }
  const code = codeOf(thrown)
  const words = code === undefined ? undefined : CONNECTION_ERRORS.get(code)
  const what = words ?? `the connection failed${code === undefined ? '' : ` (${code})`}`
  return new CodedError('UPSTREAM_UNAVAILABLE', hideSecrets(`${printableLine(url.host, 200)}: ${what}`))
}

/** Words instead of the system's text, which holds addresses. */
const CONNECTION_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'there is no host of that name'],
  ['EAI_AGAIN', 'the name of the host cannot be resolved now'],
  ['ECONNREFUSED', 'nothing answers at that port'],
  ['ECONNRESET', 'the connection was cut; whether the request took effect is not known'],
  ['UND_ERR_SOCKET', 'the connection was cut; whether the request took effect is not known'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the host does not answer'],
  ['UND_ERR_HEADERS_OVERFLOW', 'the headers of its answer are too large'],
])

function codeOf(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    const { code } = error as { code?: unknown } // Errors of Node and undici have one.
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,60}$/.test(code)) return code
  }
  return undefined
}
