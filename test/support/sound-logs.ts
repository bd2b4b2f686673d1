import { expect } from 'vitest'
import { checkEvents } from '../../src/session/invariants.ts'
import type { SessionStore } from '../../src/session/log.ts'

/** Every session of a store keeps the protocol. A call may be open: a host that dies leaves such logs. */
export async function expectSoundLogs(store: Pick<SessionStore, 'list' | 'read'>): Promise<void> {
  for (const { sessionId } of await store.list())
    expect({ sessionId, problems: checkEvents(await store.read(sessionId)) }).toEqual({ sessionId, problems: [] })
}
