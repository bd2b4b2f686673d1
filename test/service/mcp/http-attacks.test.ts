import { request as httpRequest } from 'node:http'
import { expect, test, vi } from 'vitest'
import { ALICE, BOB, CARL, INITIALIZE, READER, startMcpRig, token, type McpRig } from './http-rig.ts'

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }

/** Opens a session and gives its id. */
async function open(rig: McpRig, secret: string): Promise<string> {
  const response = await rig.post(secret, INITIALIZE)
  await response.text()
  expect(response.status).toBe(200)
  return response.headers.get('mcp-session-id') ?? ''
}
async function withId(rig: McpRig, secret: string, id: string, method = 'POST', body: unknown = LIST) {
  const response = await fetch(`${rig.url}/mcp`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      'mcp-session-id': id,
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: method === 'GET' && response.ok ? '' : await response.text(), response }
}

test.each([
  ['none', undefined],
  ['another', 'Bearer cft_wrong'],
  ['one in another scheme', `Basic ${ALICE}`],
])('without a good token (%s) nothing is said but 401, whatever the method', async (_what, authorization) => {
  await using rig = await startMcpRig()
  for (const method of ['POST', 'GET', 'DELETE', 'PUT']) {
    const response = await fetch(`${rig.url}/mcp`, {
      method,
      headers: { ...(authorization !== undefined && { authorization }), 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(INITIALIZE) }),
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('Bearer')
    expect(await response.text()).not.toContain('codeferry_')
  }
})

test('a token that may only read has no business here', async () => {
  await using rig = await startMcpRig()
  expect((await rig.post(READER, INITIALIZE)).status).toBe(403)
})

test('a session of one token is unknown to another, of the same scope too, in the very bytes of one that never was', async () => {
  await using rig = await startMcpRig()
  const id = await open(rig, ALICE)
  expect(id.length).toBeGreaterThanOrEqual(43)
  for (const method of ['POST', 'GET', 'DELETE']) {
    const never = await withId(rig, BOB, 'x'.repeat(43), method)
    expect(never.status).toBe(404)
    for (const secret of [BOB, CARL]) {
      const foreign = await withId(rig, secret, id, method)
      expect([foreign.status, foreign.text]).toEqual([404, never.text])
    }
  }
  // Nobody has ended it.
  expect((await withId(rig, ALICE, id)).status).toBe(200)
})

test('a foreign Host or Origin is refused before the token is looked at', async () => {
  await using rig = await startMcpRig()
  const origin = await rig.post(ALICE, INITIALIZE, { origin: 'https://evil.example' })
  expect(origin.status).toBe(403)
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const { port } = new URL(rig.url)
  httpRequest(
    { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: { host: 'evil.example' } },
    (response) => {
      response.resume()
      resolve(response.statusCode)
    },
  )
    .on('error', reject)
    .end('{}')
  expect(await promise).toBe(403)
})

test('GET opens one stream of a session, DELETE ends it, and after that the id is unknown', async () => {
  await using rig = await startMcpRig()
  const headers = { authorization: `Bearer ${ALICE}`, accept: 'text/event-stream' }
  const without = await fetch(`${rig.url}/mcp`, { headers })
  expect([without.status, without.headers.get('allow')]).toEqual([405, 'POST'])
  expect((await fetch(`${rig.url}/mcp`, { method: 'DELETE', headers })).status).toBe(405)
  const put = await fetch(`${rig.url}/mcp`, { method: 'PUT', headers, body: '{}' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])

  const id = await open(rig, ALICE)
  const stream = await withId(rig, ALICE, id, 'GET')
  expect(stream.status).toBe(200)
  expect(stream.response.headers.get('content-type')).toContain('text/event-stream')
  expect((await withId(rig, ALICE, id, 'GET')).status).toBe(409)
  expect((await withId(rig, ALICE, id, 'DELETE')).status).toBe(200)
  // The stream ends with its session.
  await stream.response.text()
  for (const method of ['POST', 'GET', 'DELETE']) expect((await withId(rig, ALICE, id, method)).status).toBe(404)
})

test('sessions are bounded, the longest idle one makes room, and one that is idle for long ends', async () => {
  let now = 1_000_000
  await using rig = await startMcpRig({
    tuning: { maxSessionsPerToken: 2, idleMs: 1_000, sweepMs: 20 },
    now: () => now,
  })
  const first = await open(rig, ALICE)
  const second = await open(rig, ALICE)
  const stream = await withId(rig, ALICE, first, 'GET')
  const third = await open(rig, ALICE)
  // The first is in use, so the second had to go; another token has its own bound.
  expect((await withId(rig, ALICE, second)).status).toBe(404)
  expect((await withId(rig, ALICE, first)).status).toBe(200)
  await open(rig, BOB)
  const other = await withId(rig, ALICE, third, 'GET')
  const full = await rig.post(ALICE, INITIALIZE)
  expect(full.status).toBe(429)
  await other.response.body?.cancel()
  now += 2_000
  await eventually(async () => {
    now += 2_000
    expect((await withId(rig, ALICE, third)).status).toBe(404)
  })
  expect((await withId(rig, ALICE, first)).status).toBe(200)
  await stream.response.body?.cancel()
})

test('a batch of many messages, deep JSON, doubled keys, bad bytes and other types are refused as a whole', async () => {
  await using rig = await startMcpRig()
  const id = await open(rig, ALICE)
  const session = { 'mcp-session-id': id }
  const many = await rig.post(
    ALICE,
    Array.from({ length: 10_000 }, (_, n) => ({ ...LIST, id: n })),
    session,
  )
  expect(many.status).toBe(400)
  expect(await many.text()).toContain('1 to 32 messages; found 10000')
  expect((await rig.post(ALICE, [], session)).status).toBe(400)
  expect((await rig.post(ALICE, '['.repeat(100_000), session)).status).toBe(400)
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}}`
  expect((await rig.post(ALICE, deep, session)).status).toBe(400)
  expect((await rig.post(ALICE, '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', session)).status).toBe(400)
  expect((await rig.post(ALICE, 'nonsense', session)).status).toBe(400)
  expect((await rig.post(ALICE, { jsonrpc: '1.0', id: 1 }, session)).status).toBe(400)
  expect((await rig.post(ALICE, LIST, { ...session, 'content-type': 'text/plain' })).status).toBe(415)
  expect((await rig.post(ALICE, LIST, { ...session, accept: 'text/html' })).status).toBe(406)
  expect((await rig.post(ALICE, LIST)).status).toBe(400)
  // All of that ended nothing.
  expect((await withId(rig, ALICE, id)).status).toBe(200)
})

test('a body over the limit is refused unread', async () => {
  await using rig = await startMcpRig({ settings: { maxBodyBytes: 10_000 } })
  const response = await rig.post(ALICE, { ...INITIALIZE, padding: 'x'.repeat(20_000) })
  expect(response.status).toBe(413)
})

test('a small batch is answered as the oldest revisions have it', async () => {
  await using rig = await startMcpRig()
  const id = await open(rig, ALICE)
  const { text } = await withId(rig, ALICE, id, 'POST', [LIST, { ...LIST, id: 3, method: 'ping' }])
  expect(text).toContain('"id":2')
  expect(text).toContain('"id":3')
})

test('names that mean something to JavaScript are data on the way to a tool and back', async () => {
  await using rig = await startMcpRig()
  const id = await open(rig, ALICE)
  const body = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"__proto__","arguments":{"constructor":1,"then":2}}}`
  const response = await rig.post(ALICE, body, { 'mcp-session-id': id })
  expect(await response.text()).toContain('UNKNOWN_TOOL')
  const polluted = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"run_code","arguments":{"code":"return 1","__proto__":{"polluted":1}}}}`
  await (await rig.post(ALICE, polluted, { 'mcp-session-id': id })).text()
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('a token that lost a grant in a reload has lost it in its open sessions too', async () => {
  let may: 'run' | 'call' = 'run'
  const tokens = [token('dana', 'team-a', 'cft_dana', ['run', 'call'])]
  await using rig = await startMcpRig({ tokens })
  const id = await open(rig, 'cft_dana')
  const call = {
    jsonrpc: '2.0',
    id: 5,
    method: 'tools/call',
    params: { name: 'run_code', arguments: { code: 'return 1' } },
  }
  expect((await withId(rig, 'cft_dana', id, 'POST', call)).text).toContain('"result":1')
  may = 'call'
  tokens[0] = token('dana', 'team-a', 'cft_dana', [may])
  expect((await withId(rig, 'cft_dana', id, 'POST', call)).text).toContain('FORBIDDEN')
})

test('at the end a call under way is let finish, and new requests are sent away', async () => {
  const begun = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  await using rig = await startMcpRig({
    tools: [
      {
        name: 'gate',
        description: '',
        parameters: { type: 'object' },
        validateArguments: 'in-body',
        execute: async () => {
          begun.resolve()
          await go.promise
          return { passed: true }
        },
        output: { render: () => [] },
      },
    ],
    settings: { drainMs: 20_000 },
  })
  const id = await open(rig, ALICE)
  const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'gate', arguments: {} } }
  const answer = withId(rig, ALICE, id, 'POST', call)
  await begun.promise
  const closing = rig.service.close()
  await eventually(async () => expect((await rig.post(ALICE, INITIALIZE)).status).toBe(503))
  go.resolve()
  expect((await answer).text).toContain('"passed":true')
  expect(await closing).toEqual({ runs: [], requests: 0 })
})

test('a session that is ended in the middle of a call takes the call with it', async () => {
  const begun = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  await using rig = await startMcpRig({
    tools: [
      {
        name: 'slow',
        description: '',
        parameters: { type: 'object' },
        validateArguments: 'in-body',
        execute: (_args, exec) =>
          new Promise((_, reject) => {
            exec.signal.addEventListener('abort', () => {
              aborted.resolve()
              reject(exec.signal.reason as Error)
            })
            begun.resolve()
          }),
        output: { render: () => [] },
      },
    ],
  })
  const id = await open(rig, ALICE)
  const params = { name: 'run_code', arguments: { code: 'return await tools.slow()' } }
  const answer = withId(rig, ALICE, id, 'POST', { jsonrpc: '2.0', id: 5, method: 'tools/call', params })
  answer.catch(() => {})
  await begun.promise
  expect((await withId(rig, ALICE, id, 'DELETE')).status).toBe(200)
  await aborted.promise
})
