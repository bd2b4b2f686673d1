import { createConnection } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ALICE, ALICE_BOSS, BOB, json, startRig, type Rig, eventually } from './rig.ts'

/** The attack list of servers (W in the threat model), each on a real socket. */

interface RawAnswer {
  readonly text: string
  readonly status: number
  /** Whether the server has closed the connection. */
  readonly isClosed: boolean
}

/** Bytes as an attacker writes them; resolves when the server closes, or after `waitMs` when it does not. */
function raw(
  rig: Rig,
  parts: readonly (string | Buffer)[],
  options: { readonly waitMs?: number } = {},
): Promise<RawAnswer> {
  const { port } = new URL(rig.url)
  const socket = createConnection({ port: Number(port), host: '127.0.0.1' })
  let text = ''
  return new Promise((resolve) => {
    const done = (isClosed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ text, status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), isClosed })
    }
    const timer = setTimeout(() => done(false), options.waitMs ?? 15_000)
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', () => {})
    socket.on('close', () => done(true))
    for (const part of parts) socket.write(part)
  })
}
const head = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`
const AUTH = `Authorization: Bearer ${ALICE}`

test('W01: without a token, with a wrong one, or with one in the URL the answer is 401, and no log holds a token', async () => {
  await using rig = await startRig()
  const get = async (headers: Record<string, string>, path = '/v1/tools') =>
    await fetch(`${rig.url}${path}`, { headers })
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${ALICE}`,
    `Bearer ${ALICE}x`,
    `Bearer ${ALICE.slice(0, -1)}`,
    `${ALICE}`,
  ]) {
    const response = await get(authorization === '' ? {} : { authorization })
    expect([authorization, response.status]).toEqual([authorization, 401])
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    expect(await json(response, 401)).toMatchObject({ code: 'UNAUTHENTICATED' })
  }
  for (const name of ['token', 'access_token', 'API_KEY'])
    expect((await get({ authorization: `Bearer ${ALICE}` }, `/v1/tools?${name}=${ALICE}`)).status).toBe(401)
  expect((await get({}, '/v1/nothing')).status).toBe(401)
  expect((await get({}, '/metrics')).status).toBe(401)
  expect((await get({}, '/healthz')).status).toBe(200)
  expect((await get({}, '/readyz')).status).toBe(200)
  expect((await get({ authorization: `Bearer ${ALICE}` })).status).toBe(200)
  expect(JSON.stringify(rig.logged())).not.toContain('secret')
  expect(rig.logged().length).toBeGreaterThan(10)
})

test('W02: another name in Host is refused, whatever the token', async () => {
  await using rig = await startRig()
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:80',
    '127.0.0.2',
    'evil.example:80',
  ]) {
    const { status, text } = await raw(rig, [
      head(['GET /v1/tools HTTP/1.1', `Host: ${host}`, AUTH, 'Connection: close']),
    ])
    expect([host, status]).toEqual([host, 403])
    expect(text).toContain('FORBIDDEN')
  }
  for (const host of ['localhost', 'LOCALHOST:80', '127.0.0.1:1234', '[::1]:80']) {
    const { status } = await raw(rig, [head(['GET /healthz HTTP/1.1', `Host: ${host}`, 'Connection: close'])])
    expect([host, status]).toEqual([host, 200])
  }
  const none = await raw(rig, [head(['GET /healthz HTTP/1.1', 'Connection: close'])])
  expect(none.status).toBe(400)
})

test('W03: requests of other origins and bodies that a page may post without asking are refused', async () => {
  await using rig = await startRig({ settings: { allowedOrigins: ['https://app.example'] } })
  const post = (headers: Record<string, string>, body = '{"query":"x"}') =>
    fetch(`${rig.url}/v1/tools/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ALICE}`, 'content-type': 'application/json', ...headers },
      body,
    })
  for (const origin of ['null', 'https://evil.example', 'http://127.0.0.1:1', 'https://app.example.evil.example'])
    expect([origin, (await post({ origin })).status]).toEqual([origin, 403])
  expect((await post({ origin: rig.url })).status).toBe(200)
  const allowed = await post({ origin: 'https://app.example' })
  expect(allowed.status).toBe(200)
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/json', ''])
    expect([type, (await post({ 'content-type': type })).status]).toEqual([type, 415])
  const preflight = await fetch(`${rig.url}/v1/runs`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(204)
})

test('W04: a body that is too large is refused early, declared, chunked or compressed, and the connection is closed', async () => {
  await using rig = await startRig({ settings: { maxBodyBytes: 10_000 } })
  const lines = (...more: string[]) =>
    head(['POST /v1/runs HTTP/1.1', 'Host: localhost', AUTH, 'Content-Type: application/json', ...more])
  // Nothing of the body is ever sent: the answer does not wait for it.
  const declared = await raw(rig, [lines('Content-Length: 100000000')])
  expect([declared.status, declared.isClosed]).toEqual([413, true])
  const chunk = `${(5_000).toString(16)}\r\n${'x'.repeat(5_000)}\r\n`
  const chunked = await raw(rig, [lines('Transfer-Encoding: chunked'), chunk, chunk, chunk])
  expect([chunked.status, chunked.isClosed]).toEqual([413, true])
  const bomb = gzipSync(Buffer.alloc(1_000_000, 0x20))
  const zipped = await raw(rig, [lines('Content-Encoding: gzip', `Content-Length: ${bomb.length}`), bomb])
  expect([zipped.status, zipped.isClosed]).toEqual([415, true])
  expect((await rig.send(ALICE, '/healthz')).status).toBe(200)
})

test('W05: clients that are slow with headers or body are cut, and there are only so many connections', async () => {
  await using rig = await startRig({ settings: { requestTimeoutMs: 1_500, maxConnections: 20 } })
  const headers = await raw(rig, ['GET /healthz HTTP/1.1\r\nHost: loc'])
  expect([headers.status, headers.isClosed]).toEqual([408, true])
  const body = await raw(rig, [
    head(['POST /v1/runs HTTP/1.1', 'Host: localhost', AUTH, 'Content-Type: application/json', 'Content-Length: 50']),
    '{"code":',
  ])
  expect([body.status, body.isClosed]).toEqual([408, true])
  // Idle sockets beyond the cap are dropped at once; the ones within it are cut when they have said nothing for too long.
  const idle = await Promise.all(Array.from({ length: 60 }, () => raw(rig, [])))
  expect(idle.every(({ isClosed }) => isClosed)).toBe(true)
  await eventually(async () => expect((await rig.send(ALICE, '/healthz')).status).toBe(200))
})

test('W06: deep JSON, __proto__, duplicate keys and batches are bounded refusals', async () => {
  await using rig = await startRig()
  const post = async (body: string) => {
    const response = await fetch(`${rig.url}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ALICE}`, 'content-type': 'application/json' },
      body,
    })
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  const deep = `{"code":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(await post(deep)).toEqual([400, 'BAD_REQUEST'])
  expect(await post('{"code":"return 1","code":"return 2"}')).toEqual([400, 'BAD_REQUEST'])
  expect(await post('{"code":"return 1","__proto__":{"isAdmin":true}}')).toEqual([422, 'INVALID_ARGS'])
  expect(await post('{"code":"return 1","limits":{"__proto__":{"cpuMs":1}}}')).toEqual([422, 'INVALID_ARGS'])
  expect(await post(`[${'{"jsonrpc":"2.0"},'.repeat(30_000)}1]`)).toEqual([400, 'BAD_REQUEST'])
  expect(await post(`{"code":"return 1","constructor":1}`)).toEqual([422, 'INVALID_ARGS'])
  expect(await post('{"code":1e999}')).toEqual([400, 'BAD_REQUEST'])
  expect(await post('')).toEqual([422, 'INVALID_ARGS'])
  expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
  const calls = Array.from({ length: 129 }, () => ({ name: 'pay', arguments: '' }))
  const { id } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  expect((await rig.send(ALICE, `/v1/sessions/${String(id)}/steps`, { body: { calls } })).status).toBe(422)
})

test('W07: what belongs to another scope is as unknown as what never was, by any method, and ids have 128 bits', async () => {
  await using rig = await startRig()
  const headers = { prefer: 'respond-async' }
  const run = await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return await tools.pay()' }, headers }), 202)
  const session = String((await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)).id)
  await eventually(() => expect(rig.desk.count).toBe(1))
  const approval = rig.desk.pending('team-a')[0]?.id ?? ''
  const strange = (id: string) => `${id.slice(0, id.lastIndexOf('-') + 1)}${'0'.repeat(32)}`
  const calls = [{ name: 'city_weather', arguments: '{}' }]
  const attempts: readonly (readonly [string, (id: string) => string, object])[] = [
    [String(run.id), (id) => `/v1/runs/${id}`, {}],
    [String(run.id), (id) => `/v1/runs/${id}/events`, {}],
    [String(run.id), (id) => `/v1/runs/${id}`, { method: 'DELETE' }],
    [session, (id) => `/v1/sessions/${id}/messages`, {}],
    [session, (id) => `/v1/sessions/${id}/events`, {}],
    [session, (id) => `/v1/sessions/${id}/steps`, { body: { calls } }],
    [session, (id) => `/v1/sessions/${id}`, { method: 'DELETE' }],
    [String(run.sessionId), (id) => `/v1/sessions/${id}/messages`, {}],
    [approval, (id) => `/v1/approvals/${id}`, { body: { decision: 'approve' } }],
  ]
  for (const [id, path, sent] of attempts) {
    const theirs = await rig.send(BOB, path(id), sent)
    const nobodys = await rig.send(BOB, path(strange(id)), sent)
    const said = [await theirs.text(), await nobodys.text()]
    expect([path(id), theirs.status, said[0]]).toEqual([path(id), 404, said[1]])
    expect(said[0]).not.toContain(id)
    expect(id.split('-').at(-1)).toMatch(/^[0-9a-f]{32}$/)
  }
  const inTheirSession = { code: 'return 1', sessionId: session }
  expect((await rig.send(BOB, '/v1/runs', { body: inTheirSession })).status).toBe(404)
  expect((await rig.send(BOB, '/v1/tools/call', { body: { name: 'pay', sessionId: session } })).status).toBe(404)
  expect(await json(rig.send(BOB, '/v1/approvals'))).toEqual({ approvals: [] })
  // The same key in another scope is another run.
  const keyed = { body: { code: 'return 1' }, headers: { 'idempotency-key': 'shared' } }
  const [mine, theirs] = await Promise.all([ALICE, BOB].map((secret) => json(rig.send(secret, '/v1/runs', keyed))))
  expect(mine?.id).not.toBe(theirs?.id)
  expect((await rig.send(ALICE_BOSS, `/v1/approvals/${approval}`, { body: { decision: 'approve' } })).status).toBe(200)
})

test('W09: line ends in header values split nothing, on the way in and on the way out', async () => {
  await using rig = await startRig()
  const split = await raw(rig, [
    head(['GET /healthz HTTP/1.1', 'Host: localhost', 'X-A: b\rSet-Cookie: c', 'Connection: close']),
  ])
  expect(split.status).toBe(400)
  const nul = await raw(rig, [head(['GET /healthz HTTP/1.1', 'Host: localhost', 'X-A: \u0000', 'Connection: close'])])
  expect(nul.status).toBe(400)
  // Values that come back in headers: an origin, a key, a preference.
  const encoded = await rig.send(ALICE, '/v1/runs/run-%0d%0aSet-Cookie:%20a=b')
  expect([encoded.status, encoded.headers.get('set-cookie')]).toEqual([404, null])
  const long = await raw(rig, [head(['GET /healthz HTTP/1.1', 'Host: localhost', `X-A: ${'a'.repeat(20_000)}`])])
  expect(long.status).toBe(431)
})

test('W10: traversal, unknown methods, absolute targets and two lengths are refused', async () => {
  await using rig = await startRig()
  const get = (target: string, method = 'GET') =>
    raw(rig, [head([`${method} ${target} HTTP/1.1`, 'Host: localhost', AUTH, 'Connection: close'])])
  for (const target of [
    '/v1/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/v1/runs/..%2f..%2fsecrets',
    '/v1/runs/%00',
    '/v1\\runs',
    '//evil.example/v1/tools',
  ])
    expect([target, (await get(target)).status >= 400 && (await get(target)).status < 500]).toEqual([target, true])
  expect((await get('http://evil.example/v1/tools')).status).toBeGreaterThanOrEqual(400)
  for (const method of ['PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) {
    const answered = await get('/v1/runs', method)
    expect([method, answered.status]).toEqual([method, 405])
    expect(answered.text.toLowerCase()).toContain('allow: post')
  }
  for (const method of ['TRACE', 'CONNECT', 'BREW']) {
    const { status } = await get('/v1/runs', method)
    expect([method, status >= 400 && status < 500]).toEqual([method, true])
  }
  const smuggled = await raw(rig, [
    head([
      'POST /v1/tools/search HTTP/1.1',
      'Host: localhost',
      AUTH,
      'Content-Type: application/json',
      'Content-Length: 4',
      'Transfer-Encoding: chunked',
    ]),
    '0\r\n\r\nGET /v1/tools HTTP/1.1\r\nHost: localhost\r\n\r\n',
  ])
  expect([smuggled.status, smuggled.text.split('HTTP/1.1').length - 1, smuggled.isClosed]).toEqual([400, 1, true])
  const twice = await raw(rig, [
    head(['POST /v1/runs HTTP/1.1', 'Host: localhost', AUTH, 'Content-Length: 4', 'Content-Length: 5']),
  ])
  expect([twice.status, twice.isClosed]).toEqual([400, true])
  const upgraded = await raw(rig, [
    head(['GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket']),
  ])
  expect(upgraded.isClosed).toBe(true)
})
