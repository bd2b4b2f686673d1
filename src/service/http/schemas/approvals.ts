import { z } from 'zod'

export const Approval = z
  .strictObject({
    id: z.string(),
    sessionId: z.string(),
    callId: z.string(),
    rootCallId: z.string(),
    toolName: z.string(),
    arguments: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What is executed, byte for byte, if it is approved.' }),
    reasons: z.array(z.string()),
    askedAtMs: z.number(),
  })
  .meta({ id: 'Approval' })

export const Approvals = z.strictObject({ approvals: z.array(Approval) }).meta({ id: 'Approvals' })

export const DecisionRequest = z
  .strictObject({ decision: z.enum(['approve', 'reject']), reason: z.string().max(1_000).optional() })
  .meta({ id: 'DecisionRequest' })

export const Decided = z
  .strictObject({ id: z.string(), decision: z.enum(['approve', 'reject']), by: z.string() })
  .meta({ id: 'Decided' })
