import { digestJson } from '../../data/canonical.ts'
import { isRecord, type Json } from '../../data/json.ts'
import { z } from 'zod'
import type { Tenant } from '../auth/tenant.ts'
import { guardTenant, type GuardOptions } from './guard-request.ts'
import { keyReused, Problem } from './problems.ts'
import { readJson, type BodyLimits } from './read-body.ts'
import type { Route, RouteCall } from './route.ts'
import type { ServiceParts } from './service-parts.ts'

/** From a request that Host and Origin have let in to the handler of its route. Throws `Problem`. */
export async function dispatch(
  route: Route,
  request: Request,
  pathParams: Readonly<Record<string, string>>,
  options: {
    readonly parts: ServiceParts
    readonly guard: GuardOptions
    readonly body: BodyLimits
    readonly onTenant: (tenant: Tenant) => void
  },
): Promise<Response> {
  const { parts } = options
  const tenant = route.access === 'open' ? NOBODY : guardTenant(request, options.guard)
  options.onTenant(tenant)
  if (Array.isArray(route.access) && !route.access.some((grant) => tenant.may.has(grant)))
    throw new Problem(
      'FORBIDDEN',
      `this needs a token with the grant ${route.access.join(' or ')}; this one has ${[...tenant.may].join(', ') || 'none'}`,
    )
  if (route.isIntake === true && parts.isEnding())
    throw new Problem('SHUTTING_DOWN', 'the service ends and takes nothing new', {
      retryAfterSeconds: 5,
      headers: { connection: 'close' },
    })
  // An id that is none is an id that nobody has.
  const params = route.params?.safeParse(pathParams) ?? { success: true, data: {} }
  if (!params.success) throw new Problem('NOT_FOUND', 'there is no such thing in the scope of this token')
  const query = parse(route.query ?? NO_QUERY, queryOf(request), 'query')
  const raw = route.body === undefined ? {} : await readJson(request, options.body)
  const body = route.body === undefined ? {} : parse(route.body, raw, 'body')
  const idempotencyKey = route.takesKey === undefined ? undefined : keyOf(request)
  const call: RouteCall<unknown, unknown, unknown> = {
    params: params.data,
    query,
    body,
    tenant,
    request,
    signal: request.signal,
    idempotencyKey,
    digest: route.body === undefined ? '' : digestJson([route.operationId, { ...pathParams }, raw] as Json), // Parsed as JSON.
  }
  route.authorize?.(call)
  if (route.takesKey !== 'keeps-answer' || idempotencyKey === undefined) return await route.handle(call, parts)
  return await keyedAnswer(route, call, idempotencyKey, parts)
}

async function keyedAnswer(
  route: Route,
  call: RouteCall<unknown, unknown, unknown>,
  key: string,
  parts: ServiceParts,
): Promise<Response> {
  const kept = await parts.replies.once(call.tenant.scope, key, call.digest, async () => {
    const response = await route.handle(call, parts)
    const text = await response.text()
    return { status: response.status, headers: [...response.headers], body: text, isFinal: isFinal(response, text) }
  })
  switch (kept.kind) {
    case 'reply':
      return new Response(kept.reply.body, {
        status: kept.reply.status,
        headers: kept.reply.headers.map(([n, v]): [string, string] => [n, v]),
      })
    case 'mismatch':
      throw keyReused()
    case 'full':
      throw new Problem('TOO_MANY_REQUESTS', 'too many requests with an Idempotency-Key are under way', {
        retryAfterSeconds: 1,
      })
  }
}

/** What a failed call answers says whether its body had started: then there may be effects, which must not come twice. */
function isFinal({ ok }: Response, text: string): boolean {
  if (ok) return true
  const problem: unknown = JSON.parse(text)
  return isRecord(problem) && problem['bodyStarted'] === true
}

const NOBODY: Tenant = { name: '', tokenId: '', scope: '', may: new Set() }
const NO_QUERY = z.strictObject({})
const MAX_VIOLATIONS = 20

function queryOf(request: Request): Readonly<Record<string, string>> {
  const values = new Map<string, string>()
  for (const [name, value] of new URL(request.url).searchParams) {
    if (values.has(name))
      throw new Problem('BAD_REQUEST', `the parameter ${JSON.stringify(name.slice(0, 60))} stands twice in the URL`)
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

function parse(schema: z.ZodType, value: unknown, what: 'body' | 'query'): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const violations = parsed.error.issues.slice(0, MAX_VIOLATIONS).map(({ path, message }) => ({
    path: path.map((part) => `/${String(part).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    message: message.slice(0, 300),
  }))
  const [first] = violations
  throw new Problem(
    'INVALID_ARGS',
    `the ${what} does not match: ${first?.path || `(the ${what})`}: ${first?.message ?? ''}`,
    { title: `The ${what} does not match what this path takes.`, members: { violations } },
  )
}

/** Undefined when there is none. */
function keyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Problem('BAD_REQUEST', 'an Idempotency-Key is 1–255 visible ASCII characters')
}
