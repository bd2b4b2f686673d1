import type { ContentBlock, UserMessage } from '../data/content.ts'
import { thrownMessage } from '../data/failure.ts'
import type { Outcome } from '../data/outcome.ts'
import { parseContent } from '../data/parse-content.ts'
import type { Policy } from './call.ts'
import type { LiveCall } from './live-call.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import { settleAborted, settleFailure, withContent } from './settle.ts'
import { isThenable, untilAborted, untilDrained } from './signals.ts'
import { parseUserMessage } from './user-message.ts'
import { settleValue } from './value.ts'

export type PostPolicy = Policy & Required<Pick<Policy, 'post'>>

/**
 * Shows the outcome to every post-policy in order; each sees what those before it made of it. A block and a failing
 * policy end the round, and so does the caller's abort when there is a success to lose; a failure keeps its own words.
 */
export function runPost(
  call: LiveCall,
  before: Outcome,
  policies: readonly PostPolicy[],
  parts: RuntimeParts,
): Promise<Outcome> | Outcome {
  return new Round(call, before, policies, parts).askFrom(0)
}

class Round {
  readonly #call: LiveCall
  readonly #policies: readonly PostPolicy[]
  readonly #parts: RuntimeParts
  #outcome: Outcome
  /** What the policies sent: separate from the tool's own, as a block keeps only these. */
  #sent: readonly UserMessage[] = NO_CONTEXTS

  constructor(call: LiveCall, before: Outcome, policies: readonly PostPolicy[], parts: RuntimeParts) {
    this.#call = call
    this.#outcome = before
    this.#policies = policies
    this.#parts = parts
  }

  /** The policies from this one on, up to the first that takes its time. */
  askFrom(first: number): Promise<Outcome> | Outcome {
    for (let index = first; index < this.#policies.length; index++) {
      const policy = this.#policies[index]! // Below the length.
      const asking = ask(this.#call, this.#outcome, policy, this.#parts)
      if (asking instanceof Promise) return this.#askOn(asking, policy, index)
      const end = this.#take(asking, policy)
      if (end !== undefined) return end
    }
    return this.#end()
  }

  async #askOn(asking: Promise<Asked>, policy: PostPolicy, index: number): Promise<Outcome> {
    return this.#take(await asking, policy) ?? this.askFrom(index + 1)
  }

  /** The outcome when this answer ends the round. */
  #take(asked: Asked, policy: PostPolicy): Outcome | undefined {
    const call = this.#call
    if (asked.kind === 'aborted') return settleAborted(call, 'post', this.#carried()).outcome
    // A failed outcome is not worth waiting for: the caller has gone, and its error stands as it is.
    if (asked.kind === 'left') return this.#end()
    const read = asked.kind === 'thrown' ? { fault: thrownMessage(asked.thrown) } : readDecision(asked.given, policy)
    if ('fault' in read) return policyFailed(call, policy, read.fault, this.#carried())
    if (read.contexts.length > 0) this.#sent = [...this.#sent, ...read.contexts]
    switch (read.decision) {
      case 'keep':
        return undefined
      case 'replace-content':
        this.#outcome = withContent(this.#outcome, read.content)
        return undefined
      case 'replace-value': {
        const replaced = replaceValue(call, this.#outcome, read.value, policy, this.#parts)
        if (typeof replaced === 'string') return policyFailed(call, policy, replaced, this.#carried())
        this.#outcome = replaced
        return replaced.isError ? withSent(replaced, this.#sent) : undefined
      }
      case 'block':
        return settleFailure(call, 'POST_POLICY_BLOCKED', `${call.toolName}: ${read.feedback}`, {
          phase: 'post',
          contexts: this.#sent,
        }).outcome
    }
  }

  #end(): Outcome {
    const outcome = this.#outcome
    if (!outcome.isError && this.#call.isAborted) return settleAborted(this.#call, 'post', this.#carried()).outcome
    return withSent(outcome, this.#sent)
  }

  #carried(): readonly UserMessage[] {
    return [...(this.#outcome.contexts ?? []), ...this.#sent]
  }
}

const NO_CONTEXTS: readonly UserMessage[] = Object.freeze([])

type Asked =
  | { readonly kind: 'given'; readonly given: unknown }
  | { readonly kind: 'thrown'; readonly thrown: unknown }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'left' }

function ask(call: LiveCall, outcome: Outcome, policy: PostPolicy, parts: RuntimeParts): Asked | Promise<Asked> {
  if (!outcome.isError && call.isAborted) return { kind: 'aborted' }
  try {
    const given: unknown = policy.post(call.view, outcome)
    return isThenable(given) ? waitFor(given, call, outcome, parts) : { kind: 'given', given }
  } catch (thrown) {
    return { kind: 'thrown', thrown }
  }
}

async function waitFor(
  given: PromiseLike<unknown>,
  call: LiveCall,
  outcome: Outcome,
  parts: RuntimeParts,
): Promise<Asked> {
  const onLate = () => parts.countLate(call.callId, 'a post-policy decision')
  const ended = outcome.isError
    ? await untilDrained(given, call.callerSignal, { clock: parts.clock, drainMs: parts.drainMs, onLate })
    : await untilAborted(given, call.callerSignal, onLate)
  switch (ended.kind) {
    case 'value':
      return { kind: 'given', given: ended.value }
    case 'thrown':
      return ended
    case 'left':
      return { kind: outcome.isError ? 'left' : 'aborted' }
  }
}

/** The new outcome, or why there can be none. */
function replaceValue(
  call: LiveCall,
  outcome: Outcome,
  value: unknown,
  policy: PostPolicy,
  parts: RuntimeParts,
): Outcome | string {
  if (outcome.isError) return 'it replaced the value of a failure; a failure has none and cannot become a success'
  const { definition } = call
  if (definition === undefined) return 'it replaced the value of a call that has no tool'
  const settled = settleValue(call, definition, value, parts, {
    phase: 'post',
    ...(outcome.contexts !== undefined && { contexts: outcome.contexts }),
    ...(outcome.concludesTurn === true && { concludesTurn: true }),
    ...(outcome.synthetic === true && { isSynthetic: true }),
  })
  if (settled.outcome.isError)
    call.note({ code: 'POST_POLICY_FAILED', message: `"${policy.name}" gave an invalid value` })
  return settled.outcome
}

function policyFailed(call: LiveCall, policy: PostPolicy, message: string, contexts: readonly UserMessage[]): Outcome {
  return settleFailure(call, 'POST_POLICY_FAILED', `${call.toolName}: the policy "${policy.name}" failed: ${message}`, {
    phase: 'post',
    contexts,
  }).outcome
}

function withSent(outcome: Outcome, sent: readonly UserMessage[]): Outcome {
  if (sent.length === 0) return outcome
  return Object.freeze({ ...outcome, contexts: Object.freeze([...(outcome.contexts ?? []), ...sent]) })
}

type Read = { readonly contexts: readonly UserMessage[] } & (
  | { readonly decision: 'keep' }
  | { readonly decision: 'replace-value'; readonly value: unknown }
  | { readonly decision: 'replace-content'; readonly content: readonly ContentBlock[] }
  | { readonly decision: 'block'; readonly feedback: string }
)

function readDecision(given: unknown, policy: PostPolicy): Read | { readonly fault: string } {
  try {
    if (typeof given !== 'object' || given === null) return { fault: NO_DECISION }
    // Read once each and checked below.
    const { decision, contexts, feedback, content, value } = given as Partial<Record<string, unknown>>
    if (value !== undefined && content !== undefined) return { fault: 'it gave a value and content; one or the other' }
    const messages = readContexts(contexts, policy)
    if (typeof messages === 'string') return { fault: messages }
    switch (decision) {
      case 'keep':
        return messages === NO_CONTEXTS ? KEEP : { decision, contexts: messages }
      case 'replace-value':
        return { decision, value, contexts: messages }
      case 'replace-content': {
        const parsed = parseContent(content)
        if (!parsed.ok)
          return { fault: `its content is no list of blocks: ${parsed.path || '(whole)'}: ${parsed.reason}` }
        return { decision, content: parsed.content, contexts: messages }
      }
      case 'block':
        return typeof feedback === 'string'
          ? { decision, feedback, contexts: messages }
          : { fault: 'a block needs feedback' }
      default:
        return { fault: NO_DECISION }
    }
  } catch (thrown) {
    return { fault: `its decision cannot be read: ${thrownMessage(thrown)}` }
  }
}

const KEEP: Read = Object.freeze({ decision: 'keep', contexts: NO_CONTEXTS })
const NO_DECISION = 'it gave no decision (keep, replace-value, replace-content or block)'

function readContexts(given: unknown, policy: PostPolicy): readonly UserMessage[] | string {
  if (given === undefined) return NO_CONTEXTS
  if (!Array.isArray(given)) return 'its contexts are no array'
  const messages: UserMessage[] = []
  for (const one of given as readonly unknown[]) {
    const parsed = parseUserMessage(one, policy.name)
    if (!parsed.ok) return parsed.reason
    messages.push(parsed.message)
  }
  return messages
}
