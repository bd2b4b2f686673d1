import { z } from 'zod'
import { SERVER_DEFAULTS as DEFAULTS } from '../defaults.ts'
import { milliseconds, text, wholeNumber } from './fields.ts'

const MAX_BYTES = 1024 * 1024 * 1024
const host = text(255, 'A host name or address, without port').regex(/^[A-Za-z0-9.\-_:[\]]+$/, {
  error: 'must be a host name or an address, without scheme, port and path',
})
const origin = text(300, 'An origin, as browsers send it').regex(/^https?:\/\/[^/\s?#@]+$/, {
  error: 'must be an origin such as "https://app.example.com": scheme, host and port, and nothing after them',
})

export const serverSchema = z
  .strictObject({
    host: host.optional().describe(`Address to listen on. Default ${DEFAULTS.host}`),
    port: wholeNumber(0, 65_535, `Default ${DEFAULTS.port}; 0 takes any free one`).optional(),
    allowedHosts: z
      .array(host)
      .max(100)
      .optional()
      .describe('Values of the Host header that are answered. Default: loopback names and host'),
    allowedOrigins: z
      .array(origin)
      .max(100)
      .optional()
      .describe('Values of the Origin header that are answered. Default: none'),
    maxBodyBytes: wholeNumber(1_024, MAX_BYTES, `Size of one request. Default ${DEFAULTS.maxBodyBytes}`).optional(),
    maxHeaderBytes: wholeNumber(
      1_024,
      1024 * 1024,
      `Size of its headers. Default ${DEFAULTS.maxHeaderBytes}`,
    ).optional(),
    requestTimeoutMs: milliseconds(
      `Time in which a request must have arrived. Default ${DEFAULTS.requestTimeoutMs}`,
    ).optional(),
    maxConnections: wholeNumber(1, 65_536, `Open connections. Default ${DEFAULTS.maxConnections}`).optional(),
    maxQueuePerTenant: wholeNumber(
      1,
      65_536,
      `Requests of one tenant that may wait. Default ${DEFAULTS.maxQueuePerTenant}`,
    ).optional(),
    drainMs: milliseconds(
      `How long open requests may go on once the service ends. Default ${DEFAULTS.drainMs}`,
    ).optional(),
    telemetry: z
      .strictObject({
        content: z.boolean().optional().describe('Whether spans carry programs, arguments and results. Default false'),
      })
      .optional(),
  })
  .describe('The HTTP service')
export type ServerEntrySettings = z.infer<typeof serverSchema>
