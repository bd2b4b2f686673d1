import { randomUUID } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { CallBatch } from '../../pipeline/call-batch.ts'
import { systemClock } from '../../pipeline/system-clock.ts'
import { RUN_CODE } from '../../registry/scope.ts'
import type { McpHost } from './mcp-host.ts'
import { runStep, toolStep, type Step } from './progress.ts'
import { watchQuestions, type Question } from './question.ts'
import { outcomeToResult } from './result.ts'

export interface CallOrder {
  /** As it is registered. */
  readonly name: string
  readonly argumentsJson: string
}

/** What a request that waits for a call hears of it. */
export interface Attachment {
  readonly signals: readonly AbortSignal[]
  readonly onStep: ((step: Step) => void) | undefined
}

export type NextOfCall =
  | { readonly kind: 'settled'; readonly result: CallToolResult }
  | { readonly kind: 'asks'; readonly questions: readonly Question[] }

/** Questions that a program asks in one go come within this time, and are put to the person together. */
const GATHER_MS = 15

/**
 * One call of an MCP peer. It outlives the request that began it where the protocol has the client come back with the
 * answer of a person: then it is attached to one request after another, and to none in between.
 */
export class LiveCall {
  readonly order: CallOrder
  readonly callId = `call-${randomUUID()}`
  readonly #host: McpHost
  readonly #abort = new AbortController()
  readonly #settled: Promise<CallToolResult>
  readonly #open = new Set<Question>()
  readonly #fresh = new Set<Question>()
  #asked = Promise.withResolvers<void>()
  #onStep: ((step: Step) => void) | undefined
  #unlink: () => void = () => {}

  constructor(host: McpHost, order: CallOrder, first: Attachment) {
    this.#host = host
    this.order = order
    // Before anything runs: a request that has gone already starts nothing.
    this.attach(first)
    this.#settled = this.#run()
    // Whoever waits sees what went wrong; when nobody does any more, it is not to take the process with it.
    this.#settled.then(
      () => this.detach(),
      () => this.detach(),
    )
  }

  /** From here on the end of this request ends the call, and what the call reports goes to it. */
  attach({ signals, onStep }: Attachment): void {
    this.detach()
    const cancel = () => this.cancel('the client cancelled the request, or went away')
    for (const signal of signals) {
      if (signal.aborted) cancel()
      signal.addEventListener('abort', cancel, { once: true })
    }
    this.#onStep = onStep
    this.#unlink = () => {
      for (const signal of signals) signal.removeEventListener('abort', cancel)
    }
  }

  /** The request ends, and the call goes on. */
  detach(): void {
    this.#unlink()
    this.#unlink = () => {}
    this.#onStep = undefined
  }

  cancel(reason: string): void {
    this.#abort.abort(new Error(reason))
  }

  /** The result, or every question that has come since the last time. */
  async next(): Promise<NextOfCall> {
    const settled = this.#settled.then((result) => ({ kind: 'settled', result }) as const)
    for (;;) {
      const first = await Promise.race([settled, this.#asked.promise])
      if (first !== undefined) return first
      const late = await Promise.race([settled, new Promise<void>((resolve) => setTimeout(resolve, GATHER_MS))])
      if (late !== undefined) return late
      this.#asked = Promise.withResolvers()
      const questions = [...this.#fresh].filter(({ closed }) => !closed.aborted)
      this.#fresh.clear()
      if (questions.length > 0) return { kind: 'asks', questions }
    }
  }

  /** Those that nobody has answered yet, new or not. */
  get openQuestions(): readonly Question[] {
    return [...this.#open]
  }

  async #run(): Promise<CallToolResult> {
    const { scope, questions } = this.#host
    const { name, argumentsJson } = this.order
    using work = await this.#host.begin(this.#abort.signal)
    const { engine, log, signal } = work
    using held = new DisposableStack()
    if (questions.desk !== undefined)
      held.use(
        watchQuestions(questions.desk, { sessionId: log.sessionId, callId: this.callId }, (question) => {
          this.#open.add(question)
          this.#fresh.add(question)
          question.closed.addEventListener('abort', () => void this.#open.delete(question), { once: true })
          this.#asked.resolve()
        }),
      )
    if (name === RUN_CODE) held.use(engine.watchRun(this.callId, (event) => this.#tell(runStep(event))))
    const batch = new CallBatch({
      runtime: engine.runtime,
      session: log,
      scope,
      clock: systemClock,
      signal,
      ...(name !== RUN_CODE && { onProgress: (progress) => this.#tell(toolStep(progress)) }),
    })
    const { results } = await batch.run([{ callId: this.callId, name, arguments: argumentsJson }])
    await log.flush()
    const [result] = results
    if (result === undefined) throw new TypeError('a batch of one call gave no result')
    this.#host.onSettled(result.outcome.isError)
    const definition = engine.registry.view(scope).toolsByName.get(name)
    return outcomeToResult(result.outcome, {
      isRun: name === RUN_CODE,
      hasOutputSchema: definition?.output.schema?.type === 'object',
      maxBytes: engine.limits.maxContentBytes,
      ids: { callId: result.callId, sessionId: log.sessionId },
    })
  }

  #tell(step: Step | undefined): void {
    if (step !== undefined) this.#onStep?.(step)
  }
}
