import { z } from 'zod'
import { isRecord } from '../../../data/json.ts'
import { AnyJson, Approval, ContentBlock, ResourceId, ToolName } from './shared.ts'

export const ToolsQuery = z.strictObject({ format: z.enum(['mcp', 'openai', 'anthropic']).default('mcp') })

export const Tools = z
  .strictObject({
    mode: z.enum(['native', 'code', 'both']),
    tools: z.array(z.record(z.string(), z.unknown())).meta({ description: 'In the shape that `format` names.' }),
  })
  .meta({ id: 'Tools' })

export const SdkQuery = z.strictObject({
  level: z.enum(['L0', 'L1', 'L2', 'L3', 'L4']).optional(),
  budget: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .meta({ description: 'In tokens of four characters.' }),
  search: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: 'Gives the tools that fit these words best instead.' }),
  limit: z.coerce.number().int().min(1).max(50).optional().meta({ description: 'Most hits of a search.' }),
  prompt: z.enum(['true', 'false']).optional().meta({ description: 'With the whole system prompt for a model.' }),
})

export const SearchHit = z
  .strictObject({
    name: z.string(),
    call: z.string().meta({ description: 'How a program calls it.' }),
    signature: z.string(),
    description: z.string(),
  })
  .meta({ id: 'SearchHit' })

export const Sdk = z
  .strictObject({
    level: z.string(),
    tokens: z.int(),
    text: z.string(),
    warnings: z.array(z.unknown()),
    systemPrompt: z.string().optional(),
    hits: z.array(SearchHit).optional(),
  })
  .meta({ id: 'Sdk' })

export const SearchRequest = z
  .strictObject({ query: z.string().max(1_000), limit: z.int().min(1).max(50).optional() })
  .meta({ id: 'SearchRequest' })

export const SearchResponse = z
  .strictObject({
    tools: z.array(
      z.strictObject({
        ...SearchHit.shape,
        nativeName: z.string(),
        parameters: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of the arguments.' }),
        outputSchema: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  })
  .meta({ id: 'SearchResponse' })

/** As it came: zod's own objects and records drop a key named `__proto__` and say nothing. */
const ArgumentObject = z
  .unknown()
  .refine(isRecord, 'must be an object')
  .meta({ type: 'object', additionalProperties: {} })

export const CallRequest = z
  .strictObject({
    name: ToolName,
    arguments: z
      .union([ArgumentObject, z.string()])
      .default({})
      .meta({ description: 'An object, or the raw string of a model.' }),
    sessionId: ResourceId.optional().meta({ description: 'Whose log the call belongs to. Default: one of its own.' }),
  })
  .meta({ id: 'CallRequest' })

export const CallResponse = z
  .strictObject({
    callId: z.string(),
    sessionId: z.string(),
    value: AnyJson.optional(),
    content: z.array(ContentBlock),
    meta: AnyJson.optional(),
    approval: Approval.optional(),
    isFromLog: z.literal(true).optional().meta({
      description: 'The answer is no longer in memory: its value is in `content` only.',
    }),
  })
  .meta({ id: 'CallResponse' })
