import type { JsonObject } from '../data/json.ts'
import type { CallView, Policy } from '../pipeline/call.ts'
import { hintsOf } from './hints.ts'
import { matchNames, type NamePattern } from './name-pattern.ts'

/** A call is asked about when everything that its rule names is true of it. */
export interface ApprovalRule {
  readonly tools?: NamePattern | readonly NamePattern[]
  /** What the tool says of itself; silence means the worse, as in MCP. */
  readonly when?: 'destructive' | 'open-world' | 'writes'
  /** A predicate over the arguments. What it throws fails the call closed. */
  readonly arguments?: (args: JsonObject, call: CallView) => boolean
  /** What the person reads. */
  readonly reason: string
}

/**
 * Asks a person about the calls its rules speak of. Whom to ask is the runtime's matter: where it has nobody, these
 * calls end as `APPROVAL_UNAVAILABLE`. A grant is for one call; nothing is remembered.
 */
export function createApprovalPolicy(options: { readonly rules: readonly ApprovalRule[] }): Policy {
  const rules = options.rules.map((rule) => ({ ...rule, matches: matchNames(rule.tools ?? '*') }))
  return {
    name: 'approval',
    pre(call) {
      const asking = rules.filter((rule) => applies(rule, call))
      return asking.length === 0
        ? { decision: 'allow' }
        : { decision: 'ask', reason: asking.map(({ reason }) => reason).join('; ') }
    },
  }
}

function applies(rule: ApprovalRule & { readonly matches: (name: string) => boolean }, call: CallView): boolean {
  return (
    rule.matches(call.toolName) &&
    (rule.when === undefined || isSo(rule.when, call)) &&
    (rule.arguments === undefined || rule.arguments(call.arguments, call))
  )
}

function isSo(when: NonNullable<ApprovalRule['when']>, call: CallView): boolean {
  const hints = hintsOf(call)
  switch (when) {
    case 'destructive':
      return hints.isDestructive
    case 'open-world':
      return hints.isOpenWorld
    case 'writes':
      return !hints.isReadOnly
  }
}
