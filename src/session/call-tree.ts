import type { ContentBlock } from '../data/content.ts'
import type { Failure } from '../data/failure.ts'
import type { CallId } from '../data/ids.ts'
import { assertNever, type Json } from '../data/json.ts'
import type { Approval } from '../data/outcome.ts'
import type { ContextEvent, StoredEvent } from './events.ts'

/** One call, a model's or a program's, with the calls made inside it. */
export interface CallNode {
  readonly kind: 'call' | 'dispatch'
  readonly callId: CallId
  readonly name: string
  /** The raw string that was submitted. */
  readonly arguments: string
  readonly startedAtMs: number
  /** `open`: the log holds no end of it (still running, or the host died). */
  readonly state: 'open' | 'ok' | 'failed'
  readonly settledAtMs?: number
  readonly durationMs?: number
  /** Of a dispatch: the part of `durationMs` before it was admitted. */
  readonly queuedMs?: number
  readonly error?: Failure
  readonly content?: readonly ContentBlock[]
  readonly meta?: Json
  /** What a person decided about it. */
  readonly approval?: Approval
  readonly contexts: readonly ContextEvent['message'][]
  /** In order of their start. */
  readonly children: readonly CallNode[]
}

/**
 * Folds the events of a session into trees of calls, one event at a time: a live view and a replay are this same fold.
 * Total: a damaged or half-written log gives what can be said of it (`invariants.ts` judges it).
 */
export class CallTree {
  readonly #nodesById = new Map<CallId, GrowingNode>()
  readonly #roots: GrowingNode[] = []

  /**
   * In order of their start; they grow with what is taken. A dispatch whose parent is not in the log (a run that was
   * started without the model, or a cut log) stands at the top.
   */
  get roots(): readonly CallNode[] {
    return this.#roots
  }

  /** Gives the node that this event made or changed. */
  take(event: StoredEvent): CallNode | undefined {
    switch (event.type) {
      case 'session/opened':
        return undefined
      case 'tool/call':
        return this.#start('call', event, this.#roots)
      case 'tool/code-dispatch-start':
        return this.#start('dispatch', event, this.#nodesById.get(event.parentCallId)?.children ?? this.#roots)
      case 'tool/result':
        return this.#settle(event, { durationMs: event.durationMs })
      case 'tool/code-dispatch': {
        const { queuedMs, runMs } = event.timings
        return this.#settle(event, { durationMs: queuedMs + runMs, queuedMs })
      }
      case 'context/added': {
        const node = this.#nodesById.get(event.callId)
        node?.contexts.push(event.message)
        return node
      }
      default:
        return assertNever(event)
    }
  }

  #start(kind: CallNode['kind'], event: StartEvent, siblings: GrowingNode[]): CallNode {
    const { callId, name, arguments: rawArguments, atMs } = event
    const node: GrowingNode = {
      kind,
      callId,
      name,
      arguments: rawArguments,
      startedAtMs: atMs,
      state: 'open',
      contexts: [],
      children: [],
    }
    siblings.push(node)
    this.#nodesById.set(callId, node)
    return node
  }

  #settle(end: EndEvent, times: Pick<CallNode, 'durationMs' | 'queuedMs'>): CallNode | undefined {
    const node = this.#nodesById.get(end.callId)
    // The first end counts: a second one can only be a mistake, and must not rewrite what was already told.
    if (node === undefined || node.state !== 'open') return undefined
    node.state = end.isError ? 'failed' : 'ok'
    node.settledAtMs = end.atMs
    Object.assign(node, times)
    node.content = end.content
    if (end.errorInfo !== undefined) node.error = end.errorInfo
    if (end.meta !== undefined) node.meta = end.meta
    if (end.approval !== undefined) node.approval = end.approval
    return node
  }
}

type StartEvent = Extract<StoredEvent, { type: 'tool/call' | 'tool/code-dispatch-start' }>
type EndEvent = Extract<StoredEvent, { type: 'tool/result' | 'tool/code-dispatch' }>
type GrowingNode = { -readonly [K in keyof CallNode]: CallNode[K] } & {
  readonly contexts: ContextEvent['message'][]
  readonly children: GrowingNode[]
}
