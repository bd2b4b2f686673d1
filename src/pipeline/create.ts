import type { FailureCode } from '../data/failure-codes.ts'
import { callId, nestedCallId, type CallId, type IdSource, type SessionId } from '../data/ids.ts'
import { isRecord, type Json, type JsonObject } from '../data/json.ts'
import type { JsonNote } from '../data/json-scan.ts'
import { parseArguments } from '../data/parse-json.ts'
import { snapshot, type SnapshotLimits } from '../data/snapshot.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import type { ToolView } from '../registry/view.ts'
import type { CallRequest, CallView } from './call.ts'
import { LiveCall } from './live-call.ts'
import { resolveTool } from './mode.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import type { TokenMint } from './token.ts'
import { CallTrace } from './trace.ts'

/** Where a runtime gets views from; `ToolRegistry` is one. */
export interface ViewSource {
  view(scope: string): ToolView
}

/** A call that cannot even begin: what is wrong with the request itself. */
export interface Malformed {
  readonly code: FailureCode
  readonly message: string
  readonly details?: unknown
}

export interface Created {
  readonly call: LiveCall
  readonly malformed?: Malformed
}

export interface CreateParts extends RuntimeParts {
  readonly registry: ViewSource
  readonly ids: IdSource
  readonly tokens: TokenMint
  readonly isTraced: () => boolean
}

const NO_ARGUMENTS: JsonObject = Object.freeze({})

/**
 * Gives a request its identity. The definition and its finalizer are pinned before the arguments are read, as reading
 * them may run somebody's accessor; the arguments are copied and frozen once, and that copy is what policy sees and
 * the body gets.
 */
export function createCall(request: CallRequest, parts: CreateParts): Created {
  const startedAtMs = parts.clock.monotonicMs()
  const trace = parts.isTraced() ? new CallTrace(() => parts.clock.monotonicMs()) : undefined
  trace?.enter('create')
  const view = parts.registry.view(request.scope)
  const { definition, refusal } = resolveTool(view, request.name, request.entry)
  const finalizer = definition?.finalizeContent?.bind(definition)
  const parent = request.parent === undefined ? undefined : parts.tokens.find(request.parent)
  const parentFault = request.parent === undefined ? undefined : checkParent(request, parent)
  const trusted = parentFault === undefined ? parent : undefined
  const args = readArguments(request, parts.limits)
  const id = identify(request, trusted, parts.ids)
  const callView: CallView = Object.freeze(
    new View(request, id, args.ok ? args.value : NO_ARGUMENTS, definition, trusted),
  )
  const call = new LiveCall({
    view: callView,
    token: parts.tokens.mint(),
    request,
    definition,
    finalizer,
    refusal,
    parent: trusted,
    trace,
    startedAtMs,
  })
  if (parentFault !== undefined) return { call, malformed: { code: 'INVALID_PARENT', message: parentFault } }
  if (!args.ok) return { call, malformed: args }
  for (const note of args.notes) {
    const diagnostic = {
      code: 'ARGUMENTS_NOTE',
      message: `${request.name}: arguments${note.path}: ${note.message}`,
      callId: id,
    }
    call.note(diagnostic)
    // Observers are not always there; the owner is.
    parts.diagnose(diagnostic)
  }
  return { call }
}

/** Absent members are not there at all, as in any event or message. */
class View implements CallView {
  readonly callId: CallId
  readonly rootCallId: CallId
  declare readonly parentCallId?: CallId
  readonly toolName: string
  readonly scope: string
  declare readonly sessionId?: SessionId
  readonly entry: CallRequest['entry']
  readonly arguments: JsonObject
  declare readonly definition?: ToolDefinition
  readonly hasSession: boolean

  constructor(
    request: CallRequest,
    id: CallId,
    args: JsonObject,
    definition: ToolDefinition | undefined,
    parent: LiveCall | undefined,
  ) {
    const { session } = request
    this.callId = id
    this.rootCallId = parent === undefined ? id : parent.view.rootCallId
    if (parent !== undefined) this.parentCallId = parent.callId
    this.toolName = request.name
    this.scope = request.scope
    if (session !== undefined) this.sessionId = session.sessionId
    this.entry = request.entry
    this.arguments = args
    if (definition !== undefined) this.definition = definition
    this.hasSession = session !== undefined
  }
}

/** A parent is found by identity alone; what the request says about itself must agree with what is known of it. */
function checkParent(request: CallRequest, parent: LiveCall | undefined): string | undefined {
  if (parent === undefined) return 'the parent is not a call that is running in this runtime'
  if (parent.view.sessionId !== request.session?.sessionId) return 'the parent belongs to another session'
  if (request.callId !== undefined && !request.callId.startsWith(`${parent.callId}/`)) {
    return `the id of a nested call must begin with "${parent.callId}/"; got "${request.callId}"`
  }
  return undefined
}

function identify(request: CallRequest, parent: LiveCall | undefined, ids: IdSource): CallId {
  if (request.callId !== undefined) {
    parent?.noteChildId(request.callId)
    return request.callId
  }
  return parent === undefined ? callId(`call-${ids()}`) : nestedCallId(parent.callId, parent.nextChildNumber())
}

/** The one copy of the arguments, frozen, or what is wrong with them. */
export function readArguments(
  request: Pick<CallRequest, 'name' | 'arguments'>,
  limits: SnapshotLimits,
):
  | { readonly ok: true; readonly value: JsonObject; readonly notes: readonly JsonNote[] }
  | ({ readonly ok: false } & Malformed) {
  const taken =
    'raw' in request.arguments ? parse(request.arguments.raw, limits) : copy(request.arguments.value, limits)
  if (!taken.ok)
    return { ok: false, code: 'INVALID_ARGS', message: `${request.name}: ${taken.message}`, details: taken.details }
  const { value } = taken
  if (!isRecord(value)) {
    const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
    return {
      ok: false,
      code: 'INVALID_ARGS',
      message: `${request.name}: arguments must be a JSON object; got ${found}`,
    }
  }
  return { ok: true, value: value as JsonObject, notes: taken.notes } // A record inside a snapshot is a JSON object.
}

type Taken =
  | { readonly ok: true; readonly value: Json; readonly notes: readonly JsonNote[] }
  | { readonly ok: false; readonly message: string; readonly details: unknown }

function parse(raw: string, limits: SnapshotLimits): Taken {
  const parsed = parseArguments(raw, limits)
  if (parsed.ok) return parsed
  return { ok: false, message: parsed.message, details: { path: parsed.path, position: parsed.position } }
}

function copy(value: unknown, limits: SnapshotLimits): Taken {
  const taken = snapshot(value, limits)
  if (taken.ok) return { ok: true, value: taken.value, notes: NO_NOTES }
  const { path, reason } = taken
  return {
    ok: false,
    message: `the arguments are not JSON at ${path || 'their root'}: ${reason}`,
    details: { path, reason },
  }
}

const NO_NOTES: readonly JsonNote[] = Object.freeze([])
