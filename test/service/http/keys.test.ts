import { expect, test } from 'vitest'
import { callId, sessionId } from '../../../src/data/ids.ts'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import type { StoredEvent } from '../../../src/session/events.ts'
import { isCallOf, lastLoggedCall } from '../../../src/service/runs/logged-call.ts'
import { keyedCallIds, newRunIds } from '../../../src/service/runs/run-ids.ts'
import { ALICE, BOB, CALLER, eventually, json, startRig, temporaryFolder, type Rig } from './rig.ts'

const keyed = (key: string, more: Record<string, string> = {}) => ({ 'idempotency-key': key, ...more })

/** A tool with effects, and what it was told as the key of each call. */
function charging(ending: () => unknown) {
  const keys: (string | undefined)[] = []
  const tool: ToolDefinition = {
    name: 'charge',
    description: '',
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: (_args, exec) => {
      keys.push(exec.idempotencyKey)
      return ending()
    },
    output: { render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
  }
  return { tool, keys }
}
const fails = () => {
  throw new Error('the network broke after the charge')
}
const call = (rig: Rig, body: object, key?: string) =>
  rig.send(ALICE, '/v1/tools/call', { body, ...(key !== undefined && { headers: keyed(key) }) })

test('a run that found no place is not the run of its key: the same request is tried again, with its limits', async () => {
  await using rig = await startRig({ engine: { pool: { maxChildren: 1, maxQueue: 1 } } })
  // The one sandbox is another tenant's, and the one place to wait is taken.
  const holding = await json(
    rig.send(BOB, '/v1/runs', { body: { code: 'for (;;);' }, headers: { prefer: 'respond-async' } }),
    202,
  )
  const waiting = rig.send(ALICE, '/v1/runs', { body: { code: 'return 0' }, headers: { prefer: 'respond-async' } })
  await json(waiting, 202)
  await eventually(async () =>
    expect(await (await rig.send(ALICE, '/metrics')).text()).toMatch(/codeferry_sandbox_queue 1\n/),
  )
  const post = (code = "return await tools.city.weather({ city: 'x' })") =>
    rig.send(ALICE, '/v1/runs', { body: { code, limits: { maxCalls: 1 } }, headers: keyed('k') })
  for (let n = 0; n < 2; n++) {
    const refused = await post()
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await json(refused, 503)).toMatchObject({ code: 'OVERLOADED' })
  }
  await rig.send(BOB, `/v1/runs/${String(holding.id)}`, { method: 'DELETE' })
  const made = await eventually(async () => json(post()))
  expect(made).toMatchObject({ status: 'succeeded', result: { degrees: 7 }, callId: expect.stringMatching(/-\d+$/) })
  expect((made.calls as unknown[]).length).toBe(1)
  expect(await json(post())).toEqual(made)
  expect((await post('return 1')).status).toBe(422)
})

test('a single call whose body began is made once for its key, however it ended', async () => {
  const { tool, keys } = charging(fails)
  await using rig = await startRig({ tools: [tool] })
  const first = await json(call(rig, { name: 'charge', arguments: {} }, 'k'), 502)
  expect(first).toMatchObject({ code: 'TOOL_FAILED', bodyStarted: true })
  expect(await json(call(rig, { name: 'charge', arguments: {} }, 'k'), 502)).toEqual(first)
  expect((await call(rig, { name: 'charge', arguments: { a: 1 } }, 'k')).status).toBe(422)
  expect(keys.length).toBe(1)
  await call(rig, { name: 'charge', arguments: {} })
  expect(keys.length).toBe(2)
})

test('a single call that was refused before its body is made when it is sent again', async () => {
  const { tool, keys } = charging(() => 1)
  let isLocked = true
  const guarded: ToolDefinition = { ...tool, validateArguments: () => (isLocked ? [NOT_NOW] : []) }
  await using rig = await startRig({ tools: [guarded] })
  const { id: session } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const body = { name: 'charge', arguments: {}, sessionId: session }
  await json(call(rig, body, 'k'), 422)
  isLocked = false
  const made = await json(call(rig, body, 'k'))
  expect(made).toMatchObject({ value: 1, sessionId: session })
  expect(await json(call(rig, body, 'k'))).toEqual(made)
  expect(keys.length).toBe(1)
})
const NOT_NOW = { path: '', expected: 'later', received: 'now', message: 'not now' }

test('the tool of a keyed call is told the same key in another process', async () => {
  const { tool, keys } = charging(() => 1)
  for (let n = 0; n < 2; n++) {
    await using rig = await startRig({ tools: [tool] })
    await json(call(rig, { name: 'charge', arguments: {} }, 'order-7'))
  }
  expect(keys.length).toBe(2)
  expect(new Set(keys).size).toBe(1)
})

test('after a restart a key still names its call, which the database answers for; another request is refused', async () => {
  using folder = temporaryFolder()
  const sqlite = folder.file('s.sqlite')
  const { tool, keys } = charging(fails)
  const good = charging(() => ({ charged: 1 }))
  const tools = [tool, { ...good.tool, name: 'pay_out' }]
  const failing = { name: 'charge', arguments: { n: 1 } }
  const paying = { name: 'pay_out', arguments: { n: 1 } }
  let first: Record<string, unknown>[]
  {
    await using rig = await startRig({ sqlite, tools })
    first = [await json(call(rig, failing, 'a'), 502), await json(call(rig, paying, 'b'))]
  }
  await using rig = await startRig({ sqlite, tools })
  expect(await json(call(rig, failing, 'a'), 502)).toEqual(first[0])
  const { value: _value, ...rest } = first[1] ?? {}
  expect(await json(call(rig, paying, 'b'))).toEqual({ ...rest, isFromLog: true })
  expect((await call(rig, { ...paying, arguments: { n: 2 } }, 'b')).status).toBe(422)
  expect([keys.length, good.keys.length]).toEqual([1, 1])
})

test('after a restart another request under the key of a run is refused, whatever of it is another', async () => {
  using folder = temporaryFolder()
  const sqlite = folder.file('s.sqlite')
  const body = { code: 'return 1', limits: { maxCalls: 5 }, typecheck: 'off' }
  const post = (rig: Rig, more: object = {}) =>
    rig.send(ALICE, '/v1/runs', { body: { ...body, ...more }, headers: keyed('k') })
  {
    await using rig = await startRig({ sqlite })
    await json(post(rig))
  }
  await using rig = await startRig({ sqlite })
  expect(await json(post(rig))).toMatchObject({ status: 'succeeded', isFromLog: true })
  for (const more of [{ limits: { maxCalls: 6 } }, { typecheck: 'error' }, { timeoutMs: 50 }, { code: 'return 2' }])
    expect((await post(rig, more)).status).toBe(422)
})

test('grants are asked before a kept answer is given', async () => {
  await using rig = await startRig()
  const { id } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const step = (secret: string) =>
    rig.send(secret, `/v1/sessions/${String(id)}/steps`, {
      body: { calls: [{ name: 'run_code', arguments: '{"code":"return 1"}' }] },
      headers: keyed('k'),
    })
  await json(step(ALICE))
  expect(await json(step(CALLER), 403)).toMatchObject({ code: 'FORBIDDEN' })
})

test('the log tells the last try of a request, whether it began, and whose it was', () => {
  const digest = 'd'.repeat(64)
  const { callId: id, sessionId: session } = newRunIds({ scope: 's', keyed: { key: 'k', digest } })
  const stem = id.slice(0, -33)
  const event = (n: number, rest: object) =>
    ({ version: 1, sessionId: sessionId(session), sequence: n, atMs: n, ...rest }) as StoredEvent
  const start = (n: number, of: string) => event(n, { type: 'tool/call', callId: callId(of), name: 'run_code' })
  const end = (n: number, of: string, code?: string) =>
    event(n, { type: 'tool/result', callId: callId(of), isError: code !== undefined, errorInfo: code && { code } })
  expect(lastLoggedCall([], stem)).toBeUndefined()
  expect(lastLoggedCall([start(1, `${stem}0`), start(2, `${stem}-x`)], stem)).toBeUndefined()
  const turnedAway = [start(1, id), end(2, id, 'OVERLOADED')]
  expect(lastLoggedCall(turnedAway, stem)).toMatchObject({ attempt: 1, hasBegun: false })
  const dispatched = event(3, { type: 'tool/code-dispatch-start', rootCallId: id, callId: `${id}/1` })
  expect(lastLoggedCall([...turnedAway, dispatched], stem)?.hasBegun).toBe(true)
  const again = lastLoggedCall([...turnedAway, start(3, `${id}-2`)], stem)
  expect(again).toMatchObject({ attempt: 2, hasBegun: true })
  if (again === undefined) throw new Error('there is a second try')
  expect(isCallOf(again, id)).toBe(true)
  expect(isCallOf(again, newRunIds({ scope: 's', keyed: { key: 'k', digest: 'e'.repeat(64) } }).callId)).toBe(false)
  // A call and a run under one key are not in each other's session.
  expect(keyedCallIds({ scope: 's', keyed: { key: 'k', digest } }).sessionId).not.toBe(session)
})
