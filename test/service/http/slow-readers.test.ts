import { createConnection, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { defineTool } from '../../../src/index.ts'
import { ALICE, eventually, json, startRig, type Rig, type RigOptions } from './rig.ts'

/** More than the kernel takes off the service's hands, for a socket that nobody reads. */
const LARGE = 7 * 1024 * 1024
const COPIES = 4

/** A service with a run whose answer is large. */
async function startLarge(tuning: RigOptions['tuning']): Promise<{ readonly rig: Rig; readonly path: string }> {
  const rig = await startRig({ ...(tuning !== undefined && { tuning }) })
  const body = { code: `return 'x'.repeat(${LARGE})` }
  const { id } = await json(rig.send(ALICE, '/v1/runs', { body }))
  return { rig, path: `/v1/runs/${String(id)}` }
}

/** Asks for a path so many times in one go, and reads nothing of the answers. */
async function askAndNotRead(rig: Rig, path: string, times = 1): Promise<Socket> {
  const socket = createConnection({ port: Number(new URL(rig.url).port), host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.pause()
  await new Promise((resolve) => socket.once('connect', resolve))
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ALICE}\r\n\r\n`
  socket.write(request.repeat(times))
  return socket
}

/** How many bytes come when it is read after all, up to the end of the connection. */
function readRest(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk) => (bytes += chunk.length))
  socket.resume()
  return new Promise((resolve) => socket.once('close', () => resolve(bytes)))
}

const cuts = (rig: Rig) => rig.logged().filter(({ msg }) => msg === 'a client did not read its answer and was cut')

test('a client that asks for a large answer and reads nothing of it is cut, and one that reads has it whole', async () => {
  const { rig, path } = await startLarge({ stallMs: 500 })
  await using _rig = rig
  const socket = await askAndNotRead(rig, path, COPIES)
  await eventually(() => expect(cuts(rig)).toHaveLength(1))
  expect(cuts(rig)[0]?.unreadBytes).toBeGreaterThan(0)
  expect(await readRest(socket)).toBeLessThan(COPIES * LARGE)
  expect(await json(rig.send(ALICE, path))).toMatchObject({ result: 'x'.repeat(LARGE) })
  expect(cuts(rig)).toHaveLength(1)
  expect(await (await rig.send(ALICE, '/metrics')).text()).toMatch(/codeferry_slow_readers_total 1\n/)
})

test('when unread answers are too much together, those who read nothing are cut before their time, and others are not', async () => {
  const { rig, path } = await startLarge({ stallMs: 600_000, maxUnreadBytes: 1024 * 1024 })
  await using _rig = rig
  const sockets = await Promise.all([1, 2, 3].map(() => askAndNotRead(rig, path, COPIES)))
  const waiting = json(
    rig.send(ALICE, '/v1/runs', { body: { code: 'await new Promise((r) => setTimeout(r, 1_500)); return 1' } }),
  )
  await eventually(() => expect(cuts(rig)).toHaveLength(3))
  for (const socket of sockets) expect(await readRest(socket)).toBeLessThan(COPIES * LARGE)
  expect(await waiting).toMatchObject({ result: 1 })
})

test('a stream of events that nobody reads ends, and gives its place back', async () => {
  const text = 'x'.repeat(LARGE)
  const large = defineTool({
    name: 'large',
    description: 'Gives much.',
    parameters: { type: 'object', properties: {} },
    execute: () => text,
  })
  await using rig = await startRig({ tools: [large], tuning: { stallMs: 500 } })
  const { id } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const body = { calls: Array.from({ length: COPIES }, () => ({ name: 'large', arguments: '{}' })) }
  await json(rig.send(ALICE, `/v1/sessions/${String(id)}/steps`, { body }))
  const socket = await askAndNotRead(rig, `/v1/sessions/${String(id)}/events`)
  const open = async () => /streams_open (\d+)/.exec(await (await rig.send(ALICE, '/metrics')).text())?.[1]
  await eventually(() => expect(cuts(rig)).toHaveLength(1))
  await eventually(async () => expect(await open()).toBe('0'))
  expect(await readRest(socket)).toBeLessThan(COPIES * LARGE)
})

test('a client that waits longer for its run than an answer may stand still is not cut, nor is one that keeps its connection', async () => {
  await using rig = await startRig({ tuning: { stallMs: 300 } })
  const body = { code: 'await new Promise((r) => setTimeout(r, 1_500)); return 1' }
  for (let n = 0; n < 2; n++) expect(await json(rig.send(ALICE, '/v1/runs', { body }))).toMatchObject({ result: 1 })
  expect(cuts(rig)).toEqual([])
})
