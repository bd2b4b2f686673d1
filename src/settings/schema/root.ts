import { z } from 'zod'
import { TYPECHECK_MODES } from '../../codemode/preflight.ts'
import { wholeNumber, text } from './fields.ts'
import { limitsSchema } from './limits.ts'
import { mcpServersSchema } from './mcp-servers.ts'
import { policiesSchema } from './policies.ts'
import { scopesSchema } from './scopes.ts'
import { serverSchema } from './server.ts'
import { httpSchema, openApiSchema } from './sources.ts'
import { tokensSchema } from './tokens.ts'

export type { PolicySettings } from './policies.ts'
export type { HttpToolEntry, OpenApiSource } from './sources.ts'

const MAX_POOL = 65_536

/** Everything that a `codeferry.json` may say. A key that is not here is a fault: a misspelt rule must not be no rule. */
export const rootSchema = z.strictObject({
  $schema: z.string().optional().describe('For editors'),
  mcpServers: mcpServersSchema.optional(),
  openapi: openApiSchema.optional(),
  http: httpSchema.optional(),
  scopes: scopesSchema.optional(),
  policies: policiesSchema.optional(),
  limits: limitsSchema.optional(),
  typecheck: z
    .enum(TYPECHECK_MODES)
    .optional()
    .describe('What a type error in a program does: refuse it, be noticed, or not be looked for. Default error'),
  requireConfinement: z
    .enum(['none', 'basic', 'strong'])
    .optional()
    .describe('The weakest sandbox that is good enough to start. Default basic'),
  pool: z
    .strictObject({
      maxChildren: wholeNumber(1, MAX_POOL, 'Sandbox processes in all. Default 8').optional(),
      childrenPerTenant: wholeNumber(1, MAX_POOL, 'Sandbox processes of one tenant. Default 2').optional(),
      maxQueue: wholeNumber(1, MAX_POOL, 'Programs that may wait for one. Default 512').optional(),
      parkAfterMs: wholeNumber(
        1,
        MAX_POOL,
        'Milliseconds after which a program that waits for a person gives its isolate back. Default 30000',
      ).optional(),
    })
    .optional()
    .describe('How many sandbox processes there may be'),
  tokens: tokensSchema.optional(),
  store: z
    .union([z.literal('memory'), z.strictObject({ sqlite: text(4_096, 'Path of the file, relative to this one') })])
    .optional()
    .describe(
      'Where sessions are kept: "memory", or a SQLite file. Default memory; for codeferry serve, codeferry.sqlite in its folder',
    ),
  server: serverSchema.optional(),
})
export type SettingsDocument = z.infer<typeof rootSchema>
