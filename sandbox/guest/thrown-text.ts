import { toStringOf } from './primordials.ts'
import { classNameOf } from './value-kinds.ts'

/** What was thrown, as a short text; total. */
export function describeThrown(thrown: unknown): string {
  try {
    if (typeof thrown === 'object' && thrown !== null) {
      const message = (thrown as { message?: unknown }).message
      return typeof message === 'string' ? message : classNameOf(thrown)
    }
    return toStringOf(thrown)
  } catch {
    return 'an error that cannot be read'
  }
}
