import { z } from 'zod'

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
        .regex(/^[^\s/@?#]+$/, 'a host is "name" or "name:port", without a scheme or a path'),
    )
    .optional()
    .describe('Hosts ("name" or "name:port") that may be at such addresses all the same.'),
  idempotencyHeader: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The header that carries the idempotency key of a call that has one.'),
}
