import type { CallId } from '../data/ids.ts'
import { assertNever } from '../data/json.ts'
import type { CodeDispatchEvent, CodeDispatchStartEvent, StoredEvent } from './events.ts'

/** One broken rule of the log's protocol. */
export interface LogProblem {
  readonly rule:
    | 'sequence-gapless'
    | 'one-session'
    | 'opened-first'
    | 'ids-unique'
    | 'result-after-call'
    | 'one-result'
    | 'settle-after-start'
    | 'one-settle'
    | 'settle-matches-start'
    | 'parent-known'
    | 'all-settled'
    | 'context-after-result'
  /** Of the event where it shows. */
  readonly sequence: number
  readonly message: string
}

/**
 * Checks the order and pairing of one session's events, from its first. It proves the protocol, not the business policy:
 * nothing here says that a call should have been allowed, or that a tool did what its content says.
 *
 * Calls that are open at the end are fine (the session lives) unless `isEnded` says that no more events will come.
 */
export function checkEvents(
  events: readonly StoredEvent[],
  options: { readonly isEnded?: boolean } = {},
): readonly LogProblem[] {
  const check = new LogCheck()
  for (const event of events) check.take(event)
  if (options.isEnded === true) check.end()
  return check.problems
}

interface CallState {
  readonly start: Extract<StoredEvent, { type: 'tool/call' | 'tool/code-dispatch-start' }>
  readonly rootCallId: CallId
  isSettled: boolean
}

class LogCheck {
  readonly problems: LogProblem[] = []
  readonly #callsById = new Map<CallId, CallState>()
  /** Dispatches that have started and not settled, by root. */
  readonly #openByRoot = new Map<CallId, Set<CallId>>()
  #previous: StoredEvent | undefined

  take(event: StoredEvent): void {
    this.#checkPlace(event)
    this.#previous = event
    switch (event.type) {
      case 'session/opened':
        return
      case 'tool/call':
        return this.#start(event, event.callId)
      case 'tool/code-dispatch-start':
        return this.#startDispatch(event)
      case 'tool/result':
        return this.#takeResult(event)
      case 'tool/code-dispatch':
        return this.#settleDispatch(event)
      case 'context/added':
        if (this.#callsById.get(event.callId)?.isSettled !== true) {
          this.#report(event, 'context-after-result', `a context of call ${event.callId} stands before its result`)
        }
        return
      default:
        assertNever(event)
    }
  }

  end(): void {
    for (const { start, isSettled } of this.#callsById.values()) {
      if (!isSettled) this.#report(start, 'all-settled', `call ${start.callId} (${start.name}) has no end`)
    }
  }

  #report(event: StoredEvent, rule: LogProblem['rule'], message: string): void {
    this.problems.push({ rule, sequence: event.sequence, message })
  }

  #checkPlace(event: StoredEvent): void {
    const expected = (this.#previous?.sequence ?? 0) + 1
    if (event.sequence !== expected) {
      this.#report(event, 'sequence-gapless', `sequence ${event.sequence} stands where ${expected} is due`)
    }
    if (this.#previous !== undefined && this.#previous.sessionId !== event.sessionId) {
      this.#report(
        event,
        'one-session',
        `an event of session ${event.sessionId} follows one of ${this.#previous.sessionId}`,
      )
    }
    if ((event.type === 'session/opened') !== (this.#previous === undefined)) {
      this.#report(event, 'opened-first', 'a log begins with session/opened and holds it once')
    }
  }

  #start(event: CallState['start'], rootCallId: CallId): void {
    if (this.#callsById.has(event.callId)) {
      return this.#report(event, 'ids-unique', `call id ${event.callId} is used twice`)
    }
    this.#callsById.set(event.callId, { start: event, rootCallId, isSettled: false })
  }

  #startDispatch(event: Extract<StoredEvent, { type: 'tool/code-dispatch-start' }>): void {
    const { rootCallId, parentCallId, callId } = event
    const parent = this.#callsById.get(parentCallId)
    // A run that the service started by itself has no tool/call: then the root is known by name only.
    const isParentKnown = parent === undefined ? parentCallId === rootCallId : parent.rootCallId === rootCallId
    if (!isParentKnown) {
      this.#report(
        event,
        'parent-known',
        `dispatch ${callId} names parent ${parentCallId}, which is no call under ${rootCallId}`,
      )
    } else if (parent?.isSettled === true) {
      this.#report(event, 'parent-known', `dispatch ${callId} starts after its parent ${parentCallId} has ended`)
    }
    const isNew = !this.#callsById.has(callId)
    this.#start(event, rootCallId)
    if (isNew) this.#openUnder(rootCallId).add(callId)
  }

  #takeResult(event: Extract<StoredEvent, { type: 'tool/result' }>): void {
    const { callId } = event
    const call = this.#callsById.get(callId)
    if (call === undefined || call.start.type !== 'tool/call' || call.start.name !== event.name) {
      return this.#report(
        event,
        'result-after-call',
        `result ${callId} (${event.name}) has no such tool/call before it`,
      )
    }
    if (call.isSettled) return this.#report(event, 'one-result', `call ${callId} has a second result`)
    call.isSettled = true
    const open = this.#openUnder(callId)
    if (open.size > 0) {
      this.#report(
        event,
        'all-settled',
        `call ${callId} has its result while ${[...open].join(', ')} under it have not settled`,
      )
    }
  }

  #settleDispatch(event: Extract<StoredEvent, { type: 'tool/code-dispatch' }>): void {
    const { callId, rootCallId } = event
    const call = this.#callsById.get(callId)
    if (call === undefined || call.start.type !== 'tool/code-dispatch-start') {
      return this.#report(event, 'settle-after-start', `dispatch ${callId} settles and has never started`)
    }
    if (!isSameDispatch(call.start, event)) {
      return this.#report(
        event,
        'settle-matches-start',
        `dispatch ${callId} settles under another root, parent or name`,
      )
    }
    if (call.isSettled) return this.#report(event, 'one-settle', `dispatch ${callId} settles a second time`)
    call.isSettled = true
    this.#openUnder(rootCallId).delete(callId)
  }

  #openUnder(rootCallId: CallId): Set<CallId> {
    const known = this.#openByRoot.get(rootCallId)
    if (known !== undefined) return known
    const made = new Set<CallId>()
    this.#openByRoot.set(rootCallId, made)
    return made
  }
}

function isSameDispatch(start: CodeDispatchStartEvent, settle: CodeDispatchEvent): boolean {
  return (
    start.rootCallId === settle.rootCallId && start.parentCallId === settle.parentCallId && start.name === settle.name
  )
}
