import { Hono } from 'hono'
import type { Seen } from './access-log.ts'
import { dispatch } from './dispatch.ts'
import { guardTenant, type GuardOptions } from './guard-request.ts'
import { createOpenApi } from './openapi.ts'
import { Problem } from './problems.ts'
import type { BodyLimits } from './read-body.ts'
import { ROUTES } from './routes/all-routes.ts'
import type { ServiceParts } from './service-parts.ts'

interface Env {
  Bindings: { readonly seen: Seen }
}

/** The routes on their paths. What a handler throws comes out as it is: `service.ts` makes an answer of it. */
export function createApp(options: {
  readonly parts: ServiceParts
  readonly guard: GuardOptions
  readonly body: BodyLimits
  readonly version: string
}): Hono<Env> {
  const { parts, guard, body } = options
  const app = new Hono<Env>()
  // Made when it is asked for: nobody should wait for it at the start.
  let openApi: string | undefined
  app.get('/openapi.json', (c) => {
    c.env.seen.route = '/openapi.json'
    openApi ??= JSON.stringify(createOpenApi(ROUTES, options.version))
    return new Response(openApi, { headers: { 'content-type': 'application/json' } })
  })
  for (const route of ROUTES) {
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) => {
      const { seen } = c.env
      seen.route = route.path
      const onTenant = ({ name }: { readonly name: string }) => void (seen.tenant = name)
      return dispatch(route, c.req.raw, c.req.param(), { parts, guard, body, onTenant })
    })
  }
  for (const path of new Set([...ROUTES.map((route) => route.path), '/openapi.json'])) {
    const methods = ROUTES.filter((route) => route.path === path).map((route) => route.method.toUpperCase())
    const allow = methods.length === 0 ? 'GET' : methods.join(', ')
    app.all(honoPath(path), (c) => {
      c.env.seen.route = path
      throw new Problem('METHOD_NOT_ALLOWED', `this path takes ${allow}`, { headers: { allow } })
    })
  }
  app.notFound((c) => {
    // Who may not come in learns no paths either.
    c.env.seen.tenant = guardTenant(c.req.raw, guard).name
    throw new Problem('NOT_FOUND', 'there is no such path; see /openapi.json')
  })
  app.onError((error) => {
    throw error
  })
  return app
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
