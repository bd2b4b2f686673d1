import { PART_BYTES, type DeliverItem, type SliceState, type WireEvent } from '../../sandbox/wire.ts'
import type { FrameLimits } from '../../sandbox/wire-check.ts'
import type { Blame, ChildExit, RunFrame, Seat, Seated } from './child-link.ts'
import type { Run, RunEnding, RunEndingKind, RunHost, RunRequest } from './executor.ts'
import { abortReason, cpuMessage, describeExit, memoryMessage, wallMessage } from './ending-words.ts'
import { programEndOf, type ProgramEnd } from './program-end.ts'
import { judgeLoss } from './loss.ts'
import { notify } from './notify.ts'
import { OpenCalls } from './open-calls.ts'
import { Parking } from './parking.ts'
import { ResumeCount } from './resume-count.ts'
import { RunOutput } from './run-output.ts'
import { RunScript, type Divergence } from './run-script.ts'
import { MAX_TIMERS, RunTimers } from './run-timers.ts'
import { startBodyOf } from './start-body.ts'
import { WallClock } from './wall-clock.ts'

export interface LiveRunOptions {
  readonly maxResumes: number
  readonly maxReplayBytes: number
  readonly graceMs: number
  /** Longest slice in a child that others share; a program that needs longer is moved to a child of its own. */
  readonly sharedSliceMs: number
  /** How long a question to a person is open before the isolate is given back; the answer gets a fresh one. */
  readonly parkAfterMs: number
}

/** What a run needs of the pool. */
export interface Berth {
  /** Asks for a (new) seat; `enter` or `refuse` follows, at once or later. `alone`: in a child that nobody shares. */
  ask(run: LiveRun, wish: { readonly isResume: boolean; readonly alone: boolean }): void
  forget(run: LiveRun): void
}

type Stop = Extract<RunEndingKind, { kind: 'stopped' }>

/**
 * One run, from its start to its one ending. It owns what must outlive a child: calls in flight, timers, clocks, what
 * was printed, and the script from which a fresh isolate can catch up.
 */
export class LiveRun implements Run, Seated {
  readonly tenant: string
  readonly ending: Promise<RunEnding>
  readonly limits: FrameLimits
  readonly memoryMb: number
  claimMb = 0
  readonly #request: RunRequest
  readonly #berth: Berth
  readonly #options: LiveRunOptions
  readonly #output: RunOutput
  readonly #script: RunScript
  readonly #timers = new RunTimers()
  readonly #clock: WallClock
  readonly #parking: Parking
  readonly #settleEnding: (ending: RunEnding) => void
  readonly #calls: OpenCalls
  readonly #onSignal = () => this.cancel(abortReason(this.#request.signal))
  #replies: DeliverItem[] = []
  #seat: Seat | undefined
  #isInSlice = false
  #isPumpScheduled = false
  #sliceMs = 0
  /** The slice at hand is shorter than the budgets allow, as others share the child. */
  #isSliceCut = false
  /** It once needed longer than that: from then on it gets whole slices, in a child of its own if there is one. */
  #isHeavy = false
  #timerWake: NodeJS.Timeout | undefined
  #endTimer: NodeJS.Timeout | undefined
  #nowMs: number
  #cpuMs = 0
  readonly #resumes: ResumeCount
  #programEnd: ProgramEnd | undefined
  #isOver = false

  constructor(request: RunRequest, host: RunHost, berth: Berth, options: LiveRunOptions) {
    this.tenant = request.tenant
    this.limits = request.limits
    this.memoryMb = request.limits.memoryMb
    this.#request = request
    this.#berth = berth
    this.#options = options
    this.#nowMs = request.startTimeMs
    this.#script = new RunScript(options.maxReplayBytes)
    this.#resumes = new ResumeCount(options.maxResumes)
    this.#output = new RunOutput(request.limits, (event) => notify(host, event))
    this.#calls = new OpenCalls({
      host,
      limits: request.limits,
      onSettled: (item) => {
        this.#replies.push(item)
        this.#schedulePump()
      },
    })
    const ending = Promise.withResolvers<RunEnding>()
    this.ending = ending.promise
    this.#settleEnding = ending.resolve
    this.#clock = new WallClock(request.limits.wallMs, () => this.#onWallOut())
    this.#parking = new Parking(options.parkAfterMs, () => this.#park())
    if (request.signal.aborted) this.cancel(abortReason(request.signal))
    else {
      request.signal.addEventListener('abort', this.#onSignal, { once: true })
      berth.ask(this, { isResume: false, alone: false })
    }
  }

  get isOver(): boolean {
    return this.#isOver
  }
  cancel(reason: string): void {
    this.#stop('ABORTED', reason)
  }

  pauseWall(): Disposable {
    return this.#parking.asked(this.#clock.pause())
  }

  // --- the pool's side --------------------------------------------------------------------------------------------

  enter(seat: Seat): void {
    this.#seat = seat
    this.#script.rewind()
    this.#cpuMs = 0
    this.#beginSlice()
    seat.start(startBodyOf(this.#request, this.#sliceMs))
  }

  refuse(code: 'OVERLOADED' | 'SANDBOX_LOST' | 'ABORTED', message: string): void {
    this.#stop(code, message)
  }

  onLost(exit: ChildExit, blame: Blame): void {
    if (this.#isOver) return
    this.#seat = undefined
    this.#isInSlice = false
    const wasInside = blame === 'self'
    if (exit.killed?.reason === 'crowded') {
      // From now on it is only seated where all that it may use is free: else the same crowd would meet again.
      this.claimMb = this.memoryMb
      return this.#resume(`the sandbox process died (${exit.killed.message})`)
    }
    if (wasInside && exit.killed?.reason === 'stuck' && this.#isSliceCut) {
      // It could not be ended in its short slice, but its budget may allow what it does.
      this.#isHeavy = true
      return this.#resume('the program could not be interrupted')
    }
    const verdict = judgeLoss(exit, wasInside)
    if (verdict !== undefined) this.#stop(verdict.code, verdict.message)
    else this.#resume(`the sandbox process died (${describeExit(exit)})`, blame)
  }

  #resume(why: string, blame: Blame = 'self'): void {
    const refusal = this.#script.isKept
      ? this.#resumes.take(blame)
      : 'the record of the run had grown too large to resume from it'
    if (refusal !== undefined) return this.#stop('SANDBOX_LOST', `${why}, and ${refusal}`)
    this.#berth.ask(this, { isResume: true, alone: this.#isHeavy })
  }

  // --- what the child says ----------------------------------------------------------------------------------------

  onFrame(frame: RunFrame): void {
    for (const event of frame.body.events) {
      if (this.#isOver) return
      this.#hear(event)
    }
    if (frame.type === 'part' || this.#isOver) return
    this.#isInSlice = false
    // A child can say anything; more than the clock of the host allows it cannot have used.
    this.#cpuMs = Math.max(this.#cpuMs, Math.min(frame.body.cpuMs, this.#clock.elapsedMs))
    const { state } = frame.body
    if (state.s === 'stopped') return this.#onStopped(state)
    const heard = this.#script.answer(state)
    if (typeof heard === 'object') return this.#diverge(heard)
    if (heard === 'new') this.#onNewState(state)
    if (!this.#isOver) this.#schedulePump()
  }

  #hear(event: WireEvent): void {
    const heard = this.#script.hear(event)
    if (heard === 'known') return
    if (heard !== 'new') return this.#diverge(heard)
    switch (event.e) {
      case 'call':
        return this.#onCall(event)
      case 'timer':
        if (!this.#timers.set(event.id, this.#nowMs, event.ms)) this.#accuse(`timer ${event.id} is pending already`)
        else if (this.#timers.size > MAX_TIMERS) {
          this.#stop('MEMORY_LIMIT', `the program has more than ${MAX_TIMERS} timers pending`)
        }
        return
      case 'clear':
        return this.#timers.clear(event.id)
      case 'log':
      case 'notice':
      case 'show':
      case 'progress':
        return this.#output.take(event)
    }
  }

  #onCall(call: Extract<WireEvent, { e: 'call' }>): void {
    const broken = this.#calls.submit(call)
    if (broken !== undefined) return this.#accuse(broken)
    if (this.#programEnd !== undefined) this.#calls.markUnawaited()
  }

  #onNewState(state: Exclude<SliceState, { s: 'stopped' }>): void {
    if (this.#programEnd === undefined && state.s !== 'waiting') this.#onProgramEnd(state)
    if (this.#isOver) return
    const isIdle = this.#calls.size === 0 && this.#replies.length === 0
    if (this.#programEnd !== undefined) {
      if (isIdle) this.#end(this.#programEnd)
      return
    }
    if (isIdle && this.#timers.size === 0) {
      this.#stop('DEADLOCK', 'the program waits for something that no call, timer or question can settle')
      return
    }
    if (this.#cpuMs >= this.#request.limits.cpuMs) this.#stop('TIMEOUT', cpuMessage(this.#request))
  }

  #onProgramEnd(state: Extract<SliceState, { s: 'returned' | 'threw' }>): void {
    const end = programEndOf(state)
    this.#programEnd = end
    // What is open now may settle, and what follows from it run, but only so long. A person who is asked is waited for.
    this.#clock.shorten(this.#request.limits.drainMs)
    this.#calls.markUnawaited()
  }

  #onStopped(state: Extract<SliceState, { s: 'stopped' }>): void {
    // Such an isolate may have left something behind in its process.
    if (state.why === 'memory' || (state.why === 'slice-timeout' && !this.#isSliceCut)) this.#seat?.retire()
    // What runs on after the end of the program cannot undo it.
    if (this.#programEnd !== undefined) return this.#end(this.#programEnd)
    switch (state.why) {
      case 'slice-timeout':
        return this.#onSliceTimeout()
      case 'memory':
        return this.#stop('MEMORY_LIMIT', memoryMessage(this.#request.limits.memoryMb))
      case 'output':
        return this.#stop('OUTPUT_LIMIT', state.message)
      case 'compile':
        return this.#stop('COMPILE_ERROR', state.message)
    }
  }

  #onSliceTimeout(): void {
    if (this.#isSliceCut) {
      // It was only too long for a child that others share.
      this.#seat?.leave()
      this.#seat = undefined
      this.#isHeavy = true
      return this.#resume('the program needs longer than others can be kept waiting')
    }
    this.#stop('TIMEOUT', this.#clock.leftMs < 1 ? wallMessage(this.#request.limits.wallMs) : cpuMessage(this.#request))
  }

  // --- what the child is told -------------------------------------------------------------------------------------

  /** What is left is the record; whatever settles next goes on from it in another isolate. */
  #park(): boolean {
    const seat = this.#seat
    if (seat === undefined || this.#isInSlice || this.#replies.length > 0 || !this.#script.isKept) return false
    this.#seat = undefined
    seat.leave()
    return true
  }

  #unpark(): void {
    this.#parking.over()
    this.#berth.ask(this, { isResume: true, alone: this.#isHeavy })
  }

  #schedulePump(): void {
    if (this.#parking.isParked) return this.#unpark()
    if (this.#isPumpScheduled || this.#isInSlice || this.#seat === undefined) return
    this.#isPumpScheduled = true
    // After the microtasks of this turn: replies that settle together are delivered together.
    process.nextTick(() => {
      this.#isPumpScheduled = false
      this.#pump()
    })
  }

  #pump(): void {
    if (this.#parking.isParked) return this.#unpark()
    const seat = this.#seat
    if (this.#isOver || this.#isInSlice || seat === undefined) return
    let delivery = this.#script.next()
    if (delivery === undefined) {
      const now = this.#guestNow()
      const due = this.#takeItems(now)
      if (due.length === 0) return this.#wakeForTimer(now)
      this.#nowMs = now
      delivery = { nowMs: now, items: due }
      this.#script.record(delivery)
    }
    this.#beginSlice()
    const { nowMs, items } = delivery
    // In this order: the child finds `sliceMs` without parsing the values.
    seat.deliver({ nowMs, sliceMs: this.#sliceMs, items })
  }

  /** What is due, in order, cut at about `PART_BYTES`: larger frames cost more than another turn. */
  #takeItems(nowMs: number): DeliverItem[] {
    const items: DeliverItem[] = this.#timers.takeDue(nowMs).map((id) => ({ t: 'timer', id }))
    let bytes = 0
    let count = 0
    for (const reply of this.#replies) {
      if (bytes >= PART_BYTES) break
      items.push(reply)
      bytes += reply.t === 'timer' ? 0 : reply.json.length
      count += 1
    }
    this.#replies = count === this.#replies.length ? [] : this.#replies.slice(count)
    return items
  }

  #beginSlice(): void {
    const { cpuMs } = this.#request.limits
    const leftMs = Math.max(1, Math.ceil(Math.min(cpuMs - this.#cpuMs, this.#clock.leftMs)))
    // While others share the child one slice keeps them all waiting; a child of its own is open to the whole budget.
    const canMove = !this.#isHeavy && this.#script.isKept && !this.#resumes.isUsedUp
    this.#isSliceCut = canMove && this.#seat?.isAlone() === false && leftMs > this.#options.sharedSliceMs
    this.#sliceMs = this.#isSliceCut ? this.#options.sharedSliceMs : leftMs
    this.#isInSlice = true
    clearTimeout(this.#timerWake)
  }

  #wakeForTimer(nowMs: number): void {
    clearTimeout(this.#timerWake)
    const dueMs = this.#timers.nextDueMs
    if (dueMs === undefined) return
    this.#timerWake = setTimeout(() => this.#pump(), Math.max(1, Math.min(dueMs - nowMs, 2 ** 31 - 1)))
  }

  /** The guest's clock: whole milliseconds, never back. */
  #guestNow(): number {
    return Math.max(this.#nowMs, this.#request.startTimeMs + Math.floor(this.#clock.elapsedMs))
  }

  // --- the end ----------------------------------------------------------------------------------------------------

  #onWallOut(): void {
    const stop = () => {
      if (this.#programEnd !== undefined) this.#end(this.#programEnd)
      else this.#stop('TIMEOUT', wallMessage(this.#request.limits.wallMs))
    }
    // The slice was given no more than the wall had left, so an answer with the last lines is about to come.
    clearTimeout(this.#endTimer)
    if (this.#isInSlice) this.#endTimer = setTimeout(stop, this.#options.graceMs)
    else stop()
  }

  #accuse(message: string): void {
    const seat = this.#seat
    this.#stop('SANDBOX_LOST', `the sandbox process broke the protocol: ${message}`)
    seat?.accuse(message)
  }

  #diverge({ recorded, replayed }: Divergence): void {
    this.#stop(
      'REPLAY_DIVERGED',
      `on resuming, the program did not do what it had done before: recorded ${recorded}; replayed ${replayed}`,
    )
  }

  #stop(code: Stop['code'], message: string): void {
    this.#end({ kind: 'stopped', code, message })
  }

  /** The first ending stands; whatever comes later finds the run over. */
  #end(kind: RunEndingKind): void {
    if (this.#isOver) return
    this.#isOver = true
    const wallMs = this.#clock.elapsedMs
    this.#clock.stop()
    this.#parking.stop()
    this.#timers.clearAll()
    clearTimeout(this.#timerWake)
    clearTimeout(this.#endTimer)
    this.#request.signal.removeEventListener('abort', this.#onSignal)
    this.#berth.forget(this)
    this.#seat?.leave()
    this.#seat = undefined
    this.#replies = []
    const openCalls = this.#calls.numbers
    this.#calls.abandon(kind.kind === 'stopped' ? kind.message : 'the run has ended')
    this.#settleEnding({
      ...kind,
      logs: this.#output.logs,
      notices: this.#output.notices,
      shown: this.#output.shown,
      openCalls,
      unawaitedCalls: this.#calls.unawaited,
      usage: { cpuMs: this.#cpuMs, wallMs, resumes: this.#resumes.total },
    })
  }
}
