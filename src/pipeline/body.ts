import { CodedError, hasCode, thrownMessage } from '../data/failure.ts'
import { isFailureCode, type FailureCode } from '../data/failure-codes.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { violationSummary } from './failure-content.ts'
import { BodyExecution, type Sent } from './execution.ts'
import { fuseSignals, signalOf, type FusedSignal } from './fused-signal.ts'
import type { BodyAbort, LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleAborted, settleFailure, type Settlement } from './settle.ts'
import { isThenable, untilDrained, type Waited } from './signals.ts'
import { settleValue } from './value.ts'

/** How often a composite whose children are still being drained gets `drainMs` again; as deep as calls sensibly nest. */
const MAX_EXTENSIONS = 8

/**
 * Runs the body once. `incoming` is what the wrappers made of the caller's signal. Never rejects; a body that ignores
 * an abort for longer than `drainMs` is left behind, and nothing it does later changes anything here. A body that gives
 * its value at once is settled at once.
 */
export function runBody(
  call: LiveCall,
  definition: ToolDefinition,
  incoming: AbortSignal | FusedSignal | undefined,
  parts: RuntimeParts,
): Promise<Settlement> | Settlement {
  if (incoming?.aborted === true) return settleAborted(call, 'body')
  const invalid = checkArguments(call)
  if (invalid !== undefined) return invalid

  const stop = new BodyStop(call, incoming, definition.timeoutMs, parts)
  const exec = new BodyExecution(call, stop, parts)
  call.trace?.enter('body')
  call.bodyStarted = true
  const ended = runToEnd(call, definition, exec, stop, parts)
  return ended instanceof Promise
    ? settleLater(call, definition, exec, stop, ended, parts)
    : settleEnd(call, definition, exec, stop, ended, parts)
}

async function settleLater(
  call: LiveCall,
  definition: ToolDefinition,
  exec: BodyExecution,
  stop: BodyStop,
  ended: Promise<Waited<unknown>>,
  parts: RuntimeParts,
): Promise<Settlement> {
  return settleEnd(call, definition, exec, stop, await ended, parts)
}

/** What the end of the body comes to. From here on the body is heard no more, and hears of no abort. */
function settleEnd(
  call: LiveCall,
  definition: ToolDefinition,
  exec: BodyExecution,
  bodyStop: BodyStop,
  ended: Waited<unknown>,
  parts: RuntimeParts,
): Settlement {
  using stop = bodyStop
  const sent = exec.close()
  switch (ended.kind) {
    case 'left':
      return settleFailure(
        call,
        'ABANDONED',
        `${call.toolName}: ${stop.why()}, ignored that for ${parts.drainMs} ms and was left behind. What it still does is not known.`,
        { phase: 'body', contexts: sent.contexts },
      )
    case 'thrown':
      return stop.overrides(ended.thrown, sent) ?? settleThrown(call, ended.thrown, sent)
    case 'value': {
      const stopped = stop.overridesSuccess(sent)
      if (stopped !== undefined) return stopped
      const settled = settleValue(call, definition, ended.value, parts, {
        phase: 'value',
        attached: sent.content,
        contexts: sent.contexts,
        concludesTurn: sent.concludesTurn,
      })
      // Validating or rendering may have taken the moment in which the caller cancelled.
      return !settled.outcome.isError && call.isAborted ? settleAborted(call, 'value', sent.contexts) : settled
    }
  }
}

/** The tool's own check of its arguments, before anything of it runs; undefined when all is well. */
export function checkArguments(call: LiveCall): Settlement | undefined {
  try {
    const violations = call.argumentViolations()
    if (violations.length === 0) return undefined
    return settleFailure(call, 'INVALID_ARGS', `${call.toolName}: ${violationSummary(violations)}`, {
      phase: 'arguments',
      runsPost: true,
      details: { violations },
    })
  } catch (thrown) {
    return settleFailure(
      call,
      'TOOL_FAILED',
      `${call.toolName}: its check of the arguments threw: ${thrownMessage(thrown)}`,
      {
        phase: 'arguments',
        runsPost: true,
      },
    )
  }
}

function runToEnd(
  call: LiveCall,
  definition: ToolDefinition,
  exec: BodyExecution,
  stop: BodyStop,
  parts: RuntimeParts,
): Promise<Waited<unknown>> | Waited<unknown> {
  let given: unknown
  try {
    given = definition.execute(call.args, exec)
  } catch (thrown) {
    return { kind: 'thrown', thrown }
  }
  if (!isThenable(given)) return { kind: 'value', value: given }
  let extensions = 0
  return untilDrained(given, stop.abortable, {
    clock: parts.clock,
    drainMs: parts.drainMs,
    onLate: () => parts.countLate(call.callId, 'the end of a body'),
    // A composite needs its children settled, and then a moment to put together what it knows of them.
    mayLeave: () =>
      call.children === 0 || (call.openChildren === 0 && extensions > 0) || extensions++ >= MAX_EXTENSIONS,
  })
}

/** Codes that say what the pipeline decided: a body that throws one would speak for somebody else. */
const NOT_FOR_TOOLS: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'CALL_VIA_RUN_CODE',
  'UNKNOWN_TOOL',
  'ABORTED_BEFORE_DISPATCH',
  'POLICY_DENIED',
  'POLICY_FAILED',
  'APPROVAL_REJECTED',
  'APPROVAL_CANCELLED',
  'APPROVAL_UNAVAILABLE',
  'GUARD_DENIED',
  'WRAPPER_FAILED',
  'POST_POLICY_FAILED',
  'POST_POLICY_BLOCKED',
  'ABANDONED',
  'FINALIZER_FAILED',
])

function settleThrown(call: LiveCall, thrown: unknown, sent: Sent): Settlement {
  const own = ownCode(thrown)
  return settleFailure(call, own ?? 'TOOL_FAILED', thrownMessage(thrown), {
    phase: 'body',
    runsPost: true,
    content: sent.content,
    contexts: sent.contexts,
    details: own === undefined ? undefined : detailsOf(thrown),
  })
}

function ownCode(thrown: unknown): string | undefined {
  try {
    if (!hasCode(thrown)) return undefined
    const { code } = thrown
    if (!/^[A-Za-z][\w.-]{0,63}$/.test(code)) return undefined
    return isFailureCode(code) && NOT_FOR_TOOLS.has(code) ? undefined : code
  } catch {
    return undefined
  }
}

function detailsOf(thrown: unknown): unknown {
  try {
    return (thrown as { details?: unknown }).details // An accessor may throw, hence the try.
  } catch {
    return undefined
  }
}

type StopCause = 'caller' | 'deadline' | 'wrapper'

/** The signal a body runs under, and who pulled it first. Most bodies end before anybody listens: then nobody does. */
class BodyStop implements BodyAbort, Disposable {
  readonly #call: LiveCall
  readonly #incoming: AbortSignal | FusedSignal | undefined
  readonly #timeoutMs: number | undefined
  /** What is given out instead of `incoming` under a deadline. */
  readonly #fused: FusedSignal | undefined
  #heardCause: StopCause | undefined
  #listensForCause = false
  #timer: Disposable | undefined
  readonly #outer: BodyAbort | undefined

  constructor(
    call: LiveCall,
    incoming: AbortSignal | FusedSignal | undefined,
    timeoutMs: number | undefined,
    parts: RuntimeParts,
  ) {
    this.#call = call
    this.#incoming = incoming
    this.#timeoutMs = timeoutMs
    if (timeoutMs !== undefined) {
      this.#fused = fuseSignals(incoming)
      this.#timer = parts.clock.after(timeoutMs, () => this.#onDeadline())
    }
    this.#outer = call.bodyStop
    call.bodyStop = this
  }

  get signal(): AbortSignal | undefined {
    const { abortable } = this
    return abortable === undefined ? undefined : signalOf(abortable)
  }

  get abortable(): AbortSignal | FusedSignal | undefined {
    this.#listenForCause()
    return this.#fused ?? this.#incoming
  }

  /** Before anybody else can listen: the cause is known before anybody reacts to the abort. */
  #listenForCause(): void {
    if (this.#listensForCause) return
    this.#listensForCause = true
    this.#incoming?.addEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => {
    this.#heardCause ??= this.#call.isAborted ? 'caller' : 'wrapper'
  }

  /** Who pulled first, if anybody has. */
  get #cause(): StopCause | undefined {
    if (this.#heardCause === undefined && this.#incoming?.aborted === true) this.#onAbort()
    return this.#heardCause
  }

  #onDeadline(): void {
    if (this.#cause !== undefined) return
    this.#heardCause = 'deadline'
    this.#fused?.abort(new CodedError('TOOL_TIMEOUT', this.#timeoutMessage()))
  }

  #timeoutMessage(): string {
    return `${this.#call.toolName}: took longer than its ${this.#timeoutMs} ms`
  }

  /** Why the body was told to stop, in words that continue with "and …". */
  why(): string {
    switch (this.#cause) {
      case 'deadline':
        return `took longer than its ${this.#timeoutMs} ms`
      case 'wrapper':
        return `was stopped (${thrownMessage(this.#incoming?.reason)})`
      case 'caller':
      case undefined:
        return 'was cancelled'
    }
  }

  /** The outcome when the stop, and not what the body threw, is what happened. */
  overrides(thrown: unknown, sent: Sent): Settlement | undefined {
    if (this.#isTimeout()) return this.#timedOut(sent)
    if (this.#cause === undefined || !this.#isEcho(thrown)) return undefined
    if (this.#cause === 'caller') return settleAborted(this.#call, 'body', sent.contexts)
    return settleFailure(this.#call, 'ABORTED', `${this.#call.toolName}: ${this.why()} while it ran.`, {
      phase: 'body',
      contexts: sent.contexts,
    })
  }

  overridesSuccess(sent: Sent): Settlement | undefined {
    if (this.#isTimeout()) return this.#timedOut(sent)
    // A wrapper that stops a body which then succeeds all the same may keep the success: it is the wrapper's to judge.
    return this.#call.isAborted ? settleAborted(this.#call, 'body', sent.contexts) : undefined
  }

  #isTimeout(): boolean {
    return this.#cause === 'deadline' || (this.#cause === 'wrapper' && hasCode(this.#incoming?.reason, 'TOOL_TIMEOUT'))
  }

  #timedOut(sent: Sent): Settlement {
    const message = this.#cause === 'deadline' ? this.#timeoutMessage() : thrownMessage(this.#incoming?.reason)
    return settleFailure(this.#call, 'TOOL_TIMEOUT', message, {
      phase: 'body',
      runsPost: true,
      contexts: sent.contexts,
    })
  }

  /** Whether what was thrown is just the abort coming back (from `throwIfAborted`, `fetch`, a timer promise). */
  #isEcho(thrown: unknown): boolean {
    if (thrown === this.signal?.reason) return true
    try {
      const { name, code } = thrown as { name?: unknown; code?: unknown } // Primitives and null throw or give nothing.
      return name === 'AbortError' || code === 'ABORT_ERR'
    } catch {
      return false
    }
  }

  [Symbol.dispose](): void {
    if (this.#listensForCause) this.#incoming?.removeEventListener('abort', this.#onAbort)
    this.#listensForCause = true // A body that was left behind may still ask for its signal: nobody listens for it.
    this.#timer?.[Symbol.dispose]()
    this.#fused?.[Symbol.dispose]()
    this.#call.bodyStop = this.#outer
  }
}
