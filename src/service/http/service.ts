import type { Logger } from 'pino'
import type { Engine } from '../../engine.ts'
import { hasCode } from '../../data/failure.ts'
import type { SessionLog } from '../../session/log.ts'
import type { Grant, ServerSettings, TokenSettings } from '../../settings/settings.ts'
import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import type { Tenant } from '../auth/tenant.ts'
import { createTokenCheck } from '../auth/token-check.ts'
import { TokenLives } from '../auth/token-lives.ts'
import { createActiveWork } from '../runs/active-work.ts'
import { createEngineLeases, type EngineLeases } from '../runs/engine-leases.ts'
import { createFairQueue } from '../runs/fair-queue.ts'
import { KeyedReplies } from '../runs/keyed-replies.ts'
import { RunTable } from '../runs/run-table.ts'
import { SessionTable } from '../runs/session-table.ts'
import type { WatchedStore } from '../runs/watched-store.ts'
import type { CallMetrics } from '../../telemetry/call-metrics.ts'
import { withTraceContext } from '../../telemetry/trace-context.ts'
import { writeAccess, type Seen } from './access-log.ts'
import { createApp } from './app.ts'
import { answerPreflight, withCors } from './cors.ts'
import { drain, type CutWork } from './drain.ts'
import { defaultHosts, guardOrigin, guardTenant, type GuardOptions } from './guard-request.ts'
import { enterWork, type Work } from './enter-work.ts'
import { listen, type Listening } from './listen.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { Problem, problemResponse } from './problems.ts'
import { readBytes } from './read-body.ts'
import type { ServiceParts } from './service-parts.ts'
import { StreamCount } from './stream-count.ts'
import { resolveTuning, type ServiceTuning } from './tuning.ts'

export interface HttpServiceOptions {
  /** Asked at each request, as a reload puts another in its place. Its store must be `store.lend()`. */
  readonly engine: () => Engine
  readonly store: WatchedStore
  /** Its `approver` must be the engine's. */
  readonly approvals: ApprovalDesk
  /** Asked at each request, likewise. */
  readonly tokens: () => readonly TokenSettings[]
  readonly settings: ServerSettings
  readonly log: Logger
  /** What the engine's observer counts, for `/metrics`. */
  readonly callMetrics?: CallMetrics
  /** Told to clients as our version. */
  readonly version?: string
  readonly now?: () => number
  readonly tuning?: Partial<ServiceTuning>
}

/** One tenant's request on a mounted path: Host, Origin and token are checked, the body is read and within its limit. */
export type MountedHandler = (request: Request, tenant: Tenant) => Promise<Response>

export interface HttpService {
  /** A request as the socket would bring it, without one. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** Another protocol under `path` and all below it; with `may`, for tokens with one of these grants. */
  mount(path: string, handler: MountedHandler, options?: { readonly may?: readonly Grant[] }): void
  readonly metrics: Metrics
  /** For mounted handlers: what they look at of an engine they hold, or a reload takes it away. */
  readonly leases: EngineLeases
  /** For mounted handlers: sessions of a tenant, held while they are in use. */
  readonly sessions: SessionTable
  /** For mounted handlers: how long what a token has opened may stay open. */
  readonly lives: TokenLives
  /** After a reload: ends what tokens that are gone have open, here and in mounted handlers. */
  tokensChanged(): void
  /**
   * For mounted handlers: a turn to make calls in a session, fair between tenants, that a reload and the end of the
   * service wait for, and whose questions this tenant may not answer itself. Throws `Problem`, which a handler may let
   * through.
   */
  enter(tenant: Tenant, log: SessionLog, signal: AbortSignal): Promise<Work>
  listen(): Promise<{ readonly url: string }>
  /**
   * Takes nothing new (503), lets what is under way end for `drainMs`, cuts the rest and says what that was. A second
   * call waits for the first.
   */
  close(): Promise<CutWork>
}

/** The HTTP API of an engine. It owns neither the engine nor the store. */
export function createHttpService(options: HttpServiceOptions): HttpService {
  const { settings, log } = options
  const tuning = resolveTuning(settings, options.tuning)
  const workCut = new AbortController()
  const streamsEnd = new AbortController()
  let closing: Promise<CutWork> | undefined
  const parts = createParts(options, tuning, {
    isEnding: () => closing !== undefined,
    cut: workCut.signal,
    streamsEnd: streamsEnd.signal,
  })
  const guard: GuardOptions = {
    check: createTokenCheck(options.tokens),
    allowedHosts: new Set((settings.allowedHosts ?? defaultHosts(settings.host)).map((host) => host.toLowerCase())),
    allowedOrigins: new Set(settings.allowedOrigins),
  }
  const body = { maxBytes: settings.maxBodyBytes, maxDepth: tuning.maxJsonDepth }
  const app = createApp({ parts, guard, body, version: options.version ?? '0' })
  const mounts = new Map<string, { readonly handler: MountedHandler; readonly may: readonly Grant[] }>()
  const inFlight = new Set<Promise<unknown>>()
  const sweeping = setInterval(() => {
    parts.runs.sweep()
    parts.sessions.sweep()
  }, tuning.sweepMs)
  sweeping.unref()
  let listening: Listening | undefined

  async function fetch(request: Request): Promise<Response> {
    const seen: Seen = { route: '', tenant: '' }
    const beganAt = performance.now()
    const answering = withTraceContext(request.headers, () => answerRequest(request, seen))
    inFlight.add(answering)
    const response = await answering
    inFlight.delete(answering)
    writeAccess(log, parts.metrics, request, seen, response.status, performance.now() - beganAt)
    return response
  }

  async function answerRequest(request: Request, seen: Seen): Promise<Response> {
    try {
      guardOrigin(request, guard)
      const response =
        answerPreflight(request, guard) ?? (await answerMounted(request, seen)) ?? (await app.fetch(request, { seen }))
      return withCors(response, request, guard)
    } catch (thrown) {
      return withCors(refusalOf(thrown), request, guard)
    }
  }

  async function answerMounted(request: Request, seen: Seen): Promise<Response | undefined> {
    const { pathname } = new URL(request.url)
    const found = [...mounts].find(([path]) => pathname === path || pathname.startsWith(`${path}/`))
    if (found === undefined) return undefined
    const [path, { handler, may }] = found
    seen.route = path
    const tenant = guardTenant(request, guard)
    seen.tenant = tenant.name
    if (may.length > 0 && !may.some((grant) => tenant.may.has(grant)))
      throw new Problem('FORBIDDEN', `this needs a token with the grant ${may.join(' or ')}`)
    if (parts.isEnding())
      throw new Problem('SHUTTING_DOWN', 'the service ends and takes nothing new', { retryAfterSeconds: 5 })
    // Of the last one no Request can be made; which methods there are is the handler's to say.
    if (['GET', 'HEAD', 'TRACE'].includes(request.method)) return await handler(request, tenant)
    const bytes = await readBytes(request, settings.maxBodyBytes)
    const { method, headers, signal } = request
    const init = { method, headers, signal, ...(bytes.length > 0 && { body: bytes }) }
    return await handler(new Request(request.url, init), tenant)
  }

  function refusalOf(thrown: unknown): Response {
    if (thrown instanceof Problem) return problemResponse(thrown.code, thrown.message, thrown.extras)
    if (hasCode(thrown, 'OVERLOADED'))
      return problemResponse('OVERLOADED', 'the store cannot keep up; try again later', { retryAfterSeconds: 5 })
    // What it says may hold anything: it is for the owner's log, not for the client.
    log.error({ err: thrown }, 'a request met a fault of the service')
    return problemResponse('INTERNAL', 'the service has a fault; its log says more')
  }

  /** A mounted protocol may answer before its work is done, in a stream: the end waits for the work itself. */
  async function enterMounted(order: Parameters<typeof enterWork>[1]): Promise<Work> {
    const work = await enterWork(parts, order)
    const { promise, resolve } = Promise.withResolvers<void>()
    inFlight.add(promise)
    return {
      ...work,
      [Symbol.dispose]() {
        work[Symbol.dispose]()
        inFlight.delete(promise)
        resolve()
      },
    }
  }

  async function end(): Promise<CutWork> {
    const cut = await drain(parts, { drainMs: settings.drainMs, inFlight, cut: () => workCut.abort(ENDED) })
    // Those who watch what has just ended are told so before their streams are.
    await new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))
    streamsEnd.abort(ENDED)
    await listening?.close()
    clearInterval(sweeping)
    parts.active[Symbol.dispose]()
    return cut
  }

  return {
    fetch,
    mount(path, handler, { may = [] } = {}) {
      mounts.set(path, { handler, may })
    },
    metrics: parts.metrics,
    leases: parts.leases,
    sessions: parts.sessions,
    lives: parts.lives,
    tokensChanged: () => parts.lives.tokensChanged(),
    enter: (tenant, log, signal) => enterMounted({ tenant, log, signal }),
    async listen() {
      listening = await listen({
        ...settings,
        slowReaders: tuning,
        onSlowReader: (unreadBytes) => {
          parts.metrics.count('codeferry_slow_readers_total', {})
          log.warn({ unreadBytes }, 'a client did not read its answer and was cut')
        },
        fetch,
      })
      return { url: listening.url }
    },
    close: () => (closing ??= Promise.resolve().then(end)),
  }
}

const ENDED = new Error('the service ended')
const LAST_WORDS_MS = 100

function createParts(
  { engine, store, approvals, tokens, settings, log, callMetrics, now = Date.now }: HttpServiceOptions,
  tuning: ServiceTuning,
  ending: Pick<ServiceParts, 'isEnding' | 'cut' | 'streamsEnd'>,
): ServiceParts {
  const leases = createEngineLeases(engine)
  const metrics = createMetrics()
  const active = createActiveWork(approvals)
  const queue = createFairQueue({ ...tuning, maxWaitingPerTenant: settings.maxQueuePerTenant })
  const sessions = new SessionTable({
    leases,
    store,
    now,
    keepMs: tuning.keepSessionsMs,
    maxSessions: tuning.maxSessions,
  })
  const runs = new RunTable({
    leases,
    queue,
    sessions,
    store,
    active,
    now,
    keepMs: tuning.keepRunsMs,
    maxRuns: tuning.maxRuns,
    maxChars: tuning.maxRunChars,
    onEnd: ({ status }) => metrics.count('codeferry_runs_total', { status }),
    onFault: (fault, { ids }) => log.error({ err: fault, runId: ids.runId }, 'a run met a fault of the service'),
  })
  const replies = new KeyedReplies({
    now,
    keepMs: tuning.keepAnswersMs,
    maxKeysPerTenant: tuning.maxKeysPerTenant,
    maxCharsPerTenant: tuning.maxAnswerCharsPerTenant,
  })
  const streams = new StreamCount(tuning.maxStreamsPerTenant)
  metrics.gauge('codeferry_work_running', 'Runs, steps and calls under way.', () => queue.running)
  metrics.gauge('codeferry_work_waiting', 'Runs, steps and calls that wait for a place.', () => queue.waiting)
  metrics.gauge('codeferry_approvals_open', 'Questions that wait for a person.', () => approvals.count)
  metrics.gauge('codeferry_runs_in_memory', 'Runs that can be looked at in memory.', () => runs.size)
  metrics.gauge('codeferry_sessions_in_memory', 'Sessions that are held in memory.', () => sessions.size)
  metrics.gauge('codeferry_streams_open', 'Event streams that are open.', () => streams.total)
  metrics.gauge('codeferry_sandbox_children', 'Sandbox processes that live.', () => engine().load().children)
  metrics.gauge('codeferry_sandbox_runs', 'Programs under way, those that wait included.', () => engine().load().runs)
  metrics.gauge('codeferry_sandbox_queue', 'Programs that wait for a sandbox.', () => engine().load().waiting)
  metrics.gauge('process_resident_memory_bytes', 'Memory of the service process.', () => process.memoryUsage.rss())
  return {
    ...ending,
    leases,
    store,
    desk: approvals,
    queue,
    active,
    runs,
    sessions,
    replies,
    streams,
    lives: new TokenLives(tokens),
    metrics,
    ...(callMetrics !== undefined && { callMetrics }),
    log,
    heartbeatMs: tuning.heartbeatMs,
    checksAnswers: tuning.checksAnswers,
  }
}
