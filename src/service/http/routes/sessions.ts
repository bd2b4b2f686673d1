import { z } from 'zod'
import { sessionId as toSessionId } from '../../../data/ids.ts'
import type { BatchResult } from '../../../pipeline/call-batch.ts'
import { deriveNames } from '../../../registry/native-names.ts'
import { RUN_CODE } from '../../../registry/scope.ts'
import { modelMessages } from '../../../session/replay.ts'
import type { WatchedStore } from '../../runs/watched-store.ts'
import { makeCalls } from '../make-calls.ts'
import { Problem } from '../problems.ts'
import { answer, defineRoute, type Route } from '../route.ts'
import { Messages, Session, SessionRequest, Step, StepRequest } from '../schemas/sessions.ts'
import { ResourceId } from '../schemas/shared.ts'
import { lastEventId, sseResponse, type SseLine } from '../sse.ts'
import { tooManyStreams, unknownSession } from './runs.ts'

const SessionParams = z.strictObject({ id: ResourceId })

const createSession: Route = defineRoute({
  method: 'post',
  path: '/v1/sessions',
  operationId: 'createSession',
  tag: 'sessions',
  summary: 'Open a session',
  access: ['run', 'call'],
  isIntake: true,
  takesKey: 'keeps-answer',
  body: SessionRequest,
  bodyExample: {},
  answers: {
    201: {
      description: 'The session is open.',
      schema: Session,
      headers: { Location: 'Where the session is.' },
      example: { id: 'session-6f1e0d5c8b7a49382716f5e4d3c2b1a0', scope: 'global' },
    },
  },
  handle: async ({ tenant }, parts) => {
    using session = parts.sessions.open(tenant.scope)
    await session.log.flush()
    const { sessionId: id, scope } = session.log
    return answer(createSession, parts, 201, { id, scope }, { location: `/v1/sessions/${id}` })
  },
})

const makeStep: Route = defineRoute({
  method: 'post',
  path: '/v1/sessions/{id}/steps',
  operationId: 'makeStep',
  tag: 'sessions',
  summary: 'Make the tool calls of one model step',
  description:
    'Calls of tools and of `run_code`, mixed as the model mixed them. Those that may overlap do; results come in the model’s order. A client that goes away cancels the calls, unless it sent an `Idempotency-Key`. A token without the grant `run` may not call `run_code`, one without `call` nothing else.',
  access: ['run', 'call'],
  isIntake: true,
  takesKey: 'keeps-answer',
  params: SessionParams,
  body: StepRequest,
  bodyExample: { calls: [{ callId: 'toolu_1', name: 'run_code', arguments: '{"code":"return 6 * 7"}' }] },
  answers: { 200: { description: 'Every call has settled.', schema: Step } },
  problems: [403, 404, 409, 422, 429, 503],
  authorize: ({ body, tenant }) => {
    for (const { name } of body.calls) {
      const wanted = name === RUN_CODE ? 'run' : 'call'
      if (!tenant.may.has(wanted))
        throw new Problem('FORBIDDEN', `this token may not ${wanted} (${JSON.stringify(name)})`)
    }
  },
  handle: async ({ params, body, tenant, signal, idempotencyKey }, parts) => {
    using session = await parts.sessions.find(tenant.scope, params.id)
    if (session === undefined) throw unknownSession()
    using step = parts.sessions.beginStep(params.id)
    if (step === undefined) throw new Problem('CONFLICT', 'a step of this session is under way; wait for its results')
    const result = await makeCalls(parts, {
      tenant,
      log: session.log,
      signal: idempotencyKey === undefined ? signal : undefined,
      calls: ({ registry }) => {
        const { nameByNative } = deriveNames(registry.view(tenant.scope))
        return body.calls.map(({ callId, name, arguments: raw }) => ({
          name: nameByNative.get(name) ?? name,
          arguments: raw,
          ...(callId !== undefined && { callId }),
        }))
      },
    })
    return answer(makeStep, parts, 200, toStep(result, body.calls))
  },
})

const getMessages: Route = defineRoute({
  method: 'get',
  path: '/v1/sessions/{id}/messages',
  operationId: 'getMessages',
  tag: 'sessions',
  summary: 'What a model may read of a session',
  access: ['read', 'run', 'call'],
  params: SessionParams,
  answers: { 200: { description: 'The calls, their results and the messages between, in order.', schema: Messages } },
  problems: [404],
  handle: async ({ params, tenant }, parts) => {
    if (!(await parts.sessions.has(tenant.scope, params.id))) throw unknownSession()
    const id = toSessionId(params.id)
    const events = await parts.store.read(id)
    const messages = modelMessages(events, { isUnderWay: (callId) => parts.store.isUnderWay(id, callId) })
    return answer(getMessages, parts, 200, { messages })
  },
})

const watchSession: Route = defineRoute({
  method: 'get',
  path: '/v1/sessions/{id}/events',
  operationId: 'watchSession',
  tag: 'sessions',
  summary: 'Watch a session',
  description:
    'The log of the session as server-sent events, from the first one on or from the one after `Last-Event-ID`, and then each as it is kept. None is lost, across restarts neither when the service has a database.',
  access: ['read', 'run', 'call'],
  params: SessionParams,
  requestHeaders: { 'Last-Event-ID': 'The last event that the client has.' },
  answers: { 200: { description: 'The events.', mediaType: 'text/event-stream', schema: z.string() } },
  problems: [404, 429],
  handle: async ({ params, tenant, request, signal }, parts) => {
    const session = await parts.sessions.find(tenant.scope, params.id)
    if (session === undefined) throw unknownSession()
    const from = await knownSequence(parts.store, params.id, lastEventId(request)).catch((fault: unknown) => {
      session[Symbol.dispose]()
      throw fault
    })
    const end = parts.streams.begin(tenant.scope)
    if (end === undefined) {
      session[Symbol.dispose]()
      throw tooManyStreams()
    }
    return sseResponse((stopped) => followSession(parts.store, params.id, from, stopped), {
      request,
      signal: AbortSignal.any([signal, parts.streamsEnd, parts.lives.signalOf(tenant, ['read', 'run', 'call'])]),
      heartbeatMs: parts.heartbeatMs,
      // A session that somebody watches stays in memory.
      onEnd: () => {
        end()
        session[Symbol.dispose]()
      },
    })
  },
})

const closeSession: Route = defineRoute({
  method: 'delete',
  path: '/v1/sessions/{id}',
  operationId: 'closeSession',
  tag: 'sessions',
  summary: 'Let go of a session',
  description: 'It leaves memory at once. What is kept in a database can still be read and gone on with.',
  access: ['run', 'call'],
  params: SessionParams,
  answers: { 204: { description: 'It is not in memory.' } },
  problems: [404, 409],
  handle: async ({ params, tenant }, parts) => {
    if (!(await parts.sessions.has(tenant.scope, params.id))) throw unknownSession()
    if (!(await parts.sessions.close(params.id)))
      throw new Problem('CONFLICT', 'calls of this session are under way, or somebody watches it')
    return new Response(null, { status: 204 })
  },
})

export const SESSION_ROUTES: readonly Route[] = [createSession, makeStep, getMessages, watchSession, closeSession]

/** Under the names that the model used: it has to find its own calls again. */
function toStep({ results, contexts, concludesTurn }: BatchResult, calls: z.infer<typeof StepRequest>['calls']) {
  return {
    results: results.map(({ callId, name, outcome }, index) => ({
      callId,
      name: calls[index]?.name ?? name,
      isError: outcome.isError,
      content: outcome.content,
      ...(outcome.isError ? { error: outcome.error } : { value: outcome.value }),
      ...(outcome.meta !== undefined && { meta: outcome.meta }),
      ...(outcome.approval !== undefined && { approval: outcome.approval }),
    })),
    contexts,
    concludesTurn,
  }
}

/** A number that was never given out, or by a process that died before the event was kept, leaves nothing out. */
async function knownSequence(store: WatchedStore, id: string, wanted: number): Promise<number> {
  if (wanted === 0 || (await store.read(toSessionId(id), wanted, 1)).length > 0) return wanted
  return (await store.read(toSessionId(id))).at(-1)?.sequence ?? 0
}

/** Events at a time: what a client that does not read has kept here of a long log. */
const PAGE = 32

/** Read from the log each time something was appended: a listener's own list would grow while the client is slow. */
async function* followSession(
  store: WatchedStore,
  id: string,
  after: number,
  stopped: AbortSignal,
): AsyncGenerator<SseLine, void> {
  let wake = Promise.withResolvers<void>()
  using _watching = store.watch(toSessionId(id), () => wake.resolve())
  stopped.addEventListener('abort', () => wake.resolve(), { once: true })
  for (let at = after; !stopped.aborted;) {
    wake = Promise.withResolvers<void>()
    if (stopped.aborted) return
    const events = await store.read(toSessionId(id), at + 1, PAGE)
    for (const event of events) {
      at = event.sequence
      yield { id: at, event: event.type, data: event }
    }
    if (events.length === 0) await wake.promise
  }
}
