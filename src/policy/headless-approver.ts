import type { Approver } from '../pipeline/call.ts'
import { matchNames, type NamePattern } from './name-pattern.ts'

/**
 * Answers for a process that nobody watches: what its owner named beforehand is approved, everything else is refused,
 * and the refusal says that no person has seen it.
 */
export function createHeadlessApprover(options: { readonly approve?: readonly NamePattern[] } = {}): Approver {
  const isApproved = matchNames(options.approve ?? [])
  return {
    async ask(request) {
      if (isApproved(request.toolName)) return { answer: 'approve', by: 'configuration' }
      return {
        answer: 'reject',
        by: 'configuration',
        reason: `nobody watches this process, and its configuration does not approve ${request.toolName}`,
      }
    },
  }
}
