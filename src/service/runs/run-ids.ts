import { createHash, randomBytes } from 'node:crypto'

/** What one run is called outside (`runId`) and in the log of its session. */
export interface RunIds {
  readonly runId: string
  readonly sessionId: string
  readonly callId: string
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
 * With a key, the same tenant, session and key give the same ids, now and after a restart.
 */
export function newRunIds(options: {
  readonly scope: string
  readonly sessionId?: string
  readonly key?: string
}): RunIds {
  const { scope, sessionId, key } = options
  const own =
    key === undefined
      ? newHexId()
      : createHash('sha256')
          .update(JSON.stringify([scope, sessionId, key]))
          .digest('hex')
          .slice(0, 32)
  if (sessionId === undefined) return { runId: `run-${own}`, sessionId: `session-${own}`, callId: `call-${own}` }
  const session = OWN_SESSION_ID.exec(sessionId)?.[1]
  if (session === undefined) throw new TypeError('runs are made in sessions that this service has opened')
  return { runId: `run-${session}-${own}`, sessionId, callId: `call-${own}` }
}

/** Undefined for what is no id of a run. */
export function parseRunId(runId: string): RunIds | undefined {
  const found = RUN_ID.exec(runId)
  if (found?.[1] === undefined) return undefined
  return { runId, sessionId: `session-${found[1]}`, callId: `call-${found[2] ?? found[1]}` }
}

export function newSessionId(): string {
  return `session-${newHexId()}`
}
