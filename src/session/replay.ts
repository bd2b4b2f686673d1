import type { ContentBlock } from '../data/content.ts'
import type { Failure } from '../data/failure.ts'
import type { CallId } from '../data/ids.ts'
import { assertNever } from '../data/json.ts'
import type { ContextEvent, StoredEvent } from './events.ts'

/**
 * Pure folds over a session's events. They give the same answer live and years later, because they read nothing but the
 * events; and they are total: a damaged or half-written log gives what can be said of it (`invariants.ts` judges it).
 */

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
  readonly error?: Failure
  readonly content?: readonly ContentBlock[]
  readonly contexts: readonly ContextEvent['message'][]
  /** In order of their start. */
  readonly children: readonly CallNode[]
}

/**
 * The calls of a session as trees, in order of their start. A dispatch whose parent is not in the log (a run that was
 * started without the model, or a cut log) stands at the top.
 */
export function callTree(events: readonly StoredEvent[]): readonly CallNode[] {
  const nodesById = new Map<CallId, GrowingNode>()
  const roots: CallNode[] = []
  for (const event of events) {
    switch (event.type) {
      case 'session/opened':
        break
      case 'tool/call':
      case 'tool/code-dispatch-start': {
        const isCall = event.type === 'tool/call'
        const node = startNode(isCall ? 'call' : 'dispatch', event)
        const siblings = isCall ? roots : (nodesById.get(event.parentCallId)?.children ?? roots)
        siblings.push(node)
        nodesById.set(event.callId, node)
        break
      }
      case 'tool/result':
        settleNode(nodesById.get(event.callId), event, event.durationMs)
        break
      case 'tool/code-dispatch':
        settleNode(nodesById.get(event.callId), event, event.timings.queuedMs + event.timings.runMs)
        break
      case 'context/added':
        nodesById.get(event.callId)?.contexts.push(event.message)
        break
      default:
        assertNever(event)
    }
  }
  return roots
}

type GrowingNode = { -readonly [K in keyof CallNode]: CallNode[K] } & {
  readonly contexts: ContextEvent['message'][]
  readonly children: CallNode[]
}

function startNode(
  kind: CallNode['kind'],
  event: { readonly callId: CallId; readonly name: string; readonly arguments: string; readonly atMs: number },
): GrowingNode {
  const { callId, name, arguments: rawArguments, atMs } = event
  return { kind, callId, name, arguments: rawArguments, startedAtMs: atMs, state: 'open', contexts: [], children: [] }
}

function settleNode(
  node: GrowingNode | undefined,
  end: {
    readonly isError: boolean
    readonly errorInfo?: Failure
    readonly content: readonly ContentBlock[]
    readonly atMs: number
  },
  durationMs: number,
): void {
  // The first end counts: a second one can only be a mistake, and must not rewrite what was already told.
  if (node === undefined || node.state !== 'open') return
  node.state = end.isError ? 'failed' : 'ok'
  node.settledAtMs = end.atMs
  node.durationMs = durationMs
  node.content = end.content
  if (end.errorInfo !== undefined) node.error = end.errorInfo
}

/** What a model may read of a session later. An allow-list: a field that is not named here never reaches a model. */
export type ModelMessage =
  | { readonly role: 'assistant'; readonly callId: CallId; readonly name: string; readonly arguments: string }
  | { readonly role: 'tool'; readonly callId: CallId; readonly content: readonly ContentBlock[] }
  | { readonly role: 'user'; readonly content: readonly ContentBlock[] }

/**
 * The model's calls, the content of their results, and the messages that rode home on them. A message waits until no
 * call is unanswered: providers refuse a user message between a call and its result.
 */
export function modelMessages(events: readonly StoredEvent[]): readonly ModelMessage[] {
  const messages: ModelMessage[] = []
  const unanswered = new Set<CallId>()
  let waiting: ModelMessage[] = []
  const releaseWaiting = () => {
    messages.push(...waiting)
    waiting = []
  }
  for (const event of events) {
    if (event.type === 'tool/call') {
      if (unanswered.size === 0) releaseWaiting()
      unanswered.add(event.callId)
      messages.push({ role: 'assistant', callId: event.callId, name: event.name, arguments: event.arguments })
    } else if (event.type === 'tool/result') {
      unanswered.delete(event.callId)
      messages.push({ role: 'tool', callId: event.callId, content: event.content })
    } else if (event.type === 'context/added') {
      waiting.push({ role: 'user', content: event.message.content })
    }
  }
  releaseWaiting()
  return messages
}

/** One moment in the life of a model's call or of a dispatch under it. */
export interface TimelineEntry {
  readonly what: 'started' | 'settled'
  readonly callId: CallId
  readonly name: string
  /** 0 for the root itself, 1 for its dispatches, and so on. */
  readonly depth: number
  /** Milliseconds since the first entry. */
  readonly offsetMs: number
  readonly sequence: number
  /** Of a settled call that failed. */
  readonly code?: string
}

/** Everything that started and settled under one root, in the order of the log. Empty for an unknown id. */
export function callTimeline(events: readonly StoredEvent[], rootCallId: CallId): readonly TimelineEntry[] {
  const depthById = new Map<CallId, number>([[rootCallId, 0]])
  const entries: TimelineEntry[] = []
  let firstAtMs: number | undefined
  for (const event of events) {
    if (!belongsTo(event, rootCallId)) continue
    if (event.type === 'tool/code-dispatch-start') {
      depthById.set(event.callId, (depthById.get(event.parentCallId) ?? 0) + 1)
    }
    firstAtMs ??= event.atMs
    const hasSettled = event.type === 'tool/result' || event.type === 'tool/code-dispatch'
    const code = hasSettled && event.isError ? (event.errorInfo?.code ?? 'UNKNOWN') : undefined
    entries.push({
      what: hasSettled ? 'settled' : 'started',
      callId: event.callId,
      name: event.name,
      depth: depthById.get(event.callId) ?? 1,
      offsetMs: event.atMs - firstAtMs,
      sequence: event.sequence,
      ...(code !== undefined && { code }),
    })
  }
  return entries
}

type CallMoment = Exclude<StoredEvent, { type: 'session/opened' | 'context/added' }>

function belongsTo(event: StoredEvent, rootCallId: CallId): event is CallMoment {
  switch (event.type) {
    case 'tool/call':
    case 'tool/result':
      return event.callId === rootCallId
    case 'tool/code-dispatch-start':
    case 'tool/code-dispatch':
      return event.rootCallId === rootCallId
    case 'session/opened':
    case 'context/added':
      return false
    default:
      return assertNever(event)
  }
}
