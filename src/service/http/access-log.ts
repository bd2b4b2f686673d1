import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'

/** What is known of a request for the log. Names of routes, never paths: those hold ids, and what people put into URLs. */
export interface Seen {
  route: string
  tenant: string
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** One line and one count for each request, when its answer begins. */
export function writeAccess(
  log: Logger,
  metrics: Metrics,
  request: Request,
  seen: Seen,
  status: number,
  ms: number,
): void {
  const method = METHODS.has(request.method) ? request.method : 'other'
  const facts = { method, route: seen.route, status, durationMs: Math.round(ms * 10) / 10, tenant: seen.tenant }
  if (status >= 500) log.warn(facts, 'request')
  else log.info(facts, 'request')
  metrics.count('codeferry_http_requests_total', { method, route: seen.route, status: String(status) })
  metrics.count('codeferry_http_request_seconds_total', { route: seen.route }, ms / 1_000)
}
