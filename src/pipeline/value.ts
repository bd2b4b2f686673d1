import type { ContentBlock, UserMessage } from '../data/content.ts'
import { thrownMessage, type FailurePhase } from '../data/failure.ts'
import type { Json } from '../data/json.ts'
import { parseContent } from '../data/parse-content.ts'
import { snapshot } from '../data/snapshot.ts'
import type { Violation } from '../schema/violations.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { isViolationList, violationSummary } from './failure-content.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleFailure, settleSuccess, type Settlement } from './settle.ts'
import { hush } from './signals.ts'

/** A value that crossed all its boundaries: lossless and frozen, as its schema says, rendered. */
interface Canonical {
  readonly ok: true
  readonly value: Json
  readonly content: readonly ContentBlock[]
  readonly meta?: Json
}
interface Invalid {
  readonly ok: false
  readonly message: string
  readonly violations?: readonly Violation[]
}

/**
 * Turns what a body (or a policy) gave into a success, or into `INVALID_TOOL_OUTPUT`. `attached` is content in the
 * body's own words and stands in place of `render`.
 */
export function settleValue(
  call: LiveCall,
  definition: ToolDefinition,
  given: unknown,
  parts: RuntimeParts,
  extras: {
    readonly phase: FailurePhase
    readonly attached?: readonly ContentBlock[] | undefined
    readonly contexts?: readonly UserMessage[]
    readonly concludesTurn?: boolean
    readonly isSynthetic?: boolean
  },
): Settlement {
  const made = canonical(call, definition, given, parts, extras.attached)
  if (!made.ok) {
    return settleFailure(call, 'INVALID_TOOL_OUTPUT', `${call.toolName}: ${made.message}`, {
      phase: extras.phase,
      runsPost: true,
      contexts: extras.contexts,
      ...(made.violations !== undefined && { details: { violations: made.violations } }),
    })
  }
  return settleSuccess({
    value: made.value,
    content: made.content,
    ...(made.meta !== undefined && { meta: made.meta }),
    ...(extras.contexts !== undefined && { contexts: extras.contexts }),
    ...(extras.concludesTurn === true && { concludesTurn: true }),
    ...(extras.isSynthetic === true && { synthetic: true }),
  })
}

/** Total: the definition's own functions may throw or give nonsense, and `given` may be anything at all. */
function canonical(
  call: LiveCall,
  { output }: ToolDefinition,
  given: unknown,
  { limits }: RuntimeParts,
  attached: readonly ContentBlock[] | undefined,
): Canonical | Invalid {
  let what = 'the value'
  try {
    call.trace?.enter('value')
    const taken = snapshot(given, limits)
    if (!taken.ok) return invalid(`the value is not JSON at ${taken.path || 'its root'}: ${taken.reason}`)
    what = 'output.validate'
    const violations: unknown = output.validate === undefined ? NO_VIOLATIONS : hush(output.validate(taken.value))
    // Fails closed: an answer that is no list says nothing about the value.
    if (!isViolationList(violations))
      return invalid('output.validate gave no list of violations; it must be synchronous')
    if (violations.length > 0) {
      return {
        ok: false,
        message: `the value does not match output.schema: ${violationSummary(violations)}`,
        violations,
      }
    }

    call.trace?.enter('render')
    what = 'output.render'
    let content = attached
    if (content === undefined) {
      const parsed = parseContent(hush(output.render(call.args, taken.value)))
      if (!parsed.ok)
        return invalid(`output.render gave no content blocks: ${parsed.path || '(whole)'}: ${parsed.reason}`)
      content = parsed.content
    }
    what = 'output.presentationMeta'
    const meta = hush(output.presentationMeta?.(call.args, taken.value))
    if (meta === undefined) return { ok: true, value: taken.value, content }
    const takenMeta = snapshot(meta, limits)
    if (!takenMeta.ok) return invalid(`meta is not JSON at ${takenMeta.path || 'its root'}: ${takenMeta.reason}`)
    return { ok: true, value: taken.value, content, meta: takenMeta.value }
  } catch (thrown) {
    return invalid(`${what} threw: ${thrownMessage(thrown)}`)
  }
}

const NO_VIOLATIONS: readonly Violation[] = Object.freeze([])

function invalid(message: string): Invalid {
  return { ok: false, message }
}
