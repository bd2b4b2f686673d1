import { utf8ByteLength } from '../data/bytes.ts'
import { createFailure, type Failure } from '../data/failure.ts'
import { nestedCallId, type CallId } from '../data/ids.ts'
import type { Json, JsonObject } from '../data/json.ts'
import type { Outcome } from '../data/outcome.ts'
import type { GuestCall, GuestReply } from '../executor/executor.ts'
import { hush } from '../pipeline/signals.ts'
import type { ToolRuntime } from '../pipeline/tool-runtime.ts'
import type { Execution } from '../registry/tool.ts'
import type { ToolView } from '../registry/view.ts'
import type { SessionLog } from '../session/log.ts'
import { createDispatchLog } from './dispatch-log.ts'
import type { Limits } from './limits.ts'
import { createScheduler } from './scheduler.ts'
import { createServices, type ServicesOptions } from './services.ts'
import { createTurnQueue, type TurnQueue } from './turn-queue.ts'

/** What became of one dispatch, for the result of the run. */
export interface CallSummary {
  readonly callId: CallId
  readonly name: string
  /** `settled`; `abandoned`: it ignored cancellation and was left behind; `unstarted`: the run ended before its body. */
  readonly state: 'settled' | 'abandoned' | 'unstarted'
  readonly isError: boolean
  readonly code?: string
  readonly message?: string
  /** From the start of the run to the submission of the call. */
  readonly startedMs: number
  /** From submission to admission: policy, approval, waiting for a slot. */
  readonly queuedMs: number
  readonly runMs: number
}

export type DispatchEvent =
  | { readonly type: 'dispatch-started'; readonly callId: CallId; readonly name: string }
  | { readonly type: 'dispatch-settled'; readonly call: CallSummary }

export interface BridgeOptions extends Pick<ServicesOptions, 'artifacts' | 'searchTools' | 'describeTools'> {
  readonly runtime: ToolRuntime
  readonly view: ToolView
  readonly exec: Execution
  readonly session: SessionLog | undefined
  readonly limits: Limits
  readonly monotonicMs: () => number
  /** Shared with the other runs of the engine; default: its own. */
  readonly turns?: TurnQueue
  /** Stops the run's wall clock while a person is asked. */
  readonly whileAsking: () => Disposable
  readonly onDispatch?: (event: DispatchEvent) => void
}

/** The meeting point of a run and the runtime: each guest call becomes a full execution with the run as its parent. */
export interface Bridge {
  call(request: GuestCall): Promise<GuestReply>
  /**
   * Resolves when every dispatch that was started has settled (the pipeline fences those that never do) and is in the
   * log. Rejects when the log does not take it: such a run must not end as if all were well.
   */
  quiet(): Promise<void>
  /** In order of submission. */
  calls(): readonly CallSummary[]
  /** What became of a call, by its number; undefined for services, and while it is open. */
  summaryOf(number: number): CallSummary | undefined
  /** The name behind a call number, for messages about open calls. */
  nameOf(number: number): string | undefined
  /** Whether a successful dispatch asked for the turn to end. */
  concludesTurn(): boolean
}

export function createBridge(options: BridgeOptions): Bridge {
  const { runtime, view, exec, session, limits, monotonicMs, artifacts } = options
  const log = createDispatchLog(session, { rootCallId: exec.rootCallId, parentCallId: exec.callId })
  const scheduler = createScheduler(limits.maxConcurrentCalls)
  const turns = options.turns ?? createTurnQueue()
  const services = createServices({
    ...options,
    turns,
    owner: ownerOf(exec),
    maxValueBytes: limits.maxValueBytes,
  })
  const nameByNumber = new Map<number, string>()
  const summaryByNumber = new Map<number, CallSummary>()
  const inFlight = new Set<Promise<unknown>>()
  const beganAt = monotonicMs()
  let dispatched = 0
  let concludes = false

  async function dispatch(request: GuestCall): Promise<GuestReply> {
    nameByNumber.set(request.number, request.name)
    if (++dispatched > limits.maxCalls) return refuse(request.name, tooManyCalls(limits.maxCalls))
    const callId = nestedCallId(exec.callId, dispatched)
    const ticket = scheduler.submit(isExclusive(view, request))
    const submittedAt = monotonicMs()
    let admittedAt: number | undefined
    log.started({ callId, name: request.name, arguments: request.argumentsJson })
    options.onDispatch?.({ type: 'dispatch-started', callId, name: request.name })
    // The refusal looks for near names among all tools: hundreds of them must not be one piece of work.
    if (!view.toolsByName.has(request.name)) await turns.turn()
    const outcome = await runtime.execute({
      name: request.name,
      arguments: { raw: request.argumentsJson },
      scope: exec.scope,
      entry: 'program',
      parent: exec.token,
      callId,
      signal: request.signal,
      ...(session !== undefined && { session }),
      whileAsking: options.whileAsking,
      async admit() {
        const slot = await ticket.admit(request.signal)
        admittedAt = monotonicMs()
        return slot
      },
    })
    ticket.settled()
    const settledAt = monotonicMs()
    const timings = {
      queuedMs: round((admittedAt ?? settledAt) - submittedAt),
      runMs: round(settledAt - (admittedAt ?? settledAt)),
    }
    const bodyStarted = outcome.isError ? outcome.error.bodyStarted : true
    log.settled({ callId, name: request.name, outcome, bodyStarted, ...timings })
    const summary = summarise(callId, request.name, outcome, { startedMs: round(submittedAt - beganAt), ...timings })
    summaryByNumber.set(request.number, summary)
    options.onDispatch?.({ type: 'dispatch-settled', call: summary })
    // Settle order, as the parent's result must carry them in the order in which they came about.
    for (const context of outcome.contexts ?? []) exec.deferContext(context)
    if (!outcome.isError && outcome.concludesTurn === true) concludes = true
    return toReply(request, outcome)
  }

  function toReply(request: GuestCall, outcome: Outcome): GuestReply {
    if (outcome.isError) return refuse(request.name, outcome.error, outcome.content as unknown as Json)
    const reply =
      request.op === 'full'
        ? { value: outcome.value, content: outcome.content, ...(outcome.meta !== undefined && { meta: outcome.meta }) }
        : outcome.value
    const json = JSON.stringify(reply)
    const bytes = utf8ByteLength(json)
    if (bytes <= limits.maxValueBytes) return { ok: true, json }
    const artifact = artifacts.put(ownerOf(exec), json)
    return refuse(
      request.name,
      createFailure(
        'VALUE_TOO_LARGE',
        `${request.name}: the value has ${bytes} bytes; a program may receive ${limits.maxValueBytes}. The call itself succeeded. ` +
          (artifact === undefined
            ? 'Ask for less (a filter, a page).'
            : `Read it in parts: await artifacts.read(${JSON.stringify(artifact.id)}, { offset: 0, length: 100000 }).`),
        { phase: 'value', bodyStarted: true, ...(artifact !== undefined && { details: { artifactId: artifact.id } }) },
      ),
    )
  }

  async function serve(request: GuestCall): Promise<GuestReply> {
    const answer = await services.serve(request)
    return 'failure' in answer ? refuse(request.name, answer.failure) : { ok: true, json: JSON.stringify(answer.value) }
  }

  return {
    async call(request) {
      if (request.op !== 'call' && request.op !== 'full') return serve(request)
      const work = dispatch(request)
      inFlight.add(work)
      try {
        return await work
      } finally {
        inFlight.delete(work)
      }
    },
    async quiet() {
      while (inFlight.size > 0) await Promise.allSettled(inFlight)
      log.flush()
    },
    calls: () => [...summaryByNumber.entries()].toSorted(([a], [b]) => a - b).map(([, summary]) => summary),
    summaryOf: (number) => summaryByNumber.get(number),
    nameOf: (number) => nameByNumber.get(number),
    concludesTurn: () => concludes,
  }
}

/** Classified when submitted, from the view the run began with; an unreadable answer means alone. */
function isExclusive(view: ToolView, request: GuestCall): boolean {
  const definition = view.toolsByName.get(request.name)
  if (definition === undefined) return false // Refused long before a body: it must not hold up anything.
  try {
    const args = JSON.parse(request.argumentsJson) as JsonObject // Only asked about; the pipeline parses strictly.
    return hush(definition.isConcurrencySafe?.(args)) !== true
  } catch {
    return true
  }
}

function summarise(
  callId: CallId,
  name: string,
  outcome: Outcome,
  timings: Pick<CallSummary, 'startedMs' | 'queuedMs' | 'runMs'>,
): CallSummary {
  if (!outcome.isError) return { callId, name, state: 'settled', isError: false, ...timings }
  const { code, message } = outcome.error
  const state = code === 'ABANDONED' ? 'abandoned' : code === 'ABORTED_BEFORE_DISPATCH' ? 'unstarted' : 'settled'
  return { callId, name, state, isError: true, code, message: message.slice(0, 500), ...timings }
}

function refuse(tool: string, failure: Failure, content?: Json): GuestReply {
  return { ok: false, json: JSON.stringify({ tool, ...failure, ...(content !== undefined && { content }) }) }
}

function tooManyCalls(maxCalls: number): Failure {
  return createFailure(
    'CALL_LIMIT',
    `a program may make ${maxCalls} tool calls and this one has made them. Do the work with fewer calls, or in several runs.`,
    { phase: 'run' },
  )
}

function ownerOf(exec: Execution): string {
  return exec.sessionId ?? exec.rootCallId
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
