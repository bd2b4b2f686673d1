import { z } from 'zod'
import { TIERS } from '../../registry/tier.ts'
import { scopeEntries, text } from './fields.ts'

export const MAX_SCOPES = 1_000
/** As it stands in a URL, a log and a file name. */
export const SCOPE_NAME = /^[A-Za-z0-9_.-]{1,64}$/

const restriction = z
  .strictObject({
    allow: scopeEntries.optional().describe('Only these may be seen; [] hides everything'),
    deny: scopeEntries.optional().describe('These may not be seen, whatever is allowed'),
    sealed: z.boolean().optional().describe('Holds for what scopes below register themselves, too. In "global" always'),
  })
  .superRefine((given, context) => {
    if (given.allow === undefined && given.deny === undefined)
      context.addIssue({ code: 'custom', message: 'must say "allow" or "deny"; "allow": [] hides everything' })
  })

export const scopeSchema = z.strictObject({
  parent: text(64, 'The scope that this one inherits from. Default global').optional(),
  mode: z
    .enum(['native', 'code', 'both'])
    .optional()
    .describe('What a model is given: the tools, run_code, or both. Default: as the parent; code in "global"'),
  servers: z
    .array(text(128, 'A name of mcpServers or openapi'))
    .max(1_000)
    .optional()
    .describe('Only the tools of these servers, of all that the file describes. Tools of "http" are not concerned'),
  restrictions: z
    .union([restriction, z.array(restriction).max(100)])
    .optional()
    .describe('Which tools may be seen here and below; several must all permit a tool'),
  tiers: z
    .record(z.string(), z.enum(TIERS))
    .optional()
    .describe('Which entry a model has to a tool (or "ns.*"): native (directly), code (from programs), both'),
})
export type ScopeEntry = z.infer<typeof scopeSchema>

export const scopesSchema = z
  .record(z.string(), scopeSchema)
  .describe('Who sees which tools, by name of the scope. "global" is the one that every other inherits from')
  .meta({ propertyNames: { pattern: SCOPE_NAME.source } })
