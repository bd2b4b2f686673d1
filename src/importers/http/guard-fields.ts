import { z } from 'zod'
import { canonicalHost, HOST_PATTERN, HOST_RULE } from './host-pattern.ts'

const MAX_TIMER_MS = 2 ** 31 - 1
const MAX_BYTES = 256 * 1024 * 1024

/** What every entry that leads to HTTP calls may say about them. */
export const guardFields = {
  timeoutMs: z.int().min(1).max(MAX_TIMER_MS).optional().describe('One call with its redirects. Default 60000.'),
  maxResponseBytes: z.int().min(1).max(MAX_BYTES).optional().describe('Of a decompressed answer. Default 10 MiB.'),
  allowPrivate: z
    .boolean()
    .optional()
    .describe('true: private, loopback and link-local addresses may be reached. Default false.'),
  allowHosts: z
    .array(
      z
        .string()
        .max(300)
        .regex(HOST_PATTERN, HOST_RULE)
        .refine((host) => !HOST_PATTERN.test(host) || canonicalHost(host) !== undefined, HOST_RULE),
    )
    .optional()
    .describe('Hosts ("name" or "name:port") that may be at such addresses all the same; no wildcards.'),
  idempotencyHeader: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The header that carries the idempotency key of a call that has one.'),
}
