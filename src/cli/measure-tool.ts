import type { Engine } from '../engine.ts'
import { CallBatch } from '../pipeline/call-batch.ts'
import type { Observer } from '../pipeline/call.ts'
import { systemClock } from '../pipeline/system-clock.ts'
import { GLOBAL_SCOPE } from '../registry/scope.ts'
import type { SessionLog } from '../session/log.ts'

/** Milliseconds. */
export interface Spread {
  readonly min: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface ToolMeasure {
  /** Samples of the nested kind. */
  readonly calls: number
  /** One model step with this one call: log, pipeline, tool. */
  readonly native: Spread
  /** One call of a program, from the end of the one before: the way into the sandbox and back is in it. */
  readonly nested: Spread
  /** What `nested` takes beyond the tool's own body. */
  readonly overhead: Spread
  /** What it takes beyond the whole pipeline: the sandbox, the wire and the log of dispatches. */
  readonly sandbox: Spread
  /** Of nested calls, p50 of each stage that they went through. */
  readonly stageMs: Readonly<Record<string, number>>
}
/** A failure ends the measuring: times of failing calls say little. `undefined`: interrupted before there was a figure. */
export type Measured = { readonly measure: ToolMeasure } | { readonly failure: string } | undefined

export interface MeasureOptions {
  readonly name: string
  /** JSON text of the arguments. */
  readonly argsJson: string
  /** Of each kind, at most. */
  readonly calls: number
  /** No new round begins after it. */
  readonly budgetMs: number
  readonly signal: AbortSignal
}

const CALLS_PER_ROUND = 25

interface Seen {
  readonly isNested: boolean
  readonly settledAt: number
  readonly durationMs: number
  readonly stageNs: Readonly<Record<string, number>>
  readonly failure: string | undefined
}

/** Told of every call that the engine makes; give it to the engine that is measured. */
export class CallWatch implements Observer {
  #tool: string | undefined
  #seen: Seen[] = []

  settled: NonNullable<Observer['settled']> = (call, outcome, { durationMs, stageNs }) => {
    if (call.toolName !== this.#tool) return
    this.#seen.push({
      isNested: call.entry === 'program',
      settledAt: performance.now(),
      durationMs,
      stageNs,
      failure: outcome.isError ? `${outcome.error.code}: ${outcome.error.message}` : undefined,
    })
  }

  watch(tool: string): void {
    this.#tool = tool
    this.#seen = []
  }

  take(): readonly Seen[] {
    const seen = this.#seen
    this.#seen = []
    return seen
  }
}

/**
 * Calls one tool both ways in turn, a round of each, so that a busy moment falls on both. A short first round only
 * warms up.
 */
export async function measureTool(engine: Engine, watch: CallWatch, options: MeasureOptions): Promise<Measured> {
  const session = engine.openSession()
  const samples = new Samples()
  const deadline = performance.now() + options.budgetMs
  watch.watch(options.name)
  for (let round = 0; !options.signal.aborted; round++) {
    const left = options.calls - samples.nested.length
    if (round > 1 && (left <= 0 || performance.now() > deadline)) break
    const count = round === 0 ? 2 : Math.min(CALLS_PER_ROUND, left)
    const native = await callNatively(engine, session, options, count)
    const runFailure = await callNested(engine, session, options, count)
    const seen = watch.take()
    // What an interrupt cut off is no fault of the tool.
    if (options.signal.aborted) break
    const failure = seen.find((call) => call.failure !== undefined)?.failure ?? runFailure
    if (failure !== undefined) return { failure }
    if (round === 0) continue
    samples.native.push(...native)
    samples.addNested(seen.filter(({ isNested }) => isNested))
  }
  return samples.nested.length === 0 ? undefined : { measure: samples.measure() }
}

class Samples {
  readonly native: number[] = []
  readonly nested: number[] = []
  readonly #overhead: number[] = []
  readonly #sandbox: number[] = []
  readonly #stageMs = new Map<string, number[]>()

  addNested(calls: readonly Seen[]): void {
    for (const [index, { settledAt, durationMs, stageNs }] of calls.entries()) {
      const before = calls[index - 1]
      // Before the first one there is the start of the program.
      if (before === undefined) continue
      const tookMs = settledAt - before.settledAt
      this.nested.push(tookMs)
      this.#overhead.push(tookMs - (stageNs['body'] ?? 0) / 1e6)
      this.#sandbox.push(Math.max(0, tookMs - durationMs))
      for (const [stage, ns] of Object.entries(stageNs)) {
        const known = this.#stageMs.get(stage) ?? []
        known.push(ns / 1e6)
        this.#stageMs.set(stage, known)
      }
    }
  }

  measure(): ToolMeasure {
    return {
      calls: this.nested.length,
      native: spread(this.native),
      nested: spread(this.nested),
      overhead: spread(this.#overhead),
      sandbox: spread(this.#sandbox),
      stageMs: Object.fromEntries([...this.#stageMs].map(([stage, all]) => [stage, spread(all).p50])),
    }
  }
}

function spread(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0
  return { min: at(0), p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

async function callNatively(
  { runtime }: Engine,
  session: SessionLog,
  { name, argsJson, signal }: MeasureOptions,
  count: number,
): Promise<readonly number[]> {
  const tookMs: number[] = []
  for (let n = 0; n < count && !signal.aborted; n++) {
    const startedAt = performance.now()
    const step = new CallBatch({ runtime, session, scope: GLOBAL_SCOPE, clock: systemClock, signal })
    await step.run([{ name, arguments: argsJson }])
    tookMs.push(performance.now() - startedAt)
  }
  return tookMs
}

/** Gives what went wrong with the run itself. */
async function callNested(
  engine: Engine,
  session: SessionLog,
  { name, argsJson, signal }: MeasureOptions,
  count: number,
): Promise<string | undefined> {
  // One more than asked for, as the first one has nothing before it.
  const code = `const tool = tools[${JSON.stringify(name)}]
const args = JSON.parse(${JSON.stringify(argsJson)})
for (let n = 0; n <= ${count}; n++) await tool(args)`
  const { outcome } = await engine.run(code, { session, signal, typecheck: 'off' })
  return outcome.isError ? `${outcome.error.code}: ${outcome.error.message}` : undefined
}
