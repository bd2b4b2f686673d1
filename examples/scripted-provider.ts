/** An HTTP server on loopback in the place of a provider: it answers with a script, and remembers what it was asked. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ScriptedProvider extends AsyncDisposable {
  readonly url: string
  /** Bodies of the requests, in order. */
  readonly requests: readonly Readonly<Record<string, unknown>>[]
}

export async function startScriptedProvider(answers: readonly object[]): Promise<ScriptedProvider> {
  const requests: Readonly<Record<string, unknown>>[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const answer = answers[requests.length]
      requests.push(JSON.parse(text) as Record<string, unknown>) // The clients of providers send objects.
      response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { error: { type: 'script_over', message: 'the script is over' } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // Of a TCP server.
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
