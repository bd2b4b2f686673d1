import { existsSync } from 'node:fs'
import { resolve as resolvePath } from 'node:path'
import { pino } from 'pino'
import { createArtifacts, type Engine } from '../../engine.ts'
import { thrownMessage } from '../../data/failure.ts'
import { createApprovalDesk } from '../../service/approvals/approval-desk.ts'
import { createHttpService } from '../../service/http/service.ts'
import { mountMcp } from '../../service/mcp/http-endpoint.ts'
import { newHexId } from '../../service/runs/run-ids.ts'
import { watchStore } from '../../service/runs/watched-store.ts'
import { GLOBAL_SCOPE } from '../../registry/scope.ts'
import { createMemoryStore } from '../../session/memory-log.ts'
import { createSqliteStore } from '../../session/sqlite-log.ts'
import type { TokenSettings } from '../../settings/settings.ts'
import { unmatchedRules } from '../../settings/unmatched-rules.ts'
import { createCallMetrics } from '../../telemetry/call-metrics.ts'
import { EXIT } from '../exit-codes.ts'
import { watchInterrupt } from '../interrupt.ts'
import { warn, writeJson, type Io } from '../io.ts'
import { createReloadingEngine } from '../serve/reloading-engine.ts'
import { servedDocument, writeServed } from '../serve/serve-screen.ts'
import { readServeSources, startServeEngine, type ServeOptions, type ServeSources } from '../serve/serve-sources.ts'
import { findTokens, makeFirstToken, reloadTokens, type ReloadedTokens } from '../serve/serve-tokens.ts'
import { DEFAULT_CONFIG } from '../tool-sources.ts'
import { VERSION } from '../version.ts'

/**
 * Serves the HTTP API until it is told to end. SIGTERM (or Ctrl-C) lets what runs end within the drain; SIGHUP reads the
 * files anew, and a file that cannot be used changes nothing. stdout has the one screen, stderr the log, a JSON object
 * a line.
 */
export async function serveCommand(options: ServeOptions, io: Io): Promise<number> {
  using interrupt = watchInterrupt()
  await using parts = new AsyncDisposableStack()
  let from = readServeSources(options, io)
  const { database } = from
  // None at a first start: nobody comes in until it listens and one is made.
  let tokens: ReloadedTokens = findTokens(from, io) ?? { tokens: [] }
  const isFirstStart = tokens.tokens.length === 0 && tokens.file === undefined
  warnOfUnread(io, options)
  const now = Date.now
  const store = parts.use(
    watchStore(
      from.database === undefined ? createMemoryStore({ now }) : createSqliteStore({ path: from.database, now }),
    ),
  )
  const desk = createApprovalDesk({ now, newId: newHexId })
  const callMetrics = createCallMetrics()
  const shared = {
    store: store.lend(),
    artifacts: parts.use(createArtifacts(from.database)),
    approver: desk.approver,
    observers: [callMetrics.observer],
  }
  const log = pino({ base: null }, io.stderr)

  const first = await interrupt.race(startServeEngine(from, shared, options, io))
  const engine = parts.use(
    createReloadingEngine(first, {
      async start() {
        const next = readServeSources(options, io)
        const nextTokens = reloadTokens(next, { current: tokens, database }, io)
        const started = await startServeEngine(next, shared, options, io)
        from = next
        tokens = nextTokens
        return started
      },
      drained: (old) => service.leases.drained(old),
      drainMs: from.server.drainMs,
      onProblem: (message) => warn(io, message),
    }),
  )
  const service = createHttpService({
    engine: () => engine.current,
    store,
    approvals: desk,
    tokens: () => tokens.tokens,
    settings: from.server,
    log,
    callMetrics,
    version: VERSION,
  })
  const mcp = parts.use(
    mountMcp(service, { approvals: desk, version: VERSION, onProblem: (problem) => log.debug({ problem }, 'mcp') }),
  )
  const { url } = await service.listen()
  parts.defer(async () => void (await service.close()))
  if (isFirstStart) tokens = makeFirstToken(from, io)
  using _hangup = onHangup(async () => {
    const before = JSON.stringify([from.server, from.database])
    const problem = await engine.reload()
    if (problem !== undefined) return log.error({ problem }, 'reload refused: what ran before goes on')
    service.tokensChanged()
    if (tokens.problem !== undefined) log.warn(tokens.problem)
    warnOfNames(io, engine.current, tokens.tokens, from)
    mcp.engineChanged()
    log.info({ tools: engine.current.registry.view('global').toolsByName.size }, 'reloaded')
    if (before !== JSON.stringify([from.server, from.database]))
      log.warn('settings under "server" and "store" count from the next start on')
  })

  if (!LOOPBACK.has(from.server.host) && from.server.allowedHosts === undefined) {
    warn(
      io,
      `others may reach ${from.server.host}, but only requests to that very name are answered; name the ones people use in server.allowedHosts, and put a proxy with TLS in front: tokens travel in clear`,
    )
  }
  warnOfNames(io, engine.current, tokens.tokens, from)
  const served = { url, from, tokens, engine: engine.current, report: await engine.current.report() }
  if (options.json === true) writeJson(io, servedDocument(served))
  else writeServed(io, served)
  // The secret has been shown; nothing here holds on to it.
  const { secret: _shown, ...known } = tokens
  tokens = known

  await new Promise<void>((resolve) => {
    if (interrupt.signal.aborted) resolve()
    interrupt.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const cut = await service.close()
  log.info({ cutRuns: cut.runs.length, cutRequests: cut.requests }, 'ended')
  return EXIT.ok
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * What names nothing, and so does nothing: a scope that nobody declared sees nothing, which looks like a service without
 * tools; a rule over a misspelt tool is no rule.
 */
function warnOfNames(io: Io, { registry }: Engine, tokens: readonly TokenSettings[], { sources }: ServeSources): void {
  for (const { name, scope } of tokens) {
    if (!registry.hasScope(scope))
      warn(io, `token "${name}": there is no scope "${scope}", so it sees no tools; declare it in codeferry.json`)
  }
  const { settings } = sources
  if (settings === undefined) return
  const { toolsByName, hiddenNames } = registry.view(GLOBAL_SCOPE)
  for (const message of unmatchedRules(settings, [...toolsByName.keys(), ...hiddenNames]))
    warn(io, `${settings.path}: ${message}`)
}

/** Tools of a mock file are meant alone, and with them a service that the folder's configuration says nothing of. */
function warnOfUnread(io: Io, { config, mock }: ServeOptions): void {
  if (config === undefined && mock !== undefined && existsSync(resolvePath(io.cwd, DEFAULT_CONFIG)))
    warn(
      io,
      `with --mock ./${DEFAULT_CONFIG} is not read: its port, tokens and policies do not count; add --config ${DEFAULT_CONFIG} for both`,
    )
}

function onHangup(reload: () => Promise<void>): Disposable {
  const listener = () => {
    reload().catch((thrown: unknown) => process.stderr.write(`reload failed: ${thrownMessage(thrown)}\n`))
  }
  process.on('SIGHUP', listener)
  return { [Symbol.dispose]: () => void process.off('SIGHUP', listener) }
}
