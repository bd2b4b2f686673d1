import type { ContentBlock, UserMessage } from '../data/content.ts'
import type { Failure, FailurePhase } from '../data/failure.ts'
import { isRecord, type Json } from '../data/json.ts'
import type { Approval } from '../data/outcome.ts'
import { snapshot } from '../data/snapshot.ts'
import { EVENT_VERSION, type SessionEvent, type StoredEvent } from './events.ts'
import {
  anyJson,
  isAmount,
  isCount,
  isFlag,
  isObject,
  isText,
  listOf,
  oneOf,
  optional,
  record,
  taggedBy,
  type Check,
  type FieldsOf,
  type RowProblem,
} from './field-checks.ts'

export type ParsedEvent =
  { readonly ok: true; readonly event: StoredEvent } | { readonly ok: false; readonly problems: readonly RowProblem[] }

/** A stored event is as large as the largest content that was ever let through; these bounds only stop a forged row. */
const ROW_LIMITS = { maxBytes: 256 * 1024 * 1024, maxNodes: 8_000_000, maxDepth: 10_000 }

/**
 * Reads one stored row (an event and its envelope as one flat object). Total: whatever comes in, the answer is an event
 * or all that is wrong with it. A row of a later version is refused as a whole, for its fields may mean something else.
 */
export function parseEvent(row: unknown): ParsedEvent {
  const copied = snapshot(row, ROW_LIMITS)
  if (!copied.ok) {
    return refused(copied.path, `"${copied.path}" is not JSON: ${copied.reason}`)
  }
  const version = isRecord(copied.value) && Object.hasOwn(copied.value, 'version') ? copied.value['version'] : undefined
  if (typeof version === 'number' && version > EVENT_VERSION) {
    const known = `this reader knows ${EVENT_VERSION} and lower`
    return refused('/version', `the event has version ${version}; ${known}: read it with a newer release`)
  }
  const found: RowProblem[] = []
  checkEvent(copied.value, '', found)
  if (found.length > 0) return { ok: false, problems: found }
  // The tables below cover every field of every member of the union, and nothing else passed.
  return { ok: true, event: copied.value as Json as unknown as StoredEvent }
}

function refused(path: string, message: string): ParsedEvent {
  return { ok: false, problems: [{ path, message }] }
}

// --- the union, as tables -------------------------------------------------------------------------------------------

type Block<T extends ContentBlock['type']> = Extract<ContentBlock, { type: T }>
type Event<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>

const blockExtras = { annotations: optional(isObject), _meta: optional(isObject) }
const media = { data: isText, mimeType: isText, ...blockExtras }
const blockFields: { readonly [T in ContentBlock['type']]: FieldsOf<Block<T>> } = {
  text: { type: isText, text: isText, ...blockExtras },
  image: { type: isText, ...media },
  audio: { type: isText, ...media },
  resource: {
    type: isText,
    resource: record({
      uri: isText,
      mimeType: optional(isText),
      text: optional(isText),
      blob: optional(isText),
      _meta: optional(isObject),
    } satisfies FieldsOf<Block<'resource'>['resource']>),
    ...blockExtras,
  },
  resource_link: {
    type: isText,
    uri: isText,
    name: isText,
    title: optional(isText),
    description: optional(isText),
    mimeType: optional(isText),
    size: optional(isAmount),
    ...blockExtras,
  },
}
const content = listOf(taggedBy('type', tables(blockFields)))

const phases = {
  arguments: true,
  mode: true,
  lookup: true,
  pre: true,
  approval: true,
  guards: true,
  around: true,
  body: true,
  value: true,
  post: true,
  finalize: true,
  run: true,
} satisfies Record<FailurePhase, true>
const failure = record({
  code: isText,
  message: isText,
  phase: oneOf(Object.keys(phases)),
  bodyStarted: isFlag,
  retryable: isFlag,
  details: optional(anyJson),
} satisfies FieldsOf<Failure>)

const answers = { approve: true, reject: true, dismiss: true } satisfies Record<Approval['answer'], true>
const approval = record({ answer: oneOf(Object.keys(answers)), by: optional(isText) } satisfies FieldsOf<Approval>)

const userMessage = record({
  role: oneOf(['user']),
  content,
  source: isText,
  metadata: optional(isObject),
} satisfies FieldsOf<UserMessage>)

const dispatch = { rootCallId: isText, parentCallId: isText, callId: isText, name: isText }
const eventFields: { readonly [T in SessionEvent['type']]: FieldsOf<Event<T>> } = {
  'session/opened': { type: isText, scope: isText },
  'tool/call': { type: isText, callId: isText, name: isText, arguments: isText },
  'tool/result': {
    type: isText,
    callId: isText,
    name: isText,
    content,
    isError: isFlag,
    errorInfo: optional(failure),
    meta: optional(anyJson),
    approval: optional(approval),
    concludesTurn: optional(isFlag),
    durationMs: isAmount,
  },
  'tool/code-dispatch-start': { type: isText, ...dispatch, arguments: isText },
  'tool/code-dispatch': {
    type: isText,
    ...dispatch,
    isError: isFlag,
    errorInfo: optional(failure),
    content,
    meta: optional(anyJson),
    approval: optional(approval),
    valueDigest: optional(isText),
    timings: record({ queuedMs: isAmount, runMs: isAmount }),
    bodyStarted: isFlag,
  },
  'context/added': { type: isText, callId: isText, message: userMessage },
}

type Envelope = Omit<StoredEvent, 'type'>
const envelope: FieldsOf<Pick<StoredEvent, Extract<keyof Envelope, 'version' | 'sessionId' | 'sequence' | 'atMs'>>> = {
  version: isCount,
  sessionId: isText,
  sequence: isCount,
  atMs: isAmount,
}
const checkEvent = taggedBy('type', tables(eventFields, envelope))

function tables(
  fieldsByTag: Readonly<Record<string, Readonly<Record<string, Check>>>>,
  shared: Readonly<Record<string, Check>> = {},
): ReadonlyMap<string, Check> {
  return new Map(Object.entries(fieldsByTag).map(([tag, fields]) => [tag, record({ ...fields, ...shared })]))
}
