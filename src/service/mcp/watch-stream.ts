/**
 * The same answer, watched: `onEnd` is called once, when its body has been read to the end, `isCut` when the client left
 * before. Protocols that stream their answers learn from it that nobody listens any more.
 */
export function watchStream(response: Response, onEnd: (isCut: boolean) => void): Response {
  const { body } = response
  if (body === null) {
    onEnd(false)
    return response
  }
  const reader = body.getReader()
  let hasEnded = false
  const end = (isCut: boolean) => {
    if (!hasEnded) onEnd(isCut)
    hasEnded = true
  }
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        end(false)
        controller.close()
      } catch (fault) {
        end(true)
        controller.error(fault)
      }
    },
    async cancel(reason) {
      end(true)
      await reader.cancel(reason)
    },
  })
  return new Response(watched, { status: response.status, headers: response.headers })
}
