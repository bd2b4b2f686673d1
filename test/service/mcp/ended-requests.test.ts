import { request as httpRequest } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import { ALICE, BOB, INITIALIZE, startMcpRig, type McpRig } from './http-rig.ts'

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })

/** Ends with its signal alone; `ended` counts how often. */
function hangingTool() {
  const watch = { begun: 0, ended: 0 }
  const tool: ToolDefinition = {
    name: 'hang',
    description: '',
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: (_args, exec) =>
      new Promise((_, reject) => {
        watch.begun++
        exec.signal.addEventListener('abort', () => {
          watch.ended++
          reject(exec.signal.reason as Error)
        })
      }),
    output: { render: () => [] },
  }
  return { tool, watch }
}
const call = (id: number | string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'hang', arguments: {} },
})
const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' }

async function open(rig: McpRig, secret: string) {
  const response = await rig.post(secret, INITIALIZE)
  await response.text()
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
}

test('the stream of a request that was cancelled ends without an answer, and the session can end after it', async () => {
  const { tool, watch } = hangingTool()
  let now = 1_000_000
  await using rig = await startMcpRig({ tools: [tool], tuning: { idleMs: 1_000, sweepMs: 20 }, now: () => now })
  const session = await open(rig, ALICE)
  const response = await rig.post(ALICE, call(7), session)
  await eventually(() => expect(watch.begun).toBe(1))
  // What names no request under way, or names none, changes nothing.
  for (const id of [8, '7', {}, undefined]) await rig.post(ALICE, cancel(id), session)
  expect(watch.ended).toBe(0)
  expect((await rig.post(ALICE, cancel(7), session)).status).toBe(202)
  expect(await response.text()).toBe('')
  await eventually(() => expect(watch.ended).toBe(1))
  expect((await rig.post(ALICE, PING, session)).status).toBe(200)
  await eventually(async () => {
    now += 2_000
    expect((await rig.post(ALICE, PING, session)).status).toBe(404)
  })
})

test('a cancellation that overtakes its request counts, and one that comes after the answer does not', async () => {
  const { tool, watch } = hangingTool()
  await using rig = await startMcpRig({ tools: [tool] })
  const session = await open(rig, ALICE)
  await rig.post(ALICE, cancel(7), session)
  expect(await (await rig.post(ALICE, call(7), session)).text()).toBe('')
  await eventually(() => expect(watch.ended).toBe(watch.begun))
  for (let n = 0; n < 2; n++) {
    expect(await (await rig.post(ALICE, { ...PING, id: 8 }, session)).text()).toContain('"id":8')
    await rig.post(ALICE, cancel(8), session)
  }
})

test('a client that times out leaves no connection behind', async () => {
  const { tool, watch } = hangingTool()
  await using rig = await startMcpRig({ tools: [tool], tuning: { maxPostsPerToken: 3 } })
  const client = await rig.connect(ALICE)
  for (let n = 1; n <= 8; n++) {
    await expect(client.callTool({ name: 'hang', arguments: {} }, { timeout: 30 })).rejects.toThrow(/timed out/i)
    await eventually(() => expect(watch.ended).toBe(n))
  }
  expect((await client.listTools()).tools.length).toBeGreaterThan(0)
})

test('of a batch the others are answered, and its stream ends with the last of them', async () => {
  const { tool, watch } = hangingTool()
  await using rig = await startMcpRig({ tools: [tool] })
  const session = await open(rig, ALICE)
  const response = await rig.post(ALICE, [call(1), call(2), PING], session)
  await eventually(() => expect(watch.begun).toBe(2))
  await rig.post(ALICE, cancel(1), session)
  await rig.post(ALICE, cancel(2), session)
  expect(await response.text()).toContain('"id":"ping"')
})

test('an id that is under way is not taken a second time, and is free again after its answer', async () => {
  const { tool, watch } = hangingTool()
  await using rig = await startMcpRig({ tools: [tool] })
  const session = await open(rig, ALICE)
  const first = await rig.post(ALICE, call(1), session)
  await eventually(() => expect(watch.begun).toBe(1))
  expect((await rig.post(ALICE, { ...PING, id: 1 }, session)).status).toBe(409)
  await rig.post(ALICE, cancel(1), session)
  await first.text()
  for (let n = 0; n < 2; n++)
    expect(await (await rig.post(ALICE, { ...PING, id: 1 }, session)).text()).toContain('"id":1')
})

test('open POSTs of a token are bounded; cancelling one needs no place and makes one', async () => {
  const { tool, watch } = hangingTool()
  await using rig = await startMcpRig({ tools: [tool], tuning: { maxPostsPerToken: 2 } })
  const session = await open(rig, ALICE)
  const other = await open(rig, ALICE)
  const first = await rig.post(ALICE, call(1), session)
  await rig.post(ALICE, call(1), other)
  await eventually(() => expect(watch.begun).toBe(2))
  for (const headers of [session, other, {}]) {
    const full = await rig.post(ALICE, headers === session || headers === other ? PING : INITIALIZE, headers)
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '5'])
  }
  // Another token has its own bound.
  await open(rig, BOB)
  expect((await rig.post(ALICE, cancel(1), session)).status).toBe(202)
  await first.text()
  await eventually(async () => expect((await rig.post(ALICE, PING, session)).status).toBe(200))
})

test('TRACE is a method that the path does not take, and no fault', async () => {
  await using rig = await startMcpRig()
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const headers = { authorization: `Bearer ${ALICE}` }
  httpRequest(`${rig.url}/mcp`, { method: 'TRACE', headers }, (response) => {
    response.resume()
    resolve([response.statusCode, response.headers.allow])
  })
    .on('error', reject)
    .end()
  expect(await promise).toEqual([405, 'GET, POST, DELETE'])
})
