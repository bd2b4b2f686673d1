import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface SlowReaderLimits {
  /** An answer of which nothing leaves for so long is ended, with its connection. */
  readonly stallMs: number
  /** Bytes of answers that nobody has read yet, of all connections together. Beyond it the slow ones are ended. */
  readonly maxUnreadBytes: number
}

interface Answering {
  readonly response: ServerResponse
  /** When it was looked at last. */
  unread: number
}

const LOOK_MS = 250
/** What leaves between two looks when somebody reads: 256 kB a second. */
const FAST_BYTES = 64 * 1024

/**
 * Whoever asks for much and reads nothing has it kept here: an answer waits in this process until it has left. Event
 * streams are no different, though of them only one event waits. Ends such clients: each one by time, and when all of
 * them together hold too much, those that read slowest, largest first.
 */
export function endSlowReaders(
  server: Server,
  limits: SlowReaderLimits,
  onEnd: (unreadBytes: number) => void,
): Disposable {
  const answeringBySocket = new Map<Socket, Answering>()

  function end(socket: Socket): void {
    const { response } = answeringBySocket.get(socket) ?? {}
    if (response !== undefined) onEnd(response.writableLength)
    answeringBySocket.delete(socket)
    socket.destroy()
  }

  server.on('request', ({ socket }, response: ServerResponse) => {
    const answering = { response, unread: 0 }
    answeringBySocket.set(socket, answering)
    response.once('close', () => {
      // Of requests sent one behind the other the next one's answer may have begun.
      if (answeringBySocket.get(socket) === answering) answeringBySocket.delete(socket)
    })
  })
  // Node counts what leaves as activity. Without a listener it would end those as well who wait for a long run.
  server.setTimeout(limits.stallMs, (socket) => {
    const response = answeringBySocket.get(socket)?.response
    if (response === undefined || response.writableLength > 0) end(socket)
  })
  const looking = setInterval(() => {
    let total = 0
    const slow: { readonly socket: Socket; readonly unread: number }[] = []
    for (const [socket, answering] of answeringBySocket) {
      const unread = answering.response.writableLength
      if (unread > 0 && answering.unread - unread < FAST_BYTES && answering.unread > 0) slow.push({ socket, unread })
      answering.unread = unread
      total += unread
    }
    if (total <= limits.maxUnreadBytes) return
    for (const { socket, unread } of slow.toSorted((a, b) => b.unread - a.unread)) {
      if (total <= limits.maxUnreadBytes) return
      total -= unread
      end(socket)
    }
  }, LOOK_MS)
  looking.unref()
  return { [Symbol.dispose]: () => clearInterval(looking) }
}
