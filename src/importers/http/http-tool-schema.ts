import { z } from 'zod'
import { authSchema } from './auth.ts'
import { guardFields } from './guard-fields.ts'

const schema = z.record(z.string(), z.unknown())

/** One request as a tool, written by hand: `"http": [ … ]`. Texts of `url`, `auth` and `headers` may hold `${NAME}`. */
export const httpToolSchema = z.strictObject({
  name: z.string().min(1).max(128).describe('"name" or "namespace.name".'),
  description: z.string().max(50_000),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
  url: z.string().min(1).max(10_000).describe('With {placeholders} in the path or the query, each an argument.'),
  inputSchema: schema.optional().describe('JSON Schema of the arguments. Default: every placeholder, as a text.'),
  outputSchema: schema.optional().describe('JSON Schema of the answer.'),
  headers: z.record(z.string(), z.string()).optional(),
  auth: authSchema.optional(),
  body: z
    .strictObject({
      as: z.enum(['json', 'form', 'multipart', 'text', 'binary']),
      from: z
        .string()
        .min(1)
        .optional()
        .describe('The argument that is the body. Default: all that are no placeholders.'),
      mediaType: z
        .string()
        .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/)
        .optional(),
    })
    .optional()
    .describe(
      'Default: JSON of the arguments that are no placeholders; for GET, HEAD and DELETE they go into the query.',
    ),
  ...guardFields,
})
export type HttpToolEntry = z.infer<typeof httpToolSchema>
