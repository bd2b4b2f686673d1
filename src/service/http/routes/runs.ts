import { z } from 'zod'
import type { Limits } from '../../../codemode/limits.ts'
import type { Tenant } from '../../auth/tenant.ts'
import { attemptId, attemptOf, isCallOf } from '../../runs/logged-call.ts'
import { newRunIds } from '../../runs/run-ids.ts'
import type { LoggedRun, RunOrder } from '../../runs/run-table.ts'
import type { RunRecord } from '../../runs/run-record.ts'
import { keyReused, Problem } from '../problems.ts'
import { queueProblem } from '../queue-problem.ts'
import { parsePrefer } from '../prefer.ts'
import { answer, defineRoute, type Route, type RouteCall } from '../route.ts'
import { ResourceId } from '../schemas/shared.ts'
import { Run, RUN_EXAMPLE, RunRequest } from '../schemas/runs.ts'
import type { ServiceParts } from '../service-parts.ts'
import { lastEventId, sseResponse } from '../sse.ts'
import { fromLog, toRun } from './run-resource.ts'

const RunParams = z.strictObject({ id: ResourceId })

const createRun: Route = defineRoute({
  method: 'post',
  path: '/v1/runs',
  operationId: 'createRun',
  tag: 'runs',
  summary: 'Run a program',
  description:
    'Waits for the end of the run, unless `Prefer: respond-async` is sent. A program that fails is a run with an `error`, not a failed request. A client that goes away while it waits cancels the run, unless it sent an `Idempotency-Key` to come back with.',
  access: ['run'],
  isIntake: true,
  takesKey: 'by-itself',
  requestHeaders: {
    Prefer: '`respond-async` to be answered at once; `respond-async, wait=10` after at most 10 seconds.',
  },
  body: RunRequest,
  bodyExample: { code: 'return 6 * 7' },
  answers: {
    200: { description: 'The run has ended.', schema: Run, example: RUN_EXAMPLE },
    202: {
      description: 'The run is queued or running.',
      schema: Run,
      headers: { Location: 'Where the run is.', 'Preference-Applied': '`respond-async`' },
    },
  },
  problems: [404, 413, 422, 429, 503],
  handle: async (call, parts) => {
    const { body, tenant, idempotencyKey: key } = call
    const prefer = parsePrefer(call.request.headers.get('prefer'))
    using session = body.sessionId === undefined ? undefined : await parts.sessions.find(tenant.scope, body.sessionId)
    if (body.sessionId !== undefined && session === undefined) throw unknownSession()
    const ids = newRunIds({
      scope: tenant.scope,
      ...(body.sessionId !== undefined && { sessionId: sessionForRuns(body.sessionId) }),
      ...(key !== undefined && { keyed: { key, digest: call.digest } }),
    })
    // One that found no place is in the log as well, but is not the run of the key: the next try is.
    let logged: LoggedRun | undefined
    if (key !== undefined && runOf(ids.runId, tenant, parts) === undefined) {
      logged = await parts.runs.findLogged(tenant.scope, ids.runId)
      if (logged?.hasBegun === true && runOf(ids.runId, tenant, parts) === undefined) {
        if (!isCallOf(logged, ids.callId)) throw keyReused()
        return answer(createRun, parts, 200, fromLog(logged))
      }
    }
    // From here to the start nothing is awaited: of two requests with one key the second finds the first one's run.
    const known = runOf(ids.runId, tenant, parts)
    if (known !== undefined && known.digest !== call.digest) throw keyReused()
    const turnedAway = parts.runs.find(tenant.scope, ids.runId)?.ids.callId
    const tries = Math.max(logged?.attempt ?? 0, turnedAway === undefined ? 0 : attemptOf(turnedAway))
    const callId = attemptId(ids.callId, tries + 1)
    const started = known ?? parts.runs.start(orderOf(call, parts, { ...ids, callId }))
    if (typeof started === 'string') throw queueProblem(started, parts)
    started.isDetached ||= key !== undefined || prefer.isAsync
    await waitFor(started, prefer.isAsync ? prefer.waitMs : undefined, call.signal, parts)
    return respond(started, parts)
  },
})

const getRun: Route = defineRoute({
  method: 'get',
  path: '/v1/runs/{id}',
  operationId: 'getRun',
  tag: 'runs',
  summary: 'Look at a run',
  access: ['read', 'run'],
  params: RunParams,
  answers: { 200: { description: 'The run as it is now.', schema: Run, example: RUN_EXAMPLE } },
  problems: [404],
  handle: async ({ params, tenant }, parts) => {
    const record = parts.runs.find(tenant.scope, params.id)
    if (record !== undefined) return answer(getRun, parts, 200, toRun(record))
    const logged = await parts.runs.findLogged(tenant.scope, params.id)
    if (logged === undefined) throw unknownRun()
    return answer(getRun, parts, 200, fromLog(logged))
  },
})

const watchRun: Route = defineRoute({
  method: 'get',
  path: '/v1/runs/{id}/events',
  operationId: 'watchRun',
  tag: 'runs',
  summary: 'Watch a run',
  description:
    'Server-sent events from the first one on, or from the one after `Last-Event-ID`; none is lost while the run is in memory. The last one is `ended`, with the run; after that a client that comes back is answered 204.',
  access: ['read', 'run'],
  params: RunParams,
  requestHeaders: { 'Last-Event-ID': 'The last event that the client has.' },
  answers: {
    200: { description: 'The events.', mediaType: 'text/event-stream', schema: z.string() },
    204: { description: 'The client has them all.' },
  },
  problems: [404, 429],
  handle: async ({ params, tenant, request, signal }, parts) => {
    const record = parts.runs.find(tenant.scope, params.id)
    const logged = record === undefined ? await parts.runs.findLogged(tenant.scope, params.id) : undefined
    if (record === undefined && logged === undefined) throw unknownRun()
    // A number that was never given out is no reason to leave something out.
    const from = Math.min(lastEventId(request), record?.lastLine ?? ENDED_IN_LOG)
    const isSeen = record === undefined ? from === ENDED_IN_LOG : record.isEnded && from === record.lastLine
    if (isSeen) return new Response(null, { status: 204 })
    const end = parts.streams.begin(tenant.scope)
    if (end === undefined) throw tooManyStreams()
    return sseResponse(
      async function* (stopped) {
        if (record === undefined) {
          // The events are forgotten; that it has ended, and how, is in the log.
          if (logged !== undefined) yield { id: ENDED_IN_LOG, event: 'ended', data: fromLog(logged) }
          return
        }
        for await (const { id, event } of record.follow(from, stopped))
          yield { id, event: event.type, data: event.type === 'ended' ? toRun(record) : event }
      },
      {
        request,
        signal: AbortSignal.any([signal, parts.streamsEnd, parts.lives.signalOf(tenant, ['read', 'run'])]),
        heartbeatMs: parts.heartbeatMs,
        onEnd: end,
      },
    )
  },
})

const cancelRun: Route = defineRoute({
  method: 'delete',
  path: '/v1/runs/{id}',
  operationId: 'cancelRun',
  tag: 'runs',
  summary: 'Cancel a run',
  description: 'Cancelling twice, or what has ended, changes nothing.',
  access: ['run'],
  params: RunParams,
  answers: {
    200: { description: 'The run had ended.', schema: Run },
    202: { description: 'The run is being cancelled.', schema: Run },
  },
  problems: [404],
  handle: async ({ params, tenant }, parts) => {
    const record = parts.runs.find(tenant.scope, params.id)
    if (record !== undefined) {
      const isEnded = record.isEnded
      parts.runs.cancel(record, `cancelled by ${tenant.name}`)
      return answer(cancelRun, parts, isEnded ? 200 : 202, toRun(record))
    }
    const logged = await parts.runs.findLogged(tenant.scope, params.id)
    if (logged === undefined) throw unknownRun()
    return answer(cancelRun, parts, 200, fromLog(logged))
  },
})

export const RUN_ROUTES: readonly Route[] = [createRun, getRun, watchRun, cancelRun]

/** How many events a run had that only the log knows is forgotten: its end is behind all of them. */
const ENDED_IN_LOG = Number.MAX_SAFE_INTEGER

/** The run in memory that a key stands for. */
function runOf(runId: string, tenant: Tenant, parts: ServiceParts): RunRecord | undefined {
  const record = parts.runs.find(tenant.scope, runId)
  return record?.turnedAway === undefined ? record : undefined
}

type CreateCall = RouteCall<unknown, unknown, z.infer<typeof RunRequest>>

function orderOf({ body, tenant, digest }: CreateCall, parts: ServiceParts, ids: RunOrder['ids']): RunOrder {
  using lease = parts.leases.take()
  const limits = Object.fromEntries(Object.entries(body.limits ?? {}).filter(([, value]) => value !== undefined))
  for (const [name, value] of Object.entries(limits)) {
    const most = lease.engine.limits[name as keyof Limits] // The schema names limits only.
    if (Number(value) > most) {
      throw new Problem(
        'INVALID_ARGS',
        `limits.${name} is ${value}; this service allows ${most} and a run may only lower it`,
        {
          members: { violations: [{ path: `/limits/${name}`, message: `must be at most ${most}` }] },
        },
      )
    }
  }
  return {
    ids,
    scope: tenant.scope,
    tenant: tenant.name,
    tokenId: tenant.tokenId,
    digest,
    code: body.code,
    options: {
      limits,
      ...(body.timeoutMs !== undefined && { timeoutMs: body.timeoutMs }),
      ...(body.typecheck !== undefined && { typecheck: body.typecheck }),
      ...(body.description !== undefined && { description: body.description }),
    },
  }
}

/** Waits for the end, for at most so long, or until the client has gone. The last client to go takes the run along. */
async function waitFor(
  record: RunRecord,
  waitMs: number | undefined,
  gone: AbortSignal,
  parts: ServiceParts,
): Promise<void> {
  if (waitMs === 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = waitMs === undefined ? undefined : setTimeout(resolve, waitMs)
  const leave = () => resolve()
  gone.addEventListener('abort', leave, { once: true })
  if (gone.aborted) resolve()
  record.waiters++
  try {
    await Promise.race([record.ended, promise])
  } finally {
    record.waiters--
    clearTimeout(timer)
    gone.removeEventListener('abort', leave)
  }
  if (gone.aborted && record.waiters === 0 && !record.isDetached) parts.runs.cancel(record, 'the client has gone')
}

function respond(record: RunRecord, parts: ServiceParts): Response {
  if (!record.isEnded)
    return answer(createRun, parts, 202, toRun(record), {
      location: `/v1/runs/${record.ids.runId}`,
      'preference-applied': 'respond-async',
    })
  // Nothing of it ran: that is a request to send again, not a run to look at.
  if (record.turnedAway !== undefined) throw queueProblem(record.turnedAway, parts)
  return answer(createRun, parts, 200, toRun(record), { location: `/v1/runs/${record.ids.runId}` })
}

function sessionForRuns(id: string): string {
  if (/^session-[0-9a-f]{32}$/.test(id)) return id
  throw new Problem(
    'CONFLICT',
    'this session was opened by another server of the engine; open one with POST /v1/sessions',
  )
}

function unknownRun(): Problem {
  return new Problem('NOT_FOUND', 'there is no such run in the scope of this token, or it is no longer kept')
}
export function unknownSession(): Problem {
  return new Problem('NOT_FOUND', 'there is no such session in the scope of this token, or it is no longer kept')
}
export function tooManyStreams(): Problem {
  return new Problem('TOO_MANY_REQUESTS', 'this tenant has too many event streams open; close some of them', {
    retryAfterSeconds: 5,
  })
}
