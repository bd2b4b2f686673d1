import { createHash, randomBytes } from 'node:crypto'

/** What one run is called outside (`runId`) and in the log of its session. */
export interface RunIds {
  readonly runId: string
  readonly sessionId: string
  readonly callId: string
}

/** An `Idempotency-Key` and the request that came with it. */
export interface RequestKey {
  readonly key: string
  /** SHA-256 of the request, in hexadecimal. */
  readonly digest: string
}

const RUN_ID = /^run-([0-9a-f]{32})(?:-([0-9a-f]{32}))?$/
const OWN_SESSION_ID = /^session-([0-9a-f]{32})$/

/** 128 bits: an id is not a secret, but nobody should find one by trying. */
export function newHexId(): string {
  return randomBytes(16).toString('hex')
}

/**
 * The ids of a new run. A run without a session of somebody else's has one of its own. All of them can be told from the
 * run's, so that a run which is no longer in memory is found in the log by its id alone.
 *
 * With a key, the same tenant, session and key give the same `runId`, now and after a restart; the `callId` has the
 * digest of the request besides, so that the log tells whether the key came with this request or another.
 */
export function newRunIds(options: {
  readonly scope: string
  readonly sessionId?: string
  readonly keyed?: RequestKey
}): RunIds {
  const { scope, sessionId, keyed } = options
  const own = keyed === undefined ? newHexId() : hexOf([scope, sessionId, keyed.key])
  const callId = keyed === undefined ? `call-${own}` : keyedCallId(own, keyed)
  if (sessionId === undefined) return { runId: `run-${own}`, sessionId: `session-${own}`, callId }
  const session = OWN_SESSION_ID.exec(sessionId)?.[1]
  if (session === undefined) throw new TypeError('runs are made in sessions that this service has opened')
  return { runId: `run-${session}-${own}`, sessionId, callId }
}

/**
 * The ids of a single call that has a key, and its session's when it has none of somebody else's: what the tool is told
 * as the key of the call is then the same as well, whenever the client sends it again. `stem` is how the id begins
 * whatever the request is.
 */
export function keyedCallIds(options: {
  readonly scope: string
  readonly sessionId?: string
  readonly keyed: RequestKey
}): { readonly sessionId: string; readonly stem: string; readonly callId: string } {
  const { scope, sessionId, keyed } = options
  const own = hexOf(['call', scope, sessionId, keyed.key])
  return { sessionId: sessionId ?? `session-${own}`, stem: `call-${own}`, callId: keyedCallId(own, keyed) }
}

function keyedCallId(own: string, { digest }: RequestKey): string {
  return `call-${own}-${digest.slice(0, 32)}`
}

function hexOf(parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Undefined for what is no id of a run. Of a run that has a key, the `callId` is the beginning of it. */
export function parseRunId(runId: string): RunIds | undefined {
  const found = RUN_ID.exec(runId)
  if (found?.[1] === undefined) return undefined
  return { runId, sessionId: `session-${found[1]}`, callId: `call-${found[2] ?? found[1]}` }
}

export function newSessionId(): string {
  return `session-${newHexId()}`
}
