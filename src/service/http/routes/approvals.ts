import { z } from 'zod'
import type { PendingApproval } from '../../approvals/approval-desk.ts'
import { Problem } from '../problems.ts'
import { answer, defineRoute, type Route } from '../route.ts'
import { Approvals, Decided, DecisionRequest } from '../schemas/approvals.ts'
import { ResourceId } from '../schemas/shared.ts'

const getApprovals: Route = defineRoute({
  method: 'get',
  path: '/v1/approvals',
  operationId: 'listApprovals',
  tag: 'approvals',
  summary: 'Calls that wait for a person',
  access: ['read', 'approve'],
  answers: { 200: { description: 'The open questions of the scope, oldest first.', schema: Approvals } },
  handle: async ({ tenant }, parts) =>
    answer(getApprovals, parts, 200, { approvals: parts.desk.pending(tenant.scope).map(toApproval) }),
})

const decide: Route = defineRoute({
  method: 'post',
  path: '/v1/approvals/{id}',
  operationId: 'decide',
  tag: 'approvals',
  summary: 'Approve or reject a call',
  description:
    'For the call that was asked about and no other. The token must have the grant `approve`, and must not be the one whose run or step made the call: what asks may not answer. Of two decisions the first one counts.',
  access: ['approve'],
  params: z.strictObject({ id: ResourceId }),
  body: DecisionRequest,
  bodyExample: { decision: 'approve' },
  answers: { 200: { description: 'It is decided.', schema: Decided } },
  problems: [403, 404, 409, 422],
  handle: async ({ params, body, tenant }, parts) => {
    const asked = parts.desk.find(tenant.scope, params.id)
    if (asked !== undefined && parts.active.isAtWork(asked.sessionId, tenant))
      throw new Problem('FORBIDDEN', 'this token made the call that is asked about; another one has to decide')
    const { decision, reason } = body
    const decided = parts.desk.decide(tenant.scope, params.id, {
      answer: decision,
      by: tenant.name,
      ...(reason !== undefined && { reason }),
    })
    switch (decided.result) {
      case 'unknown':
        throw new Problem('NOT_FOUND', 'there is no such question in the scope of this token; its call may have ended')
      case 'decided':
        throw new Problem('CONFLICT', 'the question was decided before')
      case 'done': {
        const { sessionId, callId, toolName } = decided.approval
        parts.log.info({ decision, by: tenant.name, sessionId, callId, toolName }, 'approval decided')
        return answer(decide, parts, 200, { id: params.id, decision, by: tenant.name })
      }
    }
  },
})

export const APPROVAL_ROUTES: readonly Route[] = [getApprovals, decide]

function toApproval({ scope: _scope, ...shown }: PendingApproval) {
  return shown
}
