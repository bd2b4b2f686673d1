import { spawn, type ChildProcess } from 'node:child_process'
import { dirname } from 'node:path'
import { createRequire } from 'node:module'
import type { Duplex, Readable, Writable } from 'node:stream'
import {
  CHILD_FRAME,
  FRAME_HEADER_BYTES,
  HOST_FRAME,
  type DeliverItem,
  type SliceState,
  type StartBody,
  type WireEvent,
} from '../../sandbox/wire.ts'

const require = createRequire(import.meta.url)
const CHILD_FILE = new URL('../../sandbox/bundle/child.cjs', import.meta.url).pathname
const NODE = new URL('../../node_modules/.bin/node', import.meta.url).pathname
const ADDON = dirname(require.resolve('isolated-vm/package.json'))

export type CallEvent = Extract<WireEvent, { e: 'call' }>
export type LogEvent = Extract<WireEvent, { e: 'log' }>

/** What a call is answered with. `undefined`: it stays open. */
export type Answer = { readonly ok: unknown } | { readonly err: unknown } | undefined

export interface Script {
  readonly bindings?: StartBody['bindings']
  readonly limits?: Partial<StartBody['limits']>
  /** The source is compiled already; with the way back from its places. */
  readonly places?: NonNullable<StartBody['places']>
  readonly seed?: string
  readonly startTimeMs?: number
  readonly sliceMs?: number
  /** Answers of calls, given with the next delivery, in order of submission. */
  readonly answer?: (call: CallEvent) => Answer
}

export interface ScriptedRun {
  readonly state: SliceState
  readonly events: readonly WireEvent[]
  readonly calls: readonly CallEvent[]
  readonly logs: readonly string[]
  readonly notices: readonly string[]
  /** Parsed value of a program that returned. */
  readonly value: unknown
  readonly cpuMs: number
}

export interface Slice {
  readonly events: readonly WireEvent[]
  readonly state: SliceState
  readonly cpuMs: number
}

export interface ScriptedHost extends AsyncDisposable {
  readonly child: ChildProcess
  readonly ready: { readonly version: number; readonly node: string; readonly v8: string }
  /** Runs a program to its end, answering calls by the script and firing timers in order of their due time. */
  run(source: string, script?: Script): Promise<ScriptedRun>
  start(run: number, body: StartBody): Promise<Slice>
  deliver(run: number, nowMs: number, items: readonly DeliverItem[], sliceMs?: number): Promise<Slice>
  discard(run: number): void
  prepare(spares: number): void
  sendRaw(bytes: Buffer): void
  /** Resolves when the child is gone. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Body of a `fatal` frame, when one came. */
  readonly fatal: () => { readonly why: string; readonly message: string } | undefined
}

/** The program as the host wraps it: a script whose completion value is an async function. */
export function program(source: string): string {
  return `(async function () {\n${source}\n})`
}

export function startBody(source: string, script: Script = {}): StartBody {
  return {
    code: script.places === undefined ? program(source) : source,
    ...(script.places !== undefined && { places: script.places }),
    bindings: script.bindings ?? [],
    limits: {
      memoryMb: 64,
      maxPendingCalls: 256,
      maxLogBytes: 1024 * 1024,
      maxResultBytes: 8 * 1024 * 1024,
      maxValueBytes: 16 * 1024 * 1024,
      ...script.limits,
    },
    seed: script.seed ?? '000102030405060708090a0b0c0d0e0f',
    startTimeMs: script.startTimeMs ?? Date.UTC(2026, 0, 2, 3, 4, 5),
    sliceMs: script.sliceMs ?? 2000,
  }
}

export function tool(name: string, path: readonly string[] = [name], required: readonly string[] = []) {
  return { name, path, required }
}

/** Starts a real child over two pipes. */
export async function startHost(
  options: { readonly env?: Record<string, string>; readonly args?: readonly string[] } = {},
): Promise<ScriptedHost> {
  const child = spawn(
    NODE,
    ['--no-node-snapshot', CHILD_FILE, '--addon', ADDON, ...(options.args ?? [])],
    // Two pairs, each used one way.
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: options.env ?? {}, cwd: '/' },
  )
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  const input = child.stdio[3] as Writable
  const output = child.stdio[4] as Readable | Duplex
  const frames = createFrameQueue(output)
  input.on('error', () => {})

  const send = (type: number, run: number, body: string): void => {
    const bytes = Buffer.from(body)
    const header = Buffer.alloc(FRAME_HEADER_BYTES)
    header.writeUInt32LE(bytes.length, 0)
    header.writeUInt8(type, 4)
    header.writeUInt32LE(run, 5)
    input.write(Buffer.concat([header, bytes]))
  }
  let fatal: { why: string; message: string } | undefined
  let lastRun = 0

  const slice = async (run: number): Promise<Slice> => {
    const events: WireEvent[] = []
    for (;;) {
      const frame = await frames.next()
      if (frame === undefined) throw new Error('the child is gone')
      if (frame.type === CHILD_FRAME.fatal) {
        fatal = JSON.parse(frame.body) as { why: string; message: string }
        throw new Error(`fatal: ${fatal.message}`)
      }
      if (frame.run !== run) throw new Error(`a frame of run ${frame.run}, not ${run}`)
      const body = JSON.parse(frame.body) as Slice
      events.push(...body.events)
      if (frame.type === CHILD_FRAME.slice) return { events, state: body.state, cpuMs: body.cpuMs }
    }
  }

  const first = await frames.next()
  if (first === undefined) throw new Error(`the child ended before it was ready: ${JSON.stringify(await exited)}`)
  if (first.type !== CHILD_FRAME.ready) throw new Error(`not ready: ${first.body}`)

  const host: ScriptedHost = {
    child,
    ready: JSON.parse(first.body) as ScriptedHost['ready'],
    start(run, body) {
      send(HOST_FRAME.start, run, JSON.stringify(body))
      return slice(run)
    },
    deliver(run, nowMs, items, sliceMs = 2000) {
      send(HOST_FRAME.deliver, run, JSON.stringify({ nowMs, sliceMs, items }))
      return slice(run)
    },
    discard: (run) => send(HOST_FRAME.discard, run, ''),
    prepare: (spares) => send(HOST_FRAME.prepare, 0, JSON.stringify({ spares })),
    sendRaw: (bytes) => void input.write(bytes),
    exited,
    fatal: () => fatal,
    async run(source, script = {}) {
      const run = ++lastRun
      const body = startBody(source, script)
      const driven = await drive(host, run, body, script)
      host.discard(run)
      return driven
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
  return host
}

async function drive(host: ScriptedHost, run: number, body: StartBody, script: Script): Promise<ScriptedRun> {
  const events: WireEvent[] = []
  const timers = new Map<number, number>()
  let nowMs = body.startTimeMs
  let at = await host.start(run, body)
  for (;;) {
    const items: DeliverItem[] = []
    for (const event of at.events) {
      events.push(event)
      if (event.e === 'timer') timers.set(event.id, nowMs + event.ms)
      if (event.e === 'clear') timers.delete(event.id)
      if (event.e !== 'call') continue
      const answer = script.answer?.(event)
      if (answer !== undefined) items.push(toItem(event.n, answer))
    }
    if (at.state.s !== 'waiting') break
    if (items.length === 0) {
      const due = [...timers].sort((left, right) => left[1] - right[1])[0]
      if (due === undefined) break
      timers.delete(due[0])
      nowMs = Math.max(nowMs, due[1])
      items.push({ t: 'timer', id: due[0] })
    }
    at = await host.deliver(run, nowMs, items, body.sliceMs)
  }
  const { state } = at
  return {
    state,
    events,
    calls: events.filter((event): event is CallEvent => event.e === 'call'),
    logs: events.filter((event): event is LogEvent => event.e === 'log').map((event) => event.text),
    notices: events.flatMap((event) => (event.e === 'notice' ? [event.text] : [])),
    value: state.s === 'returned' && state.json !== undefined ? (JSON.parse(state.json) as unknown) : undefined,
    cpuMs: at.cpuMs,
  }
}

function toItem(n: number, answer: NonNullable<Answer>): DeliverItem {
  if ('ok' in answer) return { t: 'ok', n, json: JSON.stringify(answer.ok) }
  return { t: 'err', n, json: JSON.stringify(answer.err) }
}

interface RawFrame {
  readonly type: number
  readonly run: number
  readonly body: string
}

function createFrameQueue(stream: Readable): { next(): Promise<RawFrame | undefined> } {
  let pending = Buffer.alloc(0)
  const frames: RawFrame[] = []
  let isEnded = false
  let wake = (): void => {}
  stream.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes])
    while (pending.length >= FRAME_HEADER_BYTES) {
      const length = pending.readUInt32LE(0)
      if (pending.length < FRAME_HEADER_BYTES + length) break
      const body = pending.toString('utf8', FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + length)
      frames.push({ type: pending.readUInt8(4), run: pending.readUInt32LE(5), body })
      pending = pending.subarray(FRAME_HEADER_BYTES + length)
    }
    wake()
  })
  const end = () => {
    isEnded = true
    wake()
  }
  stream.on('end', end)
  stream.on('close', end)
  stream.on('error', end)
  return {
    async next() {
      while (frames.length === 0 && !isEnded) await new Promise<void>((resolve) => (wake = resolve))
      return frames.shift()
    },
  }
}
