import { callId, sessionId } from '../../src/data/ids.ts'
import type { SessionEvent, StoredEvent } from '../../src/session/events.ts'

export const root = callId('call-1')

export function call(id: string, name = 'run_code'): SessionEvent {
  return { type: 'tool/call', callId: callId(id), name, arguments: '{}' }
}
export function result(id: string, name = 'run_code', code?: string): SessionEvent {
  return {
    type: 'tool/result',
    callId: callId(id),
    name,
    content: [{ type: 'text', text: `result of ${id}` }],
    durationMs: 7,
    ...failed(code),
  }
}
export function dispatchStart(id: string, name = 'echo', parent = 'call-1', under = 'call-1'): SessionEvent {
  const ids = { rootCallId: callId(under), parentCallId: callId(parent), callId: callId(id) }
  return { type: 'tool/code-dispatch-start', ...ids, name, arguments: '{"a":1}' }
}
export function dispatchEnd(
  id: string,
  name = 'echo',
  parent = 'call-1',
  under = 'call-1',
  code?: string,
): SessionEvent {
  return {
    type: 'tool/code-dispatch',
    rootCallId: callId(under),
    parentCallId: callId(parent),
    callId: callId(id),
    name,
    content: [{ type: 'text', text: `value of ${id}` }],
    timings: { queuedMs: 2, runMs: 3 },
    bodyStarted: true,
    ...failed(code),
  }
}
export function context(id: string, text: string): SessionEvent {
  const message = {
    role: 'user',
    content: [{ type: 'text', text }],
    source: 'a-policy',
    metadata: { kept: true },
  } as const
  return { type: 'context/added', callId: callId(id), message }
}

/** The events as a store would keep them, with the opening first; one tick of the clock is 10 ms. */
export function stored(...events: readonly SessionEvent[]): StoredEvent[] {
  return [{ type: 'session/opened', scope: 'global' } as const, ...events].map((event, index) => ({
    ...event,
    version: 1,
    sessionId: sessionId('s'),
    sequence: index + 1,
    atMs: 1_000 + index * 10,
  }))
}

function failed(code: string | undefined) {
  if (code === undefined) return { isError: false }
  const errorInfo = { code, message: code, phase: 'body', bodyStarted: true, retryable: false } as const
  return { isError: true, errorInfo }
}
