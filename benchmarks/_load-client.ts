import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

export interface LoadEvent {
  readonly id: number
  readonly event: string
  readonly data: Record<string, unknown>
}

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** What a client sends, again and again while the service says that it is too much. */
export interface Order {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const MAX_ATTEMPTS = 60

/** One tenant's client. */
export class LoadClient {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent: Agent
  /** Answers that said "later", and when. */
  refusals = 0

  constructor(url: string, secret: string, agent: Agent) {
    this.#url = url
    this.#headers = { authorization: `Bearer ${secret}` }
    this.#agent = agent
  }

  /** The first answer that is not declared backpressure. */
  async send(order: Order): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const { statusCode, headers, body } = await this.#request(order)
      const text = await body.text()
      if (statusCode !== 429 && statusCode !== 503)
        return { status: statusCode, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
      await this.#waitAsTold(statusCode, headers['retry-after'], attempt, order)
    }
  }

  /**
   * Follows a stream to the event that `isLast`, and leaves it after so many events to come back for the rest. Throws
   * when an event is lost, comes twice or out of order.
   */
  async follow(
    path: string,
    { leaveAfter, isLast }: { readonly leaveAfter: number; isLast(event: LoadEvent): boolean },
  ): Promise<readonly LoadEvent[]> {
    const events: LoadEvent[] = []
    for (let attempt = 0; ; attempt++) {
      const leaving = new AbortController()
      const headers = events.length === 0 ? {} : { 'last-event-id': String(events.length) }
      const order: Order = { method: 'GET', path, headers, signal: leaving.signal }
      const { statusCode, headers: told, body } = await this.#request(order)
      if (statusCode === 429 || statusCode === 503) {
        await body.dump()
        await this.#waitAsTold(statusCode, told['retry-after'], attempt, order)
        continue
      }
      if (statusCode !== 200) throw new Error(`GET ${path} after ${events.length} events: ${statusCode}`)
      const before = events.length
      try {
        for await (const event of readEvents(body)) {
          if (event.id !== events.length + 1)
            throw new Error(`${path}: event ${event.id} came where ${events.length + 1} is due`)
          events.push(event)
          if (isLast(event)) return events
          if (events.length - before >= leaveAfter) break
        }
      } finally {
        leaving.abort()
      }
      if (events.length === before) throw new Error(`${path} ended after ${events.length} events without its last one`)
    }
  }

  #request({ method, path, body, headers, signal }: Order) {
    return request(`${this.#url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
  }

  async #waitAsTold(status: number, retryAfter: unknown, attempt: number, order: Order): Promise<void> {
    const seconds = Number(retryAfter)
    if (!(seconds > 0)) throw new Error(`${order.method} ${order.path}: ${status} without Retry-After`)
    if (attempt >= MAX_ATTEMPTS) throw new Error(`${order.method} ${order.path}: ${status} to ${attempt} attempts`)
    this.refusals++
    await sleep(seconds * 1_000 * (0.8 + Math.random() * 0.4))
  }
}

async function* readEvents(body: AsyncIterable<unknown>): AsyncGenerator<LoadEvent, void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true }) // undici gives bytes.
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [id, event, data] = block.split('\n').map((line) => line.slice(line.indexOf(':') + 2))
      // A comment, or how long to wait before coming back.
      if (data === undefined || event === undefined) continue
      yield { id: Number(id), event, data: JSON.parse(data) as Record<string, unknown> }
    }
  }
}
