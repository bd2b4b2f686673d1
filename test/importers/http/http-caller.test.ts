import { inspect } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createHttpCaller, type HttpCallerOptions } from '../../../src/importers/http/http-caller.ts'
import { startPlainServer, type Answer } from '../../support/servers/plain-server.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

async function get(answer: Answer, options: HttpCallerOptions = {}, signal?: AbortSignal) {
  await using server = await startPlainServer(answer)
  await using caller = createHttpCaller({ allowPrivate: true, ...options })
  return await caller.send({ method: 'GET', url: new URL(`${server.url}/`), headers: new Map() }, signal)
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('%s is decompressed', async (coding, compress) => {
  const reply = await get((_request, response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(compress('hello'))
  })
  expect(text(reply.body)).toBe('hello')
})

test.each<[string, Answer]>([
  [
    'announced',
    (_request, response) => void response.writeHead(200, { 'content-length': 5_000 }).end('x'.repeat(5_000)),
  ],
  [
    'announced, and never sent',
    (_request, response) => response.writeHead(200, { 'content-length': 5_000 }).flushHeaders(),
  ],
  ['sent in pieces without end', (_request, response) => endless(response)],
  [
    'made by decompressing',
    (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000))),
  ],
])('an answer larger than allowed is a failure: %s', async (_how, answer) => {
  await expect(get(answer, { maxResponseBytes: 2_000 })).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
})

function endless(response: Parameters<Answer>[1]): void {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(1_000)));
  }
  response.on('drain', more).writeHead(200)
  more()
}

test('damaged compression and codings nobody asked for are failures of the answer', async () => {
  for (const coding of ['gzip', 'zstd-of-mars', 'gzip, gzip, gzip']) {
    const answer: Answer = (_request, response) =>
      void response.writeHead(200, { 'content-encoding': coding }).end('not compressed')
    await expect(get(answer)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('cannot be read') as string,
    })
  }
})

test('a server that does not answer ends with the time limit', async () => {
  await expect(get(() => {}, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
})

test('a server that stops in the middle of its answer ends with the time limit', async () => {
  const answer: Answer = (_request, response) => void response.writeHead(200).write('half')
  await expect(get(answer, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
})

test('the caller’s own abort comes back as it is, before and during a call', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  await expect(get(() => controller.abort(reason), {}, controller.signal)).rejects.toBe(reason)
  await expect(get(() => {}, {}, controller.signal)).rejects.toBe(reason)
})

test('a connection that is cut or refused is UPSTREAM_UNAVAILABLE, without addresses or secrets', async () => {
  await expect(get((_request, response) => void response.destroy())).rejects.toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
  })
  await using caller = createHttpCaller({
    allowPrivate: true,
    secrets: ['secret-host'],
    resolveHost: () => Promise.reject(new Error('10.0.0.53 timed out')),
  })
  const url = new URL('http://secret-host.test/')
  const failure = await caller
    .send({ method: 'GET', url, headers: new Map() })
    .catch((thrown: unknown) => thrown as Error)
  expect(failure).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    message: expect.stringContaining('[hidden].test') as string,
  })
  expect(inspect(failure)).not.toContain('10.0.0.53')
})

test('a failure without a code of its own says so in words', async () => {
  await using caller = createHttpCaller({
    resolveHost: () => Promise.reject(new Error('odd')),
    unprinted: ['inner-team'],
  })
  const url = new URL('http://inner-team.test:8080/')
  await expect(caller.send({ method: 'GET', url, headers: new Map() })).rejects.toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    message: '[hidden].test:8080: the connection failed',
  })
  expect(caller.hideSecrets('inner-team')).toBe('inner-team')
})

test.each([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [303, 'PUT', 'GET', ''],
  [302, 'PUT', 'PUT', 'data'],
  [307, 'POST', 'POST', 'data'],
  [308, 'POST', 'POST', 'data'],
])('a %i after %s is followed by %s with the body %j', async (status, method, followed, body) => {
  await using server = await startPlainServer((request, response) => {
    if (request.url === '/') response.writeHead(status, { location: '/next' }).end()
    else response.end()
  })
  await using caller = createHttpCaller({ allowPrivate: true })
  await caller.send({
    method,
    url: new URL(`${server.url}/`),
    headers: new Map([['content-type', 'text/plain']]),
    body: Buffer.from('data'),
  })
  expect(server.received[1]).toMatchObject({ method: followed, url: '/next', body })
  expect(server.received[1]?.headers['content-type']).toBe(body === '' ? undefined : 'text/plain')
})
