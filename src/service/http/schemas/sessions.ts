import { z } from 'zod'
import { AnyJson, Approval, ContentBlock, Failure, ToolName, UserMessage } from './shared.ts'

export const SessionRequest = z.strictObject({}).meta({ id: 'SessionRequest' })

export const Session = z.strictObject({ id: z.string(), scope: z.string() }).meta({ id: 'Session' })

export const StepRequest = z
  .strictObject({
    calls: z
      .array(
        z.strictObject({
          callId: z
            .string()
            // Without a slash: that is what nested calls are told by.
            .regex(/^[\w.:|=+@-]{1,128}$/)
            .optional()
            .meta({ description: 'Of the model’s provider; made unique in the session.' }),
          name: ToolName.meta({ description: 'As the model was shown it, or as it is registered.' }),
          arguments: z
            .string()
            .meta({ description: 'The raw string of the model: JSON of an object, or what it thought was that.' }),
        }),
      )
      .min(1)
      .max(128),
  })
  .meta({ id: 'StepRequest', description: 'The tool calls of one step of a model, in its order.' })

export const StepResult = z
  .strictObject({
    callId: z.string(),
    name: z.string(),
    isError: z.boolean(),
    content: z.array(ContentBlock),
    value: AnyJson.optional().meta({ description: 'Of a success: for programs, not for the model.' }),
    error: Failure.optional(),
    meta: AnyJson.optional().meta({ description: 'For user interfaces.' }),
    approval: Approval.optional(),
  })
  .meta({ id: 'StepResult' })

export const Step = z
  .strictObject({
    results: z.array(StepResult).meta({ description: 'In the order of the calls.' }),
    contexts: z.array(UserMessage).meta({ description: 'Messages to put after the results.' }),
    concludesTurn: z.boolean().meta({ description: 'Whether a tool asked that the model’s turn end here.' }),
  })
  .meta({ id: 'Step' })

export const Messages = z
  .strictObject({
    messages: z.array(
      z.discriminatedUnion('role', [
        z.strictObject({ role: z.literal('assistant'), callId: z.string(), name: z.string(), arguments: z.string() }),
        z.strictObject({ role: z.literal('tool'), callId: z.string(), content: z.array(ContentBlock) }),
        z.strictObject({ role: z.literal('user'), content: z.array(ContentBlock) }),
      ]),
    ),
  })
  .meta({ id: 'Messages' })
