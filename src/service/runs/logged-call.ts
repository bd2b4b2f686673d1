import type { Failure } from '../../data/failure.ts'
import { RUN_CODE } from '../../registry/scope.ts'
import type { StoredEvent } from '../../session/events.ts'

/** A model's call as the log has it. */
export interface LoggedCall {
  readonly call: Extract<StoredEvent, { type: 'tool/call' }>
  /** Absent: it is under way, or the process died meanwhile. */
  readonly result?: Extract<StoredEvent, { type: 'tool/result' }>
  readonly contexts: readonly Extract<StoredEvent, { type: 'context/added' }>[]
  /** Which try of the same request it was, from 1. */
  readonly attempt: number
  /** Whether it was made at all; one that was not is made by whoever sends its request again. */
  readonly hasBegun: boolean
}

/**
 * The last try of the call whose id begins with `stem`: one without a key has no other, and under a key what never
 * began is followed by another try. Undefined when there is none.
 */
export function lastLoggedCall(events: readonly StoredEvent[], stem: string): LoggedCall | undefined {
  const call = events.findLast((event) => event.type === 'tool/call' && isOf(stem, event.callId))
  if (call?.type !== 'tool/call') return undefined
  const own = events.filter((event) => 'callId' in event && event.callId === call.callId)
  const result = own.find((event) => event.type === 'tool/result')
  return {
    call,
    contexts: own.filter((event) => event.type === 'context/added'),
    ...(result !== undefined && { result }),
    attempt: attemptOf(call.callId),
    hasBegun: hasBegun(call.name, result?.errorInfo) || hasDispatches(events, call.callId),
  }
}

/** Whether the call was made by this very request, of which `callId` was made. */
export function isCallOf(logged: LoggedCall, callId: string): boolean {
  return logged.call.callId === callId || isAttemptOf(callId, logged.call.callId)
}

/** Which try of a request an id stands for. */
export function attemptOf(callId: string): number {
  return Number(ATTEMPT.exec(callId)?.[1] ?? 1)
}

/** The id of a later try: a session uses none twice. */
export function attemptId(callId: string, attempt: number): string {
  return attempt <= 1 ? callId : `${callId}-${attempt}`
}

/**
 * Of a tool: whether its body started. A run that failed is a run to look at, whatever the reason, except for one: there
 * was no place for its program.
 */
function hasBegun(name: string, failure: Failure | undefined): boolean {
  return name === RUN_CODE ? failure?.code !== 'OVERLOADED' : failure?.bodyStarted !== false
}

const DIGEST = /^-[0-9a-f]{32}(?:-\d{1,9})?$/
const ATTEMPT = /-[0-9a-f]{32}-[0-9a-f]{32}-(\d{1,9})$/

function isOf(stem: string, callId: string): boolean {
  return callId === stem || (callId.startsWith(stem) && DIGEST.test(callId.slice(stem.length)))
}

function isAttemptOf(callId: string, other: string): boolean {
  return other.startsWith(`${callId}-`) && /^\d{1,9}$/.test(other.slice(callId.length + 1))
}

function hasDispatches(events: readonly StoredEvent[], rootCallId: string): boolean {
  return events.some((event) => event.type === 'tool/code-dispatch-start' && event.rootCallId === rootCallId)
}
