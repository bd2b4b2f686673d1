import { SafeMap, type List } from './primordials.ts'
import { Projection, type Refusal, type Settled } from './projection.ts'

export type ArgumentsResult = { readonly ok: true; readonly json: string } | Refusal

export type ResultResult =
  | { readonly ok: true; readonly json: string | undefined; readonly notices: List<string> }
  /** Larger than `maxBytes`. */
  | { readonly ok: false; readonly notices: List<string> }

const NOTHING_SETTLED = new SafeMap<object, Settled>()

/**
 * Arguments of a call: only what is certainly meant is forgiven (undefined properties, `toJSON`, no argument at all);
 * everything else that JSON cannot hold is refused with its place, since a call may have effects.
 */
export function projectArguments(value: unknown, maxBytes: number): ArgumentsResult {
  if (value === undefined) return { ok: true, json: '{}' }
  const projection = new Projection(true, maxBytes, NOTHING_SETTLED)
  const isThere = projection.run(value)
  if (projection.refusal !== undefined) return projection.refusal
  if (projection.isOversize) return { ok: false, path: '', problem: `is larger than ${maxBytes} bytes` }
  return { ok: true, json: isThere ? projection.text : '{}' }
}

/**
 * The value a program returned: projected whatever it holds, because its side effects are done. Promises inside are
 * awaited, round by round, until none is left.
 */
export async function projectResult(value: unknown, maxBytes: number): Promise<ResultResult> {
  const settled = new SafeMap<object, Settled>()
  for (;;) {
    const projection = new Projection(false, maxBytes, settled)
    const isThere = projection.run(value)
    if (projection.pending.length === 0) {
      const { notices } = projection
      // No prototype: this resolves a promise, which asks for a `then`, and the program may have planted one.
      if (projection.isOversize) return { __proto__: null, ok: false, notices } as ResultResult
      return { __proto__: null, ok: true, json: isThere ? projection.text : undefined, notices } as ResultResult
    }
    for (let index = 0; index < projection.pending.length; index++) {
      const promise = projection.pending[index] as object
      try {
        settled.set(promise, { value: await (promise as Promise<unknown>), isRejected: false })
      } catch (thrown) {
        settled.set(promise, { value: thrown, isRejected: true })
      }
    }
  }
}

/** As `projectResult`, for values that cannot wait: promises become null. */
export function projectNow(value: unknown, maxBytes: number): ResultResult {
  const projection = new Projection(false, maxBytes, NOTHING_SETTLED)
  const isThere = projection.run(value)
  if (projection.isOversize) return { ok: false, notices: projection.notices }
  return { ok: true, json: isThere ? projection.text : undefined, notices: projection.notices }
}
