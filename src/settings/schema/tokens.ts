import { z } from 'zod'
import { DEFAULT_GRANTS } from '../defaults.ts'
import type { Grant } from '../settings.ts'
import { text } from './fields.ts'

export const GRANTS = ['run', 'call', 'read', 'approve', 'elicit'] as const satisfies readonly Grant[]

/** Where a secret is. The secret itself has no place in the file: files are shared, logged and committed. */
const secretSource = z
  .strictObject(
    {
      env: text(128, 'Name of the environment variable that holds the secret')
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
          error: 'must be the name of an environment variable, without $ and braces',
        })
        .optional(),
      file: text(4_096, 'Path of a file that holds the secret and nothing else').optional(),
      sha256: z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/, { error: 'must be the SHA-256 of the secret: 64 hexadecimal digits' })
        .optional()
        .describe('SHA-256 of the secret, in hexadecimal'),
    },
    {
      error: (issue) =>
        typeof issue.input === 'string'
          ? 'must say where the secret is, and not be the secret: { "env": "NAME" }, { "file": "path" } or { "sha256": "…" }. What stands here now may have been read by others: replace it'
          : undefined,
    },
  )
  .superRefine((source, context) => {
    if (Object.keys(source).length !== 1)
      context.addIssue({ code: 'custom', message: 'must say exactly one of "env", "file", "sha256"' })
  })
  .meta({ minProperties: 1, maxProperties: 1 })
  .describe('Where the secret is: an environment variable, a file, or only its SHA-256')
export type SecretSource = z.infer<typeof secretSource>

export const tokenSchema = z.strictObject({
  name: text(64, 'How the token is called in logs')
    .regex(/^[\w.-]+$/, { error: 'must be letters, digits, "_", "-" and "."' })
    .describe('How the token is called in logs and in approvals'),
  scope: text(64, 'The scope that it opens').optional().describe('The scope that it opens. Default global'),
  may: z
    .array(z.enum(GRANTS))
    .min(1)
    .optional()
    .describe(
      `run: run programs; call: call tools directly; read: tools, SDK and its own runs; approve: decide approvals; elicit: answer questions of servers. Default ${DEFAULT_GRANTS.join(', ')}`,
    ),
  secret: secretSource,
})
export type TokenEntry = z.infer<typeof tokenSchema>

export const tokensSchema = z.array(tokenSchema).max(10_000).describe('Who may use the HTTP service, for what')
