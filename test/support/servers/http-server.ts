/** An MCP server over Streamable HTTP on loopback, inside the test process. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

export interface HttpServer extends AsyncDisposable {
  readonly url: string
  /** `authorization` header of each request that arrived. */
  readonly authorizations: readonly (string | undefined)[]
  /** Cuts every open response, as a server that dies does. */
  cutConnections(): void
}

/** `legacy: 'reject'` makes a server that speaks only the revision without a handshake. */
export async function startHttpServer(
  options: { readonly legacy?: 'stateless' | 'reject'; readonly status?: number } = {},
): Promise<HttpServer> {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'loopback', version: '1.0.0' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({
        tools: [
          {
            name: 'add',
            inputSchema: { type: 'object' as const, properties: { a: { type: 'number' }, b: { type: 'number' } } },
          },
          { name: 'hang', inputSchema: { type: 'object' as const } },
        ],
      }))
      server.setRequestHandler('tools/call', async (request, ctx) => {
        if (request.params.name === 'hang') {
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: ctx.mcpReq._meta?.progressToken ?? 0, progress: 1 },
          })
          await new Promise((_, reject) =>
            ctx.mcpReq.signal.addEventListener('abort', () => reject(new Error('cancelled'))),
          )
        }
        const { a, b } = request.params.arguments as { a: number; b: number } // The test calls it so.
        return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }
      })
      return server
    },
    { ...(options.legacy !== undefined && { legacy: options.legacy }) },
  )
  const authorizations: (string | undefined)[] = []
  const http = createServer((request, response) => {
    authorizations.push(request.headers.authorization)
    if (options.status !== undefined) return void response.writeHead(options.status).end('no')
    void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const reply = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? 'GET',
        headers: request.headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
    )
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    if (reply.body === null) response.end()
    else
      Readable.fromWeb(reply.body as ReadableStream)
        .on('error', () => response.destroy())
        .pipe(response)
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    authorizations,
    cutConnections: () => http.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      await handler.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
