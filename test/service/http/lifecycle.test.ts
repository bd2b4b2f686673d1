import { expect, test } from 'vitest'
import { sessionId } from '../../../src/data/ids.ts'
import { sandboxPids } from '../../support/sandbox-pids.ts'
import { createFairQueue } from '../../../src/service/runs/fair-queue.ts'
import { ALICE, ALICE_BOSS, BOB, json, readEvents, startRig, temporaryFolder, type Rig, eventually } from './rig.ts'

const HANG = { body: { code: 'await tools.hang()' }, headers: { prefer: 'respond-async' } }
const running = async (rig: Rig, id: unknown) =>
  await eventually(async () => expect((await json(rig.send(ALICE, `/v1/runs/${String(id)}`))).status).toBe('running'))

test('the end of the service lets runs finish, refuses new ones, and answers those who wait', async () => {
  await using rig = await startRig({ settings: { drainMs: 20_000 } })
  const run = await json(
    rig.send(ALICE, '/v1/runs', {
      body: { code: "await new Promise((r) => setTimeout(r, 700)); return 'done'" },
      headers: { prefer: 'respond-async' },
    }),
    202,
  )
  await running(rig, run.id)
  const watching = readEvents(await rig.send(ALICE, `/v1/runs/${String(run.id)}/events`))
  const ending = rig.service.close()
  const refused = await rig.send(ALICE, '/v1/runs', { body: { code: 'return 1' } })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await rig.send(ALICE, '/readyz')).status).toBe(503)
  expect((await rig.send(ALICE, '/healthz')).status).toBe(200)
  expect(await ending).toEqual({ runs: [], requests: 0 })
  expect((await watching).at(-1)).toMatchObject({ event: 'ended', data: { status: 'succeeded', result: 'done' } })
  await expect(rig.send(ALICE, '/healthz')).rejects.toThrow()
})

test('a run that waits when the service ends is told so, and is no sign of too much work', async () => {
  await using rig = await startRig({ settings: { drainMs: 100 }, tuning: { maxRunning: 1, maxRunningPerTenant: 1 } })
  await running(rig, (await json(rig.send(ALICE, '/v1/runs', HANG), 202)).id)
  const queued = await json(rig.send(ALICE, '/v1/runs', HANG), 202)
  const watching = readEvents(await rig.send(ALICE, `/v1/runs/${String(queued.id)}/events`))
  const waiting = rig.send(ALICE, '/v1/runs', { body: { code: 'return 1' } })
  await eventually(async () =>
    expect(await (await rig.send(ALICE, '/metrics')).text()).toMatch(/codeferry_work_waiting 2\n/),
  )
  await Promise.all([rig.service.close(), waiting])
  const refused = await waiting
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await json(refused, 503)).toMatchObject({ code: 'SHUTTING_DOWN' })
  expect((await watching).at(-1)).toMatchObject({ data: { status: 'failed', error: { code: 'SHUTTING_DOWN' } } })
})

test('what does not end within the drain is cut, said, and recorded in the log of its session', async () => {
  using folder = temporaryFolder()
  const sqlite = folder.file('s.sqlite')
  let run: Record<string, unknown> = {}
  {
    await using rig = await startRig({ settings: { drainMs: 100 }, sqlite })
    run = await json(rig.send(ALICE, '/v1/runs', HANG), 202)
    await running(rig, run.id)
    expect(await rig.service.close()).toEqual({ runs: [{ runId: run.id, tenant: 'alice' }], requests: 0 })
    expect(rig.logged().filter(({ msg }) => msg === 'run cut by the end of the service')).toMatchObject([
      { runId: run.id },
    ])
  }
  await using rig = await startRig({ sqlite })
  expect(await json(rig.send(ALICE, `/v1/runs/${String(run.id)}`))).toMatchObject({
    status: 'cancelled',
    error: { code: 'ABORTED' },
    isFromLog: true,
  })
})

test('too much of one tenant is 429 with Retry-After, and another tenant is not held up by it', async () => {
  await using rig = await startRig({
    settings: { maxQueuePerTenant: 2 },
    tuning: { maxRunning: 2, maxRunningPerTenant: 1 },
  })
  const runs = [await json(rig.send(ALICE, '/v1/runs', HANG), 202)]
  await running(rig, runs[0]?.id)
  for (let n = 0; n < 2; n++) runs.push(await json(rig.send(ALICE, '/v1/runs', HANG), 202))
  const refused = await rig.send(ALICE, '/v1/runs', HANG)
  expect(await json(refused, 429)).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await json(rig.send(BOB, '/v1/runs', { body: { code: 'return 1' } }))).toMatchObject({ status: 'succeeded' })
  // One that waits can be cancelled without having begun.
  await rig.send(ALICE, `/v1/runs/${String(runs[2]?.id)}`, { method: 'DELETE' })
  await eventually(async () =>
    expect(await json(rig.send(ALICE, `/v1/runs/${String(runs[2]?.id)}`))).toMatchObject({
      status: 'cancelled',
      error: { code: 'ABORTED_BEFORE_DISPATCH' },
    }),
  )
  for (const { id } of runs) await rig.send(ALICE, `/v1/runs/${String(id)}`, { method: 'DELETE' })
})

test('when everything is full the answer is 503, and work that waits for a person holds no place', async () => {
  await using rig = await startRig({
    settings: { maxQueuePerTenant: 1 },
    tuning: { maxRunning: 1, maxRunningPerTenant: 1, maxWaiting: 1 },
  })
  const asking = await json(
    rig.send(ALICE, '/v1/runs', { body: { code: 'return await tools.pay()' }, headers: HANG.headers }),
    202,
  )
  await eventually(() => expect(rig.desk.count).toBe(1))
  const hanging = await json(rig.send(ALICE, '/v1/runs', HANG), 202)
  await running(rig, hanging.id)
  // The answer comes, and the place has to be waited for.
  const [question] = rig.desk.pending('team-a')
  await json(rig.send(ALICE_BOSS, `/v1/approvals/${question?.id}`, { body: { decision: 'approve' } }))
  await eventually(async () =>
    expect(await (await rig.send(ALICE, '/metrics')).text()).toMatch(/work_running 1\n[^]*work_waiting 1\n/),
  )
  expect((await json(rig.send(ALICE, `/v1/runs/${String(asking.id)}`))).status).toBe('running')
  await json(rig.send(ALICE, '/v1/runs', HANG), 202)
  const refused = await rig.send(BOB, '/v1/runs', { body: { code: 'return 1' } })
  expect(await json(refused, 503)).toMatchObject({ code: 'OVERLOADED' })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  await rig.send(ALICE, `/v1/runs/${String(hanging.id)}`, { method: 'DELETE' })
  await eventually(async () =>
    expect(await json(rig.send(ALICE, `/v1/runs/${String(asking.id)}`))).toMatchObject({ status: 'succeeded' }),
  )
})

test('places are handed out in turn: a tenant that sent one request is not behind another’s hundred', async () => {
  const queue = createFairQueue({ maxRunning: 1, maxRunningPerTenant: 1, maxWaiting: 1_000, maxWaitingPerTenant: 500 })
  const order: string[] = []
  const { signal } = new AbortController()
  const enter = async (tenant: string) => {
    const place = queue.enter(tenant, signal)
    if (typeof place === 'string') throw new Error(place)
    using _place = await place
    order.push(tenant)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const many = Array.from({ length: 100 }, () => enter('many'))
  await Promise.all([...many, enter('one'), enter('two'), enter('two')])
  expect(order.indexOf('one')).toBeLessThan(4)
  expect(order.lastIndexOf('two')).toBeLessThan(8)
  expect([queue.running, queue.waiting]).toEqual([0, 0])
})

test('a sandbox process that is killed costs at most the runs that it held, and the service goes on', async () => {
  await using rig = await startRig()
  const run = await json(rig.send(ALICE, '/v1/runs', HANG), 202)
  await running(rig, run.id)
  for (const pid of sandboxPids()) process.kill(pid, 'SIGKILL')
  await eventually(async () =>
    expect(await json(rig.send(BOB, '/v1/runs', { body: { code: 'return 1' } }))).toMatchObject({
      status: 'succeeded',
    }),
  )
  expect(await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return 2' } }))).toMatchObject({ result: 2 })
  // It goes on in another process, or says what became of it.
  const { status, error } = await json(rig.send(ALICE, `/v1/runs/${String(run.id)}`))
  expect([status, (error as { code: string } | undefined)?.code ?? '']).toEqual(
    status === 'running' ? ['running', ''] : ['failed', 'SANDBOX_LOST'],
  )
  await rig.send(ALICE, `/v1/runs/${String(run.id)}`, { method: 'DELETE' })
})

test('a service that lives long holds no more than it may, however many runs it has made', async () => {
  await using rig = await startRig({ tuning: { maxRuns: 5, maxSessions: 5, maxRunning: 4, maxRunningPerTenant: 4 } })
  const ids: string[] = []
  for (let n = 0; n < 10; n++) {
    const some = [1, 2, 3, 4].map(() => json(rig.send(ALICE, '/v1/runs', { body: { code: `return ${n}` } })))
    ids.push(...(await Promise.all(some)).map(({ id }) => String(id)))
  }
  await eventually(async () => {
    const text = await (await rig.send(ALICE, '/metrics')).text()
    const held = ['runs', 'sessions'].map((what) =>
      Number(new RegExp(`codeferry_${what}_in_memory (\\d+)`).exec(text)?.[1]),
    )
    expect(Math.max(...held)).toBeLessThanOrEqual(5)
  })
  // Of a memory store, what was let go is gone; the latest is there.
  expect((await rig.send(ALICE, `/v1/runs/${ids[0]}`)).status).toBe(404)
  expect((await rig.send(ALICE, `/v1/runs/${ids.at(-1)}`)).status).toBe(200)
  expect(await rig.store.list()).toHaveLength(5)
})

test('after a reload sessions go on in the new engine, and the old one is free when its last run has ended', async () => {
  await using rig = await startRig({ tuning: { maxRunning: 1, maxRunningPerTenant: 1 } })
  const { id } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const run = await json(rig.send(ALICE, '/v1/runs', HANG), 202)
  await running(rig, run.id)
  const program = {
    name: 'run_code',
    arguments: JSON.stringify({ code: "return await tools.city.weather({ city: 'x' })" }),
  }
  const step = rig.send(ALICE, `/v1/sessions/${String(id)}/steps`, { body: { calls: [program] } })
  // It waits behind the run, in a session that the old engine has opened.
  await eventually(async () =>
    expect(await (await rig.send(ALICE, '/metrics')).text()).toMatch(/codeferry_work_waiting 1\n/),
  )
  const old = await rig.replaceEngine()
  let isFree = false
  const free = rig.service.leases.drained(old).then(() => (isFree = true))
  await json(rig.send(ALICE, '/v1/tools'))
  expect(isFree).toBe(false)
  await rig.send(ALICE, `/v1/runs/${String(run.id)}`, { method: 'DELETE' })
  await free
  expect(await json(step)).toMatchObject({ results: [{ isError: false }] })
  expect((await rig.store.read(sessionId(String(id)))).map(({ type }) => type)).toEqual([
    'session/opened',
    'tool/call',
    'tool/code-dispatch-start',
    'tool/code-dispatch',
    'tool/result',
  ])
})

test('a mounted protocol gets requests of known tenants only, with their bodies', async () => {
  await using rig = await startRig()
  rig.service.mount('/other', async (request, tenant) => Response.json({ tenant, said: await request.text() }), {
    may: ['run'],
  })
  const post = (secret: string, path: string) => rig.send(secret, path, { body: { a: 1 } })
  expect(await json(post(ALICE, '/other/deep'))).toMatchObject({
    tenant: { name: 'alice', scope: 'team-a' },
    said: '{"a":1}',
  })
  expect((await post('wrong', '/other')).status).toBe(401)
  expect((await post(ALICE, '/others')).status).toBe(404)
})

test('a mounted protocol takes its turn like the rest, and its tenant cannot approve its own calls', async () => {
  await using rig = await startRig({ settings: { drainMs: 20_000 } })
  rig.service.mount('/other', async (request, tenant) => {
    using session = rig.service.sessions.open(tenant.scope)
    using work = await rig.service.enter(tenant, session.log, request.signal)
    const { outcome } = await work.engine.run('return await tools.pay()', { session: session.log, signal: work.signal })
    return Response.json({ isError: outcome.isError })
  })
  const asking = rig.send(ALICE, '/other', { body: {} })
  await eventually(() => expect(rig.desk.count).toBe(1))
  const path = `/v1/approvals/${rig.desk.pending('team-a')[0]?.id}`
  expect((await rig.send(ALICE, path, { body: { decision: 'approve' } })).status).toBe(403)
  const ending = rig.service.close()
  expect((await rig.send(ALICE, '/other', { body: {} })).status).toBe(503)
  expect((await rig.send(ALICE_BOSS, path, { body: { decision: 'approve' } })).status).toBe(200)
  expect(await json(asking)).toEqual({ isError: false })
  expect(await ending).toEqual({ runs: [], requests: 0 })
})

test('streams that nobody reads do not stay: HEAD opens none, and a client that has gone leaves none', async () => {
  await using rig = await startRig()
  const { id } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const path = `/v1/sessions/${String(id)}/events`
  expect((await rig.send(ALICE, path, { method: 'HEAD' })).status).toBe(200)
  const gone = new AbortController()
  const watched = await rig.send(ALICE, path, { signal: gone.signal })
  const open = async () => /streams_open (\d+)/.exec(await (await rig.send(ALICE, '/metrics')).text())?.[1]
  expect([watched.status, await open()]).toEqual([200, '1'])
  gone.abort()
  await eventually(async () => expect(await open()).toBe('0'))
})

test('metrics count requests and runs, and name no tenant', async () => {
  await using rig = await startRig()
  await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return 1' } }))
  const text = await (await rig.send(ALICE, '/metrics')).text()
  expect(text).toContain('codeferry_runs_total{status="succeeded"} 1')
  expect(text).toContain('codeferry_http_requests_total{method="POST",route="/v1/runs",status="200"} 1')
  expect(text).not.toMatch(/alice|team-a/)
  expect(rig.logged()).toContainEqual(
    expect.objectContaining({
      method: 'POST',
      route: '/v1/runs',
      status: 200,
      tenant: 'alice',
      durationMs: expect.any(Number),
    }),
  )
})
