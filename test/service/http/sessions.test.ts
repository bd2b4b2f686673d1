import { expect, test } from 'vitest'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import { ALICE, ALICE_BOSS, json, READER, readEvents, startRig, temporaryFolder, type Rig, eventually } from './rig.ts'

const open = async (rig: Rig) => String((await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)).id)
const step = (rig: Rig, id: string, calls: readonly object[], headers: Record<string, string> = {}) =>
  rig.send(ALICE, `/v1/sessions/${id}/steps`, { body: { calls }, headers })

test('the calls of one model step, programs and tools mixed, are answered in the model’s order', async () => {
  await using rig = await startRig()
  const id = await open(rig)
  const made = await json(
    step(rig, id, [
      { callId: 'a', name: 'run_code', arguments: '{"code":"return await tools.city.weather({ city: \'Oslo\' })"}' },
      { callId: 'b', name: 'city_weather', arguments: '{"city":"Rome"}' },
      { callId: 'c', name: 'city_weather', arguments: '{"city":' },
      { callId: 'd', name: 'city.wether', arguments: '{}' },
    ]),
  )
  expect(made).toMatchObject({
    results: [
      { callId: 'a', name: 'run_code', isError: false, value: { result: { degrees: 7 } } },
      { callId: 'b', name: 'city_weather', isError: false, value: { degrees: 7 } },
      { callId: 'c', name: 'city_weather', isError: true, error: { code: 'INVALID_ARGS' } },
      { callId: 'd', name: 'city.wether', isError: true, error: { code: 'UNKNOWN_TOOL' } },
    ],
    contexts: [],
    concludesTurn: false,
  })
  const { messages } = await json(rig.send(ALICE, `/v1/sessions/${id}/messages`))
  expect((messages as { role: string; callId: string }[]).map(({ role, callId }) => `${role} ${callId}`)).toEqual([
    'assistant a',
    'tool a',
    'assistant b',
    'assistant c',
    'assistant d',
    'tool b',
    'tool c',
    'tool d',
  ])
})

test('contexts ride home after the results, and a tool may end the turn', async () => {
  const noter: ToolDefinition = {
    name: 'noter',
    description: '',
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: (_args, exec) => {
      exec.deferContext('remember this')
      exec.concludeTurn()
      return 1
    },
    output: { render: () => [] },
  }
  await using rig = await startRig({ tools: [noter] })
  const made = await json(step(rig, await open(rig), [{ name: 'noter', arguments: '' }]))
  expect(made).toMatchObject({
    contexts: [{ role: 'user', source: 'noter', content: [{ text: 'remember this' }] }],
    concludesTurn: true,
  })
})

test('a step is made once for its key, one at a time, and only with the grants it needs', async () => {
  await using rig = await startRig()
  const id = await open(rig)
  const calls = [{ callId: 'a', name: 'city_weather', arguments: '{"city":"Oslo"}' }]
  const key = { 'idempotency-key': 'step-1' }
  const first = await json(step(rig, id, calls, key))
  expect(await json(step(rig, id, calls, key))).toEqual(first)
  expect((await step(rig, id, [...calls, ...calls], key)).status).toBe(422)
  const gone = new AbortController()
  const hanging = rig.send(ALICE, `/v1/sessions/${id}/steps`, {
    body: { calls: [{ name: 'hang', arguments: '{}' }] },
    signal: gone.signal,
  })
  hanging.catch(() => {})
  await eventually(async () => expect((await step(rig, id, calls)).status).toBe(409))
  gone.abort()
  await eventually(async () => expect((await step(rig, id, calls)).status).toBe(200))
  const read = await rig.send(READER, `/v1/sessions/${id}/steps`, { body: { calls } })
  expect(read.status).toBe(403)
})

test('events of a session are its log: live, from where the client left, and after a restart', async () => {
  using folder = temporaryFolder()
  const sqlite = folder.file('s.sqlite')
  let id = ''
  const call = { name: 'city_weather', arguments: '{"city":"Oslo"}' }
  const seen: { id: number; event: string }[] = []
  {
    await using rig = await startRig({ sqlite })
    id = await open(rig)
    const response = await rig.send(READER, `/v1/sessions/${id}/events`)
    const reading = readEvents(response, (events) => events.length >= 5)
    await json(step(rig, id, [call]))
    await json(step(rig, id, [call]))
    seen.push(...(await reading))
  }
  await using rig = await startRig({ sqlite })
  const reading = rig.send(READER, `/v1/sessions/${id}/events`, { headers: { 'last-event-id': '3' } })
  const events = readEvents(await reading, (got) => got.length >= 4)
  await json(step(rig, id, [call]))
  expect(seen.map((event) => [event.id, event.event])).toEqual([
    [1, 'session/opened'],
    [2, 'tool/call'],
    [3, 'tool/result'],
    [4, 'tool/call'],
    [5, 'tool/result'],
  ])
  expect((await events).map((event) => event.id)).toEqual([4, 5, 6, 7])
})

test('a number that no event of a session has leaves out none that comes', async () => {
  await using rig = await startRig()
  const id = await open(rig)
  const headers = { 'last-event-id': '999' }
  const watching = readEvents(await rig.send(READER, `/v1/sessions/${id}/events`, { headers }), (got) => got.length > 1)
  await json(step(rig, id, [{ name: 'city_weather', arguments: '{"city":"Oslo"}' }]))
  expect((await watching).map((event) => event.id)).toEqual([2, 3])
})

test('a call under way has no result among the messages yet', async () => {
  await using rig = await startRig()
  const id = await open(rig)
  const gone = new AbortController()
  const hanging = rig.send(ALICE, `/v1/sessions/${id}/steps`, {
    body: { calls: [{ name: 'hang', arguments: '{}' }] },
    signal: gone.signal,
  })
  hanging.catch(() => {})
  const roles = async () => {
    const { messages } = await json(rig.send(ALICE, `/v1/sessions/${id}/messages`))
    return (messages as { role: string }[]).map(({ role }) => role)
  }
  await eventually(async () => expect(await roles()).toEqual(['assistant']))
  gone.abort()
  await eventually(async () => expect(await roles()).toEqual(['assistant', 'tool']))
})

test('a key named __proto__ is an argument like any other, in an object, a string and a step', async () => {
  const keysOf: ToolDefinition = {
    name: 'keys_of',
    description: '',
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: (args) => Object.entries(args),
    output: { render: () => [] },
  }
  await using rig = await startRig({ tools: [keysOf] })
  const text = '{"__proto__":{"x":1},"constructor":2}'
  const wanted = [
    ['__proto__', { x: 1 }],
    ['constructor', 2],
  ]
  for (const given of [JSON.parse(text) as unknown, text])
    expect(
      (await json(rig.send(ALICE, '/v1/tools/call', { body: { name: 'keys_of', arguments: given } }))).value,
    ).toEqual(wanted)
  const made = await json(step(rig, await open(rig), [{ name: 'keys_of', arguments: text }]))
  expect(made).toMatchObject({ results: [{ value: wanted }] })
})

test('refusals speak of what is refused', async () => {
  await using rig = await startRig()
  const search = (body: string) =>
    fetch(`${rig.url}/v1/tools/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ALICE}`, 'content-type': 'application/json' },
      body,
    })
  expect((await json(search('{"query":'), 400)).detail).toMatch(/^the body is not valid JSON: /)
  expect((await json(search('[]'), 400)).detail).toMatch(/^the body must be one JSON object/)
  expect(await json(rig.send(ALICE, '/v1/tools?nope=1'), 422)).toMatchObject({
    code: 'INVALID_ARGS',
    title: 'The query does not match what this path takes.',
  })
})

test('a session that is let go is gone from memory and goes on from the database', async () => {
  using folder = temporaryFolder()
  await using rig = await startRig({ sqlite: folder.file('s.sqlite') })
  const id = await open(rig)
  const call = { callId: 'same', name: 'city_weather', arguments: '{"city":"Oslo"}' }
  await json(step(rig, id, [call]))
  expect((await rig.send(ALICE, `/v1/sessions/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect(await (await rig.send(ALICE, '/metrics')).text()).toMatch(/sessions_in_memory 0\n/)
  const again = await json(step(rig, id, [call]))
  expect(again).toMatchObject({ results: [{ callId: 'same-2', isError: false }] })
})

test('a tool is found by words and called without a program, in any mode, through the same policies', async () => {
  await using rig = await startRig({ engine: { mode: 'code' } })
  const { tools } = await json(rig.send(ALICE, '/v1/tools/search', { body: { query: 'weather of a city' } }))
  expect(tools).toMatchObject([
    { name: 'city.weather', parameters: { required: ['city'] }, nativeName: 'city_weather' },
  ])
  const call = (body: object) => rig.send(ALICE, '/v1/tools/call', { body })
  expect(await json(call({ name: 'city_weather', arguments: { city: 'Oslo' } }))).toMatchObject({
    value: { degrees: 7 },
  })
  expect(await json(call({ name: 'city.weather', arguments: '{"city":"Oslo"}' }))).toMatchObject({
    value: { degrees: 7 },
  })
  const invalid = await call({ name: 'city.weather', arguments: {} })
  expect(invalid.headers.get('content-type')).toBe('application/problem+json')
  expect(await json(invalid, 422)).toMatchObject({ code: 'INVALID_ARGS', status: 422, bodyStarted: false })
  expect(await json(call({ name: 'nothing' }), 404)).toMatchObject({ code: 'UNKNOWN_TOOL' })
  expect(await json(call({ name: 'locked' }), 502)).toMatchObject({ content: [{ text: 'row 7 is locked' }] })
  expect(await json(call({ name: 'run_code', arguments: { code: 'return 1' } }), 422)).toBeDefined()
})

test('the tools are listed in the shape of the provider, and the SDK is rendered and searched', async () => {
  await using rig = await startRig()
  const list = async (format: string) =>
    (await json(rig.send(READER, `/v1/tools?format=${format}`))).tools as Record<string, unknown>[]
  const names = ['city_weather', 'hang', 'locked', 'pay', 'run_code']
  expect((await list('mcp')).map(({ name }) => name)).toEqual(names)
  expect((await list('anthropic'))[0]).toMatchObject({ name: 'city_weather', input_schema: { type: 'object' } })
  expect((await list('openai'))[0]).toMatchObject({ type: 'function', function: { name: 'city_weather' } })
  expect(await json(rig.send(READER, '/v1/sdk?level=L2'))).toMatchObject({
    level: 'L2',
    text: expect.stringContaining('weather('),
  })
  expect(await json(rig.send(READER, '/v1/sdk?budget=1'))).toMatchObject({ level: 'L0' })
  const found = await json(rig.send(READER, '/v1/sdk?search=weather&limit=1&prompt=true'))
  expect(found).toMatchObject({ hits: [{ name: 'city.weather' }], systemPrompt: expect.stringContaining('run_code') })
})

test('a question waits for a person of the scope, and another token than the one that made the call decides it', async () => {
  await using rig = await startRig()
  const body = { code: "return await tools.pay({ to: 'Bob' })" }
  const asking = async () => {
    const run = await json(rig.send(ALICE, '/v1/runs', { body, headers: { prefer: 'respond-async' } }), 202)
    const approvals = await eventually(async () => {
      const { approvals: open } = await json(rig.send(ALICE_BOSS, '/v1/approvals'))
      expect(open).toHaveLength(1)
      return open as { id: string; arguments: unknown; reasons: unknown }[]
    })
    return { run, approval: approvals[0] ?? { id: '', arguments: {}, reasons: [] } }
  }
  const first = await asking()
  expect(first.approval).toMatchObject({ toolName: 'pay', arguments: { to: 'Bob' }, reasons: ['money'] })
  const decide = (secret: string, id: string, decision: object) =>
    rig.send(secret, `/v1/approvals/${id}`, { body: decision })
  expect((await decide(ALICE, first.approval.id, { decision: 'approve' })).status).toBe(403)
  expect((await decide(READER, first.approval.id, { decision: 'approve' })).status).toBe(403)
  const both = await Promise.all([1, 2].map(() => decide(ALICE_BOSS, first.approval.id, { decision: 'approve' })))
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]))
  const get = async (id: unknown) => await json(rig.send(ALICE, `/v1/runs/${String(id)}`))
  await eventually(async () => expect(await get(first.run.id)).toMatchObject({ status: 'succeeded' }))

  const second = await asking()
  await json(decide(ALICE_BOSS, second.approval.id, { decision: 'reject', reason: 'too much' }))
  await eventually(async () => expect((await get(second.run.id)).status).toBe('failed'))
  // Who decided stands in the log of the session, at the call; clients that follow it read the same.
  const [approved] = (await rig.store.read(String(first.run.sessionId) as never)).filter(
    ({ type }) => type === 'tool/code-dispatch',
  )
  expect(approved).toMatchObject({ isError: false, approval: { answer: 'approve', by: 'alice-boss' } })
  const told = await readEvents(await rig.send(ALICE, `/v1/sessions/${String(first.run.sessionId)}/events`), (events) =>
    events.some(({ event }) => event === 'tool/result'),
  )
  expect(told.find(({ event }) => event === 'tool/code-dispatch')?.data).toEqual(approved)
  const log = await rig.store.read(String(second.run.sessionId) as never)
  const dispatch = log.find(({ type }) => type === 'tool/code-dispatch')
  expect(dispatch).toMatchObject({
    errorInfo: { code: 'APPROVAL_REJECTED', message: expect.stringContaining('alice-boss refused the call: too much') },
    approval: { answer: 'reject', by: 'alice-boss' },
  })
  expect(rig.logged().filter(({ msg }) => msg === 'approval decided')).toMatchObject([
    { decision: 'approve', by: 'alice-boss', toolName: 'pay' },
    { decision: 'reject', by: 'alice-boss' },
  ])
})

test('steps and single calls answer with who approved them', async () => {
  await using rig = await startRig()
  const approve = async () => {
    await eventually(() => expect(rig.desk.count).toBe(1))
    const path = `/v1/approvals/${rig.desk.pending('team-a')[0]?.id}`
    await json(rig.send(ALICE_BOSS, path, { body: { decision: 'approve' } }))
  }
  const approval = { answer: 'approve', by: 'alice-boss' }
  const one = json(rig.send(ALICE, '/v1/tools/call', { body: { name: 'pay', arguments: {} } }))
  await approve()
  expect(await one).toMatchObject({ approval })
  const { id } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const body = {
    calls: [
      { name: 'pay', arguments: '{}' },
      { name: 'city.weather', arguments: '{"city":"Oslo"}' },
    ],
  }
  const step = json(rig.send(ALICE, `/v1/sessions/${String(id)}/steps`, { body }))
  await approve()
  const { results } = (await step) as { results: object[] }
  expect(results[0]).toMatchObject({ approval })
  expect(results[1]).not.toHaveProperty('approval')
})

test('a question whose call was cancelled is gone', async () => {
  await using rig = await startRig()
  const run = await json(
    rig.send(ALICE, '/v1/runs', { body: { code: 'return await tools.pay()' }, headers: { prefer: 'respond-async' } }),
    202,
  )
  await eventually(() => expect(rig.desk.count).toBe(1))
  const [approval] = rig.desk.pending('team-a')
  await rig.send(ALICE, `/v1/runs/${String(run.id)}`, { method: 'DELETE' })
  await eventually(() => expect(rig.desk.count).toBe(0))
  const late = await rig.send(ALICE_BOSS, `/v1/approvals/${approval?.id}`, { body: { decision: 'approve' } })
  expect(late.status).toBe(404)
})
