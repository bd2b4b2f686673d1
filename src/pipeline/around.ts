import type { UserMessage } from '../data/content.ts'
import { CodedError, thrownMessage } from '../data/failure.ts'
import type { Json } from '../data/json.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { runBody } from './body.ts'
import type { AroundCall, Next, Passed, Policy } from './call.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleAborted, settleFailure, withContexts, type Settlement } from './settle.ts'
import { fuseSignals, untilDrained, type FusedSignal } from './signals.ts'
import { parseUserMessage } from './user-message.ts'
import { settleValue } from './value.ts'

export type Wrapper = Policy & Required<Pick<Policy, 'around'>>

/**
 * Runs the body inside the wrappers, the first registered outermost. Never rejects. A wrapper that ignores an abort is
 * given `drainMs` after its body was; then the call goes on without it, and its `next()` starts nothing any more.
 */
export async function runAround(
  call: LiveCall,
  definition: ToolDefinition,
  wrappers: readonly Wrapper[],
  parts: RuntimeParts,
): Promise<Settlement> {
  if (wrappers.length === 0) return runBody(call, definition, call.callerSignal, parts)
  const around = new Around(call, definition, wrappers, parts)
  const ended = await untilDrained(around.run(), call.callerSignal, {
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
  /** Which settlement is behind a `Passed`: one that is not in here was not made by this call. */
  readonly #settledByPassed = new WeakMap<object, Settlement>()
  readonly #bodies = new Set<Promise<Settlement>>()
  readonly #fused = new Set<FusedSignal>()
  #isLeft = false
  #hadGrace = false
  lastContexts: readonly UserMessage[] = []

  constructor(call: LiveCall, definition: ToolDefinition, wrappers: readonly Wrapper[], parts: RuntimeParts) {
    this.#call = call
    this.#definition = definition
    this.#wrappers = wrappers
    this.#parts = parts
  }

  async run(): Promise<Settlement> {
    const top = this.#fuse(this.#call.callerSignal)
    try {
      const settled = await this.#layer(0, top.signal)
      if (this.#bodies.size > 0) {
        // A wrapper that raced its `next()` went on without it. A call is not over while its body runs.
        top.abort(new CodedError('ABORTED', 'the wrapper went on without this body'))
        await Promise.all(this.#bodies)
      }
      return settled
    } finally {
      this.#unfuse(top)
    }
  }

  /** While a body runs its own fence decides; after that the wrapper gets the same time once more to end. */
  mayBeLeft(): boolean {
    if (this.#bodies.size > 0) return false
    if (this.#hadGrace) return true
    this.#hadGrace = true
    return false
  }

  leave(): void {
    this.#isLeft = true
    for (const fused of this.#fused) fused[Symbol.dispose]()
    this.#fused.clear()
  }

  async #layer(index: number, incoming: AbortSignal): Promise<Settlement> {
    const wrapper = this.#wrappers[index]
    if (wrapper === undefined) return this.#body(incoming)
    if (this.#call.isAborted) return settleAborted(this.#call, 'around')
    this.#call.trace?.enter('around')
    const contexts: UserMessage[] = []
    const view = this.#viewFor(wrapper, incoming, contexts)
    let last: Settlement | undefined
    const pass = (settled: Settlement): Passed => {
      const passed = Object.freeze({ outcome: settled.outcome }) as Passed // The brand exists in types only.
      this.#settledByPassed.set(passed, settled)
      return passed
    }
    const proceed = async (): Promise<Passed> => {
      if (this.#isLeft) return pass(settleAborted(this.#call, 'around'))
      // What a wrapper puts in is added to what it was given, never put in its place.
      const fused = view.signal === incoming ? undefined : this.#fuse(incoming, view.signal)
      try {
        last = await this.#layer(index + 1, fused?.signal ?? incoming)
        return pass(last)
      } finally {
        if (fused !== undefined) this.#unfuse(fused)
      }
    }
    const next: Next = Object.assign(
      () => proceed().catch((fault: unknown) => pass(this.#wrapperFailed(wrapper, fault, last, contexts))),
      {
        succeed: (value: Json): Passed =>
          pass(settleValue(this.#call, this.#definition, value, this.#parts, { phase: 'around', isSynthetic: true })),
      },
    )
    try {
      const given: unknown = await wrapper.around(view, next)
      const settled = typeof given === 'object' && given !== null ? this.#settledByPassed.get(given) : undefined
      if (settled === undefined) throw new TypeError('it gave something else than what next() or next.succeed() made')
      return this.#remember(withContexts(settled, contexts))
    } catch (thrown) {
      return this.#remember(this.#wrapperFailed(wrapper, thrown, last, contexts))
    }
  }

  async #body(incoming: AbortSignal): Promise<Settlement> {
    const body = runBody(this.#call, this.#definition, incoming, this.#parts)
    this.#bodies.add(body)
    try {
      return this.#remember(await body)
    } finally {
      this.#bodies.delete(body)
    }
  }

  #remember(settled: Settlement): Settlement {
    this.lastContexts = settled.outcome.contexts ?? []
    return settled
  }

  #wrapperFailed(
    wrapper: Wrapper,
    thrown: unknown,
    last: Settlement | undefined,
    contexts: readonly UserMessage[],
  ): Settlement {
    return settleFailure(
      this.#call,
      'WRAPPER_FAILED',
      `${this.#call.toolName}: the wrapper "${wrapper.name}" failed: ${thrownMessage(thrown)}`,
      { phase: 'around', contexts: [...(last?.outcome.contexts ?? []), ...contexts] },
    )
  }

  /** Each layer has its own object: what an inner wrapper does to its signal is never seen by an outer one. */
  #viewFor(wrapper: Wrapper, incoming: AbortSignal, contexts: UserMessage[]): AroundCall {
    let signal = incoming
    return {
      ...this.#call.view,
      get signal() {
        return signal
      },
      set signal(given: AbortSignal) {
        if (!isSignal(given)) throw new TypeError(`${wrapper.name}: a call's signal must be an AbortSignal`)
        signal = given
      },
      deferContext: (message) => {
        if (this.#isLeft) return this.#parts.countLate(this.#call.callId, 'a context')
        const parsed = parseUserMessage(message, wrapper.name)
        if (!parsed.ok) throw new TypeError(`${wrapper.name}: deferContext: ${parsed.reason}`)
        contexts.push(parsed.message)
      },
    }
  }

  #fuse(...sources: readonly (AbortSignal | undefined)[]): FusedSignal {
    const fused = fuseSignals(...sources)
    this.#fused.add(fused)
    return fused
  }

  #unfuse(fused: FusedSignal): void {
    fused[Symbol.dispose]()
    this.#fused.delete(fused)
  }
}

/** By shape: a signal may come from another realm. */
function isSignal(value: unknown): value is AbortSignal {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { aborted?: unknown }).aborted === 'boolean' &&
    typeof (value as { addEventListener?: unknown }).addEventListener === 'function'
  )
}
