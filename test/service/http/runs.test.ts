import { expect, test } from 'vitest'
import { ALICE, json, readEvents, startRig, temporaryFolder, eventually } from './rig.ts'

const OK = { code: "console.log('hi'); return await tools.city.weather({ city: 'Oslo' })" }

test('a program runs, and its result, console, calls and content come back', async () => {
  await using rig = await startRig()
  const response = await rig.send(ALICE, '/v1/runs', { body: OK })
  const run = await json(response)
  expect(run).toMatchObject({
    status: 'succeeded',
    result: { degrees: 7 },
    logs: [{ level: 'log', text: 'hi' }],
    calls: [{ name: 'city.weather', state: 'settled', isError: false }],
  })
  expect(run.id).toMatch(/^run-[0-9a-f]{32}$/)
  expect(response.headers.get('location')).toBe(`/v1/runs/${String(run.id)}`)
  expect(await json(rig.send(ALICE, `/v1/runs/${String(run.id)}`))).toEqual(run)
})

test('a program that fails is a run with its error, not a failed request', async () => {
  await using rig = await startRig()
  const run = await json(
    rig.send(ALICE, '/v1/runs', {
      body: { code: "await tools.city.weather({ city: 'x' }); throw new Error('no luck')" },
    }),
  )
  expect(run).toMatchObject({ status: 'failed', error: { code: 'PROGRAM_ERROR' }, calls: [{ name: 'city.weather' }] })
  const locked = await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return await tools.locked()' } }))
  expect(locked).toMatchObject({ status: 'failed', error: { code: 'PROGRAM_ERROR' } })
})

test('with Prefer: respond-async the answer is at once where the run is, and the run ends by itself', async () => {
  await using rig = await startRig()
  const response = await rig.send(ALICE, '/v1/runs', { body: OK, headers: { prefer: 'respond-async' } })
  const run = await json(response, 202)
  expect(response.headers.get('preference-applied')).toBe('respond-async')
  const where = response.headers.get('location') ?? ''
  expect(where).toBe(`/v1/runs/${String(run.id)}`)
  await eventually(async () => expect((await json(rig.send(ALICE, where))).status).toBe('succeeded'))
  const soon = await json(rig.send(ALICE, '/v1/runs', { body: OK, headers: { prefer: 'respond-async, wait=30' } }))
  expect(soon.status).toBe('succeeded')
})

test('a run is cancelled by DELETE, twice without harm', async () => {
  await using rig = await startRig()
  const run = await json(
    rig.send(ALICE, '/v1/runs', { body: { code: 'await tools.hang()' }, headers: { prefer: 'respond-async' } }),
    202,
  )
  const where = `/v1/runs/${String(run.id)}`
  await eventually(async () => expect((await json(rig.send(ALICE, where))).status).toBe('running'))
  expect((await rig.send(ALICE, where, { method: 'DELETE' })).status).toBe(202)
  await eventually(async () => expect((await json(rig.send(ALICE, where))).status).toBe('cancelled'))
  expect(await json(rig.send(ALICE, where, { method: 'DELETE' }))).toMatchObject({
    status: 'cancelled',
    error: { code: 'ABORTED' },
  })
})

test('a client that goes away cancels the run it waits for, unless it has a key to come back with', async () => {
  await using rig = await startRig()
  const leave = async (headers: Record<string, string>) => {
    const gone = new AbortController()
    const before = rig.logged().length
    const waiting = rig.send(ALICE, '/v1/runs', { body: { code: 'await tools.hang()' }, headers, signal: gone.signal })
    waiting.catch(() => {})
    await eventually(async () => expect(await rig.engine.store.list()).toHaveLength(sessions + 1))
    sessions++
    const events = async () =>
      (await rig.engine.store.read((await rig.engine.store.list()).at(-1)?.sessionId ?? ('' as never))).map(
        ({ type }) => type,
      )
    await eventually(async () => expect(await events()).toContain('tool/code-dispatch-start'))
    gone.abort()
    await eventually(() => expect(rig.logged().length).toBeGreaterThan(before))
    return events
  }
  let sessions = 0
  const first = await leave({})
  await eventually(async () => expect(await first()).toContain('tool/result'))
  const second = await leave({ 'idempotency-key': 'k' })
  expect(await second()).not.toContain('tool/result')
  const again = await json(
    rig.send(ALICE, '/v1/runs', {
      body: { code: 'await tools.hang()' },
      headers: { 'idempotency-key': 'k', prefer: 'respond-async' },
    }),
    202,
  )
  expect(again.status).toBe('running')
  await rig.send(ALICE, `/v1/runs/${String(again.id)}`, { method: 'DELETE' })
})

test('one key is one run: again, at the same time, and with another body it is refused', async () => {
  await using rig = await startRig()
  const post = (code: string, key = 'key-1') =>
    rig.send(ALICE, '/v1/runs', { body: { code }, headers: { 'idempotency-key': key } })
  const same = await Promise.all(
    [post('return 1'), post('return 1'), post('return 1')].map((response) => json(response)),
  )
  expect(new Set(same.map(({ id }) => id)).size).toBe(1)
  expect((await json(post('return 1'))).id).toBe(same[0]?.id)
  expect(await json(post('return 2'), 422)).toMatchObject({ code: 'KEY_REUSED' })
  expect((await json(post('return 1', 'key-2'))).id).not.toBe(same[0]?.id)
  expect(await rig.engine.store.list()).toHaveLength(2)
})

test('after a restart a key still names its run, which the database answers for', async () => {
  using folder = temporaryFolder()
  const options = { sqlite: folder.file('sessions.sqlite') }
  const post = { body: { code: 'return 40 + 2' }, headers: { 'idempotency-key': 'order-7' } }
  let first: Record<string, unknown>
  {
    await using rig = await startRig(options)
    first = await json(rig.send(ALICE, '/v1/runs', post))
  }
  await using rig = await startRig(options)
  const again = await json(rig.send(ALICE, '/v1/runs', post))
  expect(again).toMatchObject({
    id: first.id,
    status: 'succeeded',
    isFromLog: true,
    content: [{ type: 'text', text: '42' }],
  })
  expect(await json(rig.send(ALICE, `/v1/runs/${String(first.id)}`))).toEqual(again)
  expect((await rig.send(ALICE, '/v1/runs', { ...post, body: { code: 'return 1' } })).status).toBe(422)
  const events = await readEvents(await rig.send(ALICE, `/v1/runs/${String(first.id)}/events`))
  expect(events).toMatchObject([{ event: 'ended', data: { status: 'succeeded' } }])
  // Whoever comes back after the end is told to stay away; a number that was never given out leaves nothing out.
  const from = (lastId: string) =>
    rig.send(ALICE, `/v1/runs/${String(first.id)}/events`, { headers: { 'last-event-id': lastId } })
  expect((await from(String(events[0]?.id))).status).toBe(204)
  expect(await readEvents(await from('3'))).toMatchObject([{ event: 'ended' }])
})

test('limits may be lowered for a run and not raised', async () => {
  await using rig = await startRig()
  const run = (limits: object) => rig.send(ALICE, '/v1/runs', { body: { code: 'for (;;);', limits } })
  expect(await json(run({ cpuMs: 50 }))).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } })
  expect(await json(run({ cpuMs: 10_000_000 }), 422)).toMatchObject({
    code: 'INVALID_ARGS',
    violations: [{ path: '/limits/cpuMs' }],
  })
})

test('a run can be made in a session, whose artifacts its programs share and no other session’s do', async () => {
  await using rig = await startRig()
  const open = async () => String((await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)).id)
  const [mine, other] = [await open(), await open()]
  const run = async (sessionId: string, code: string) =>
    await json(rig.send(ALICE, '/v1/runs', { body: { code, sessionId } }))
  const large = await run(mine, "return 'x'.repeat(100_000)")
  const id = /artifact-[0-9a-f-]+/.exec(JSON.stringify(large.content))?.[0]
  expect(id).toBeDefined()
  const read = `return (await artifacts.read(${JSON.stringify(id)}, { offset: 0, length: 5 })).text`
  expect((await run(mine, read)).status).toBe('succeeded')
  expect(await run(other, read)).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('no artifact') },
  })
  expect(large.sessionId).toBe(mine)
})

test('events of a run come in order without a gap, and a client that comes back misses none', async () => {
  await using rig = await startRig()
  const code = "for (let n = 0; n < 20; n++) { console.log(n); await tools.city.weather({ city: 'Oslo' }) } return 1"
  const { id } = await json(rig.send(ALICE, '/v1/runs', { body: { code }, headers: { prefer: 'respond-async' } }), 202)
  const path = `/v1/runs/${String(id)}/events`
  const seen: { id: number; event: string }[] = []
  // A line of a few events at a time: the client goes away after each.
  for (let isOver = false; !isOver;) {
    const gone = new AbortController()
    const response = await rig.send(ALICE, path, {
      headers: { 'last-event-id': String(seen.at(-1)?.id ?? 0) },
      signal: gone.signal,
    })
    if (response.status === 204) break
    const events = await readEvents(response, (got) => got.length >= 7)
    gone.abort()
    seen.push(...events)
    isOver = seen.at(-1)?.event === 'ended'
  }
  expect(seen.map((event) => event.id)).toEqual(seen.map((_event, index) => index + 1))
  const kinds = Map.groupBy(seen, ({ event }) => event)
  expect([...kinds].map(([kind, events]) => [kind, events.length])).toEqual(
    expect.arrayContaining([
      ['queued', 1],
      ['started', 1],
      ['log', 20],
      ['dispatch-started', 20],
      ['dispatch-settled', 20],
      ['ended', 1],
    ]),
  )
  expect((await rig.send(ALICE, path, { headers: { 'last-event-id': String(seen.length) } })).status).toBe(204)
})

test('ended runs and idle sessions leave memory; a database still answers for them, memory does not', async () => {
  using folder = temporaryFolder()
  for (const [sqlite, status] of [
    [folder.file('s.sqlite'), 200],
    [undefined, 404],
  ] as const) {
    let clock = Date.now()
    await using rig = await startRig({
      ...(sqlite !== undefined && { sqlite }),
      now: () => clock,
      tuning: { keepRunsMs: 1_000, keepSessionsMs: 2_000, sweepMs: 20 },
    })
    const { id } = await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return 1' } }))
    clock += 10_000
    await eventually(async () =>
      expect((await rig.send(ALICE, '/metrics')).text()).resolves.toMatch(/sessions_in_memory 0\n/),
    )
    const response = await rig.send(ALICE, `/v1/runs/${String(id)}`)
    expect(response.status).toBe(status)
    if (status === 200) expect(await response.json()).toMatchObject({ isFromLog: true, status: 'succeeded' })
  }
})
