import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

export interface MetaServer extends AsyncDisposable {
  readonly url: string
  /** The `_meta` of each call, in order. */
  readonly metas: readonly Readonly<Record<string, unknown>>[]
}

/** An MCP server with one tool, that remembers what came with the calls besides their arguments. */
export async function startMetaServer(): Promise<MetaServer> {
  const metas: Readonly<Record<string, unknown>>[] = []
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'meta', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'note', inputSchema: { type: 'object' as const } }],
    }))
    server.setRequestHandler('tools/call', (_request, ctx) => {
      metas.push({ ...ctx.mcpReq._meta })
      return { content: [{ type: 'text', text: 'noted' }] }
    })
    return server
  })
  const server = createServer((request, response) => {
    void toRequest(request)
      .then((web) => handler.fetch(web))
      .then(async (reply) => {
        response.writeHead(reply.status, Object.fromEntries(reply.headers))
        response.end(Buffer.from(await reply.arrayBuffer()))
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // Of a TCP server.
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    metas,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new Request(`http://127.0.0.1${request.url}`, {
    method: request.method ?? 'GET',
    headers: request.headers as Record<string, string>, // None of them is sent twice here.
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
}
