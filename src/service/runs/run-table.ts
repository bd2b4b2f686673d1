import { createFailure, thrownMessage } from '../../data/failure.ts'
import { sessionId as toSessionId } from '../../data/ids.ts'
import type { RunOptions } from '../../engine.ts'
import type { ActiveWork } from './active-work.ts'
import type { EngineLeases } from './engine-leases.ts'
import { QueueClosed, type FairQueue, type Place, type QueueRefusal } from './fair-queue.ts'
import { lastLoggedCall, type LoggedCall } from './logged-call.ts'
import type { RunIds } from './run-ids.ts'
import { parseRunId } from './run-ids.ts'
import { RunRecord } from './run-record.ts'
import type { SessionTable } from './session-table.ts'
import type { WatchedStore } from './watched-store.ts'

export interface RunTableOptions {
  readonly leases: EngineLeases
  readonly queue: FairQueue
  readonly sessions: SessionTable
  readonly store: WatchedStore
  readonly active: ActiveWork
  readonly now: () => number
  /** A run that has ended leaves memory after this, … */
  readonly keepMs: number
  /** … or when there are more, … */
  readonly maxRuns: number
  /** … or when all of them together are larger; the oldest first. */
  readonly maxChars: number
  readonly onEnd: (record: RunRecord) => void
  /** The service itself failed a run: its store or its engine. */
  readonly onFault: (fault: unknown, record: RunRecord) => void
}

export interface RunOrder {
  readonly ids: RunIds
  readonly scope: string
  readonly tenant: string
  readonly tokenId: string
  readonly digest: string
  readonly code: string
  readonly options: Pick<RunOptions, 'timeoutMs' | 'limits' | 'typecheck' | 'description'>
}

/** What the log alone says of a run. */
export interface LoggedRun extends LoggedCall {
  readonly ids: RunIds
}

/** The runs of this service: those in memory, and behind them those in the log. */
export class RunTable {
  readonly #options: RunTableOptions
  // In the order of their start.
  readonly #recordsById = new Map<string, RunRecord>()
  readonly #working = new Set<Promise<void>>()
  #endedChars = 0

  constructor(options: RunTableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#recordsById.size
  }
  /** Queued and running. */
  get open(): readonly RunRecord[] {
    return [...this.#recordsById.values()].filter((record) => !record.isEnded)
  }

  /**
   * Starts a run at once or puts it in the queue; synchronous, so that of two requests with one key one comes second. In
   * place of one of the same id that never began.
   */
  start(order: RunOrder): RunRecord | QueueRefusal {
    const { ids, scope, tenant, digest } = order
    const record = new RunRecord({ ids, scope, tenant, digest, createdAtMs: this.#options.now() })
    const place = this.#options.queue.enter(scope, record.stop.signal)
    if (typeof place === 'string') return place
    const replaced = this.#recordsById.get(ids.runId)
    if (replaced !== undefined) this.#forget(ids.runId, replaced)
    this.#recordsById.set(ids.runId, record)
    const work = this.#work(record, order, place).finally(() => this.#working.delete(work))
    this.#working.add(work)
    this.sweep()
    return record
  }

  /** A run of this scope that is in memory. */
  find(scope: string, runId: string): RunRecord | undefined {
    const record = this.#recordsById.get(runId)
    return record?.scope === scope ? record : undefined
  }

  /** A run of this scope that only the log knows. */
  async findLogged(scope: string, runId: string): Promise<LoggedRun | undefined> {
    const ids = parseRunId(runId)
    if (ids === undefined || !(await this.#options.sessions.has(scope, ids.sessionId))) return undefined
    const logged = lastLoggedCall(await this.#options.store.read(toSessionId(ids.sessionId)), ids.callId)
    return logged === undefined ? undefined : { ...logged, ids: { ...ids, callId: logged.call.callId } }
  }

  cancel(record: RunRecord, reason: string): void {
    if (!record.isEnded) record.stop.abort(new Error(reason))
  }

  /** Resolves when every run has ended. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working)
  }

  /** Forgets runs that ended long ago, or are too many. Called from time to time. */
  sweep(): void {
    const { keepMs, maxRuns, maxChars, now } = this.#options
    const oldestMs = now() - keepMs
    for (const [id, record] of this.#recordsById) {
      if (record.endedAtMs === undefined) continue
      const isSurplus = this.#recordsById.size > maxRuns || this.#endedChars > maxChars
      if (record.endedAtMs > oldestMs && !isSurplus) continue
      this.#forget(id, record)
    }
  }

  #forget(id: string, record: RunRecord): void {
    this.#recordsById.delete(id)
    this.#endedChars -= record.chars
  }

  async #work(record: RunRecord, order: RunOrder, entering: Promise<Place>): Promise<void> {
    const { sessions, leases, active, now } = this.#options
    try {
      using place = await entering
      using lease = leases.take()
      using session = sessions.open(record.scope, record.ids.sessionId)
      using _active = active.begin({
        sessionId: record.ids.sessionId,
        tenant: record.tenant,
        tokenId: order.tokenId,
        place,
      })
      record.status = 'running'
      record.startedAtMs = now()
      record.tell({ type: 'started' })
      const result = await lease.engine.run(order.code, {
        ...order.options,
        scope: record.scope,
        session: session.log,
        callId: record.ids.callId,
        signal: record.stop.signal,
        onEvent: (event) => record.tell(event),
      })
      const isCancelled = result.outcome.isError && record.stop.signal.aborted
      record.end(isCancelled ? 'cancelled' : result.outcome.isError ? 'failed' : 'succeeded', now(), { result })
    } catch (fault) {
      if (!record.stop.signal.aborted && !(fault instanceof QueueClosed)) this.#options.onFault(fault, record)
      record.end(record.stop.signal.aborted ? 'cancelled' : 'failed', now(), { refusal: refusalOf(fault, record) })
    }
    this.#endedChars += record.chars
    this.#options.onEnd(record)
    this.sweep()
  }
}

/** Nothing ran: it was cancelled while it waited, or the service (its engine, its store) could not take it. */
function refusalOf(fault: unknown, record: RunRecord) {
  const hasStarted = record.startedAtMs !== undefined
  if (record.stop.signal.aborted && !hasStarted)
    return createFailure('ABORTED_BEFORE_DISPATCH', `the run was cancelled while it waited: ${thrownMessage(fault)}`, {
      phase: 'run',
    })
  if (fault instanceof QueueClosed)
    return createFailure('SHUTTING_DOWN', `the run was not started: ${fault.message}; send it again`, {
      phase: 'run',
      retryable: true,
    })
  return createFailure('OUTCOME_UNKNOWN', 'the service could not finish the run; its log says how far it came', {
    phase: 'run',
    bodyStarted: hasStarted,
  })
}
