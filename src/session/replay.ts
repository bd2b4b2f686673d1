import type { ContentBlock } from '../data/content.ts'
import type { CallId } from '../data/ids.ts'
import { assertNever } from '../data/json.ts'
import { CallTree, type CallNode } from './call-tree.ts'
import type { StoredEvent } from './events.ts'

/**
 * Pure folds over a session's events. They give the same answer live and years later, because they read nothing but the
 * events; and they are total: a damaged or half-written log gives what can be said of it (`invariants.ts` judges it).
 */

/**
 * The calls of a session as trees, in order of their start. A dispatch whose parent is not in the log (a run that was
 * started without the model, or a cut log) stands at the top.
 */
export function callTree(events: readonly StoredEvent[]): readonly CallNode[] {
  const tree = new CallTree()
  for (const event of events) tree.take(event)
  return tree.roots
}

/** What a model may read of a session later. An allow-list: a field that is not named here never reaches a model. */
export type ModelMessage =
  | { readonly role: 'assistant'; readonly callId: CallId; readonly name: string; readonly arguments: string }
  | { readonly role: 'tool'; readonly callId: CallId; readonly content: readonly ContentBlock[] }
  | { readonly role: 'user'; readonly content: readonly ContentBlock[] }

/**
 * The model's calls, the content of their results, and the messages that rode home on them. A message waits until no
 * call is unanswered: providers refuse a user message between a call and its result.
 *
 * Nor do they take a call that has no result at all, as a process leaves it that died meanwhile. Whoever knows which
 * calls are under way says so: every other one without a result is then answered in its place, that its outcome is not
 * known.
 */
export function modelMessages(
  events: readonly StoredEvent[],
  options: { readonly isUnderWay?: (call: CallId) => boolean } = {},
): readonly ModelMessage[] {
  const { isUnderWay = () => true } = options
  const answered = new Set(events.map((event) => (event.type === 'tool/result' ? event.callId : undefined)))
  const messages: ModelMessage[] = []
  const unanswered = new Set<CallId>()
  const isLost = (id: CallId) => !answered.has(id) && !isUnderWay(id)
  const answerLost = () => {
    for (const id of [...unanswered].filter(isLost)) {
      unanswered.delete(id)
      messages.push({ role: 'tool', callId: id, content: [{ type: 'text', text: OUTCOME_LOST }] })
    }
  }
  let waiting: ModelMessage[] = []
  const releaseWaiting = () => {
    messages.push(...waiting)
    waiting = []
  }
  for (const event of events) {
    if (event.type === 'tool/call') {
      // Those of one step stay together: while one of them has its result still to come, none is answered here.
      if ([...unanswered].every(isLost)) answerLost()
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
  answerLost()
  releaseWaiting()
  return messages
}

const OUTCOME_LOST =
  'OUTCOME_UNKNOWN: the call had started when the host died; whether it took effect is not known. Find that out before you make it again.'

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
