import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import type { Tenant } from '../auth/tenant.ts'
import type { Place } from './fair-queue.ts'

export interface Active {
  readonly sessionId: string
  /** Name of the token that asked for it. */
  readonly tenant: string
  /** Which token that is, whatever its name was or will be. */
  readonly tokenId: string
  readonly place: Place
}

/** What is under way, by session: who began it, and which places are free while a person is asked. */
export interface ActiveWork {
  begin(work: Active): Disposable
  /**
   * Whether work of this token is under way in the session: by its name, as its secret may have been replaced meanwhile,
   * or by its secret, as it may have been given another name.
   */
  isAtWork(sessionId: string, tenant: Pick<Tenant, 'name' | 'tokenId'>): boolean
}

/**
 * Places are parked while a question of their session is open: people take hours, and a place held that long would be
 * one that no other program gets.
 */
export function createActiveWork(desk: ApprovalDesk): ActiveWork & Disposable {
  const workBySession = new Map<string, Set<Active>>()
  const listening = desk.onAsk(({ sessionId }, signal) => {
    const parked = [...(workBySession.get(sessionId) ?? [])].map(({ place }) => place.park(signal))
    return {
      // All at once: one that waits for its turn must not keep the next one from asking for its own.
      [Symbol.asyncDispose]: async () => void (await Promise.all(parked.map((place) => place[Symbol.asyncDispose]()))),
    }
  })
  return {
    begin(work) {
      const works = workBySession.get(work.sessionId) ?? new Set()
      workBySession.set(work.sessionId, works.add(work))
      return {
        [Symbol.dispose]() {
          works.delete(work)
          if (works.size === 0 && workBySession.get(work.sessionId) === works) workBySession.delete(work.sessionId)
        },
      }
    },
    isAtWork: (sessionId, { name, tokenId }) =>
      [...(workBySession.get(sessionId) ?? [])].some((work) => work.tenant === name || work.tokenId === tokenId),
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}
