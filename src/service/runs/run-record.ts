import type { RunEvent } from '../../codemode/run-code.ts'
import type { Failure } from '../../data/failure.ts'
import type { RunResult } from '../../engine.ts'
import type { RunIds } from './run-ids.ts'

export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'

/** What a watcher of a run is told. `id` counts from 1 without a gap, so that one who comes back has missed nothing. */
export interface RunLine {
  readonly id: number
  readonly event: { readonly type: 'queued' | 'started' | 'ended' } | { readonly type: 'cut' } | RunEvent
}

/** Text of the events that are kept of one run. Console, blocks and progress are cut after it; calls and the end never. */
const MAX_EVENT_CHARS = 8 * 1024 * 1024

/** One run, from the request that asked for it until it is forgotten: the only holder of its state. */
export class RunRecord {
  readonly ids: RunIds
  readonly scope: string
  /** Name of the token that asked for it. */
  readonly tenant: string
  /** Of the request: whether a second one with the same key asks for the same. */
  readonly digest: string
  readonly createdAtMs: number
  readonly stop = new AbortController()
  status: RunStatus = 'queued'
  startedAtMs: number | undefined
  endedAtMs: number | undefined
  result: RunResult | undefined
  /** Why nothing ran at all: there is no result then. */
  refusal: Failure | undefined
  /** Requests that wait for its end. */
  waiters = 0
  /** Whether it goes on when nobody waits: it was asked for asynchronously, or under a key to come back with. */
  isDetached = false
  #chars = 0
  #isCut = false
  readonly #lines: RunLine[] = []
  readonly #ended = Promise.withResolvers<void>()
  readonly #watchers = new Set<() => void>()

  constructor(facts: Pick<RunRecord, 'ids' | 'scope' | 'tenant' | 'digest' | 'createdAtMs'>) {
    this.ids = facts.ids
    this.scope = facts.scope
    this.tenant = facts.tenant
    this.digest = facts.digest
    this.createdAtMs = facts.createdAtMs
    this.tell({ type: 'queued' })
  }

  get isEnded(): boolean {
    return this.endedAtMs !== undefined
  }
  /** Why there was no place for it. Nothing of it ran: the same request with the same key is another try. */
  get turnedAway(): 'full' | 'closed' | undefined {
    const failed = this.result?.outcome.isError === true ? this.result.outcome.error : this.refusal
    if (failed?.code === 'SHUTTING_DOWN' && this.result === undefined) return 'closed'
    const calls = this.result?.partial?.calls ?? []
    return failed?.code === 'OVERLOADED' && calls.length === 0 ? 'full' : undefined
  }
  /** Never rejects. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }
  /** About what it costs to keep. */
  get chars(): number {
    return this.#chars
  }
  get lastLine(): number {
    return this.#lines.length
  }

  tell(event: RunLine['event']): void {
    const chars = JSON.stringify(event).length
    const isEssential = !['log', 'show', 'progress', 'notice'].includes(event.type)
    if (!isEssential && this.#chars + chars > MAX_EVENT_CHARS) {
      if (this.#isCut) return
      this.#isCut = true
      this.#push({ type: 'cut' }, 20)
    } else this.#push(event, chars)
  }

  end(
    status: 'succeeded' | 'failed' | 'cancelled',
    atMs: number,
    ending: { result?: RunResult; refusal?: Failure },
  ): void {
    this.status = status
    this.endedAtMs = atMs
    this.result = ending.result
    this.refusal = ending.refusal
    this.#chars += JSON.stringify(ending.result?.outcome ?? '').length
    this.tell({ type: 'ended' })
    this.#ended.resolve()
  }

  /** Every line after `id`, as it comes, until the run has ended or the signal is aborted. */
  async *follow(id: number, signal: AbortSignal): AsyncGenerator<RunLine, void> {
    for (let at = Math.max(0, id); !signal.aborted;) {
      const line = this.#lines[at]
      if (line !== undefined) {
        at++
        yield line
      } else if (this.isEnded) return
      else await this.#change(signal)
    }
  }

  #push(event: RunLine['event'], chars: number): void {
    this.#chars += chars
    this.#lines.push({ id: this.#lines.length + 1, event })
    for (const wake of this.#watchers) wake()
  }

  async #change(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    this.#watchers.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    this.#watchers.delete(wake)
    signal.removeEventListener('abort', wake)
  }
}
