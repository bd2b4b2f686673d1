import type { Clock } from '../data/clock.ts'
import { CodedError } from '../data/failure.ts'
import type { Policy } from '../pipeline/call.ts'
import { matchNames, type NamePattern } from './name-pattern.ts'

export interface TimeoutRule {
  readonly tools: NamePattern | readonly NamePattern[]
  readonly timeoutMs: number
}

/**
 * Gives tools a time limit of the owner's. The first rule that speaks of a tool counts. It adds to the tool's own
 * `timeoutMs`: whichever ends first stops the body, with the same code. Wrappers mounted after this one are inside the
 * limit, those before it outside: a retry policy before it gives every try the whole time.
 */
export function createTimeoutPolicy(options: {
  readonly clock: Clock
  readonly rules: readonly TimeoutRule[]
}): Policy {
  const rules = options.rules.map(({ tools, timeoutMs }) => {
    if (!(timeoutMs > 0 && Number.isFinite(timeoutMs))) {
      throw new CodedError('CONFIG_INVALID', `timeout policy: timeoutMs must be positive and finite; got ${timeoutMs}`)
    }
    return { matches: matchNames(tools), timeoutMs }
  })
  return {
    name: 'timeout',
    async around(call, next) {
      const rule = rules.find(({ matches }) => matches(call.toolName))
      if (rule === undefined) return next()
      const stop = new AbortController()
      using _timer = options.clock.after(rule.timeoutMs, () => {
        const message = `${call.toolName}: took longer than the ${rule.timeoutMs} ms it is given here`
        stop.abort(new CodedError('TOOL_TIMEOUT', message))
      })
      call.signal = stop.signal
      return await next()
    },
  }
}
