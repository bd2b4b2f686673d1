/**
 * Threat-model rows B14, I02 and wall 3: both ends of the wire, fed with frames that were changed, doubled, reordered,
 * cut, too large or too deep. The host never crashes, hangs or gives one run what belongs to another; the child answers
 * or exits. This file is long because both ends are counted together. The seed is fixed; `FUZZ_SEED` and `FUZZ_SCALE` look elsewhere and for longer.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { CHILD_FRAME, FRAME_HEADER_BYTES, HOST_FRAME } from '../../sandbox/wire.ts'
import { parseChildFrame } from '../../sandbox/wire-check.ts'
import type { GuestCall, RunEnding, RunLimits } from '../../src/executor/executor.ts'
import { LiveRun } from '../../src/executor/live-run.ts'
import { Pool } from '../../src/executor/pool.ts'
import { mutateBody, mutation, type Mutation } from '../support/arbitrary/mutations.ts'
import { startBody, tool } from '../support/scripted-host.ts'
import { createTaps, rawFrame, type RawFrame, type Tap } from '../support/tapped-link.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_201)
const scale = Number(process.env['FUZZ_SCALE'] ?? 1)
const LIMITS: RunLimits = {
  cpuMs: 600_000,
  wallMs: 600_000,
  drainMs: 50,
  memoryMb: 64,
  maxPendingCalls: 6,
  maxLogBytes: 4_000,
  maxResultBytes: 4_000,
  maxValueBytes: 4_000,
}
interface Counts {
  cases: number
  framed: number
  shaped: number
  kills: number
}
const total: Record<'host' | 'child', Counts> = {
  host: { cases: 0, framed: 0, shaped: 0, kills: 0 },
  child: { cases: 0, framed: 0, shaped: 0, kills: 0 },
}

// --- the host's end -----------------------------------------------------------------------------------------------

const taps = createTaps({ readyMs: 60_000, graceMs: 60_000 })
afterAll(() => taps.remove())

/** Every text that a run's child says carries the run's mark, so that a text in the wrong place can be told. */
const mark = (id: number) => `<${id}>`
function foreignMarks(text: string, id: number): string[] {
  return [...text.matchAll(/<(\d+)>/g)].map(([found]) => found).filter((found) => found !== mark(id))
}

class FuzzedHost {
  readonly #pool: Pool
  readonly #taps: Tap[] = []
  readonly #runs = new Map<number, { run: LiveRun; isOver: boolean; answered: Set<number>; said: number }>()
  /** Who is behind a run number, per link: told by the `start` frames that the host sends. */
  readonly #idsByNumber = new WeakMap<Tap, Map<number, number>>()
  readonly problems: string[] = []
  readonly endings = new Map<string, number>()
  kills = 0
  #lastId = 0

  constructor() {
    this.#pool = new Pool({
      maxChildren: 2,
      childrenPerTenant: 1,
      maxRunsPerChild: 8,
      maxQueue: 16,
      recycleAfterRuns: 1_000_000,
      recycleAfterMs: 3_600_000,
      busyMs: 60_000,
      childRssMb: 1_024,
      sharedSliceMs: 600_000,
      hasWarmSpare: false,
      spawn: (events) => {
        const tap = taps.open({
          ...events,
          onExit: (link, exit) => {
            this.kills += 1
            events.onExit(link, exit)
          },
        })
        this.#idsByNumber.set(tap, new Map())
        this.#taps.push(tap)
        tap.say(rawFrame(CHILD_FRAME.ready, 0, JSON.stringify({ version: 1, node: '26', v8: '14' })))
        return tap.link
      },
    })
  }

  get liveCount(): number {
    return [...this.#runs.values()].filter(({ isOver }) => !isOver).length
  }

  startRun(): void {
    const id = ++this.#lastId
    const look = (text: string, where: string) => {
      for (const found of foreignMarks(text, id)) this.problems.push(`run ${mark(id)} got ${found} in its ${where}`)
    }
    const entry = { run: undefined as unknown as LiveRun, isOver: false, answered: new Set<number>(), said: 0 }
    entry.run = new LiveRun(
      {
        runId: `run-${id}`,
        tenant: 'tenant',
        code: mark(id),
        bindings: [],
        limits: LIMITS,
        signal: new AbortController().signal,
        startTimeMs: 1_700_000_000_000,
        seed: '00',
      },
      {
        async call(call: GuestCall) {
          look(call.name, 'call')
          look(call.argumentsJson, 'arguments')
          entry.said += 1
          if (call.number % 7 === 0) return await new Promise<never>(() => {})
          return { ok: call.number % 3 !== 0, json: JSON.stringify({ reply: mark(id), n: call.number }) }
        },
        onEvent: (event) => look(JSON.stringify(event), 'events'),
      },
      this.#pool,
      { maxResumes: 1, maxReplayBytes: 1 << 20, graceMs: 60_000, sharedSliceMs: 600_000, parkAfterMs: 600_000 },
    )
    this.#runs.set(id, entry)
    void entry.run.ending.then((ending: RunEnding) => {
      entry.isOver = true
      look(JSON.stringify(ending), 'ending')
      const kind = ending.kind === 'stopped' ? ending.code : ending.kind
      this.endings.set(kind, (this.endings.get(kind) ?? 0) + 1)
    })
  }

  /** Reads what the host has sent and holds it against what it may send. */
  listen(tap: Tap): void {
    const ids = this.#idsByNumber.get(tap)
    if (ids === undefined) return
    for (const frame of tap.heard()) {
      if (frame.type === HOST_FRAME.start) this.#onStart(ids, frame)
      if (frame.type === HOST_FRAME.deliver) this.#onDeliver(ids, frame)
    }
  }

  #onStart(ids: Map<number, number>, frame: RawFrame): void {
    const { code } = JSON.parse(frame.body.toString()) as { code: string }
    const id = Number(/\d+/.exec(code)?.[0])
    ids.set(frame.run, id)
    this.#runs.get(id)?.answered.clear()
  }

  #onDeliver(ids: Map<number, number>, frame: RawFrame): void {
    const id = ids.get(frame.run) ?? -1
    const entry = this.#runs.get(id)
    const { items } = JSON.parse(frame.body.toString()) as { items: { t: string; n?: number; json?: string }[] }
    if (items.length === 0) this.problems.push('an empty delivery')
    for (const { t, n = 0, json = '' } of items) {
      if (t === 'timer') continue
      for (const found of foreignMarks(json, id)) this.problems.push(`run ${mark(id)} was given ${found}`)
      if (entry === undefined || n > entry.said)
        this.problems.push(`an answer to call ${n}, which ${mark(id)} has not made`)
      if (entry?.answered.has(n)) this.problems.push(`call ${n} of ${mark(id)} was answered twice`)
      entry?.answered.add(n)
    }
  }

  /** The child that lives and owes an answer, when its process is up and it has been asked. */
  async speaker(): Promise<{ tap: Tap; head: number; id: number }> {
    for (let tries = 0; tries < 5_000; tries++) {
      while (this.liveCount < 3) this.startRun()
      for (const tap of this.#taps) {
        if (tap.link.isGone) tap.close()
        else this.listen(tap)
        const { head } = tap.link.slices
        const id = head === undefined ? undefined : this.#idsByNumber.get(tap)?.get(head)
        if (!tap.link.isGone && head !== undefined && id !== undefined) return { tap, head, id }
      }
      if (tries % 10 === 9) await pause(1)
      else await turn()
    }
    throw new Error('the host hangs: it asks no child for anything')
  }

  nextCallNumber(id: number): number {
    return (this.#runs.get(id)?.said ?? 0) + 1
  }

  async close(): Promise<void> {
    for (const { run } of this.#runs.values()) run.cancel('the test is over')
    const endings = Promise.all([...this.#runs.values()].map(({ run }) => run.ending))
    const closed = (async () => {
      const closing = this.#pool.close()
      for (const tap of this.#taps) tap.close()
      await closing
      await endings
      return 'closed'
    })()
    const outcome = await Promise.race([closed, pause(20_000, 'still open', { ref: false })])
    if (outcome !== 'closed') this.problems.push('runs or children were still open after 20 s')
  }
}

interface Case {
  readonly isPart: boolean
  readonly events: readonly { readonly kind: number; readonly text: string }[]
  readonly state: number
  readonly change: Mutation
}
const hostCase: fc.Arbitrary<Case> = fc.record({
  isPart: fc.boolean(),
  events: fc.array(fc.record({ kind: fc.nat(7), text: fc.string({ unit: 'grapheme', maxLength: 12 }) }), {
    maxLength: 4,
  }),
  state: fc.nat(19),
  change: mutation({ benign: 24, shape: 3, framing: 2 }),
})

function childEvents(given: Case['events'], id: number, firstCall: number): unknown[] {
  let n = firstCall
  return given.map(({ kind, text: raw }) => {
    const text = `${mark(id)} ${raw}`
    switch (kind) {
      case 0:
      case 1:
        return { e: 'call', n: n++, op: 'call', name: text, args: JSON.stringify({ text }) }
      case 2:
        return { e: 'timer', id: n * 10 + raw.length + Math.floor(Math.abs(Math.sin(n)) * 1e6), ms: raw.length }
      case 3:
        return { e: 'log', level: 'warn', at: raw.length, text }
      case 4:
        return { e: 'notice', code: 'CODE', text }
      case 5:
        return { e: 'show', json: JSON.stringify({ type: 'text', text }) }
      case 6:
        return { e: 'progress', message: text, fraction: 0.5 }
      default:
        return { e: 'clear', id: raw.length }
    }
  })
}

function childState(choice: number, id: number): unknown {
  if (choice === 0) return { s: 'returned', json: JSON.stringify(mark(id)) }
  if (choice === 1) return { s: 'threw', name: 'Error', message: mark(id), stack: '', code: 'X' }
  if (choice === 2) return { s: 'stopped', why: 'output', message: mark(id) }
  return { s: 'waiting' }
}

async function feedHost(host: FuzzedHost, given: Case): Promise<void> {
  const { tap, head, id } = await host.speaker()
  const events = childEvents(given.events, id, host.nextCallNumber(id))
  const type = given.isPart ? CHILD_FRAME.part : CHILD_FRAME.slice
  const body = given.isPart ? { events } : { events, state: childState(given.state, id), cpuMs: 1 }
  const { change } = given
  const bytes = mutateBody(body, change)
  const frame = rawFrame(
    change.kind === 'type' ? change.with & 255 : type,
    change.kind === 'run' ? change.with : head,
    bytes,
    change.kind === 'length' ? bytes.length + 1 + change.with : undefined,
  )
  const isWhole = change.kind !== 'length'
  const isFramed =
    isWhole &&
    frame.readUInt8(4) >= 65 &&
    frame.readUInt8(4) <= 68 &&
    frame.readUInt32LE(5) === head &&
    bytes.length < 20_000
  const isShaped = isFramed && parseChildFrame(frame.readUInt8(4), bytes, LIMITS).ok
  total.host.cases += 1
  total.host.framed += isFramed ? 1 : 0
  total.host.shaped += isShaped ? 1 : 0
  const before = tap.link.slices.answeredCount
  tap.say(change.kind === 'twice' ? Buffer.concat([frame, frame]) : frame)
  // Until the host has read it: a part leaves no trace to wait for.
  for (let turns = 0; turns < 4 && !tap.link.isGone && tap.link.slices.answeredCount === before; turns++) await turn()
  if (tap.link.isGone) tap.close()
  // A frame that was announced longer than it came eats what follows: the rest of this child's life is noise.
  if (!isWhole && !tap.link.isGone) {
    tap.say(Buffer.alloc(Math.min(change.with + 1, 60_000), 0x20))
    for (let turns = 0; turns < 3; turns++) await turn()
    if (!tap.link.isGone) tap.link.kill('closed', 'the test gives up this child')
    tap.close()
  }
  // And an honest host refuses what its own check refuses.
  if (isFramed && !isShaped && change.kind !== 'twice') {
    for (let turns = 0; turns < 200 && !tap.link.isGone; turns++) await turn()
    if (!tap.link.isGone) host.problems.push(`a frame of a wrong shape was taken: ${bytes.toString().slice(0, 200)}`)
    tap.close()
  }
}

test('the host survives a child that lies, and no run gets what belongs to another', async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(hostCase, { minLength: 60, maxLength: 60 }), async (cases) => {
      let host = new FuzzedHost()
      const problems: string[] = []
      const finish = async () => {
        await host.close()
        problems.push(...host.problems)
        total.host.kills += host.kills
        for (const [kind, count] of host.endings) seen.set(kind, (seen.get(kind) ?? 0) + count)
      }
      for (const given of cases) {
        await feedHost(host, given)
        // A pool that loses many children slows down on purpose: a new one goes on at once.
        if (host.kills >= 6) {
          await finish()
          host = new FuzzedHost()
        }
      }
      await finish()
      expect(problems).toEqual([])
    }),
    { numRuns: Math.round(241 * scale), seed, endOnFailure: true },
  )
  // The oracle saw every kind of end, so it has looked at all of them.
  for (const kind of ['returned', 'threw', 'OUTPUT_LIMIT', 'SANDBOX_LOST', 'ABORTED', 'REPLAY_DIVERGED'])
    expect([...seen.keys()]).toContain(kind)
  const { cases, framed, shaped, kills } = total.host
  console.log(
    `host end: ${cases} frames, ${framed} passed framing, ${shaped} the shape check; ${kills} children ended`,
    Object.fromEntries(seen),
  )
  expect(framed / cases).toBeGreaterThan(0.5)
  expect(shaped / cases).toBeGreaterThan(0.1)
}, 120_000)

// --- the child's end ----------------------------------------------------------------------------------------------

const CHILD_FILE = new URL('../../sandbox/bundle/child.cjs', import.meta.url).pathname
const NODE = new URL('../../node_modules/.bin/node', import.meta.url).pathname
const ADDON = dirname(createRequire(import.meta.url).resolve('isolated-vm/package.json'))

class FuzzedChild {
  readonly #process: ChildProcess
  readonly #input: Writable
  #pending = Buffer.alloc(0)
  #wake: () => void = () => {}
  readonly answered = new Set<number>()
  readonly problems: string[] = []
  isGone = false

  constructor() {
    this.#process = spawn(NODE, ['--no-node-snapshot', CHILD_FILE, '--addon', ADDON], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: {},
      cwd: '/',
    })
    this.#input = this.#process.stdio[3] as Writable
    this.#input.on('error', () => {})
    const output = this.#process.stdio[4] as Readable
    output.on('data', (bytes: Buffer) => this.#take(bytes))
    this.#process.on('exit', () => {
      this.isGone = true
      this.#wake()
    })
  }

  send(frame: Buffer): void {
    this.#input.write(frame)
  }
  end(): void {
    this.#input.end()
  }
  kill(): void {
    this.#process.kill('SIGKILL')
  }

  /** True: it happened. False: neither that nor the end of the process came, which is a hang. */
  async waitFor(isSo: () => boolean): Promise<boolean> {
    const deadline = performance.now() + 15_000
    while (!isSo() && !this.isGone) {
      if (performance.now() > deadline) return false
      await Promise.race([
        new Promise<void>((resolve) => (this.#wake = resolve)),
        pause(1_000, undefined, { ref: false }),
      ])
    }
    return true
  }

  #take(bytes: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, bytes])
    while (this.#pending.length >= FRAME_HEADER_BYTES) {
      const end = FRAME_HEADER_BYTES + this.#pending.readUInt32LE(0)
      if (this.#pending.length < end) break
      const type = this.#pending.readUInt8(4)
      const run = this.#pending.readUInt32LE(5)
      const body = this.#pending.subarray(FRAME_HEADER_BYTES, end)
      // Names and limits that a host got wrong come back wrong; what is no frame at all would be the child's own fault.
      if (!isFrame(type, body)) this.problems.push(`frame of type ${type}: ${body.toString().slice(0, 200)}`)
      if (type === CHILD_FRAME.slice) this.answered.add(run)
      this.#pending = this.#pending.subarray(end)
    }
    this.#wake()
  }
}

function isFrame(type: number, body: Buffer): boolean {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return type >= CHILD_FRAME.ready && type <= CHILD_FRAME.fatal && typeof parsed === 'object' && parsed !== null
  } catch {
    return false
  }
}

interface HostCase {
  readonly kind: number
  readonly program: number
  readonly target: number
  readonly items: readonly { readonly t: number; readonly n: number; readonly json: string }[]
  readonly change: Mutation
}
const childCase: fc.Arbitrary<HostCase> = fc.record({
  kind: fc.nat(19),
  program: fc.nat(7),
  target: fc.nat(9),
  items: fc.array(
    fc.record({ t: fc.nat(2), n: fc.nat(6), json: fc.oneof(fc.json({ maxDepth: 2 }), fc.string({ maxLength: 10 })) }),
    { maxLength: 4 },
  ),
  change: mutation({ benign: 40, shape: 1, framing: 0 }),
})
/** Such a frame may end the child, or leave it waiting for the rest of it: each ends a session. */
const lastCase: fc.Arbitrary<HostCase> = fc.record({
  kind: fc.nat(19),
  program: fc.nat(7),
  target: fc.nat(9),
  items: fc.constant([]),
  change: mutation({ benign: 1, shape: 4, framing: 10 }),
})

const PROGRAMS = [
  `return await tools.echo({ a: 1 })`,
  `const all = await Promise.all([tools.echo({}), tools.echo({}), tools.echo({})]); return all`,
  `setTimeout(() => console.log('due'), 5); await tools.echo({})`,
  `throw new Error('no')`,
  `for (;;) {}`,
  `console.log('x'.repeat(5000)); return 'y'.repeat(9000)`,
  `return (`,
  `await new Promise(() => {})`,
]

function hostFrame(
  given: HostCase,
  live: readonly number[],
  fresh: () => number,
): { type: number; run: number; body: unknown } {
  const target = live.length === 0 ? undefined : live[given.target % live.length]
  if (given.kind <= 2 || target === undefined) {
    const body = startBody(PROGRAMS[given.program] ?? '', {
      bindings: [tool('echo')],
      sliceMs: 25,
      limits: { maxLogBytes: 4_000, maxResultBytes: 4_000, maxValueBytes: 4_000 },
    })
    return { type: HOST_FRAME.start, run: fresh(), body }
  }
  if (given.kind <= 4) return { type: HOST_FRAME.discard, run: target, body: '' }
  if (given.kind === 5) return { type: HOST_FRAME.prepare, run: 0, body: { spares: given.target % 3 } }
  const items = given.items.map(({ t, n, json }) =>
    t === 2 ? { t: 'timer', id: n } : { t: t === 0 ? 'ok' : 'err', n, json },
  )
  return {
    type: HOST_FRAME.deliver,
    run: target,
    body: { nowMs: 1_767_323_045_000 + given.target, sliceMs: 25, items },
  }
}

test('the child answers or exits, whatever a host sends', async () => {
  let lastRun = 0
  await fc.assert(
    fc.asyncProperty(fc.array(childCase, { minLength: 200, maxLength: 200 }), lastCase, async (cases, last) => {
      let child = new FuzzedChild()
      const problems: string[] = []
      let live: number[] = []
      const fresh = () => ++lastRun
      const feed = (given: HostCase) => {
        const { type, run, body } = hostFrame(given, live, fresh)
        const { change } = given
        // A discard has no body; what is changed about it is its run.
        const bytes = body === '' ? Buffer.alloc(0) : mutateBody(body, change)
        if (type === HOST_FRAME.start) live.push(run)
        if (type === HOST_FRAME.discard) live = live.filter((each) => each !== run)
        const frame = rawFrame(
          change.kind === 'type' ? change.with & 255 : type,
          change.kind === 'run' ? change.with : run,
          bytes,
          change.kind === 'length' ? bytes.length + 1 + change.with : undefined,
        )
        const isFramed = change.kind !== 'length' && frame.readUInt8(4) >= 1 && frame.readUInt8(4) <= 4
        total.child.cases += 1
        total.child.framed += isFramed ? 1 : 0
        total.child.shaped += isFramed && (bytes.length === 0 || isShaped(type, bytes)) ? 1 : 0
        child.send(change.kind === 'twice' ? Buffer.concat([frame, frame]) : frame)
      }
      const probe = async () => {
        const run = fresh()
        child.send(rawFrame(HOST_FRAME.start, run, JSON.stringify(startBody('return 1'))))
        child.send(rawFrame(HOST_FRAME.discard, run, ''))
        if (!(await child.waitFor(() => child.answered.has(run)))) problems.push(`no answer to run ${run} and no exit`)
      }
      const renew = () => {
        problems.push(...child.problems)
        total.child.kills += child.isGone ? 1 : 0
        child.kill()
        child = new FuzzedChild()
        live = []
      }
      for (const [index, given] of cases.entries()) {
        feed(given)
        if (live.length > 6) for (const run of live.splice(0, 3)) child.send(rawFrame(HOST_FRAME.discard, run, ''))
        if (index % 8 === 7) await probe()
        if (child.isGone || problems.length > 0) renew()
      }
      feed(last)
      child.end()
      if (!(await child.waitFor(() => false))) problems.push('it did not exit when its pipe was closed')
      problems.push(...child.problems)
      child.kill()
      expect(problems).toEqual([])
    }),
    { numRuns: Math.round(28 * scale), seed, endOnFailure: true },
  )
  const { cases, framed, shaped, kills } = total.child
  console.log(
    `child end: ${cases} frames, ${framed} passed framing, ${shaped} the shape check; ${kills} children ended early`,
  )
  expect(framed / cases).toBeGreaterThan(0.5)
  expect(shaped / cases).toBeGreaterThan(0.1)
  if (scale >= 1) expect(total.host.cases + total.child.cases).toBeGreaterThanOrEqual(20_000)
}, 120_000)

/** As the types of `wire.ts` have it, near enough to count by. */
function isShaped(type: number, bytes: Buffer): boolean {
  try {
    const body = JSON.parse(bytes.toString()) as Record<string, unknown>
    if (type === HOST_FRAME.start)
      return typeof body['code'] === 'string' && Array.isArray(body['bindings']) && typeof body['limits'] === 'object'
    if (type === HOST_FRAME.deliver) return typeof body['nowMs'] === 'number' && Array.isArray(body['items'])
    return type === HOST_FRAME.prepare && Number.isInteger(body['spares'])
  } catch {
    return false
  }
}
