import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { Clock } from '../data/clock.ts'
import { CodedError } from '../data/failure.ts'
import type { Outcome } from '../data/outcome.ts'
import type { CallReport, CallView, Observer, Policy } from '../pipeline/call.ts'
import { registeredProvider } from './registered-provider.ts'
import { contentAttributes, endAttributes, spanName, startAttributes } from './span-attributes.ts'

export interface TelemetryOptions {
  /** Default: the one that is registered with `@opentelemetry/api` when the engine starts; none: no spans. */
  readonly tracerProvider?: TracerProvider
  /** Whether spans hold arguments, programs and results. Default false: they may hold anything a user said. */
  readonly content?: boolean
  /** Of each of them, in characters. Default 4,096. */
  readonly maxContentChars?: number
}

/** What is mounted into a runtime. The policy must be the first: it is the outermost wrapper, and decides nothing. */
export interface Spans {
  readonly observer: Observer
  readonly policy: Policy
}

interface OpenSpan {
  readonly span: Span
  /** With the span as the active one. */
  readonly context: Context
  readonly startedAtMs: number
  readonly anchor: Anchor
}

/** Wall time of the root call: what happens below it is placed by the monotonic clock, so that no child sticks out. */
interface Anchor {
  readonly wallMs: number
  readonly monotonicMs: number
}

/**
 * Spans of calls: one for each, a nested one under its run. Undefined when nobody would receive them: an observer
 * makes the pipeline time every stage of every call. Throws `CONFIG_INVALID` for options that are none.
 */
export function createSpans(options: TelemetryOptions, clock: Clock): Spans | undefined {
  const maxContentChars = options.maxContentChars ?? 4_096
  if (!Number.isInteger(maxContentChars) || maxContentChars < 1 || maxContentChars > MAX_CONTENT_CHARS) {
    throw new CodedError(
      'CONFIG_INVALID',
      `telemetry.maxContentChars must be an integer from 1 to ${MAX_CONTENT_CHARS}; got ${String(maxContentChars)}`,
    )
  }
  const provider = options.tracerProvider ?? registeredProvider()
  if (provider === undefined) return undefined
  const recorder = new Recorder(
    provider.getTracer('codeferry'),
    clock,
    options.content === true ? maxContentChars : undefined,
  )
  return {
    observer: {
      started: (call) => recorder.start(call),
      settled: (call, outcome, report) => recorder.end(call, outcome, report),
    },
    policy: {
      name: 'telemetry',
      // What a body does, and what it calls elsewhere, belongs to the span of its call.
      around(call, next) {
        const active = recorder.contextOf(call)
        return active === undefined ? next() : context.with(active, next)
      },
    },
  }
}

const MAX_CONTENT_CHARS = 1_000_000

class Recorder {
  readonly #tracer: Tracer
  readonly #clock: Clock
  /** Undefined: contents are not recorded. */
  readonly #maxContentChars: number | undefined
  readonly #openByCall = new WeakMap<CallView, OpenSpan>()
  /** For those who know a call by its id, which is unique within its session only. */
  readonly #openByKey = new Map<string, OpenSpan>()

  constructor(tracer: Tracer, clock: Clock, maxContentChars: number | undefined) {
    this.#tracer = tracer
    this.#clock = clock
    this.#maxContentChars = maxContentChars
  }

  start(call: CallView): void {
    const parent = call.parentCallId === undefined ? undefined : this.#openByKey.get(keyOf(call, call.parentCallId))
    const nowMs = this.#clock.monotonicMs()
    const anchor = parent?.anchor ?? { wallMs: this.#clock.nowMs(), monotonicMs: nowMs }
    const startedAtMs = anchor.wallMs + nowMs - anchor.monotonicMs
    // A nested call comes out of the sandbox's pipe, where whatever context is active is not its own.
    const outer = parent?.context ?? context.active()
    const span = this.#tracer.startSpan(
      spanName(call),
      { attributes: startAttributes(call), startTime: startedAtMs },
      outer,
    )
    const open = { span, context: trace.setSpan(outer, span), startedAtMs, anchor }
    this.#openByCall.set(call, open)
    this.#openByKey.set(keyOf(call, call.callId), open)
  }

  contextOf(call: CallView): Context | undefined {
    return this.#openByKey.get(keyOf(call, call.callId))?.context
  }

  end(call: CallView, outcome: Outcome, report: CallReport): void {
    const open = this.#openByCall.get(call)
    if (open === undefined) return // It had begun before this was mounted.
    const key = keyOf(call, call.callId)
    // A caller may have given two calls one id.
    if (this.#openByKey.get(key) === open) this.#openByKey.delete(key)
    const { span, startedAtMs } = open
    if (span.isRecording()) {
      addStages(span, startedAtMs, report)
      span.setAttributes(endAttributes(outcome, report))
      if (this.#maxContentChars !== undefined)
        span.setAttributes(contentAttributes(call, outcome, this.#maxContentChars))
      // Without a message: it quotes arguments and results.
      if (outcome.isError) span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end(startedAtMs + report.durationMs)
  }
}

/** Each stage once, in the order in which it was first entered, with all the time that it took: retries are summed up. */
function addStages(span: Span, startedAtMs: number, { stageNs }: CallReport): void {
  let atMs = startedAtMs
  for (const [stage, ns] of Object.entries(stageNs)) {
    span.addEvent(stage, { 'codeferry.stage.duration_ms': ns / 1e6 }, atMs)
    atMs += ns / 1e6
  }
}

function keyOf({ sessionId }: CallView, id: string): string {
  return `${sessionId ?? ''}\n${id}`
}
