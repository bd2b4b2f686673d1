import type { ArtifactStore } from '../artifacts/store.ts'
import type { Clock } from '../data/clock.ts'
import type { JsonObject } from '../data/json.ts'
import type { CallView, Guard, Policy } from '../pipeline/call.ts'
import { createAnnotationPolicy } from '../policy/annotations.ts'
import { createApprovalPolicy, type ApprovalRule } from '../policy/approval.ts'
import { matchNames } from '../policy/name-pattern.ts'
import { createRatePolicy, type RateRule } from '../policy/rate.ts'
import { createRedactPolicies, createRedactPolicy, type RedactOptions } from '../policy/redact.ts'
import { createSpillPolicy } from '../policy/spill.ts'
import { createTimeoutPolicy } from '../policy/timeout.ts'
import { compileArgumentTests } from './compile-argument-tests.ts'
import { DEFAULT_SPILL_BYTES } from './defaults.ts'
import { toRegExp } from './schema/fields.ts'
import type { PolicySettings } from './schema/root.ts'

export interface PolicyDeps {
  readonly clock: Clock
  /** Where `spill` keeps what is too large: the engine's own, so that programs can read it. */
  readonly artifacts: ArtifactStore
}

/**
 * Policies in the order in which they must stand: who decides first, then who counts (a call that is waiting for its turn
 * is not yet timed), then who hides before who keeps.
 */
export function compilePolicies(settings: PolicySettings, { clock, artifacts }: PolicyDeps): readonly Policy[] {
  const policies: Policy[] = []
  if (settings.annotations !== undefined) policies.push(createAnnotationPolicy(defined(settings.annotations)))
  if (isFilled(settings.approval)) policies.push(createApprovalPolicy({ rules: settings.approval.map(toApprovalRule) }))
  if (isFilled(settings.rate))
    policies.push(createRatePolicy({ clock, rules: settings.rate.map((rule) => defined<RateRule>(rule)) }))
  if (isFilled(settings.timeouts)) policies.push(createTimeoutPolicy({ clock, rules: settings.timeouts }))
  for (const rule of settings.redact ?? []) policies.push(...toRedactPolicies(rule))
  if (settings.spill !== undefined) {
    policies.push(
      createSpillPolicy({
        maxBytes: settings.spill.maxBytes ?? DEFAULT_SPILL_BYTES,
        ...(settings.spill.tools !== undefined && { tools: settings.spill.tools }),
        keep: (text, call) => artifacts.put(call.sessionId ?? call.rootCallId, text)?.id,
        readOn: (id) =>
          `The whole is kept: a program can read it with await artifacts.read(${JSON.stringify(id)}, { offset: 0, length: 20000 }).`,
      }),
    )
  }
  return policies
}

/** One guard for each rule, so that a denial names its rule. */
export function compileGuards(rules: PolicySettings['guards']): readonly Guard[] {
  return (rules ?? []).map((rule, index) => {
    const matches = matchNames(rule.tools)
    const applies = compileConditions(rule)
    return {
      name: `policies.guards[${index}]`,
      check: (call) =>
        matches(call.toolName) && applies(call.arguments, call)
          ? { decision: 'deny', reason: rule.reason }
          : { decision: 'pass' },
    }
  })
}

type Conditions = Pick<NonNullable<PolicySettings['guards']>[number], 'arguments' | 'scopes'>

function compileConditions(rule: Conditions): (args: JsonObject, call: CallView) => boolean {
  const scopes = rule.scopes === undefined ? undefined : new Set(rule.scopes)
  const holds = rule.arguments === undefined ? undefined : compileArgumentTests(rule.arguments)
  return (args, call) => (scopes?.has(call.scope) ?? true) && (holds?.(args) ?? true)
}

function toApprovalRule(rule: NonNullable<PolicySettings['approval']>[number]): ApprovalRule {
  const { tools, when, reason } = rule
  return { ...defined({ tools, when }), reason, arguments: compileConditions(rule) }
}

function toRedactPolicies(rule: NonNullable<PolicySettings['redact']>[number]): readonly Policy[] {
  const { target = 'both', patterns, ...rest } = rule
  const options: Omit<RedactOptions, 'target'> = {
    ...defined(rest),
    ...(patterns !== undefined && { patterns: patterns.map(toRegExp) }),
  }
  return target === 'both' ? createRedactPolicies(options) : [createRedactPolicy({ ...options, target })]
}

function isFilled<T>(rules: readonly T[] | undefined): rules is readonly T[] {
  return rules !== undefined && rules.length > 0
}

type Undefinable<T> = { readonly [K in keyof T]: T[K] | undefined }
/** Keys that are undefined are left out, as options with exact optional properties want it. */
function defined<T extends object>(given: Undefinable<T>): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T // Required keys have values.
}
