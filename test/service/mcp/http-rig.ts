import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client'
import { createHash } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { EngineOptions } from '../../../src/config.ts'
import { createEngine, type Engine } from '../../../src/engine.ts'
import { readMockTools } from '../../../src/importers/mock-tools.ts'
import { createApprovalPolicy } from '../../../src/policy/approval.ts'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import { createApprovalDesk, type ApprovalDesk } from '../../../src/service/approvals/approval-desk.ts'
import { createHttpService, type HttpService } from '../../../src/service/http/service.ts'
import { mountMcp, type McpEndpoint, type McpTuning } from '../../../src/service/mcp/http-endpoint.ts'
import { newHexId } from '../../../src/service/runs/run-ids.ts'
import { watchStore } from '../../../src/service/runs/watched-store.ts'
import { createMemoryStore } from '../../../src/session/memory-log.ts'
import { SERVER_DEFAULTS } from '../../../src/settings/defaults.ts'
import type { Grant, ServerSettings, TokenSettings } from '../../../src/settings/settings.ts'

/** Secrets of the tokens; `alice` may answer for her user, `bob` is in another scope, `carl` may run programs alone. */
export const ALICE = 'cft_alice'
export const BOB = 'cft_bob'
export const CARL = 'cft_carl'
export const READER = 'cft_reader'
export const BOSS = 'cft_boss'

const TOKENS: readonly TokenSettings[] = [
  token('alice', 'team-a', ALICE, ['run', 'call', 'elicit']),
  token('bob', 'team-b', BOB, ['run', 'call']),
  token('carl', 'team-a', CARL, ['run']),
  token('reader', 'team-a', READER, ['read']),
  token('boss', 'team-b', BOSS, ['approve', 'read']),
]

export const MOCKS = readMockTools(
  JSON.stringify([
    {
      name: 'city.weather',
      description: 'Weather of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      mock: { returns: { degrees: 7 } },
    },
    { name: 'pay', description: 'Pays.', mock: { echo: true } },
    {
      name: 'pixel',
      description: 'An image.',
      mock: { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
    },
    { name: 'long', description: 'Much.', mock: { returnsText: 'x', repeat: 100_000 } },
  ]),
).tools

export interface McpRig extends AsyncDisposable {
  readonly service: HttpService
  readonly engine: Engine
  readonly desk: ApprovalDesk
  readonly endpoint: McpEndpoint
  readonly url: string
  connect(secret: string, options?: ClientOptions): Promise<Client>
  /** A message as the socket brings it. */
  post(secret: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
}

export interface McpRigOptions {
  readonly tools?: readonly ToolDefinition[]
  readonly engine?: EngineOptions
  readonly settings?: Partial<ServerSettings>
  readonly tuning?: Partial<McpTuning>
  readonly now?: () => number
  readonly tokens?: readonly TokenSettings[]
}

/** `/mcp` as users have it: a real engine with real sandbox processes behind a real socket. */
export async function startMcpRig(options: McpRigOptions = {}): Promise<McpRig> {
  await using parts = new AsyncDisposableStack()
  const store = parts.use(watchStore(createMemoryStore({ now: Date.now })))
  const desk = createApprovalDesk({ now: Date.now, newId: newHexId })
  const engine = parts.use(
    await createEngine({
      tools: [...MOCKS, ...(options.tools ?? [])],
      requireConfinement: 'none',
      mode: 'both',
      typecheck: 'off',
      policies: [createApprovalPolicy({ rules: [{ tools: 'pay', reason: 'money' }] })],
      checkInvariants: true,
      ...options.engine,
      store: store.lend(),
      approver: desk.approver,
    }),
  )
  engine.registry.declareScope('team-a')
  engine.registry.declareScope('team-b')
  const service = createHttpService({
    engine: () => engine,
    store,
    approvals: desk,
    tokens: () => options.tokens ?? TOKENS,
    settings: { ...SERVER_DEFAULTS, port: 0, drainMs: 2_000, maxBodyBytes: 1024 * 1024, ...options.settings },
    log: pino({ base: null }, new Writable({ write: (_chunk, _encoding, done) => done() })),
    version: '1.2.3',
  })
  const endpoint = parts.use(
    mountMcp(service, {
      approvals: desk,
      version: '1.2.3',
      ...(options.tuning !== undefined && { tuning: options.tuning }),
      ...(options.now !== undefined && { now: options.now }),
    }),
  )
  parts.defer(async () => void (await service.close()))
  const { url } = await service.listen()
  const clients = parts.use(new AsyncDisposableStack())
  const owned = parts.move()
  return {
    service,
    engine,
    desk,
    endpoint,
    url,
    async connect(secret, clientOptions) {
      const client = new Client({ name: 'test', version: '1' }, clientOptions)
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${secret}` } },
        }),
      )
      clients.defer(() => client.close())
      return client
    },
    post: (secret, body, headers) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export function token(name: string, scope: string, secret: string, may: readonly Grant[]): TokenSettings {
  return { name, scope, may, sha256: createHash('sha256').update(secret).digest('hex') }
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

export function textOf(result: {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
}): string {
  return result.content.map((block) => block.text ?? `<${block.type}>`).join('\n')
}
