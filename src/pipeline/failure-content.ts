import { textBlock, type ContentBlock } from '../data/content.ts'
import { FAILURE_CODES, isFailureCode } from '../data/failure-codes.ts'
import type { Failure } from '../data/failure.ts'
import { isRecord, type Json } from '../data/json.ts'
import type { Violation } from '../schema/violations.ts'

const MAX_VIOLATIONS = 20

/** What a model reads of a failure unless somebody has better words: code, message, what is wrong, what to do next. */
export function failureContent(failure: Failure): readonly ContentBlock[] {
  const lines = [`${failure.code}: ${failure.message}`]
  // Those the message names already are not said twice.
  for (const violation of violationsIn(failure.details))
    if (!failure.message.includes(violation)) lines.push(`- ${violation}`)
  lines.push(nextStep(failure))
  return Object.freeze([Object.freeze(textBlock(lines.filter((line) => line !== '').join('\n')))])
}

/** For a finalizer that failed: says nothing that came from the tool, as that is what could not be trusted. */
export const SAFE_CONTENT: readonly ContentBlock[] = Object.freeze([
  Object.freeze(
    textBlock(
      'The content of this result is not available: the tool failed while preparing it. The call itself has ended.',
    ),
  ),
])

/** By shape only as deep as it is used: definitions are the owner's code, not a peer's data. */
export function isViolationList(given: unknown): given is readonly Violation[] {
  return (
    Array.isArray(given) &&
    given.every((one: unknown) => isRecord(one) && typeof one.message === 'string' && typeof one.path === 'string')
  )
}

/** The first few violations in one line, for the message of a failure; all of them are in its details. */
export function violationSummary(violations: readonly Violation[]): string {
  const shown = violations.slice(0, 3).map((violation) => violation.message)
  const more = violations.length - shown.length
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

const NEXT_STEPS: Readonly<Record<string, string>> = Object.assign(Object.create(null) as Record<string, string>, {
  INVALID_ARGS: 'Correct the arguments and call again.',
  CALL_VIA_RUN_CODE: '',
  UNKNOWN_TOOL: '',
  POLICY_DENIED: 'The same call will be denied again; find another way or tell the user.',
  APPROVAL_REJECTED: 'Do not repeat the call; ask the user how to go on.',
  APPROVAL_UNAVAILABLE: 'Do not repeat the call; do the rest and say that this step needs a person.',
  GUARD_DENIED: 'The same call will be denied again; find another way or tell the user.',
  TOOL_TIMEOUT: 'Ask for less, or try again later.',
  ABANDONED: 'Check whether it took effect before you repeat it.',
})

function nextStep(failure: Failure): string {
  const known = NEXT_STEPS[failure.code]
  const step = known ?? (isFailureCode(failure.code) ? stepByRetry(FAILURE_CODES[failure.code].retry) : '')
  const mayHaveActed =
    failure.bodyStarted &&
    (failure.code === 'ABORTED' || failure.code === 'TOOL_TIMEOUT' || failure.code === 'WRAPPER_FAILED')
  return mayHaveActed ? `The tool had started, so it may have taken effect. ${step}` : step
}

function stepByRetry(retry: 'never' | 'after-change' | 'later'): string {
  switch (retry) {
    case 'never':
      return 'The same call will fail again.'
    case 'after-change':
      return 'Change the call before you try again.'
    case 'later':
      return 'The same call may work later.'
  }
}

function violationsIn(details: Json | undefined): readonly string[] {
  if (!isRecord(details) || !Array.isArray(details.violations)) return []
  const messages = details.violations.flatMap((violation: unknown) =>
    isRecord(violation) && typeof violation.message === 'string' ? [violation.message] : [],
  )
  if (messages.length <= MAX_VIOLATIONS) return messages
  return [...messages.slice(0, MAX_VIOLATIONS), `and ${messages.length - MAX_VIOLATIONS} more`]
}
