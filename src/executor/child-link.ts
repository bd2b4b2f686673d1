import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import {
  CHILD_FRAME,
  HOST_FRAME,
  WIRE_VERSION,
  type DeliverBody,
  type ReadyBody,
  type StartBody,
} from '../../sandbox/wire.ts'
import { parseChildFrame, type ChildFrame, type FrameLimits } from '../../sandbox/wire-check.ts'
import { thrownMessage } from '../data/failure.ts'
import { openFifoChannel } from './channel.ts'
import { FrameDecoder, encodeFrame } from './frames.ts'
import { FrameSink } from './frame-sink.ts'
import { MemoryMeter } from './memory-meter.ts'
import { SliceQueue } from './slice-queue.ts'

/** Why the host killed a child. The first reason stands. */
export type KillReason = 'closed' | 'stuck' | 'rss' | 'crowded' | 'forged' | 'not-ready'

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly killed?: { readonly reason: KillReason; readonly message: string }
  readonly fatal?: { readonly why: 'out-of-memory' | 'internal'; readonly message: string }
}

/** A run as its child's link sees it. */
export interface Seated {
  readonly memoryMb: number
  /** Memory to be kept free for this run; 0 for most, as most need little of what they may use. */
  readonly claimMb: number
  readonly limits: FrameLimits
  onFrame(frame: RunFrame): void
  onLost(exit: ChildExit, blame: Blame): void
}
/** Who was in the isolate when a child was lost. */
export type Blame = 'self' | 'another' | 'nobody'
export type RunFrame = Extract<ChildFrame, { type: 'part' | 'slice' }>

/** A run's place in one child. After `leave` nothing more of the child reaches the run. */
export interface Seat {
  start(body: StartBody): void
  deliver(body: DeliverBody): void
  leave(): void
  /** The child takes no new runs and ends when it is empty. */
  retire(): void
  /** The run caught the child in a lie: it is killed, and this run with it. */
  accuse(message: string): void
  /** Whether no other run shares the child at this moment. */
  isAlone(): boolean
}

export interface ChildLinkOptions {
  readonly command: { readonly file: string; readonly args: readonly string[]; readonly cwd: string }
  /** Where FIFOs can be made; without it the child gets socket pairs. */
  readonly fifo?: { readonly mkfifo: string; readonly directory: string; readonly name: string }
  readonly readyMs: number
  readonly graceMs: number
  onReady(link: ChildLink): void
  /** An answer came or a run left: there may be room. */
  onChange(link: ChildLink): void
  onExit(link: ChildLink, exit: ChildExit): void
}

const READY_BYTES = 4_096
const FATAL_BYTES = 64 * 1024
const READ_BYTES = 64 * 1024
/** Over twice the heap limit: what V8 and the child's buffers need beside the heap. */
const ROOM_MB = 64
/** How long after the exit the rest of the pipe is awaited: the last frames may say why. */
const LAST_WORDS_MS = 200

/** One sandbox process. Everything it says is taken as forged: what breaks a rule kills it. */
export class ChildLink {
  readonly slices: SliceQueue
  readonly startedAt = performance.now()
  runsStarted = 0
  readonly #options: ChildLinkOptions
  readonly #process: ChildProcess
  readonly #memory: MemoryMeter | undefined
  readonly #sink: FrameSink
  readonly #source: Socket
  readonly #decoder: FrameDecoder
  readonly #runs = new Map<number, Seated>()
  /** Limits of runs that have left with an answer outstanding: it is checked like any other, then dropped. */
  readonly #leaving = new Map<number, FrameLimits>()
  readonly #exited = Promise.withResolvers<ChildExit>()
  readonly #readyTimer: NodeJS.Timeout
  #lastRun = 0
  #ready: ReadyBody | undefined
  #isRetired = false
  #killed: ChildExit['killed']
  #culprit: number | undefined
  #fatal: ChildExit['fatal']
  #hasExited = false
  #isSourceOver = false
  #exit: { code: number | null; signal: NodeJS.Signals | null } | undefined

  constructor(options: ChildLinkOptions) {
    this.#options = options
    const { file, args, cwd } = options.command
    const channel = options.fifo && openFifoChannel(options.fifo.mkfifo, options.fifo.directory, options.fifo.name)
    const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', channel?.childIn ?? 'pipe', channel?.childOut ?? 'pipe']
    // Detached: a Ctrl-C in the host's terminal is the host's to handle, in its own order.
    this.#process = spawn(file, [...args], { cwd, env: {}, stdio, detached: true, windowsHide: true })
    channel?.closeChildEnds()
    this.#memory = this.#process.pid === undefined ? undefined : new MemoryMeter(this.#process.pid)
    preferForOomKill(this.#process.pid)

    const broken = (thrown: unknown) => {
      // The child's reading end is gone: its exit follows. If it does not, it is no use any more.
      setTimeout(
        () => this.kill('stuck', `the pipe to the child broke: ${thrownMessage(thrown)}`),
        LAST_WORDS_MS,
      ).unref()
    }
    const onData = (chunk: Buffer) => this.#decoder.push(chunk)
    if (channel) {
      this.#sink = new FrameSink({ fd: channel.hostOut }, broken)
      this.#source = readSocket(channel.hostIn, onData)
    } else {
      const { stdio: ends } = this.#process
      const [toChild, toHost] = [ends[3], ends[4]]
      if (!(toChild instanceof Socket) || !(toHost instanceof Socket)) throw new Error('spawn gave no pipes')
      this.#sink = new FrameSink({ stream: toChild }, broken)
      this.#source = toHost.on('data', onData)
    }
    this.#decoder = new FrameDecoder({
      maxBodyBytes: (type, run) => this.#maxBodyBytes(type, run),
      onFrame: (type, run, body) => this.#onFrame(type, run, body),
      onViolation: (message) => this.kill('forged', message),
    })
    this.slices = new SliceQueue(options.graceMs, (run) => this.#onStuck(run))
    this.#readyTimer = setTimeout(
      () => this.kill('not-ready', `the child was not ready within ${options.readyMs} ms`),
      options.readyMs,
    )
    this.#source.on('error', () => {})
    this.#source.on('close', () => this.#onSourceOver())
    this.#process.on('error', (error) => this.#onProcessOver(null, null, thrownMessage(error)))
    this.#process.on('exit', (code, signal) => this.#onProcessOver(code, signal))
  }

  get pid(): number | undefined {
    return this.#process.pid
  }
  get ready(): ReadyBody | undefined {
    return this.#ready
  }
  get load(): number {
    return this.#runs.size
  }
  get isReady(): boolean {
    return this.#ready !== undefined && !this.isGone
  }
  get isIdle(): boolean {
    return this.slices.head === undefined
  }
  get slicesDone(): number {
    return this.slices.answeredCount
  }
  get claimedMb(): number {
    let total = 0
    for (const run of this.#runs.values()) total += run.claimMb
    return total
  }
  /** Resident memory, a moment old at most. */
  get rssBytes(): number {
    return this.#memory?.glance() ?? 0
  }
  get isGone(): boolean {
    return this.#hasExited || this.#killed !== undefined || this.#fatal !== undefined
  }
  /** Settles when the process is gone and its last words are read. */
  get exited(): Promise<ChildExit> {
    return this.#exited.promise
  }

  seat(run: Seated): Seat {
    const number = ++this.#lastRun
    this.#runs.set(number, run)
    this.runsStarted += 1
    let hasLeft = false
    return {
      start: (body) => this.#ask(HOST_FRAME.start, number, body),
      deliver: (body) => this.#ask(HOST_FRAME.deliver, number, body),
      leave: () => {
        if (hasLeft) return
        hasLeft = true
        this.#runs.delete(number)
        if (this.slices.has(number)) this.#leaving.set(number, run.limits)
        this.#send(HOST_FRAME.discard, number, '')
        // A slice that still runs holds up everyone in this child: it gets the grace and no more.
        this.slices.hurry(number)
        this.#options.onChange(this)
      },
      retire: () => this.retire(),
      accuse: (message) => this.kill('forged', `run ${number}: ${message}`, number),
      isAlone: () => this.#runs.size === 1,
    }
  }

  prepare(spares: number): void {
    this.#send(HOST_FRAME.prepare, 0, JSON.stringify({ spares }))
  }

  retire(): void {
    this.#isRetired = true
    this.#options.onChange(this)
  }
  get isRetired(): boolean {
    return this.#isRetired
  }

  /** Kills the child when it holds more than it may, or the run inside has made it grow out of proportion. */
  checkMemory(maxBytes: number): void {
    const run = this.slices.head
    const reading = this.#memory?.look(this.slices.answeredCount)
    if (run === undefined || reading === undefined) return
    const memoryMb = this.#runs.get(run)?.memoryMb ?? 0
    const { rssBytes, growthBytes } = reading
    if (rssBytes > maxBytes) {
      // Whoever is inside at this moment pays only for what it took itself: the rest is what the others hold.
      this.kill(
        growthBytes > memoryMb * 2 ** 20 ? 'rss' : 'crowded',
        `the sandbox process held ${toMb(rssBytes)} MB while the program ran; ${toMb(maxBytes)} MB are allowed`,
      )
    } else if (growthBytes > (2 * memoryMb + ROOM_MB) * 2 ** 20) {
      this.kill('rss', memoryGrowth(growthBytes, memoryMb))
    }
  }

  #onStuck(run: number): void {
    // What does not come back for want of memory is told as that: the limit is only looked at between allocations.
    const memoryMb = this.#runs.get(run)?.memoryMb ?? Infinity
    const growthBytes = this.#memory?.look(this.slices.answeredCount)?.growthBytes ?? 0
    if (growthBytes > memoryMb * 2 ** 20) this.kill('rss', memoryGrowth(growthBytes, memoryMb), run)
    else this.kill('stuck', 'it did not come back from the isolate within its slice and the grace', run)
  }

  /** Kills the process. The culprit is the run that is inside at this moment, if none is named. */
  kill(reason: KillReason, message: string, culprit = this.slices.head): void {
    if (this.#hasExited) return
    if (this.#killed === undefined) {
      this.#killed = { reason, message }
      this.#culprit = culprit
    }
    this.#process.kill('SIGKILL')
  }

  #ask(type: number, run: number, body: StartBody | DeliverBody): void {
    if (this.isGone) return
    this.slices.push(run, body.sliceMs)
    this.#send(type, run, JSON.stringify(body))
  }

  #send(type: number, run: number, body: string): void {
    if (!this.isGone) this.#sink.put(encodeFrame(type, run, body))
  }

  #maxBodyBytes(type: number, run: number): number {
    if (type === CHILD_FRAME.ready) return this.#ready === undefined ? READY_BYTES : -1
    if (type === CHILD_FRAME.fatal) return FATAL_BYTES
    // Only the run of the oldest unanswered frame can be speaking.
    if (this.slices.head !== run) return -1
    return maxFrameBytes(this.#limitsOf(run))
  }

  #limitsOf(run: number): FrameLimits {
    return this.#runs.get(run)?.limits ?? this.#leaving.get(run) ?? NO_RUN
  }

  #onFrame(type: number, number: number, body: Buffer): void {
    if (this.isGone) return
    const run = this.#runs.get(number)
    const parsed = parseChildFrame(type, body, this.#limitsOf(number))
    if (!parsed.ok) return this.kill('forged', parsed.violation)
    const { frame } = parsed
    switch (frame.type) {
      case 'ready':
        return this.#onReady(frame.body)
      case 'fatal':
        this.#fatal = frame.body
        // It exits by itself; an isolate thread that is stuck can keep it from doing so.
        this.#process.kill('SIGKILL')
        return
      case 'part':
        run?.onFrame(frame)
        return
      case 'slice':
        this.slices.answered()
        this.#leaving.delete(number)
        run?.onFrame(frame)
        this.#options.onChange(this)
    }
  }

  #onReady(body: ReadyBody): void {
    clearTimeout(this.#readyTimer)
    if (body.version !== WIRE_VERSION) {
      this.kill(
        'not-ready',
        `the child speaks wire version ${body.version}, the host ${WIRE_VERSION}; rebuild the sandbox`,
      )
      return
    }
    this.#ready = body
    this.#options.onReady(this)
  }

  #onProcessOver(code: number | null, signal: NodeJS.Signals | null, startError?: string): void {
    if (this.#exit !== undefined) return
    this.#exit = { code, signal }
    if (startError !== undefined) this.#killed ??= { reason: 'not-ready', message: startError }
    if (this.#isSourceOver) this.#finish()
    else setTimeout(() => this.#finish(), LAST_WORDS_MS)
  }

  #onSourceOver(): void {
    this.#isSourceOver = true
    if (this.#exit !== undefined) this.#finish()
    // The child shut its end and lives on: it can never answer again.
    else setTimeout(() => this.kill('forged', 'the child closed its end of the pipe'), LAST_WORDS_MS).unref()
  }

  #finish(): void {
    if (this.#hasExited || this.#exit === undefined) return
    this.#hasExited = true
    clearTimeout(this.#readyTimer)
    const inside = this.#killed === undefined ? this.slices.head : this.#culprit
    this.slices.close()
    this.#sink.close()
    this.#source.destroy()
    const exit: ChildExit = {
      ...this.#exit,
      ...(this.#killed && { killed: this.#killed }),
      ...(this.#fatal && { fatal: this.#fatal }),
    }
    // Emptied first: a run that is told may look for a place at once.
    const runs = [...this.#runs]
    this.#runs.clear()
    this.#options.onExit(this, exit)
    for (const [number, run] of runs) {
      run.onLost(exit, inside === undefined ? 'nobody' : inside === number ? 'self' : 'another')
    }
    this.#exited.resolve(exit)
  }
}

function memoryGrowth(growthBytes: number, memoryMb: number): string {
  return `the program made its sandbox process grow by ${toMb(growthBytes)} MB at once; memoryMb is ${memoryMb}`
}

function toMb(bytes: number): number {
  return Math.round(bytes / 2 ** 20)
}

/** When the machine runs out of memory the kernel is to take a child, not the host. */
function preferForOomKill(pid: number | undefined): void {
  if (process.platform !== 'linux' || pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // Already gone, or /proc is not ours to write.
  }
}

/** For frames that belong to no run. */
const NO_RUN: FrameLimits = { maxPendingCalls: 0, maxLogBytes: 0, maxResultBytes: 0, maxValueBytes: 0 }

/**
 * The most that one frame of an honest run can take: one value and one result that were not cut into parts, their JSON
 * texts quoted once more (which at most doubles them), a batch of small events beside them.
 */
function maxFrameBytes(limits: FrameLimits): number {
  return 2 * (limits.maxValueBytes + limits.maxResultBytes + limits.maxLogBytes) + 2 ** 20
}

function readSocket(fd: number, onData: (chunk: Buffer) => void): Socket {
  // One buffer for ever: the decoder copies what it must keep before it returns.
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  return new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(bytes) {
        onData(buffer.subarray(0, bytes))
        return true
      },
    },
  })
}
