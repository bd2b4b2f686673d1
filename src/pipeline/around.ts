import type { UserMessage } from '../data/content.ts'
import { CodedError, thrownMessage } from '../data/failure.ts'
import type { CallId, SessionId } from '../data/ids.ts'
import type { Json, JsonObject } from '../data/json.ts'
import type { Outcome } from '../data/outcome.ts'
import { SmallSet } from '../data/small-set.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { runBody } from './body.ts'
import type { AroundCall, CallView, Next, Passed, Policy } from './call.ts'
import { fuseSignals, isSignal, type FusedSignal } from './fused-signal.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleAborted, settleFailure, withContexts, type Settlement } from './settle.ts'
import { untilDrained } from './signals.ts'
import { parseUserMessage } from './user-message.ts'
import { settleValue } from './value.ts'

export type Wrapper = Policy & Required<Pick<Policy, 'around'>>

/**
 * Runs the body inside the wrappers, the first registered outermost. Never rejects. A wrapper that ignores an abort is
 * given `drainMs` after its body was; then the call goes on without it, and its `next()` starts nothing any more.
 */
export function runAround(
  call: LiveCall,
  definition: ToolDefinition,
  wrappers: readonly Wrapper[],
  parts: RuntimeParts,
): Promise<Settlement> | Settlement {
  if (wrappers.length === 0) return runBody(call, definition, call.callerSignal, parts)
  const around = new Around(call, definition, wrappers, parts)
  // Whom nobody can cancel nobody need watch.
  return call.callerSignal === undefined ? around.run() : runWatched(around, call, call.callerSignal, parts)
}

async function runWatched(
  around: Around,
  call: LiveCall,
  callerSignal: AbortSignal | FusedSignal,
  parts: RuntimeParts,
): Promise<Settlement> {
  const ended = await untilDrained(around.run(), callerSignal, {
    clock: parts.clock,
    drainMs: parts.drainMs,
    onLate: () => parts.countLate(call.callId, 'the end of a wrapper'),
    mayLeave: () => around.mayBeLeft(),
  })
  if (ended.kind === 'value') return ended.value
  around.leave()
  if (ended.kind === 'thrown') throw ended.thrown // `run` rejects only for a fault of ours; the caller contains it.
  if (!call.bodyStarted) return settleAborted(call, 'around')
  return settleFailure(
    call,
    'ABANDONED',
    `${call.toolName}: was cancelled, but a wrapper around it ignored that for ${parts.drainMs} ms and was left behind.`,
    { phase: 'around', contexts: around.lastContexts },
  )
}

class Around {
  readonly #call: LiveCall
  readonly #definition: ToolDefinition
  readonly #wrappers: readonly Wrapper[]
  readonly #parts: RuntimeParts
  readonly #top: FusedSignal
  /** Of those that wrappers put in; let go of together when a wrapper is left behind. */
  #fused: SmallSet<FusedSignal> | undefined
  /** Wrappers at work. */
  #openLayers = 0
  #openBodies = 0
  #onBodiesEnded: (() => void) | undefined
  #isLeft = false
  #hadGrace = false
  lastContexts: readonly UserMessage[] = NO_CONTEXTS

  constructor(call: LiveCall, definition: ToolDefinition, wrappers: readonly Wrapper[], parts: RuntimeParts) {
    this.#call = call
    this.#definition = definition
    this.#wrappers = wrappers
    this.#parts = parts
    this.#top = fuseSignals(call.callerSignal)
  }

  get isLeft(): boolean {
    return this.#isLeft
  }

  async run(): Promise<Settlement> {
    try {
      const settled = await this.runFrom(0, this.#top)
      // Whoever has kept a `next()` starts nothing with it any more.
      this.#isLeft = true
      if (this.#openLayers > 0 || this.#openBodies > 0) {
        // A wrapper that raced its `next()` went on without it. A call is not over while its body runs.
        const ended = new Promise<void>((resolve) => (this.#onBodiesEnded = resolve))
        this.#top.abort(new CodedError('ABORTED', 'the wrapper went on without this body'))
        if (this.#openBodies > 0) await ended
      }
      return settled
    } finally {
      this.#top[Symbol.dispose]()
    }
  }

  /** While a body runs its own fence decides; after that the wrapper gets the same time once more to end. */
  mayBeLeft(): boolean {
    if (this.#openBodies > 0) return false
    if (this.#hadGrace) return true
    this.#hadGrace = true
    return false
  }

  leave(): void {
    this.#isLeft = true
    this.#top[Symbol.dispose]()
    this.#fused?.forEach((fused) => fused[Symbol.dispose]())
    this.#fused = undefined
  }

  /** The wrappers from this one on, and the body in them. */
  runFrom(index: number, incoming: FusedSignal): Promise<Settlement> | Settlement {
    const wrapper = this.#wrappers[index]
    if (wrapper === undefined) return this.#body(incoming)
    if (this.#call.isAborted) return settleAborted(this.#call, 'around')
    this.#call.trace?.enter('around')
    this.#openLayers++
    return new Layer(this, this.#call, wrapper, index, incoming).run()
  }

  layerEnded(): void {
    this.#openLayers--
  }

  #body(incoming: FusedSignal): Promise<Settlement> | Settlement {
    this.#openBodies++
    let running: Promise<Settlement> | Settlement | undefined
    try {
      running = runBody(this.#call, this.#definition, incoming, this.#parts)
      return running instanceof Promise ? this.#bodyEnds(running) : this.remember(running)
    } finally {
      if (!(running instanceof Promise)) this.#countEndedBody()
    }
  }

  async #bodyEnds(running: Promise<Settlement>): Promise<Settlement> {
    try {
      return this.remember(await running)
    } finally {
      this.#countEndedBody()
    }
  }

  #countEndedBody(): void {
    if (--this.#openBodies === 0) this.#onBodiesEnded?.()
  }

  remember(settled: Settlement): Settlement {
    this.lastContexts = settled.outcome.contexts ?? NO_CONTEXTS
    return settled
  }

  pass(settled: Settlement): Passed {
    return Object.freeze(new Mark(this, settled)) as unknown as Passed // The brand exists in types only.
  }

  /** What is behind a `Passed`; undefined for what was not made by this call. */
  settledBy(given: unknown): Settlement | undefined {
    return typeof given === 'object' && given !== null ? Mark.of(given, this) : undefined
  }

  succeed(value: Json): Passed {
    return this.pass(settleValue(this.#call, this.#definition, value, this.#parts, SYNTHETIC))
  }

  aborted(): Passed {
    return this.pass(settleAborted(this.#call, 'around'))
  }

  countLateContext(): void {
    this.#parts.countLate(this.#call.callId, 'a context')
  }

  fuse(incoming: FusedSignal, added: AbortSignal): FusedSignal {
    const fused = fuseSignals(added, incoming)
    ;(this.#fused ??= new SmallSet()).add(fused)
    return fused
  }

  unfuse(fused: FusedSignal): void {
    fused[Symbol.dispose]()
    this.#fused?.delete(fused)
  }
}

const NO_CONTEXTS: readonly UserMessage[] = Object.freeze([])
const SYNTHETIC = { phase: 'around', isSynthetic: true } as const

/** One wrapper at work, with what it sent home and what its last `next()` came to. */
class Layer {
  readonly #around: Around
  readonly #call: LiveCall
  readonly #wrapper: Wrapper
  readonly #index: number
  readonly #incoming: FusedSignal
  readonly #view: LayerView
  #contexts: UserMessage[] | undefined
  #last: Settlement | undefined
  #isOver = false

  constructor(around: Around, call: LiveCall, wrapper: Wrapper, index: number, incoming: FusedSignal) {
    this.#around = around
    this.#call = call
    this.#wrapper = wrapper
    this.#index = index
    this.#incoming = incoming
    this.#view = new LayerView(call.view, wrapper.name, incoming, (message) => this.#defer(message))
  }

  async run(): Promise<Settlement> {
    const around = this.#around
    const next = (() => this.#next()) as Next & { succeed: Next['succeed'] } // Made whole in the next line.
    next.succeed = (value) => around.succeed(value)
    try {
      const settled = around.settledBy(await this.#wrapper.around(this.#view, next))
      if (settled === undefined) throw new TypeError('it gave something else than what next() or next.succeed() made')
      return around.remember(this.#contexts === undefined ? settled : withContexts(settled, this.#contexts))
    } catch (thrown) {
      return around.remember(this.#failed(thrown))
    } finally {
      this.#isOver = true
      around.layerEnded()
    }
  }

  /** Never rejects. */
  #next(): Promise<Passed> {
    const around = this.#around
    let fused: FusedSignal | undefined
    try {
      if (around.isLeft || this.#isOver) return Promise.resolve(around.aborted())
      const added = LayerView.addedTo(this.#view)
      // What a wrapper puts in is added to what it was given, never put in its place.
      if (added !== undefined) fused = around.fuse(this.#incoming, added)
      const settled = around.runFrom(this.#index + 1, fused ?? this.#incoming)
      return settled instanceof Promise ? this.#passLater(settled, fused) : Promise.resolve(this.#pass(settled, fused))
    } catch (fault) {
      return Promise.resolve(this.#passFault(fault, fused))
    }
  }

  async #passLater(settled: Promise<Settlement>, fused: FusedSignal | undefined): Promise<Passed> {
    try {
      return this.#pass(await settled, fused)
    } catch (fault) {
      return this.#passFault(fault, fused)
    }
  }

  #pass(settled: Settlement, fused: FusedSignal | undefined): Passed {
    this.#last = settled
    if (fused !== undefined) this.#around.unfuse(fused)
    return this.#around.pass(settled)
  }

  #passFault(fault: unknown, fused: FusedSignal | undefined): Passed {
    if (fused !== undefined) this.#around.unfuse(fused)
    return this.#around.pass(this.#failed(fault))
  }

  #defer(message: UserMessage | string): void {
    if (this.#around.isLeft) return this.#around.countLateContext()
    const parsed = parseUserMessage(message, this.#wrapper.name)
    if (!parsed.ok) throw new TypeError(`${this.#wrapper.name}: deferContext: ${parsed.reason}`)
    ;(this.#contexts ??= []).push(parsed.message)
  }

  #failed(thrown: unknown): Settlement {
    return settleFailure(
      this.#call,
      'WRAPPER_FAILED',
      `${this.#call.toolName}: the wrapper "${this.#wrapper.name}" failed: ${thrownMessage(thrown)}`,
      { phase: 'around', contexts: [...(this.#last?.outcome.contexts ?? []), ...(this.#contexts ?? [])] },
    )
  }
}

/** Each layer has its own object: what an inner wrapper does to its signal is never seen by an outer one. */
class LayerView implements AroundCall {
  readonly callId: CallId
  readonly rootCallId: CallId
  declare readonly parentCallId?: CallId
  readonly toolName: string
  readonly scope: string
  declare readonly sessionId?: SessionId
  readonly entry: CallView['entry']
  readonly arguments: JsonObject
  declare readonly definition?: ToolDefinition
  readonly hasSession: boolean
  readonly deferContext: AroundCall['deferContext']
  readonly #wrapperName: string
  readonly #incoming: FusedSignal
  #given: AbortSignal | undefined

  constructor(view: CallView, wrapperName: string, incoming: FusedSignal, deferContext: AroundCall['deferContext']) {
    this.callId = view.callId
    this.rootCallId = view.rootCallId
    if (view.parentCallId !== undefined) this.parentCallId = view.parentCallId
    this.toolName = view.toolName
    this.scope = view.scope
    if (view.sessionId !== undefined) this.sessionId = view.sessionId
    this.entry = view.entry
    this.arguments = view.arguments
    if (view.definition !== undefined) this.definition = view.definition
    this.hasSession = view.hasSession
    this.deferContext = deferContext
    this.#wrapperName = wrapperName
    this.#incoming = incoming
  }

  get signal(): AbortSignal {
    return this.#given ?? this.#incoming.signal
  }

  set signal(given: AbortSignal) {
    if (!isSignal(given)) throw new TypeError(`${this.#wrapperName}: a call's signal must be an AbortSignal`)
    this.#given = given
  }

  /** What the wrapper put in place of the signal it was given. */
  static addedTo(view: LayerView): AbortSignal | undefined {
    const given = view.#given
    return given === undefined || view.#incoming.hasGiven(given) ? undefined : given
  }
}

/**
 * What a `Passed` really is. Private fields tell it from any other object: nobody else can see, copy or forge them, and a
 * proxy does not inherit them.
 */
class Mark {
  readonly outcome: Outcome
  readonly #around: Around
  readonly #settled: Settlement
  constructor(around: Around, settled: Settlement) {
    this.outcome = settled.outcome
    this.#around = around
    this.#settled = settled
  }
  static of(target: object, around: Around): Settlement | undefined {
    return #around in target && target.#around === around ? target.#settled : undefined
  }
}
// A wrapper that holds one must not find its way to the constructor.
Object.setPrototypeOf(Mark.prototype, null)
Reflect.deleteProperty(Mark.prototype, 'constructor')
Object.freeze(Mark.prototype)
