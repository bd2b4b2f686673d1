import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { vi } from 'vitest'
import type { EngineOptions } from '../../../src/config.ts'
import { createEngine, type Engine } from '../../../src/engine.ts'
import { readMockTools } from '../../../src/importers/mock-tools.ts'
import { createApprovalPolicy } from '../../../src/policy/approval.ts'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import { createApprovalDesk, type ApprovalDesk } from '../../../src/service/approvals/approval-desk.ts'
import { createHttpService, type HttpService } from '../../../src/service/http/service.ts'
import type { ServiceTuning } from '../../../src/service/http/tuning.ts'
import { newHexId } from '../../../src/service/runs/run-ids.ts'
import { watchStore, type WatchedStore } from '../../../src/service/runs/watched-store.ts'
import { createMemoryStore } from '../../../src/session/memory-log.ts'
import { createSqliteStore } from '../../../src/session/sqlite-log.ts'
import type { Grant, ServerSettings, TokenSettings } from '../../../src/settings/settings.ts'
import type { CallMetrics } from '../../../src/telemetry/call-metrics.ts'
import { expectSoundLogs } from '../../support/sound-logs.ts'

export const MOCKS = readMockTools(
  JSON.stringify([
    {
      name: 'city.weather',
      description: 'Weather of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      mock: { returns: { degrees: 7 } },
      annotations: { readOnlyHint: true },
    },
    { name: 'pay', description: 'Pays.', mock: { echo: true } },
    {
      name: 'locked',
      description: 'Fails.',
      mock: { content: [{ type: 'text', text: 'row 7 is locked' }], isError: true },
    },
    { name: 'hang', description: 'Never answers.', mock: { never: true } },
  ]),
).tools

export interface Rig extends AsyncDisposable {
  readonly service: HttpService
  readonly engine: Engine
  readonly store: WatchedStore
  readonly desk: ApprovalDesk
  readonly url: string
  /** Lines of the service's log, parsed. */
  readonly logged: () => readonly Record<string, unknown>[]
  /** As a reload does: what begins from now on is made by a new engine over the same store. Gives the old one. */
  replaceEngine(): Promise<Engine>
  /** Fetch with a token. */
  send(token: string, path: string, options?: Sent): Promise<Response>
}
export interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** Secrets of the tokens that every rig has; two scopes, and one token for each role. */
export const ALICE = 'cft_alice-secret'
export const ALICE_BOSS = 'cft_alice-boss-secret'
export const BOB = 'cft_bob-secret'
export const READER = 'cft_reader-secret'
export const CALLER = 'cft_caller-secret'

const TOKENS: readonly TokenSettings[] = [
  token('alice', 'team-a', ALICE, ['run', 'call', 'read', 'approve']),
  token('alice-boss', 'team-a', ALICE_BOSS, ['approve']),
  token('bob', 'team-b', BOB, ['run', 'call', 'read', 'approve']),
  token('reader', 'team-a', READER, ['read']),
  token('caller', 'team-a', CALLER, ['call']),
]

export interface RigOptions {
  readonly settings?: Partial<ServerSettings>
  readonly tuning?: Partial<ServiceTuning>
  readonly engine?: EngineOptions
  readonly tools?: readonly ToolDefinition[]
  /** Sessions in a file, which is the same for every rig that is given this. */
  readonly sqlite?: string
  readonly now?: () => number
  readonly callMetrics?: CallMetrics
}

/** The service as users run it: a real engine with real sandbox processes behind a real socket. */
export async function startRig(options: RigOptions = {}): Promise<Rig> {
  await using parts = new AsyncDisposableStack()
  const raw =
    options.sqlite === undefined
      ? createMemoryStore({ now: Date.now })
      : createSqliteStore({ path: options.sqlite, now: Date.now })
  const store = parts.use(watchStore(raw))
  parts.defer(() => expectSoundLogs(store))
  const desk = createApprovalDesk({ now: Date.now, newId: newHexId })
  async function startEngine(): Promise<Engine> {
    const started = await createEngine({
      tools: [...MOCKS, ...(options.tools ?? [])],
      requireConfinement: 'none',
      mode: 'both',
      typecheck: 'off',
      policies: [createApprovalPolicy({ rules: [{ tools: 'pay', reason: 'money' }] })],
      checkInvariants: true,
      ...options.engine,
      store: store.lend(),
      approver: desk.approver,
    })
    started.registry.declareScope('team-a')
    started.registry.declareScope('team-b')
    return started
  }
  const engine = parts.use(await startEngine())
  let current = engine
  let log = ''
  const service = createHttpService({
    engine: () => current,
    store,
    approvals: desk,
    tokens: () => TOKENS,
    settings: settingsWith(options.settings),
    tuning: { checksAnswers: true, heartbeatMs: 200, ...options.tuning },
    log: pino(
      { base: null },
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          log += chunk.toString()
          done()
        },
      }),
    ),
    version: '1.2.3',
    ...(options.now !== undefined && { now: options.now }),
    ...(options.callMetrics !== undefined && { callMetrics: options.callMetrics }),
  })
  parts.defer(async () => void (await service.close()))
  const { url } = await service.listen()
  const owned = parts.move()
  return {
    service,
    engine,
    store,
    desk,
    url,
    logged: () =>
      log
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    send: (secret, path, sent = {}) => send(url, secret, path, sent),
    async replaceEngine() {
      const old = current
      current = owned.use(await startEngine())
      return old
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export function send(
  url: string,
  secret: string,
  path: string,
  { method, body, headers, signal }: Sent = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
}

export function settingsWith(given: Partial<ServerSettings> = {}): ServerSettings {
  return {
    host: '127.0.0.1',
    port: 0,
    allowedOrigins: [],
    maxBodyBytes: 1024 * 1024,
    maxHeaderBytes: 16 * 1024,
    requestTimeoutMs: 30_000,
    maxConnections: 256,
    maxQueuePerTenant: 64,
    drainMs: 2_000,
    telemetry: { content: false },
    ...given,
  }
}

export function token(name: string, scope: string, secret: string, may: readonly Grant[]): TokenSettings {
  return { name, scope, may, sha256: createHash('sha256').update(secret).digest('hex') }
}

/** A folder for one test. */
export function temporaryFolder(): Disposable & { readonly path: string; file(name: string): string } {
  const path = mkdtempSync(join(tmpdir(), 'http-'))
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** JSON of a response, its status checked. */
export async function json(response: Response | Promise<Response>, status = 200): Promise<Record<string, unknown>> {
  const got = await response
  const text = await got.text()
  if (got.status !== status) throw new Error(`${got.status} in place of ${status}: ${text.slice(0, 2_000)}`)
  return JSON.parse(text) as Record<string, unknown>
}

export interface SseEvent {
  readonly id: number
  readonly event: string
  readonly data: Record<string, unknown>
}

/** Reads events until the stream ends, `isEnough` says so, or the signal is aborted. */
export async function readEvents(
  response: Response,
  isEnough: (events: readonly SseEvent[]) => boolean = () => false,
): Promise<SseEvent[]> {
  const events: SseEvent[] = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 2)]),
      )
      const data = fields.get('data')
      if (data === undefined) continue
      events.push({ id: Number(fields.get('id')), event: fields.get('event') ?? '', data: JSON.parse(data) })
    }
    if (isEnough(events)) break
  }
  return events
}

/** Waits until the function does not throw any more: generously, as a busy machine fails nothing. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 30_000, interval: 20 })
}
