import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadClient, LoadEvent } from './_load-client.ts'
import { loadProgram, type LoadProgram } from './_load-programs.ts'
import type { LoadWorld } from './_load-world.ts'

/** One run from its request to its end, in one of the ways that clients have; judged by `world`. */
export type Flow = (client: LoadClient, world: LoadWorld, key: string, n: number) => Promise<void>

/** In turn: half of all runs are waited for, the others are followed, come back to, or made in a session. */
export const FLOWS: readonly Flow[] = [waits, follows, waits, comesBack, waits, follows, waits, steps]

async function waits(client: LoadClient, world: LoadWorld, key: string, n: number): Promise<void> {
  const program = loadProgram(key, n)
  const fromMs = performance.now()
  const { status, body } = await client.send({ method: 'POST', path: '/v1/runs', body: { code: program.code } })
  if (status === 200) world.runEnded(program, body, fromMs)
  else world.complain('failed', `POST /v1/runs: ${status} ${JSON.stringify(body).slice(0, 300)}`)
}

/** Asks, follows the events, goes away in the middle and comes back for the rest. */
async function follows(client: LoadClient, world: LoadWorld, key: string, n: number): Promise<void> {
  const program = loadProgram(key, n)
  const fromMs = performance.now()
  const headers = { prefer: 'respond-async' }
  const { status, body } = await client.send({
    method: 'POST',
    path: '/v1/runs',
    body: { code: program.code },
    headers,
  })
  if (status !== 202 && status !== 200)
    return world.complain('failed', `POST /v1/runs: ${status} ${JSON.stringify(body).slice(0, 300)}`)
  const events = await client.follow(`/v1/runs/${String(body.id)}/events`, {
    leaveAfter: 2 + (n % 3),
    isLast: ({ event }) => event === 'ended',
  })
  world.events += events.length
  const run = events.at(-1)?.data ?? {}
  world.runEnded(program, run, fromMs)
  if (run.error === undefined) judgeEvents(world, program, events)
}

/** Hangs up while it waits, and finds the run again by its key. */
async function comesBack(client: LoadClient, world: LoadWorld, key: string, n: number): Promise<void> {
  const program = loadProgram(key, n)
  const fromMs = performance.now()
  const hangUp = new AbortController()
  const order = {
    method: 'POST',
    path: '/v1/runs',
    body: { code: program.code },
    headers: { 'idempotency-key': key },
  } as const
  const first = client.send({ ...order, signal: hangUp.signal }).catch(() => undefined)
  await Promise.race([first, sleep(20 + (n % 50))])
  hangUp.abort()
  world.returns += 1
  const { status, body } = await client.send(order)
  if (status === 200) world.runEnded(program, body, fromMs)
  else world.complain('failed', `POST /v1/runs again: ${status} ${JSON.stringify(body).slice(0, 300)}`)
}

/** A program and a call of a tool as one step of a session, whose log is followed meanwhile. */
async function steps(client: LoadClient, world: LoadWorld, key: string, n: number): Promise<void> {
  const program = loadProgram(key, n)
  const opened = await client.send({ method: 'POST', path: '/v1/sessions', body: {} })
  if (opened.status !== 201) return world.complain('failed', `POST /v1/sessions: ${opened.status}`)
  const path = `/v1/sessions/${String(opened.body.id)}`
  let results = 0
  const following = client.follow(`${path}/events`, {
    leaveAfter: 3,
    isLast: ({ event }) => event === 'tool/result' && ++results === 2,
  })
  // Awaited below; an answer that fails first must not leave it without anybody who listens.
  following.catch(() => {})
  const fromMs = performance.now()
  const calls = [
    { name: 'run_code', arguments: JSON.stringify({ code: program.code }) },
    { name: 'steady.work', arguments: JSON.stringify({ key, i: 99, ms: 5 }) },
  ]
  const step = await client.send({ method: 'POST', path: `${path}/steps`, body: { calls } })
  if (step.status !== 200)
    return world.complain('failed', `POST steps: ${step.status} ${JSON.stringify(step.body).slice(0, 300)}`)
  const [run, call] = step.body.results as { error?: unknown; value?: Record<string, unknown> }[] // As the API has it.
  world.runEnded(program, run?.error === undefined ? (run?.value ?? {}) : { error: run.error }, fromMs)
  if (call?.value?.i !== 99) world.complain('wrong', `a call in a step gave ${JSON.stringify(call).slice(0, 300)}`)
  const followed = await following
  world.events += followed.length
  const closed = await client.send({ method: 'DELETE', path })
  // 409: the end of the stream has not been noticed yet.
  if (closed.status !== 204 && closed.status !== 409) world.complain('failed', `DELETE session: ${closed.status}`)
}

/** Each call has a start and an end, and each line of the console is there. */
function judgeEvents(world: LoadWorld, program: LoadProgram, events: readonly LoadEvent[]): void {
  const count = (name: string) => events.filter(({ event }) => event === name).length
  const found = [count('queued'), count('started'), count('dispatch-started'), count('dispatch-settled'), count('log')]
  const calls = program.expected.length
  const wanted = [1, 1, calls, calls, program.lines]
  if (found.join() !== wanted.join())
    world.complain(
      'streams',
      `a run told of ${found.join()} where ${wanted.join()} is due (queued, started, calls, their ends, lines)`,
    )
}
