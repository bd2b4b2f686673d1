import { z } from 'zod'

/** Any JSON value. Bodies are parsed strictly before a schema sees them, so there is nothing else. */
export const AnyJson = z.unknown().meta({ description: 'Any JSON value.' })

export const ContentBlock = z.looseObject({ type: z.string() }).meta({
  id: 'ContentBlock',
  description: 'What a model reads, in the vocabulary of MCP: text, image, audio, resource.',
})

export const Failure = z
  .strictObject({
    code: z.string().meta({ description: 'A code of the table of failures, or a tool’s own.' }),
    message: z.string(),
    phase: z.string(),
    bodyStarted: z.boolean().meta({ description: 'Whether the tool had begun: side effects are possible.' }),
    retryable: z.boolean().meta({ description: 'Whether the same call may work later, unchanged.' }),
    details: AnyJson.optional(),
  })
  .meta({ id: 'Failure' })

export const Approval = z
  .strictObject({
    answer: z.enum(['approve', 'reject', 'dismiss']),
    by: z.string().optional().meta({ description: 'Name of the token that decided.' }),
  })
  .meta({ id: 'ApprovalAnswer', description: 'What a person decided about the call; absent when nobody was asked.' })

export const UserMessage = z
  .strictObject({
    role: z.literal('user'),
    content: z.array(ContentBlock),
    source: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'UserMessage', description: 'A message for the model that rode home on a result.' })

export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().meta({ description: 'What programs read: a failure code, or one of the codes of requests.' }),
    detail: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' })

/** Ids of this service, and those that the other servers of the engine give. */
export const ResourceId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)

export const ToolName = z.string().min(1).max(256)
