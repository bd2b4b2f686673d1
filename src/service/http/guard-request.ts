import type { Tenant } from '../auth/tenant.ts'
import type { TokenCheck } from '../auth/token-check.ts'
import { Problem } from './problems.ts'

export interface GuardOptions {
  readonly check: TokenCheck
  /** Values of `Host`, without port, in lower case. */
  readonly allowedHosts: ReadonlySet<string>
  readonly allowedOrigins: ReadonlySet<string>
}

/** The names of this machine's loopback, and the one that is listened on. */
export function defaultHosts(host: string): readonly string[] {
  return ['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host]
}

/** Names under which people put secrets into URLs. */
const SECRET_PARAMETERS = ['token', 'access_token', 'auth', 'authorization', 'api_key', 'apikey', 'key', 'bearer']

/**
 * What is asked of every request, whatever its path. A page in a browser can make requests to this machine under a name
 * of its own (DNS rebinding) or without asking (simple cross-origin POSTs): the first shows in `Host`, the second in
 * `Origin`. Throws `Problem`.
 */
export function guardOrigin(request: Request, options: GuardOptions): void {
  const url = new URL(request.url)
  const host = (request.headers.get('host') ?? url.host).toLowerCase()
  // A target may be a whole URL, whose name then goes before that of the header.
  if (!isAllowedHost(host, options) || !isAllowedHost(url.host, options))
    throw new Problem('FORBIDDEN', 'the Host of the request is not one of this service; see server.allowedHosts')
  const origin = request.headers.get('origin')
  // A page that this service served itself has its very scheme, name and port.
  if (origin !== null && origin !== `${url.protocol}//${host}` && !options.allowedOrigins.has(origin))
    throw new Problem('FORBIDDEN', 'the Origin of the request may not use this service; see server.allowedOrigins')
  for (const name of url.searchParams.keys()) {
    if (SECRET_PARAMETERS.includes(name.toLowerCase()))
      throw new Problem(
        'UNAUTHENTICATED',
        `a token is sent in the Authorization header, never in the URL (found parameter "${name.toLowerCase()}"); URLs are logged on the way, so replace a token that was in one`,
        { headers: CHALLENGE },
      )
  }
}

function isAllowedHost(host: string, { allowedHosts }: GuardOptions): boolean {
  return allowedHosts.has(host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.replace(/:\d*$/, ''))
}

/** Who the request comes from. Throws `Problem`. */
export function guardTenant(request: Request, { check }: GuardOptions): Tenant {
  const tenant = check(request.headers.get('authorization'))
  if (tenant !== undefined) return tenant
  throw new Problem('UNAUTHENTICATED', 'send "Authorization: Bearer <token>" with a token of this service', {
    headers: CHALLENGE,
  })
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="codeferry"' }
