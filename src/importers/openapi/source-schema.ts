import { z } from 'zod'
import { authSchema } from '../http/auth.ts'
import { guardFields } from '../http/guard-fields.ts'

/** What a configuration says about one API: `"openapi": [ … ]`. Texts of `spec`, `baseUrl`, `auth` and `headers` may hold `${NAME}`. */
export const openApiSourceSchema = z.strictObject({
  name: z.string().min(1).max(128).describe('The namespace of its tools.'),
  spec: z.string().min(1).describe('Path or URL of the OpenAPI (3.x) or Swagger (2.0) document, JSON or YAML.'),
  baseUrl: z.string().min(1).optional().describe('Where the API is. Default: the first server of the document.'),
  auth: authSchema.optional(),
  include: z
    .array(z.string().min(1).max(500))
    .optional()
    .describe('Operations to take: an operationId, "tag:name", "/path/**" or "GET /path/**"; * stands for anything.'),
  exclude: z.array(z.string().min(1).max(500)).optional().describe('Operations to leave out, as in include.'),
  headers: z.record(z.string(), z.string()).optional().describe('Sent with every call, and with nothing else.'),
  checkResponses: z
    .boolean()
    .optional()
    .describe('false: an answer that does not match the document is passed on. Default true: it is a failure.'),
  ...guardFields,
})
export type OpenApiSource = z.infer<typeof openApiSourceSchema>
