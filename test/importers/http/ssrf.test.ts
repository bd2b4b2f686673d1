import { inspect } from 'node:util'
import { MockAgent } from 'undici'
import { expect, test } from 'vitest'
import { createHttpCaller, type HttpCallerOptions } from '../../../src/importers/http/http-caller.ts'
import { sendRequest } from '../../../src/importers/http/send-request.ts'
import { json, startPlainServer } from '../../support/servers/plain-server.ts'

async function send(url: string, options: HttpCallerOptions = {}, headers: readonly [string, string][] = []) {
  await using caller = createHttpCaller(options)
  return await caller.send({ method: 'GET', url: new URL(url), headers: new Map(headers) })
}

const REFUSED = { code: 'TOOL_FAILED', message: expect.stringContaining('refused') as string }

test.each([
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://0x7f.1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://[::1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://0.0.0.0:PORT/',
  'http://localhost:PORT/',
  'http://169.254.169.254/latest/meta-data/',
  'http://public.example@127.0.0.1:PORT/',
  'http://metadata.test:PORT/',
  'https://127.0.0.1:PORT/',
  'https://metadata.test:PORT/',
])('%s is refused before anything is sent', async (template) => {
  await using server = await startPlainServer(json({ secret: 1 }))
  const resolveHost = (host: string) =>
    Promise.resolve(host === 'localhost' ? ['127.0.0.1', '::1'] : ['169.254.169.254'])
  await expect(send(template.replace('PORT', String(server.port)), { resolveHost })).rejects.toMatchObject(REFUSED)
  expect(server.received).toEqual([])
})

test.each(['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:text/plain,x', 'ftp://example.test/'])(
  '%s is not spoken',
  async (url) => {
    await expect(send(url, { allowPrivate: true })).rejects.toMatchObject(REFUSED)
  },
)

test('a name with one private address among public ones is refused', async () => {
  await using server = await startPlainServer(json(1))
  const resolveHost = () => Promise.resolve(['8.8.8.8', '127.0.0.1'])
  await expect(send(`http://mixed.test:${server.port}/`, { resolveHost })).rejects.toMatchObject(REFUSED)
})

test('a name is resolved once for a connection, and that answer is the one connected to: a second answer gains nothing', async () => {
  await using server = await startPlainServer(json(1))
  const answers = [['203.0.113.9'], ['127.0.0.1']]
  let asked = 0
  const resolveHost = () => Promise.resolve(answers[asked++] ?? ['127.0.0.1'])
  await expect(send(`http://rebinding.test:${server.port}/`, { resolveHost })).rejects.toMatchObject(REFUSED)
  expect(asked).toBe(1)
  await expect(send(`http://rebinding.test:${server.port}/`, { resolveHost })).rejects.toMatchObject(REFUSED)
  expect([asked, server.received.length]).toEqual([2, 0])
})

test('the connection goes to the answer that was judged, though the name has another one by then', async () => {
  await using server = await startPlainServer(json(1))
  const answers = [['127.0.0.1'], ['203.0.113.9']]
  let asked = 0
  const options = { allowHosts: ['rebinding.test'], resolveHost: () => Promise.resolve(answers[asked++] ?? []) }
  expect((await send(`http://rebinding.test:${server.port}/`, options)).status).toBe(200)
  expect([asked, server.received.length]).toEqual([1, 1])
})

test('the message names the host and no address: the inside network is not mapped through errors', async () => {
  const resolveHost = () => Promise.resolve(['10.20.30.40'])
  const failure = await send('http://inside.test/', { resolveHost }).catch((thrown: unknown) => thrown as Error)
  expect(failure).toMatchObject({ message: expect.stringContaining('"inside.test"') as string })
  expect(inspect(failure)).not.toContain('10.20')
})

test.each([
  ['allowPrivate', { allowPrivate: true }],
  ['its name in allowHosts', { allowHosts: ['Inside.test'] }],
])('a private address is reached with %s', async (_how, options) => {
  await using server = await startPlainServer(json({ ok: true }))
  const resolveHost = () => Promise.resolve(['127.0.0.1'])
  expect((await send(`http://inside.test:${server.port}/`, { ...options, resolveHost })).status).toBe(200)
})

test('a host in allowHosts with a port is allowed at that port alone, and no other host is', async () => {
  await using server = await startPlainServer(json(1))
  const options = { allowHosts: [`inside.test:${server.port}`], resolveHost: () => Promise.resolve(['127.0.0.1']) }
  expect((await send(`http://inside.test:${server.port}/`, options)).status).toBe(200)
  await expect(send('http://inside.test:1/', options)).rejects.toMatchObject(REFUSED)
  await expect(send(`http://other.test:${server.port}/`, options)).rejects.toMatchObject(REFUSED)
})

test.each([
  'http://127.0.0.1:PORT/inside',
  'http://2130706433:PORT/',
  'http://169.254.169.254/',
  'file:///etc/passwd',
  'http://u:p@home.test:PORT/',
])('a redirect to %s is refused', async (target) => {
  await using server = await startPlainServer((_request, response) => {
    response.writeHead(302, { location: target.replace('PORT', String(server.port)) }).end()
  })
  const options = { allowHosts: ['home.test'], resolveHost: () => Promise.resolve(['127.0.0.1']) }
  await expect(send(`http://home.test:${server.port}/`, options)).rejects.toMatchObject(REFUSED)
  expect(server.received).toHaveLength(1)
})

test('an IPv6 host is listed with or without brackets', async () => {
  for (const listed of ['::1', '[::1]', '[::1]:9']) {
    await expect(send('http://[::1]:9/', { allowHosts: [listed] })).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    })
  }
})

test.each(['Home.Test', '127.1:9', '0x7f.0.0.1', 'BÜCHER.test', 'xn--bcher-kva.test:0009'])(
  'the host %j is listed in the form that connections have',
  async (listed) => {
    const options = { allowHosts: [listed], resolveHost: () => Promise.resolve(['127.0.0.1']) }
    const target = listed.includes('7') && !listed.includes('xn--') ? '127.0.0.1' : listed.replace(/:.*/, '')
    await expect(send(`http://${target}:9/`, options)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    await expect(send('http://10.0.0.1:9/', options)).rejects.toMatchObject(REFUSED)
  },
)

test('a redirect from https to http is refused', async () => {
  const from = { method: 'GET', url: new URL('https://api.test/'), headers: new Map<string, string>() }
  const agent = new MockAgent()
  agent.disableNetConnect()
  agent
    .get('https://api.test')
    .intercept({ path: '/' })
    .reply(302, '', { headers: { location: 'http://api.test/' } })
  const limits = { maxResponseBytes: 100, signal: new AbortController().signal }
  await expect(sendRequest(from, agent, limits)).rejects.toMatchObject({
    message: expect.stringContaining('down to http') as string,
  })
})

test('redirects end after five', async () => {
  await using server = await startPlainServer((request, response) => {
    response.writeHead(302, { location: `${request.url}x` }).end()
  })
  await expect(send(`${server.url}/`, { allowPrivate: true })).rejects.toMatchObject(REFUSED)
  expect(server.received).toHaveLength(6)
})

test('headers of the request stay at its own origin', async () => {
  await using other = await startPlainServer(json(1))
  await using server = await startPlainServer((request, response) => {
    const location = request.url === '/first' ? '/second' : `http://127.0.0.1:${other.port}/`
    response.writeHead(307, { location }).end()
  })
  const headers: [string, string][] = [
    ['authorization', 'Bearer secret-token'],
    ['cookie', 'a=b'],
    ['x-api-key', 'secret-key'],
    ['accept', 'application/json'],
  ]
  await send(`${server.url}/first`, { allowPrivate: true }, headers)
  expect(server.received[1]?.headers).toMatchObject({ authorization: 'Bearer secret-token', cookie: 'a=b' })
  const [arrived] = other.received
  expect(arrived?.headers.accept).toBe('application/json')
  expect(Object.keys(arrived?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']))
  expect(JSON.stringify(arrived)).not.toMatch(/secret|a=b/)
})
