import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/data/json.ts'
import { importOpenApi, openApiSourceSchema, type OpenApiSource } from '../../../src/importers/openapi.ts'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import { recordExecution } from '../../support/execution.ts'
import { json, startPlainServer, type Answer } from '../../support/servers/plain-server.ts'
import { openapi30, swagger2 } from './fixtures.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'openapi-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
function file(document: unknown): string {
  const name = path.join(folder, `${files++}.json`)
  writeFileSync(name, typeof document === 'string' ? document : JSON.stringify(document))
  return name
}

const source = (given: Partial<OpenApiSource>): OpenApiSource =>
  openApiSourceSchema.parse({ name: 'api', spec: 'none', allowPrivate: true, ...given })

const run = (tool: ToolDefinition | undefined, args: JsonObject, extra: object = {}) =>
  Promise.resolve(tool?.execute(args, { ...recordExecution('t'), ...extra }))

const one = (operation: object, pathName = '/things', method = 'get') => ({
  openapi: '3.1.0',
  paths: { [pathName]: { [method]: operation } },
})

describe('calls', () => {
  test('go where the document says, written as it says', async () => {
    await using server = await startPlainServer(json([{ id: 1, name: 'Rex' }]))
    await using api = await importOpenApi(source({ spec: file(swagger2), baseUrl: `${server.url}/v1` }), { env: {} })
    const tools = new Map(api.tools.map((tool) => [tool.name, tool]))
    expect(await run(tools.get('api.listPets'), { limit: 2, tags: ['a', 'b c'] })).toEqual([{ id: 1, name: 'Rex' }])
    await run(tools.get('api.createPet'), { body: { name: 'Rex' } })
    await run(tools.get('api.addPhoto'), { petId: '../1', body: { photo: { base64: 'aGk=', filename: 'r.png' } } })
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/pets?limit=2&tags=a%7Cb%20c',
      'POST /v1/pets',
      'POST /v1/pets/..%2F1/photo',
    ])
    expect(server.received[1]).toMatchObject({
      body: '{"name":"Rex"}',
      headers: { 'content-type': 'application/json' },
    })
    expect(server.received[2]?.body).toContain('filename="r.png"')
  })

  test('credentials go to the API’s own origin, and are in no tool, message or result', async () => {
    const echo: Answer = (request, response) =>
      void response
        .writeHead(request.url === '/bad' ? 400 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(request.headers))
    await using server = await startPlainServer(echo)
    await using other = await startPlainServer(echo)
    const document = {
      openapi: '3.1.0',
      servers: [{ url: server.url }],
      paths: {
        '/own': { get: { parameters: [{ name: 'X-Key', in: 'header', required: true, schema: {} }] } },
        '/bad': { get: {} },
        '/public': { get: { security: [] } },
        '/elsewhere': { get: { servers: [{ url: other.url }] } },
      },
    }
    const auth = { type: 'apiKey', in: 'header', name: 'X-Key', value: 'key-${KEY}' } as const
    await using api = await importOpenApi(source({ spec: file(document), auth, headers: { 'X-Team': 'blue' } }), {
      env: { KEY: 'abcdef' },
    })
    const [own, bad, open, elsewhere] = api.tools
    expect(own?.parameters['properties']).toEqual({})
    const results = [
      await run(own, {}),
      await run(bad, {}).catch((thrown: unknown) => thrown),
      await run(open, {}),
      await run(elsewhere, {}),
    ]
    expect(server.received.map(({ headers }) => headers['x-key'])).toEqual(['key-abcdef', 'key-abcdef', undefined])
    expect(other.received.map(({ headers }) => [headers['x-key'], headers['x-team']])).toEqual([[undefined, undefined]])
    expect(JSON.stringify([results, api])).not.toContain('abcdef')
    expect(results[0]).toMatchObject({ 'x-key': '[hidden]', 'x-team': 'blue' })
  })

  test('an answer that is not what the document says is a violation, or passed on when that is asked for', async () => {
    const document = one({
      responses: {
        200: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer', format: 'int64' } } },
            },
          },
        },
      },
    })
    for (const checkResponses of [true, false]) {
      await using api = await importOpenApi(
        source({ spec: file(document), baseUrl: 'https://api.test', checkResponses }),
        { env: {} },
      )
      const validate = api.tools[0]?.output.validate
      expect(validate?.({ id: 'x' })).toHaveLength(checkResponses ? 1 : 0)
      expect(validate?.({ id: '9007199254740993' })).toEqual([])
    }
  })

  test.each<[string, object, object | undefined]>([
    ['no content', { 201: { description: 'made' } }, undefined],
    ['no content in any', { 200: { description: 'ok' }, 204: { description: 'none' } }, undefined],
    ['empty content', { '2XX': { description: 'ok', content: {} } }, undefined],
    ['content beside none', { 200: { content: { 'application/json': { schema: {} } } }, 202: {} }, undefined],
    ['no body at all', { 204: { description: 'gone' } }, { type: 'null' }],
  ])('an answer described with %s never fails a call that took effect', async (_what, responses, schema) => {
    await using server = await startPlainServer(json({ id: 7 }, 201))
    for (const document of [
      one({ responses }, '/things', 'post'),
      { swagger: '2.0', info: {}, paths: { '/things': { post: { responses } } } },
    ]) {
      await using api = await importOpenApi(source({ spec: file(document), baseUrl: server.url }), { env: {} })
      const [tool] = api.tools
      const value = (await run(tool, {})) as Json // What a tool gives is JSON.
      expect([value, tool?.output.validate?.(value) ?? [], tool?.output.schema]).toEqual([{ id: 7 }, [], schema])
    }
  })

  test('a public operation keeps its own credential but not what the configuration sends everywhere', async () => {
    await using server = await startPlainServer(json(1))
    const parameters = ['X-Key', 'x-team'].map((name) => ({ name, in: 'header', required: true, schema: {} }))
    const auth = { type: 'apiKey', in: 'header', name: 'x-key', value: 'ours-abc' } as const
    const document = one({ parameters, security: [] })
    await using api = await importOpenApi(
      source({ spec: file(document), baseUrl: server.url, auth, headers: { 'X-Team': 'blue' } }),
      { env: {} },
    )
    expect(api.tools[0]?.parameters['required']).toEqual(['X-Key'])
    await run(api.tools[0], { 'X-Key': 'mine' })
    expect(server.received[0]?.headers).toMatchObject({ 'x-key': 'mine', 'x-team': 'blue' })
  })

  test('an API’s own kind of JSON is asked for by its name', async () => {
    await using server = await startPlainServer(json(1))
    const document = one({ responses: { 200: { content: { 'text/csv': {}, 'application/vnd.shop+json': {} } } } })
    await using api = await importOpenApi(source({ spec: file(document), baseUrl: server.url }), { env: {} })
    await run(api.tools[0], {})
    expect(server.received[0]?.headers.accept).toBe('application/vnd.shop+json, application/json;q=0.9, */*;q=0.5')
  })

  test('the key of a call that may be repeated goes along in the header that is named', async () => {
    await using server = await startPlainServer(json(1))
    const given = source({
      spec: file(one({}, '/pay', 'post')),
      baseUrl: server.url,
      idempotencyHeader: 'Idempotency-Key',
    })
    await using api = await importOpenApi(given, { env: {} })
    await run(api.tools[0], {}, { idempotencyKey: 'call-7' })
    await run(api.tools[0], {})
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['call-7', undefined])
  })

  test('the inside network is out of reach unless the source says otherwise', async () => {
    await using server = await startPlainServer(json(1))
    const { allowPrivate: _, ...guarded } = source({ spec: file(one({})), baseUrl: server.url })
    await using api = await importOpenApi(guarded, { env: {} })
    await expect(run(api.tools[0], {})).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('not public') as string,
    })
    await using listed = await importOpenApi({ ...guarded, allowHosts: ['127.0.0.1'] }, { env: {} })
    expect(await run(listed.tools[0], {})).toBe(1)
  })
})

describe('the document', () => {
  test('at a URL is fetched without credentials, and relative servers are relative to it', async () => {
    await using server = await startPlainServer((request, response) => {
      response.end(
        request.url === '/docs/api.json' ? JSON.stringify({ ...one({}), servers: [{ url: '../v3/' }] }) : '{}',
      )
    })
    const auth = { type: 'bearer', token: 'abcdef' } as const
    await using api = await importOpenApi(source({ spec: `${server.url}/docs/api.json`, auth }), { env: {} })
    await run(api.tools[0], {})
    expect(server.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/docs/api.json', undefined],
      ['/v3/things', 'Bearer abcdef'],
    ])
  })

  test('names its server with variables', async () => {
    await using api = await importOpenApi(source({ spec: file(openapi30), name: 'my books!' }), { env: {} })
    expect([api.problems, api.tools.map(({ name }) => name)]).toEqual([
      [],
      ['my_books_.books/search', 'my_books_.put_books_by_isbn', 'my_books_.books.remove'],
    ])
  })

  test.each<[string, Partial<OpenApiSource> | ((url: string) => Partial<OpenApiSource>), RegExp]>([
    ['a file that is not there', { spec: '/nowhere/api.yaml' }, /does not exist/],
    ['a text that is no description', () => ({ spec: file('hello: world') }), /must say "openapi"/],
    [
      'a relative server in a file',
      () => ({ spec: file({ ...one({}), servers: [{ url: '/v1' }] }) }),
      /relative URL.*"baseUrl"/,
    ],
    ['no server in a file', () => ({ spec: file(one({})) }), /"baseUrl"/],
    [
      'a server variable without a default',
      () => ({ spec: file({ ...one({}), servers: [{ url: 'https://{x}.test' }] }) }),
      /"x" has no default/,
    ],
    [
      'a server of another scheme',
      () => ({ spec: file({ ...one({}), servers: [{ url: 'file:///etc' }] }) }),
      /neither http: nor https:/,
    ],
    ['a base with a password', () => ({ spec: file(one({})), baseUrl: 'https://u:pass-word@api.test' }), /use "auth"/],
    ['a variable that is not set', { spec: '${SPEC_PATH}' }, /SPEC_PATH is not set/],
    ['a document that is not found', (url) => ({ spec: `${url}/404` }), /HTTP 404/],
    ['a document on the inside network', (url) => ({ spec: `${url}/doc`, allowPrivate: false }), /not public/],
    ['a header that cannot be sent', { headers: { 'X-A': 'a\nb' } }, /line end/],
  ])('%s leaves the source out with one problem', async (_what, given, message) => {
    await using server = await startPlainServer((_request, response) => void response.writeHead(404).end())
    await using api = await importOpenApi(source(typeof given === 'function' ? given(server.url) : given), { env: {} })
    expect(api.tools).toEqual([])
    expect(api.problems).toEqual([
      { server: 'api', message: expect.stringMatching(message) as string, isLeftOut: true },
    ])
    expect(JSON.stringify(api.problems)).not.toContain('pass-word')
  })

  test('an entry with a misspelt field is no entry', () => {
    expect(openApiSourceSchema.safeParse({ name: 'a', spec: 'b', baseURL: 'c' }).success).toBe(false)
    expect(openApiSourceSchema.safeParse({ name: 'a', spec: 'b', allowHosts: ['http://c'] }).success).toBe(false)
  })
})
