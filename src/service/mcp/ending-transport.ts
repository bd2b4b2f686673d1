import {
  WebStandardStreamableHTTPServerTransport,
  type HandleRequestOptions,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { isRecord } from '../../data/json.ts'
import { rpcRefusal } from './rpc-refusal.ts'

/**
 * The transport of one session. A request that was cancelled gets no answer, and the SDK keeps the stream of a POST
 * open until each of its requests has one: here that stream ends. Else every call that a client gave up would hold a
 * connection for as long as the session lives.
 */
export class EndingTransport extends WebStandardStreamableHTTPServerTransport {
  /** Neither answered nor cancelled; each with those of its POST that are so too. */
  readonly #openById = new Map<RequestId, Set<RequestId>>()
  /** Of late: that one of them is cancelled now means nothing. */
  readonly #endedIds = new Set<RequestId>()
  /** Cancelled before they came: each POST has a connection of its own, and one may overtake another. */
  readonly #cancelledIds = new Set<RequestId>()

  override async handleRequest(request: Request, options?: HandleRequestOptions): Promise<Response> {
    const messages = messagesOf(options?.parsedBody)
    const ids = messages.flatMap(requestIdOf)
    const reused = ids.find((id) => this.#openById.has(id))
    // The answer of the one would go to the other, and one stream would wait for ever.
    if (reused !== undefined)
      return rpcRefusal(409, -32_600, `the id ${JSON.stringify(reused).slice(0, 100)} is that of a request under way`)
    const open = new Set(ids)
    for (const id of ids) this.#openById.set(id, open)
    const response = await super.handleRequest(request, options)
    if (!response.ok) for (const id of ids) this.#openById.delete(id)
    else {
      for (const id of messages.flatMap(cancelledIdOf)) await this.#end(id)
      for (const id of ids) {
        if (!this.#cancelledIds.delete(id)) continue
        this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        await this.#end(id)
      }
    }
    return response
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message) && message.id !== undefined) {
      const open = this.#openById.get(message.id)
      // It was cancelled, and its stream has ended.
      if (open === undefined) return
      this.#forget(message.id, open)
    }
    await super.send(message, options)
  }

  async #end(id: RequestId): Promise<void> {
    const open = this.#openById.get(id)
    if (open === undefined) {
      if (!this.#endedIds.has(id)) remember(this.#cancelledIds, id)
      return
    }
    this.#forget(id, open)
    if (open.size === 0) this.closeSSEStream(id)
    // Read by nobody, but in a batch whose other requests go on: it is how the SDK forgets a request.
    await super.send({ jsonrpc: '2.0', id, error: { code: REQUEST_CANCELLED, message: 'the request was cancelled' } })
  }

  #forget(id: RequestId, open: Set<RequestId>): void {
    open.delete(id)
    this.#openById.delete(id)
    remember(this.#endedIds, id)
  }
}

const REQUEST_CANCELLED = -32_800
const MAX_REMEMBERED = 512

/** The oldest goes when there are many: what a client can make us remember is bounded. */
function remember(ids: Set<RequestId>, id: RequestId): void {
  if (typeof id === 'string' && id.length > MAX_ID) return
  ids.delete(id)
  ids.add(id)
  for (const oldest of ids) {
    if (ids.size <= MAX_REMEMBERED) break
    ids.delete(oldest)
  }
}
const MAX_ID = 200

/** Of a body that has been read; what is no message is refused by the SDK. */
export function messagesOf(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (Array.isArray(body) ? body : [body]).filter(isRecord)
}

export function requestIdOf(message: Readonly<Record<string, unknown>>): readonly RequestId[] {
  return 'method' in message && isId(message.id) ? [message.id] : []
}

function cancelledIdOf({ method, id, params }: Readonly<Record<string, unknown>>): readonly RequestId[] {
  if (method !== 'notifications/cancelled' || id !== undefined || !isRecord(params)) return []
  return isId(params.requestId) ? [params.requestId] : []
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number'
}
