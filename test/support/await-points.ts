import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks'

/**
 * Runs `work` and counts its await points: every continuation of a promise that it, or anything it set in motion, made.
 * They are found by instrumenting the engine's promises, not by reading code: an await that somebody adds later is
 * counted too. `act` is done right before continuation number `at` goes on.
 */
export async function countAwaitPoints(
  work: () => Promise<void>,
  at?: { readonly point: number; readonly act: () => void },
): Promise<number> {
  const root = new AsyncResource('await-points')
  const ours = new Set([root.asyncId()])
  let points = 0
  const hook = createHook({
    init(id, type) {
      if (type === 'PROMISE' && ours.has(executionAsyncId())) ours.add(id)
    },
    before(id) {
      if (ours.has(id) && ++points === at?.point) at.act()
    },
  })
  hook.enable()
  try {
    await root.runInAsyncScope(work)
  } finally {
    hook.disable()
  }
  return points
}
