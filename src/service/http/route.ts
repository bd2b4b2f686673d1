import type { z } from 'zod'
import type { Grant } from '../../settings/settings.ts'
import type { Tenant } from '../auth/tenant.ts'
import type { ServiceParts } from './service-parts.ts'

/** What a handler is given: everything from outside is checked already. */
export interface RouteCall<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Of an open route: nobody in particular. */
  readonly tenant: Tenant
  readonly request: Request
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  readonly idempotencyKey: string | undefined
  /** SHA-256 of what the request asks for, whatever its spelling. */
  readonly digest: string
}

export interface RouteAnswer {
  readonly description: string
  /** Absent: no body. */
  readonly schema?: z.ZodType
  /** Default `application/json`. */
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly example?: unknown
}

export interface RouteSpec<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: 'get' | 'post' | 'delete'
  /** `/v1/runs/{id}` */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Any one of these grants lets in; `token`: any token; `open`: nobody is asked. */
  readonly access: 'open' | 'token' | readonly Grant[]
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly bodyExample?: unknown
  /** Reads `Idempotency-Key`: the answer is kept for it, or the route knows by itself what it has made. */
  readonly takesKey?: 'keeps-answer' | 'by-itself'
  /** What the grants say beyond `access`; asked before a kept answer is given, too. Throws `Problem`. */
  authorize?(call: RouteCall<z.infer<Params>, z.infer<Query>, z.infer<Body>>): void
  /** Headers that it reads besides. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Whether it begins work: such routes answer 503 while the service ends. */
  readonly isIntake?: boolean
  readonly answers: Readonly<Record<number, RouteAnswer>>
  /** Statuses of problems that are its own; those that every route has are added. */
  readonly problems?: readonly number[]
  handle(call: RouteCall<z.infer<Params>, z.infer<Query>, z.infer<Body>>, parts: ServiceParts): Promise<Response>
}

/** A route whose schemas are only known to be schemas. */
export type Route = RouteSpec<z.ZodType, z.ZodType, z.ZodType>

export function defineRoute<
  Params extends z.ZodType = z.ZodObject<Record<never, never>>,
  Query extends z.ZodType = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodObject<Record<never, never>>,
>(spec: RouteSpec<Params, Query, Body>): Route {
  // Sound: the service hands a handler only what these very schemas have parsed.
  return spec as unknown as Route
}

/** A JSON answer of a route, checked against what the route promises when the service is told to. */
export function answer(
  route: Route,
  parts: ServiceParts,
  status: number,
  value: unknown,
  headers?: Record<string, string>,
): Response {
  if (parts.checksAnswers) route.answers[status]?.schema?.parse(JSON.parse(JSON.stringify(value)))
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}
