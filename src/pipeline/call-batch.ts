import type { Clock } from '../data/clock.ts'
import type { UserMessage } from '../data/content.ts'
import { callId, type CallId } from '../data/ids.ts'
import { toDurable, type DurableResult, type Outcome } from '../data/outcome.ts'
import type { StoredEvent } from '../session/events.ts'
import type { SessionLog } from '../session/log.ts'
import type { CallRequest } from './call.ts'
import type { ToolRuntime } from './tool-runtime.ts'

export interface BatchOptions {
  readonly runtime: ToolRuntime
  readonly session: SessionLog
  readonly scope: string
  /** Who makes the calls. Default `model`; `program` for a caller that may use what programs may, without writing one. */
  readonly entry?: 'model' | 'program'
  readonly clock: Clock
  /** Default 16. */
  readonly maxConcurrentCalls?: number
  readonly signal?: AbortSignal
  /** What the tools themselves say of how far they are. */
  readonly onProgress?: NonNullable<CallRequest['onProgress']>
}

/** A call as a model made it. */
export interface BatchCall {
  readonly callId?: string
  readonly name: string
  /** The raw argument string. */
  readonly arguments: string
}

export interface BatchedResult {
  /** As in the log: an id that the session has used before is made unique. */
  readonly callId: CallId
  readonly name: string
  readonly outcome: Outcome
  readonly durable: DurableResult
}

export interface BatchResult {
  /** In the order of the model's calls. */
  readonly results: readonly BatchedResult[]
  /** For the next step, in order of their results. They are in the log already. */
  readonly contexts: readonly UserMessage[]
  readonly concludesTurn: boolean
}

/**
 * The loop's half of a call, for the calls of one model step: the only writer of `tool/call`, `tool/result` and
 * `context/added`. Calls that say they may overlap do, up to a bound; any other runs alone. Results are committed in
 * the model's order whenever they come.
 */
export class CallBatch {
  readonly #options: BatchOptions
  readonly #maxConcurrentCalls: number

  constructor(options: BatchOptions) {
    this.#options = options
    this.#maxConcurrentCalls = options.maxConcurrentCalls ?? 16
  }

  /** Rejects only when the session's log does: what had started is awaited first. */
  async run(calls: readonly BatchCall[]): Promise<BatchResult> {
    const { session, signal } = this.#options
    const usedIds = usedIdsOf(session)
    const commits = new Commits(session, usedIds)
    const [only] = calls
    if (calls.length === 1 && only !== undefined) {
      // There is nothing that it could overlap with.
      await this.#make(only, 0, commits, usedIds)
      return commits.finish()
    }
    const pending = new Set<Promise<void>>()
    const logFaults: unknown[] = []
    let isAlone = false
    for (const [index, call] of calls.entries()) {
      let isSafe = false
      for (;;) {
        // Asked again after each wait: while this call was queued the registry may have changed. After an abort what
        // has started is drained first, and each of the rest is a pair of its own.
        isSafe = signal?.aborted !== true && this.#isConcurrencySafe(call)
        const mustWait = isAlone || (isSafe ? pending.size >= this.#maxConcurrentCalls : pending.size > 0)
        if (!mustWait || pending.size === 0) break
        await Promise.race(pending)
        isAlone &&= pending.size > 0
      }
      if (logFaults.length > 0) break
      isAlone = !isSafe
      const work: Promise<void> = this.#make(call, index, commits, usedIds)
        .catch((fault: unknown) => void logFaults.push(fault))
        .finally(() => pending.delete(work))
      pending.add(work)
    }
    while (pending.size > 0) await Promise.race(pending)
    if (logFaults.length > 0) throw logFaults[0]
    return commits.finish()
  }

  #isConcurrencySafe(call: BatchCall): boolean {
    const { runtime, scope, entry = 'model' } = this.#options
    return runtime.isConcurrencySafe({ name: call.name, arguments: { raw: call.arguments }, scope, entry })
  }

  /**
   * After an abort this still makes the call, with a signal that is aborted: it starts nothing, and finalizers and
   * observers see its refusal like any other.
   */
  async #make(call: BatchCall, index: number, commits: Commits, usedIds: UsedIds): Promise<void> {
    const { runtime, session, scope, entry = 'model', clock, signal, onProgress } = this.#options
    const id = usedIds.take(call.callId ?? runtime.newCallId())
    usedIds.note(session.append({ type: 'tool/call', callId: id, name: call.name, arguments: call.arguments }))
    const startedAtMs = clock.monotonicMs()
    const outcome = await runtime.execute({
      name: call.name,
      arguments: { raw: call.arguments },
      scope,
      entry,
      session,
      callId: id,
      ...(signal !== undefined && { signal }),
      ...(onProgress !== undefined && { onProgress }),
    })
    commits.add(
      index,
      { callId: id, name: call.name, outcome, durable: toDurable(outcome) },
      clock.monotonicMs() - startedAtMs,
    )
  }
}

/** Holds results back until those before them are there, and contexts until all results are. */
class Commits {
  readonly #session: SessionLog
  readonly #usedIds: UsedIds
  readonly #waiting = new Map<number, { readonly result: BatchedResult; readonly durationMs: number }>()
  readonly #results: BatchedResult[] = []

  constructor(session: SessionLog, usedIds: UsedIds) {
    this.#session = session
    this.#usedIds = usedIds
  }

  add(index: number, result: BatchedResult, durationMs: number): void {
    this.#waiting.set(index, { result, durationMs })
    for (
      let next = this.#waiting.get(this.#results.length);
      next !== undefined;
      next = this.#waiting.get(this.#results.length)
    ) {
      this.#waiting.delete(this.#results.length)
      this.#results.push(next.result)
      this.#append(next.result, next.durationMs)
    }
  }

  /** The step boundary: between the results of one step stands nothing. */
  finish(): BatchResult {
    const contexts: UserMessage[] = []
    for (const { callId: id, outcome } of this.#results) {
      for (const message of outcome.contexts ?? []) {
        this.#usedIds.note(this.#session.append({ type: 'context/added', callId: id, message }))
        contexts.push(message)
      }
    }
    const concludesTurn = this.#results.some(({ outcome }) => !outcome.isError && outcome.concludesTurn === true)
    return { results: this.#results, contexts, concludesTurn }
  }

  #append({ callId: id, name, outcome, durable }: BatchedResult, durationMs: number): void {
    const stored = this.#session.append({
      type: 'tool/result',
      callId: id,
      name,
      ...durable,
      ...(!outcome.isError && outcome.concludesTurn === true && { concludesTurn: true }),
      durationMs,
    })
    this.#usedIds.note(stored)
  }
}

/** Ids that a session has used. Providers repeat theirs; a log in which an id means two calls cannot be replayed. */
class UsedIds {
  readonly #ids = new Set<string>()
  #upTo = 0

  /** Reads what the log has gained since the last time. */
  catchUp(session: SessionLog): void {
    for (const event of session.events(this.#upTo + 1)) {
      if ('callId' in event) this.#ids.add(event.callId)
      this.#upTo = event.sequence
    }
  }

  /** What was appended here need not be read again, as long as nobody else appended before it. */
  note(event: StoredEvent): void {
    if (event.sequence === this.#upTo + 1) this.#upTo = event.sequence
  }

  take(wanted: string): CallId {
    let id = wanted
    for (let n = 2; this.#ids.has(id); n++) id = `${wanted}-${n}`
    this.#ids.add(id)
    return callId(id)
  }
}

const usedIdsBySession = new WeakMap<SessionLog, UsedIds>()

function usedIdsOf(session: SessionLog): UsedIds {
  const known = usedIdsBySession.get(session) ?? new UsedIds()
  usedIdsBySession.set(session, known)
  known.catchUp(session)
  return known
}
