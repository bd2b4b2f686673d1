import type { Approval } from '../../data/outcome.ts'
import { safe } from '../io.ts'

const WORDS = { approve: 'approved', reject: 'refused', dismiss: 'dismissed' } as const satisfies Record<
  Approval['answer'],
  string
>

/** What a person decided about a call and who that was, to stand behind it; empty when nobody did. */
export function approvalText(approval: Approval | undefined): string {
  if (approval === undefined) return ''
  const { answer, by = 'a person' } = approval
  return `  ${WORDS[answer]} by ${safe(by)}`
}
