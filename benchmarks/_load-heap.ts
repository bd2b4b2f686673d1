/** The heap of another Node process, through its inspector. */
export interface Heap extends Disposable {
  /** What lives in it, in MB: garbage is collected first. */
  liveMb(): Promise<number>
}

export async function openHeap(url: string): Promise<Heap> {
  const socket = new WebSocket(url)
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  const fail = () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector has gone'))
    waiting.clear()
  }
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id === undefined) return
    waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  socket.addEventListener('close', fail)
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', () => reject(new Error('the inspector cannot be reached')), { once: true })
  })

  function send(method: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (socket.readyState !== WebSocket.OPEN) reject(new Error('the inspector has gone'))
    const id = ++lastId
    waiting.set(id, { resolve, reject })
    socket.send(JSON.stringify({ id, method }))
    return promise
  }

  return {
    async liveMb() {
      await send('HeapProfiler.collectGarbage')
      const { usedSize } = (await send('Runtime.getHeapUsage')) as { usedSize: number } // As the protocol has it.
      return usedSize / 2 ** 20
    },
    [Symbol.dispose]: () => socket.close(),
  }
}
