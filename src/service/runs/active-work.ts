import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import type { Place } from './fair-queue.ts'

export interface Active {
  readonly sessionId: string
  /** Name of the token that asked for it. */
  readonly tenant: string
  readonly place: Place
}

/** What is under way, by session: who began it, and which places are free while a person is asked. */
export interface ActiveWork {
  begin(work: Active): Disposable
  /** Names of the tokens whose work is under way in this session. */
  tenantsIn(sessionId: string): ReadonlySet<string>
}

/**
 * Places are parked while a question of their session is open: people take hours, and a place held that long would be
 * one that no other program gets.
 */
export function createActiveWork(desk: ApprovalDesk): ActiveWork & Disposable {
  const workBySession = new Map<string, Set<Active>>()
  const listening = desk.onAsk(({ sessionId }) => {
    const parked = new DisposableStack()
    for (const { place } of workBySession.get(sessionId) ?? []) parked.use(place.park())
    return parked
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
    tenantsIn: (sessionId) => new Set([...(workBySession.get(sessionId) ?? [])].map(({ tenant }) => tenant)),
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}
