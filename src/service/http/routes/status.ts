import { z } from 'zod'
import { Problem } from '../problems.ts'
import { answer, defineRoute, type Route } from '../route.ts'

const Status = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Status' })

const healthz: Route = defineRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'isAlive',
  tag: 'status',
  summary: 'Whether the process answers',
  access: 'open',
  answers: { 200: { description: 'It does.', schema: Status, example: { status: 'ok' } } },
  handle: async (_call, parts) => answer(healthz, parts, 200, { status: 'ok' }),
})

const readyz: Route = defineRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'isReady',
  tag: 'status',
  summary: 'Whether it takes work',
  access: 'open',
  answers: { 200: { description: 'It does.', schema: Status, example: { status: 'ok' } } },
  problems: [503],
  handle: async (_call, parts) => {
    if (parts.isEnding()) throw new Problem('SHUTTING_DOWN', 'the service ends and takes nothing new')
    return answer(readyz, parts, 200, { status: 'ok' })
  },
})

const getMetrics: Route = defineRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tag: 'status',
  summary: 'What was counted, for Prometheus',
  description:
    'Numbers of the whole process. Tools are named when the scope of the token sees them; others are counted together.',
  access: 'token',
  answers: { 200: { description: 'Prometheus text.', mediaType: 'text/plain', schema: z.string() } },
  handle: async ({ tenant }, parts) => {
    using lease = parts.leases.take()
    const { toolsByName } = lease.engine.registry.view(tenant.scope)
    const ofCalls = parts.callMetrics?.text({ shows: (tool) => toolsByName.has(tool) }) ?? ''
    return new Response(parts.metrics.text() + ofCalls, {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    })
  },
})

export const STATUS_ROUTES: readonly Route[] = [healthz, readyz, getMetrics]
