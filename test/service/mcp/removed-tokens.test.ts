import { expect, test, vi } from 'vitest'
import type { Grant } from '../../../src/settings/settings.ts'
import { INITIALIZE, startMcpRig, token, type McpRig } from './http-rig.ts'

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
const DANA = 'cft_dana'
const EVE = 'cft_eve'
const ALL: readonly Grant[] = ['run', 'call', 'read', 'approve']
const dana = token('dana', 'team-a', DANA, ALL)
const eve = token('eve', 'team-a', EVE, ALL)

async function get(rig: McpRig, secret: string, path: string, headers = {}): Promise<Response> {
  const response = await fetch(`${rig.url}${path}`, { headers: { authorization: `Bearer ${secret}`, ...headers } })
  expect(response.status).toBe(200)
  return response
}
async function post(rig: McpRig, secret: string, path: string, body: unknown, headers = {}) {
  const response = await fetch(`${rig.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const begin = (rig: McpRig, secret: string, code: string) =>
  post(rig, secret, '/v1/runs', { code }, { prefer: 'respond-async' })

/** Of a stream, what has come so far and whether it has ended. */
function listen(response: Response) {
  const heard = { text: '', hasEnded: false }
  const reading = async () => {
    for await (const chunk of response.body ?? []) heard.text += Buffer.from(chunk as Uint8Array).toString()
  }
  reading()
    .catch(() => {})
    .finally(() => (heard.hasEnded = true))
  return heard
}

test('what a token has open ends when a reload has removed it, and nothing more is delivered', async () => {
  const tokens = [dana, eve]
  await using rig = await startMcpRig({ tokens })
  const session = String((await post(rig, EVE, '/v1/sessions', {})).body.id)
  const run = String((await begin(rig, EVE, 'return await tools.pay({})')).body.id)
  const began = await rig.post(DANA, INITIALIZE)
  await began.text()
  const id = { 'mcp-session-id': began.headers.get('mcp-session-id') ?? '' }
  const hers = [
    listen(await get(rig, DANA, `/v1/sessions/${session}/events`)),
    listen(await get(rig, DANA, `/v1/runs/${run}/events`)),
    listen(await get(rig, DANA, '/mcp', { ...id, accept: 'text/event-stream' })),
    listen(
      await rig.post(DANA, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'pay', arguments: {} } }, id),
    ),
  ]
  const others = listen(await get(rig, EVE, `/v1/sessions/${session}/events`))
  await eventually(() => expect(rig.desk.count).toBe(2))

  tokens.splice(0, 1)
  rig.service.tokensChanged()
  const calls = [{ name: 'city_weather', arguments: '{"city":"AFTERWARDS"}' }]
  await post(rig, EVE, `/v1/sessions/${session}/steps`, { calls })
  await eventually(() => expect(others.text).toContain('AFTERWARDS'))
  await eventually(() => expect(hers.map(({ hasEnded }) => hasEnded)).toEqual([true, true, true, true]))
  expect(hers.map(({ text }) => text).join()).not.toContain('AFTERWARDS')
  // Its call went with it, the run of the other goes on.
  await eventually(() => expect(rig.desk.count).toBe(1))
  expect(others.hasEnded).toBe(false)

  // The same secret, back again, finds nothing of its old sessions.
  tokens.push(dana)
  const list = { jsonrpc: '2.0', id: 3, method: 'tools/list' }
  expect((await rig.post(DANA, list, id)).status).toBe(404)
})

test.each([
  ['another secret under its name', token('dana', 'team-a', 'cft_new', ALL), true],
  ['another scope', token('dana', 'team-b', DANA, ALL), true],
  ['no grant to watch', token('dana', 'team-a', DANA, ['approve']), true],
  ['another name', token('dora', 'team-a', DANA, ALL), false],
])('a token that is given %s', async (_what, changed, ends) => {
  const tokens = [dana]
  await using rig = await startMcpRig({ tokens })
  const began = await rig.post(DANA, INITIALIZE)
  await began.text()
  const id = { 'mcp-session-id': began.headers.get('mcp-session-id') ?? '' }
  const session = String((await post(rig, DANA, '/v1/sessions', {})).body.id)
  const streams = [
    listen(await get(rig, DANA, '/mcp', { ...id, accept: 'text/event-stream' })),
    listen(await get(rig, DANA, `/v1/sessions/${session}/events`)),
  ]
  tokens[0] = changed
  rig.service.tokensChanged()
  if (ends) await eventually(() => expect(streams.map(({ hasEnded }) => hasEnded)).toEqual([true, true]))
  else {
    expect((await rig.post(DANA, { jsonrpc: '2.0', id: 3, method: 'tools/list' }, id)).status).toBe(200)
    expect(streams.map(({ hasEnded }) => hasEnded)).toEqual([false, false])
  }
})

test('a token may not answer for its own call under another name, nor another secret under the old one', async () => {
  const tokens = [dana, eve]
  await using rig = await startMcpRig({ tokens })
  await begin(rig, DANA, 'return await tools.pay({})')
  const asked = await eventually(() => {
    const [approval] = rig.desk.pending('team-a')
    if (approval === undefined) throw new Error('not asked yet')
    return approval.id
  })
  tokens[0] = token('renamed', 'team-a', DANA, ALL)
  tokens[2] = token('dana', 'team-a', 'cft_next-secret', ALL)
  rig.service.tokensChanged()
  const decide = (secret: string) => post(rig, secret, `/v1/approvals/${asked}`, { decision: 'approve' })
  expect((await decide(DANA)).status).toBe(403)
  expect((await decide('cft_next-secret')).status).toBe(403)
  expect((await decide(EVE)).status).toBe(200)
})
