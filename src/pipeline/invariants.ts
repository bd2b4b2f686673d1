import type { Outcome } from '../data/outcome.ts'
import { isSnapshot } from '../data/snapshot.ts'
import type { LiveCall } from './live-call.ts'
import { STAGES, type Stage } from './stages.ts'

/**
 * Proves the protocol of one call: order, allowance, freezing (`session/invariants.ts` does the same for a log). It does not prove that a policy decides as an organisation
 * would want, that a tool's claims are true, or that anybody mounted a policy at all.
 */
export interface CallRecord {
  readonly steps: readonly Stage[]
  /** Pre-policy and approval ended in "allow". */
  readonly isAllowed: boolean
  readonly hasFinalizer: boolean
  readonly outcome: Outcome
}

/** These come again with each retry. */
const REPEATABLE: ReadonlySet<Stage> = new Set<Stage>(['around', 'body', 'value', 'render'])

export function checkCall(call: LiveCall, outcome: Outcome): readonly string[] {
  const { trace, finalizer } = call
  if (trace === undefined) return []
  return checkRecord({
    steps: trace.steps,
    isAllowed: trace.isAllowed,
    hasFinalizer: finalizer !== undefined,
    outcome,
  })
}

/** What is wrong with how one call went; empty when nothing is. */
export function checkRecord({ steps, isAllowed, hasFinalizer, outcome }: CallRecord): readonly string[] {
  const breaches = orderBreaches(steps)
  const hasBody = steps.includes('body')
  if (steps[0] !== 'create') breaches.push(`a call begins with create; got ${steps[0] ?? 'nothing'}`)
  if (hasBody && !isAllowed) breaches.push('the body ran without an allow')
  if (hasBody && !steps.includes('guards')) breaches.push('the body ran without the guards')
  if (hasFinalizer !== steps.includes('finalize'))
    breaches.push('the finalizer is tried once where there is one, and nowhere else')
  if (outcome.isError && outcome.error.bodyStarted !== hasBody)
    breaches.push('bodyStarted does not say whether the body ran')
  if (!outcome.isError && !hasBody && outcome.synthetic !== true)
    breaches.push('a success without a body must be synthetic')
  if (outcome.isError && 'concludesTurn' in outcome) breaches.push('a failure concludes no turn')
  if (!isDeepFrozen(outcome)) breaches.push('the outcome is not frozen all the way down')
  return breaches
}

function orderBreaches(steps: readonly Stage[]): string[] {
  const breaches: string[] = []
  const seen = new Set<Stage>()
  let last = 0
  for (const step of steps) {
    if (seen.has(step) && !REPEATABLE.has(step)) breaches.push(`${step} came twice`)
    seen.add(step)
    // A value that post-policy put in place crosses the same boundaries as the body's.
    const isRevalidation = seen.has('post') && !seen.has('finalize') && (step === 'value' || step === 'render')
    const rank = rankOf(step)
    if (rank < last && !isRevalidation) breaches.push(`${step} came too late`)
    else if (!isRevalidation) last = rank
  }
  return breaches
}

/** A stage's place in the order; the repeatable ones share one. */
function rankOf(stage: Stage): number {
  return STAGES.indexOf(REPEATABLE.has(stage) ? 'around' : stage)
}

/** Does not look into snapshots: those are frozen by the one place that makes them. */
function isDeepFrozen(root: object): boolean {
  const open: object[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!Object.isFrozen(node)) return false
    for (const child of Object.values(node) as readonly unknown[]) {
      if (typeof child === 'object' && child !== null && !isSnapshot(child)) open.push(child)
    }
  }
  return true
}
