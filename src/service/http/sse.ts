export interface SseLine {
  readonly id: number
  readonly event: string
  readonly data: unknown
}

export interface SseOptions {
  readonly request: Request
  /** Aborted when the client has gone, or the service goes. */
  readonly signal: AbortSignal
  /** A comment is sent when nothing else is for so long, that nobody on the way takes the connection for dead. */
  readonly heartbeatMs: number
  /** Runs once, when the stream is over for whatever reason. */
  readonly onEnd: () => void
}

/**
 * Server-sent events. Lines are taken as fast as the client reads and no faster: a slow client costs no memory here,
 * for what it has not read yet stays where it is kept anyway.
 */
export function sseResponse(
  lines: (signal: AbortSignal) => AsyncGenerator<SseLine, void>,
  options: SseOptions,
): Response {
  const stop = new AbortController()
  const encoder = new TextEncoder()
  const source = lines(stop.signal)
  let next: Promise<IteratorResult<SseLine, void>> | undefined
  let isOver = false

  function end(): void {
    if (isOver) return
    isOver = true
    options.signal.removeEventListener('abort', end)
    stop.abort()
    options.onEnd()
  }

  // Not by the stream alone: one that nobody reads any more is never asked for more, and would never end.
  options.signal.addEventListener('abort', end, { once: true })
  if (options.signal.aborted || options.request.method === 'HEAD') end()
  if (options.request.method === 'HEAD') return new Response(null, { headers: HEADERS })

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // At once, so that the client knows the stream is open.
      controller.enqueue(encoder.encode('retry: 1000\n\n'))
    },
    async pull(controller) {
      try {
        next ??= source.next()
        const got = await withHeartbeat(next, options.heartbeatMs)
        if (got === 'heartbeat') return controller.enqueue(encoder.encode(': \n\n'))
        next = undefined
        // What was taken before the end is not for who may not listen any more.
        if (got.done === true || isOver) {
          end()
          return controller.close()
        }
        controller.enqueue(encoder.encode(textOf(got.value)))
      } catch {
        // What is kept could not be read (the store has gone). The client comes back and is told so.
        end()
        controller.close()
      }
    },
    cancel: end,
  })
  return new Response(body, { headers: HEADERS })
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

/** JSON has no raw line ends, so that a line of data is one line whatever a program printed. */
function textOf({ id, event, data }: SseLine): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The last line that a client has, 0 when it has none or says nonsense. */
export function lastEventId(request: Request): number {
  const id = Number(request.headers.get('last-event-id') ?? 0)
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

async function withHeartbeat<T>(next: Promise<T>, ms: number): Promise<T | 'heartbeat'> {
  const { promise, resolve } = Promise.withResolvers<'heartbeat'>()
  const timer = setTimeout(resolve, ms, 'heartbeat')
  try {
    return await Promise.race([next, promise])
  } finally {
    clearTimeout(timer)
  }
}
