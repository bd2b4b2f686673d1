import type { Engine } from '../../engine.ts'
import { thrownMessage } from '../../data/failure.ts'
import type { Grant } from '../../settings/settings.ts'
import type { ApprovalDesk } from '../approvals/approval-desk.ts'
import type { Tenant } from '../auth/tenant.ts'
import { Problem } from '../http/problems.ts'
import type { HttpService } from '../http/service.ts'
import { announceChanges } from './announce-changes.ts'
import { TenantDoor } from './tenant-door.ts'

export interface McpEndpointOptions {
  /** The engine's approver must be this desk's. */
  readonly approvals: ApprovalDesk
  /** Told to clients as our version. */
  readonly version?: string
  readonly now?: () => number
  readonly tuning?: Partial<McpTuning>
  /** Oddities of clients, one line each; nothing of any message is in them but a schema's complaint. */
  readonly onProblem?: (message: string) => void
}

/** Sizes and times that no configuration file speaks of. */
export interface McpTuning {
  readonly maxSessionsPerToken: number
  readonly maxSubscriptionsPerToken: number
  readonly maxParkedPerToken: number
  /** Each holds a connection until it is answered; one more is refused with 429. */
  readonly maxPostsPerToken: number
  /** A session that is idle for this long has ended. */
  readonly idleMs: number
  /** How long a client that was given a question may take to come back. */
  readonly answerMs: number
  /** How long a client that cannot ask its user, and hears no progress, waits for somebody else. */
  readonly approvalWaitMs: number
  readonly remindMs: number
  readonly sweepMs: number
}

const DEFAULTS: McpTuning = {
  maxSessionsPerToken: 100,
  maxSubscriptionsPerToken: 100,
  maxParkedPerToken: 64,
  maxPostsPerToken: 256,
  idleMs: 30 * 60_000,
  answerMs: 10 * 60_000,
  approvalWaitMs: 50_000,
  remindMs: 15_000,
  sweepMs: 30_000,
}

export const MCP_PATH = '/mcp'
const MAY: readonly Grant[] = ['run', 'call']

export interface McpEndpoint extends AsyncDisposable {
  /** After a reload: another engine has other tools. */
  engineChanged(): void
}

/**
 * Puts MCP over Streamable HTTP at `/mcp` of a service, for the revisions with a handshake and the one without. Who
 * comes in, Host, Origin, sizes and the end of the service stay the service's business. Dispose it before the service's
 * engine.
 */
export function mountMcp(service: HttpService, options: McpEndpointOptions): McpEndpoint {
  const tuning = { ...DEFAULTS, ...options.tuning }
  const { approvals, version = '0', now = Date.now, onProblem = () => {} } = options
  const doorsByToken = new Map<string, TenantDoor>()

  function doorOf(tenant: Tenant): TenantDoor {
    // Not by name: it can be given to another secret, which has no business in these sessions.
    const key = JSON.stringify([tenant.scope, tenant.tokenId])
    const known = doorsByToken.get(key)
    if (known !== undefined) return known
    const gone = service.lives.signalOf(tenant, MAY)
    if (gone.aborted) throw new Problem('UNAUTHENTICATED', 'the token was removed')
    const door = new TenantDoor(tenant, { service, approvals, version, now, tuning, onProblem })
    doorsByToken.set(key, door)
    const close = () => {
      doorsByToken.delete(key)
      door.close().catch((thrown: unknown) => onProblem(thrownMessage(thrown)))
    }
    gone.addEventListener('abort', close, { once: true, signal: door.ended })
    return door
  }

  const announce = () => {
    for (const door of doorsByToken.values()) door.announce()
  }
  const engineOfNow = (): Engine => {
    using lease = service.leases.take()
    return lease.engine
  }
  let announcing = announceChanges(engineOfNow(), announce)
  const sweeping = setInterval(() => {
    for (const [key, door] of doorsByToken) {
      door.sweep()
      if (!door.isIdle) continue
      doorsByToken.delete(key)
      door.close().catch(() => {})
    }
  }, tuning.sweepMs)
  sweeping.unref()
  service.metrics.gauge('codeferry_mcp_sessions', 'MCP sessions that are open.', () =>
    [...doorsByToken.values()].reduce((sum, { sessions }) => sum + sessions, 0),
  )
  service.mount(MCP_PATH, (request, tenant) => doorOf(tenant).answer(request, tenant), { may: MAY })

  return {
    engineChanged() {
      announcing[Symbol.dispose]()
      announcing = announceChanges(engineOfNow(), announce)
      announce()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping)
      announcing[Symbol.dispose]()
      const doors = [...doorsByToken.values()]
      doorsByToken.clear()
      await Promise.all(doors.map((door) => door.close()))
    },
  }
}
