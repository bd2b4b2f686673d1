import { CHILD_FRAME, HOST_FRAME, type DeliverBody, type StartBody } from '../../sandbox/wire.ts'
import { parseChildFrame } from '../../sandbox/wire-check.ts'
import { thrownMessage } from '../data/failure.ts'
import type { ChildExit, Seat } from './child-link.ts'
import type { Berth, LiveRun } from './live-run.ts'
import { SpareOrders, type SpareHolder } from './spare-orders.ts'

interface HostFrame {
  readonly type: number
  readonly run: number
  readonly body: string
}
/** `sandbox/child/run.ts`, as the built bundle gives it. */
export interface EmbeddedChild {
  handle(frame: HostFrame): void
}
export type CreateEmbeddedChild = (options: {
  readonly addon: string
  readonly send: (type: number, run: number, body: string) => void
}) => EmbeddedChild

export interface EmbeddedBerthOptions {
  readonly createChild: CreateEmbeddedChild
  readonly addon: string
  readonly maxRuns: number
  readonly maxQueue: number
}

/** So long the frames of one turn may take together before timers and sockets of the host have theirs. */
const TURN_MS = 5

/**
 * Places for runs in this very process. It speaks the wire's frames with the child's code, by calls instead of pipes,
 * and takes what comes back as forged all the same: the guest's half of it was written where a program runs.
 *
 * There is nothing to kill. A slice lasts as long as it lasts, and the host with it.
 */
export class EmbeddedBerth implements Berth, SpareHolder {
  readonly #options: EmbeddedBerthOptions
  readonly #child: EmbeddedChild
  readonly #runs = new Map<number, LiveRun>()
  readonly #spares: SpareOrders
  #queue: LiveRun[] = []
  #frames: HostFrame[] = []
  #lastRun = 0
  #slicesDone = 0
  #isTurnDue = false
  #isClosed = false

  constructor(options: EmbeddedBerthOptions) {
    this.#options = options
    this.#child = options.createChild({
      addon: options.addon,
      send: (type, run, body) => this.#onFrame(type, run, body),
    })
    this.#spares = new SpareOrders(this)
  }

  get isReady(): boolean {
    return !this.#isClosed
  }
  get isIdle(): boolean {
    return this.#frames.length === 0
  }
  get slicesDone(): number {
    return this.#slicesDone
  }
  get load(): number {
    return this.#runs.size
  }
  prepare(spares: number): void {
    this.#put(HOST_FRAME.prepare, 0, JSON.stringify({ spares }))
  }

  expect(): void {
    this.#spares.expect()
  }

  /** `alone` cannot be had here, so it makes no difference. */
  ask(run: LiveRun): void {
    if (this.#isClosed) return run.refuse('ABORTED', 'the executor was closed')
    if (this.#runs.size < this.#options.maxRuns) return this.#seat(run)
    if (this.#queue.length < this.#options.maxQueue) this.#queue.push(run)
    else {
      run.refuse(
        'OVERLOADED',
        `${this.#options.maxQueue} programs wait for a sandbox already; try again when some have ended`,
      )
    }
  }

  forget(run: LiveRun): void {
    if (this.#queue.length > 0) this.#queue = this.#queue.filter((waiting) => waiting !== run)
  }

  /** Runs must have ended. Isolates are disposed at once: a process that exits with some alive can crash. */
  close(): void {
    this.#isClosed = true
    this.#spares.stop()
    for (const { type, run } of this.#frames)
      if (type === HOST_FRAME.discard) this.#child.handle({ type, run, body: '' })
    this.#frames = []
    this.#child.handle({ type: HOST_FRAME.prepare, run: 0, body: '{"spares":0}' })
  }

  #seat(run: LiveRun): void {
    const number = ++this.#lastRun
    this.#runs.set(number, run)
    this.#spares.used()
    let hasLeft = false
    const leave = () => {
      if (hasLeft) return
      hasLeft = true
      this.#leave(number)
    }
    const seat: Seat = {
      start: (body: StartBody) => this.#put(HOST_FRAME.start, number, JSON.stringify(body)),
      deliver: (body: DeliverBody) => this.#put(HOST_FRAME.deliver, number, JSON.stringify(body)),
      leave,
      // What an isolate leaves behind, it leaves in the host: there is no process to replace.
      retire() {},
      accuse: leave,
      // Others wait for a slice in any case, and there is nowhere to move a long one to.
      isAlone: () => true,
    }
    run.enter(seat)
  }

  #leave(number: number): void {
    this.#runs.delete(number)
    // What it was about to be told is void.
    this.#frames = this.#frames.filter(({ run }) => run !== number)
    this.#put(HOST_FRAME.discard, number, '')
    while (!this.#isClosed && this.#runs.size < this.#options.maxRuns) {
      const next = this.#queue.shift()
      if (next === undefined) return
      if (!next.isOver) this.#seat(next)
    }
  }

  #put(type: number, run: number, body: string): void {
    if (this.#isClosed) return
    this.#frames.push({ type, run, body })
    this.#turnLater()
  }

  /** Not in the turn that asked: a program that calls in a loop would keep timers and sockets out for ever. */
  #turnLater(): void {
    if (this.#isTurnDue || this.#frames.length === 0) return
    this.#isTurnDue = true
    setImmediate(() => {
      this.#isTurnDue = false
      this.#turn()
      this.#turnLater()
    })
  }

  #turn(): void {
    const until = performance.now() + TURN_MS
    for (let count = this.#frames.length; count > 0; count--) {
      const frame = this.#frames.shift()
      if (frame === undefined) return
      try {
        this.#child.handle(frame)
      } catch (thrown) {
        this.#lose(frame.run, { code: null, signal: null, fatal: { why: 'internal', message: thrownMessage(thrown) } })
      }
      if (performance.now() > until) return
    }
  }

  #onFrame(type: number, number: number, body: string): void {
    if (type === CHILD_FRAME.slice) this.#slicesDone += 1
    const run = this.#runs.get(number)
    if (run === undefined) return
    const parsed = parseChildFrame(type, body, run.limits)
    if (!parsed.ok) {
      this.#lose(number, { code: null, signal: null, killed: { reason: 'forged', message: parsed.violation } })
    } else if (parsed.frame.type === 'part' || parsed.frame.type === 'slice') run.onFrame(parsed.frame)
  }

  #lose(number: number, exit: ChildExit): void {
    const run = this.#runs.get(number)
    if (run === undefined) return
    this.#leave(number)
    run.onLost(exit, 'self')
  }
}
