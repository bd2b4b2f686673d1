import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/data/json.ts'
import { httpToolSchema, type HttpToolEntry } from '../../../src/importers/http/http-tool-schema.ts'
import { httpTools } from '../../../src/importers/http/http-tools.ts'
import { recordExecution } from '../../support/execution.ts'
import { json, startPlainServer, type PlainServer } from '../../support/servers/plain-server.ts'

type Written = Partial<HttpToolEntry> & { readonly url: string }
const entry = (written: Written): HttpToolEntry =>
  httpToolSchema.parse({ name: 'shop.item', description: 'One item.', allowPrivate: true, ...written })

async function call(server: PlainServer, written: Written, args: JsonObject, env: Record<string, string> = {}) {
  await using made = httpTools([entry({ ...written, url: `${server.url}${written.url}` })], { env })
  const [tool] = made.tools
  if (tool === undefined) throw new Error(JSON.stringify(made.problems))
  const violations = tool.validateArguments === 'in-body' ? [] : tool.validateArguments(args)
  if (violations.length > 0) throw new Error(violations.map(({ message }) => message).join())
  return await tool.execute(args, recordExecution(tool.name))
}

test('placeholders are arguments, and what is left goes into the query of a GET', async () => {
  await using server = await startPlainServer(json({ ok: true }))
  const inputSchema = {
    type: 'object',
    properties: { id: { type: 'string' }, lang: { type: 'string' }, tags: { type: 'array' } },
  }
  const written = { url: '/items/{id}?lang={lang}&v=2', inputSchema }
  expect(await call(server, written, { id: 'a/b', lang: 'é', tags: ['x', 'y'] })).toEqual({ ok: true })
  await call(server, written, { id: '1' })
  expect(server.received.map(({ url }) => url)).toEqual(['/items/a%2Fb?v=2&lang=%C3%A9&tags=x&tags=y', '/items/1?v=2'])
})

test('what is left of a POST is its JSON body; one argument may be the body instead, in another form', async () => {
  await using server = await startPlainServer(json(1))
  const inputSchema = { type: 'object', properties: { id: {}, name: {}, fields: {} } }
  await call(server, { method: 'POST', url: '/items/{id}', inputSchema }, { id: 1, name: 'n' })
  await call(
    server,
    { method: 'PUT', url: '/items/{id}', inputSchema, body: { as: 'form', from: 'fields' } },
    { id: 1, fields: { a: 'b c' } },
  )
  await call(server, { method: 'POST', url: '/items/{id}', inputSchema }, { id: 1 })
  expect(server.received.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/items/1', '{"name":"n"}'],
    ['PUT', '/items/1', 'a=b%20c'],
    ['POST', '/items/1', ''],
  ])
})

test('variables come from the environment, and their values appear nowhere', async () => {
  await using server = await startPlainServer((request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(request.headers))
  })
  const written = {
    url: '/x',
    auth: { type: 'bearer', token: '${SHOP_TOKEN}' } as const,
    headers: { 'X-Session': 'sess-${SHOP_TOKEN}' },
  }
  const failure = await call(server, written, {}, { SHOP_TOKEN: 'tok-abcdef' }).catch((thrown: unknown) => thrown)
  expect(server.received[0]?.headers).toMatchObject({
    authorization: 'Bearer tok-abcdef',
    'x-session': 'sess-tok-abcdef',
  })
  expect(failure).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('[hidden]') as string })
  expect(JSON.stringify(failure)).not.toContain('abcdef')
})

test('only credentials are hidden: not what variables put into a path, a host or another header', async () => {
  await using server = await startPlainServer((request, response) => {
    const said = { url: request.url, headers: request.headers, org: 10042, items: ['items', 'admin'], dry: 'false' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  const env = { ORG: '10042', KIND: 'items', DRY: 'false', USER_NAME: 'admin', PASS: 'pass-abcdef', KEY: 'key-abcdef' }
  const written = {
    url: '/orgs/${ORG}/${KIND}?sort=${KIND}&api_key=${KEY}',
    headers: { 'X-Dry-Run': '${DRY}' },
    auth: { type: 'basic', username: '${USER_NAME}', password: '${PASS}' } as const,
    outputSchema: { type: 'object', properties: { org: { type: 'integer' } }, required: ['org'] },
  }
  const value = await call(server, written, {}, env)
  expect(value).toMatchObject({
    url: '/orgs/10042/items?sort=items&api_key=[hidden]',
    headers: { 'x-dry-run': 'false', authorization: 'Basic [hidden]' },
    org: 10042,
    items: ['items', 'admin'],
    dry: 'false',
  })
  const [tool] = httpTools([entry({ ...written, url: 'https://api.test/orgs/${ORG}/x' })], { env }).tools
  expect(tool?.presentCall?.({})).toMatchObject({ title: 'GET https://api.test/orgs/[hidden]/x' })
})

test.each([
  [{ username: '${KEY}', password: '' }],
  [{ username: '${KEY}', password: 'api_token' }],
  [{ username: 'key-abcdef', password: '' }],
])('a user name whose password is nobody’s secret is the credential: %j', async (pair) => {
  await using server = await startPlainServer(json({ echo: 'key-abcdef' }))
  const written = { url: '/', auth: { type: 'basic', ...pair } as const }
  expect(await call(server, written, {}, { KEY: 'key-abcdef' })).toEqual({ echo: '[hidden]' })
})

test('an argument cannot stand beside the configured key', async () => {
  await using server = await startPlainServer(json(1))
  const auth = { type: 'apiKey', in: 'query', name: 'api_key', value: 'ours-abc' } as const
  const written = { url: '/x', auth, inputSchema: { type: 'object', properties: { q: { type: 'string' } } } }
  await expect(call(server, written, { q: '1', api_key: 'theirs' })).rejects.toMatchObject({ code: 'INVALID_ARGS' })
  expect(server.received).toEqual([])
})

test.each([
  '*',
  '*.corp.test',
  'a.*',
  'host:99999',
  'host:0',
  'host:',
  '[::1',
  'a b',
  '10.0.0.0/8',
  'http://a',
  ':80',
  '1.2.3.999',
])('the host %j of allowHosts matches nothing, and is refused by the schema and by the importer', (host) => {
  const written = { url: 'https://api.test/', name: 'a.b', description: '' }
  const parsed = httpToolSchema.safeParse({ ...written, allowHosts: [host] })
  expect(parsed.error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining('exactly "name"')])
  expect(httpTools([{ ...entry(written), allowHosts: [host] }], { env: {} })).toMatchObject({
    tools: [],
    problems: [{ message: expect.stringContaining('matches nothing') as string }],
  })
})

test('without an input schema every placeholder is a required text', () => {
  const [tool] = httpTools([entry({ url: 'https://api.test/{a}?b={b}' })], { env: {} }).tools
  expect(tool?.parameters).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a', 'b'],
    additionalProperties: false,
  })
  expect(tool).toMatchObject({ namespace: 'shop', annotations: { readOnlyHint: true, openWorldHint: true } })
})

describe('an entry that cannot be is left out, says why without a value, and costs no other', () => {
  test.each<[string, Written, RegExp]>([
    [
      'a variable that is not set',
      { url: 'https://api.test/', auth: { type: 'bearer', token: '${NONE}' } },
      /"auth.token".*NONE is not set/,
    ],
    ['a placeholder in the host', { url: 'https://{host}.test/' }, /without placeholders/],
    ['a placeholder in the scheme', { url: '{scheme}://api.test/' }, /without placeholders/],
    ['another scheme', { url: 'file:///etc/passwd' }, /http: or https: URL|begin with/],
    ['a user name', { url: 'https://user:pass-word@api.test/' }, /use "auth"/],
    ['half a placeholder in the query', { url: 'https://api.test/?a=x{b}' }, /whole value/],
    [
      'a placeholder nobody declares',
      { url: 'https://api.test/{x}', inputSchema: { type: 'object' } },
      /\{x\} is no property/,
    ],
    [
      'a line end in a header',
      { url: 'https://api.test/', headers: { 'X-A': 'secret-1\r\nX-B: 2' } },
      /"X-A" holds a line end/,
    ],
    ['a header of the connection', { url: 'https://api.test/', headers: { Host: 'other.test' } }, /cannot be given/],
    [
      'an idempotency header that cannot be sent',
      { url: 'https://api.test/', idempotencyHeader: 'a b' },
      /"a b" is no name/,
    ],
    [
      'a parameter that auth fills in too',
      { url: 'https://api.test/?key={key}', auth: { type: 'apiKey', in: 'query', name: 'key', value: 'secret-1' } },
      /"key" is filled in by "auth"/,
    ],
    ['a name that no tool can have', { url: 'https://api.test/', name: 'two words' }, /name must consist/],
  ])('%s', (_what, written, message) => {
    const { tools, problems } = httpTools([entry(written), entry({ name: 'shop.good', url: 'https://api.test/' })], {
      env: {},
    })
    expect(tools.map(({ name }) => name)).toEqual(['shop.good'])
    expect(problems).toEqual([
      { server: written.name ?? 'shop.item', message: expect.stringMatching(message) as string, isLeftOut: true },
    ])
    expect(JSON.stringify(problems)).not.toMatch(/secret-1|pass-word/)
  })

  test('a name that is taken', () => {
    const { tools, problems } = httpTools([entry({ url: 'https://a.test/' }), entry({ url: 'https://b.test/' })], {
      env: {},
    })
    expect([tools.length, problems.length]).toEqual([1, 1])
  })
})
