import type { CallFacts } from '../registry/tool.ts'
import { thrownMessage } from '../data/failure.ts'
import type { Outcome } from '../data/outcome.ts'
import { parseContent } from '../data/parse-content.ts'
import { SAFE_CONTENT } from './failure-content.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { withContent } from './settle.ts'
import { hush } from './signals.ts'

/**
 * The tool's last word on content, tried once for every outcome. It can change nothing else; when it fails, the words
 * it failed to replace are not shown either, as they may be what it exists to take away.
 */
export function runFinalizer(call: LiveCall, outcome: Outcome, parts: RuntimeParts): Outcome {
  const { finalizer } = call
  if (finalizer === undefined) return outcome
  call.trace?.enter('finalize')
  try {
    const given: unknown = hush(finalizer(factsOf(call), outcome))
    if (given === undefined) return outcome
    const parsed = parseContent(given)
    if (parsed.ok) return withContent(outcome, parsed.content)
    return failedFinalizer(call, outcome, `bad content: ${parsed.path || '(whole)'}: ${parsed.reason}`, parts)
  } catch (thrown) {
    return failedFinalizer(call, outcome, thrownMessage(thrown), parts)
  }
}

function failedFinalizer(call: LiveCall, outcome: Outcome, message: string, parts: RuntimeParts): Outcome {
  const diagnostic = { code: 'FINALIZER_FAILED', message: `${call.toolName}: ${message}` }
  call.note(diagnostic)
  parts.diagnose({ ...diagnostic, callId: call.callId })
  return withContent(outcome, SAFE_CONTENT)
}

function factsOf({ view }: LiveCall): CallFacts {
  return Object.freeze({
    callId: view.callId,
    rootCallId: view.rootCallId,
    ...(view.parentCallId !== undefined && { parentCallId: view.parentCallId }),
    toolName: view.toolName,
    scope: view.scope,
    ...(view.sessionId !== undefined && { sessionId: view.sessionId }),
  })
}
