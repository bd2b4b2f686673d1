import type { Grant, ServerSettings } from './settings.ts'

/**
 * Every default that a configuration file does not inherit from the engine (`src/config.ts`) or from a policy. An origin
 * of a browser is refused until it is named; the rest is sized for one service on one machine.
 */
export const SERVER_DEFAULTS: ServerSettings = {
  host: '127.0.0.1',
  port: 8_765,
  allowedOrigins: [],
  maxBodyBytes: 4 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  requestTimeoutMs: 30_000,
  maxConnections: 1_024,
  maxQueuePerTenant: 64,
  drainMs: 30_000,
  telemetry: { content: false },
}

/** Enough for an agent that writes programs; to call tools directly or to answer for a person must be said. */
export const DEFAULT_GRANTS: readonly Grant[] = ['run', 'read']

export const DEFAULT_SPILL_BYTES = 32 * 1024
