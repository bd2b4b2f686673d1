/**
 * An API that is described by OpenAPI, as tools of programs: a small shop on loopback, its description, one program that
 * reads, writes and makes a mistake. Run: `node examples/openapi-import.ts`.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, importOpenApi } from '../src/index.ts'

const DESCRIPTION = `
openapi: 3.0.3
info: { title: Shop, version: "1" }
components:
  schemas:
    Item:
      type: object
      required: [id, name, cents]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string }
        cents: { type: integer, minimum: 0 }
        note: { type: string, nullable: true }
paths:
  /items:
    get:
      operationId: listItems
      summary: Items, cheapest first.
      parameters:
        - { name: maxCents, in: query, schema: { type: integer } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } } }
    post:
      operationId: addItem
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
      responses:
        "201": { description: made, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
  /items/{id}:
    get:
      operationId: getItem
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
`

const PROGRAM = `
const before = await tools.shop.listItems({ maxCents: 500 })
const added = await tools.shop.addItem({ body: { name: 'pencil', cents: 120 } })
const missing = await tools.shop.getItem({ id: 404 }).catch((error) => error.message)
return { before: before.map((item) => item.name), added, missing }
`

/** Runs the example; gives what the program returned. */
export async function main(): Promise<unknown> {
  await using shop = await startShop()
  const folder = mkdtempSync(join(tmpdir(), 'codeferry-openapi-'))
  try {
    writeFileSync(join(folder, 'shop.yaml'), DESCRIPTION)
    await using api = await importOpenApi(
      {
        name: 'shop',
        spec: join(folder, 'shop.yaml'),
        baseUrl: shop.url,
        auth: { type: 'bearer', token: '${SHOP_TOKEN}' },
        // The shop is on this machine: without this line no call would reach it.
        allowHosts: ['127.0.0.1'],
      },
      { env: { SHOP_TOKEN: 'example-token' } },
    )
    for (const { message } of api.problems) console.error(message)
    await using engine = await createEngine({ tools: api.tools })
    const { outcome, value } = await engine.run(PROGRAM)
    return outcome.isError ? outcome.error : value?.result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startShop(): Promise<AsyncDisposable & { readonly url: string }> {
  const items = [
    { id: 1, name: 'eraser', cents: 90, note: null },
    { id: 2, name: 'notebook', cents: 450, note: 'ruled' },
  ]
  const server = createServer((request, response) => {
    const answer = (status: number, value: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.headers.authorization !== 'Bearer example-token') return answer(401, { error: 'who are you?' })
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop.test')
    if (request.method === 'POST') {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => answer(201, { id: 3, ...(JSON.parse(text) as object) }))
      return
    }
    const max = Number(searchParams.get('maxCents') ?? Number.POSITIVE_INFINITY)
    if (pathname === '/items')
      return answer(
        200,
        items.filter(({ cents }) => cents <= max),
      )
    const found = items.find(({ id }) => pathname === `/items/${id}`)
    return found === undefined ? answer(404, { error: 'no such item' }) : answer(200, found)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // Of a TCP server.
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

if (import.meta.main) console.log(JSON.stringify(await main(), null, 2))
