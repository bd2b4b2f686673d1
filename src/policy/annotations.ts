import type { CallView, Policy, PreDecision } from '../pipeline/call.ts'
import { hintsOf } from './hints.ts'
import { matchNames, type NamePattern } from './name-pattern.ts'

export type Verdict = 'allow' | 'ask' | 'deny'

export interface AnnotationPolicyOptions {
  /** Default `allow`. */
  readonly readOnly?: Verdict
  /** Tools that write but say that they destroy nothing. Default `allow`. */
  readonly additive?: Verdict
  /** Default `ask`. */
  readonly destructive?: Verdict
  /** Tools that say nothing about themselves. Default: as `destructive`, which is what silence means in MCP. */
  readonly unannotated?: Verdict
  /** Tools whose claims are not believed, and which count as unannotated. */
  readonly distrust?: NamePattern | readonly NamePattern[]
}

/** A default for owners who have no rules yet: decides by what tools say of themselves. */
export function createAnnotationPolicy(options: AnnotationPolicyOptions = {}): Policy {
  const destructive = options.destructive ?? 'ask'
  const verdicts = {
    readOnly: options.readOnly ?? 'allow',
    additive: options.additive ?? 'allow',
    destructive,
    unannotated: options.unannotated ?? destructive,
  }
  const isDistrusted = matchNames(options.distrust ?? [])
  const isJudged = matchNames('*')
  return {
    name: 'annotations',
    pre(call): PreDecision {
      if (!isJudged(call.toolName)) return { decision: 'allow' }
      const kind = isDistrusted(call.toolName) ? 'unannotated' : kindOf(call)
      const verdict = verdicts[kind]
      return verdict === 'allow' ? { decision: 'allow' } : { decision: verdict, reason: REASONS[kind] }
    },
  }
}

const REASONS = {
  readOnly: 'the tool reads data',
  additive: 'the tool changes data',
  destructive: 'the tool may change or delete data beyond recovery',
  unannotated: 'the tool does not say whether it changes data',
} as const

function kindOf(call: CallView): keyof typeof REASONS {
  const hints = hintsOf(call)
  if (!hints.isAnnotated) return 'unannotated'
  if (hints.isReadOnly) return 'readOnly'
  return hints.isDestructive ? 'destructive' : 'additive'
}
