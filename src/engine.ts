import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createMemoryArtifacts } from './artifacts/memory.ts'
import { createSqliteArtifacts } from './artifacts/sqlite.ts'
import type { ArtifactStore } from './artifacts/store.ts'
import { createRunCodeTool, type RunEvent, type RunValue } from './codemode/run-code.ts'
import { createSessionTools } from './codemode/session-tools.ts'
import { holdCompiler } from './codemode/compile/lower.ts'
import type { Limits } from './codemode/limits.ts'
import type { TypecheckMode } from './codemode/preflight.ts'
import {
  checkTypecheck,
  resolveEngineConfig,
  type EngineConfig,
  type EngineOptions,
  type EngineProblem,
} from './config.ts'
import type { UserMessage } from './data/content.ts'
import { declareScopes } from './declare-scopes.ts'
import { CodedError, thrownMessage } from './data/failure.ts'
import { callId, sessionId, type CallId, type SessionId } from './data/ids.ts'
import type { Json } from './data/json.ts'
import type { Outcome } from './data/outcome.ts'
import type { Executor, ExecutorLoad, ExecutorReport } from './executor/executor.ts'
import { createInProcessExecutor, IN_PROCESS_WARNING } from './executor/in-process-executor.ts'
import { createProcessExecutor } from './executor/process-executor.ts'
import { connectMcpServers, type McpConnections } from './importers/mcp.ts'
import { CallBatch } from './pipeline/call-batch.ts'
import { systemClock } from './pipeline/system-clock.ts'
import { ToolRuntime } from './pipeline/tool-runtime.ts'
import { deriveNames } from './registry/native-names.ts'
import { ToolRegistry } from './registry/registry.ts'
import { GLOBAL_SCOPE, RUN_CODE } from './registry/scope.ts'
import type { ToolView } from './registry/view.ts'
import { describeTools, searchTools } from './sdk/search.ts'
import { renderSdk, type RenderedSdk, type RenderOptions } from './sdk/render.ts'
import { renderForSession } from './sdk/session-sdk.ts'
import { loadTemplates } from './sdk/templates.ts'
import { runCodeDescription, systemPrompt, type UsageFacts } from './sdk/usage.ts'
import type { SessionLog, SessionStore } from './session/log.ts'
import { createMemoryStore } from './session/memory-log.ts'
import { createSqliteStore } from './session/sqlite-log.ts'
import { createSpans } from './telemetry/spans.ts'
import { traceMeta } from './telemetry/trace-context.ts'
import { createTypeChecker } from './typecheck/checker.ts'
import { findCompiler } from './typecheck/find-compiler.ts'

/** The product, started: service, CLI, examples, benchmarks and tests all begin here. Dispose it to end everything it began. */
export interface Engine extends AsyncDisposable {
  readonly registry: ToolRegistry
  readonly runtime: ToolRuntime
  readonly store: SessionStore
  readonly limits: Limits
  /** What went wrong at the start without stopping it (servers that did not start, tools that were skipped). */
  readonly problems: readonly EngineProblem[]
  /** Opens a session, or goes on with one; without an id a new one. */
  openSession(options?: { readonly id?: string; readonly scope?: string }): SessionLog
  /**
   * Lets go of a session that nothing is under way in, so that a process that lives long stays small. A store that keeps
   * sessions outside memory can still read it, and `openSession` goes on with it; otherwise it is gone. Flush its log
   * first: what is not durable yet is kept.
   */
  closeSession(id: string): void
  /** One program, made as a model's call of `run_code`: logged, with the whole pipeline around it. Never rejects for what a program does. */
  run(code: string, options?: RunOptions): Promise<RunResult>
  /** Live events of a run that is about to start under this call id (for servers that make the call themselves). */
  watchRun(id: string, listener: (event: RunEvent) => void): Disposable
  /** With a session of this scope, as that session should see it: it changes as the session goes on. */
  sdk(scope?: string, options?: RenderOptions & { readonly session?: string }): RenderedSdk
  /**
   * For agents with a system prompt: when to write a program, how, and the SDK. Stable for the same set of tools, unless
   * it is asked for a session.
   */
  systemPrompt(scope?: string, session?: string): string
  /** For clients without one (MCP): the same as the description of `run_code`. */
  runCodeDescription(scope?: string, session?: string): string
  report(): Promise<ExecutorReport>
  /** How much there is to do in the sandbox at this moment. */
  load(): ExecutorLoad
}

export interface RunOptions {
  readonly scope?: string
  readonly session?: SessionLog
  /** Of the call of `run_code` in the log; default: a fresh one. One that the session has used is made unique. */
  readonly callId?: string
  readonly signal?: AbortSignal
  /** Lowers the wall clock budget. */
  readonly timeoutMs?: number
  readonly limits?: Partial<Limits>
  /** Default: the engine's. */
  readonly typecheck?: TypecheckMode
  readonly description?: string
  readonly onEvent?: (event: RunEvent) => void
}

export interface RunResult {
  readonly callId: CallId
  readonly sessionId: SessionId
  readonly outcome: Outcome
  /** On success. */
  readonly value?: RunValue
  /** On failure: what is known of the run all the same. */
  readonly partial?: Omit<RunValue, 'result'>
  readonly contexts: readonly UserMessage[]
  readonly concludesTurn: boolean
}

/**
 * Starts an engine: servers are connected, the sandbox is probed. Throws `CodedError` with `CONFIG_INVALID` for wrong
 * options and `SANDBOX_UNAVAILABLE` when programs could not be contained; a server that does not start is a problem,
 * not an error.
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  await using parts = new AsyncDisposableStack()
  for (const part of options.owned ?? []) parts.use(part)
  const config = resolveEngineConfig(options)
  const problems: EngineProblem[] = []
  const report = (problem: EngineProblem) => {
    // A process that lives long must not keep all it ever heard of; whoever listens hears it all the same.
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
    config.onProblem(problem)
  }
  config.problems.forEach(report)

  const store = openStore(config, parts)
  // Disposed in reverse: when the executor has ended the runs, their results still go into the log before it closes.
  const running = new Set<Promise<RunResult>>()
  parts.defer(async () => void (await Promise.allSettled(running)))
  const registry = new ToolRegistry()
  const asked = new Map<string, Asked>()
  const sessions = new Map<string, SessionLog>()
  const sessionTools = createSessionTools()

  const runtime = new ToolRuntime({
    registry,
    clock: systemClock,
    ids: randomUUID,
    drainMs: config.limits.drainMs,
    approvalMs: config.limits.approvalMs,
    checkInvariants: config.checkInvariants,
    onDiagnostic: (diagnostic) => report({ message: `${diagnostic.code}: ${diagnostic.message}` }),
    ...(config.approver !== undefined && { approver: config.approver }),
    onSuccess({ sessionId, definition }, value) {
      if (sessionId !== undefined && definition !== undefined) sessionTools.used(sessionId, definition, value)
    },
  })
  const spans = config.telemetry === false ? undefined : createSpans(config.telemetry, systemClock)
  // The outermost wrapper: what other policies do around a body belongs to its span as well.
  if (spans !== undefined) runtime.use(spans.policy)
  for (const policy of config.policies) runtime.use(policy)
  for (const guard of config.guards) runtime.guard(guard)
  if (spans !== undefined) runtime.observe(spans.observer)
  for (const observer of config.observers) runtime.observe(observer)

  const templates = loadTemplates((file) => readFileSync(file, 'utf8'))
  parts.use(holdCompiler())
  const checker = parts.use(
    createTypeChecker({
      found: findCompiler(),
      prelude: templates.prelude,
      clock: systemClock,
      startAhead: config.typecheck !== 'off',
    }),
  )

  // Sandbox and servers take the longest to start and do not need each other.
  const [executor, servers] = await bothOrNeither(
    startExecutor(config),
    connectMcpServers(config.mcpServers, {
      onProblem: report,
      ...(config.telemetry !== false && { callMeta: traceMeta }),
    }),
  )
  parts.use(executor)
  parts.use(servers)
  if (config.isolation === 'in-process') report({ message: IN_PROCESS_WARNING })

  registry.setMode(GLOBAL_SCOPE, config.mode)
  declareScopes(registry, config.scopes)
  registry.registerAll(config.tools)
  followTools(registry, servers, report)
  const artifacts = config.artifacts ?? parts.use(artifactsOf(config))
  registry.installRunCode(
    createRunCodeTool({
      registry,
      runtime,
      executor,
      artifacts,
      limits: config.limits,
      checker,
      typecheck: config.typecheck,
      monotonicMs: () => systemClock.monotonicMs(),
      nowMs: () => systemClock.nowMs(),
      newSeed: () => randomBytes(16).toString('hex'),
      sessionOf: (exec) => (exec.sessionId === undefined ? undefined : sessions.get(exec.sessionId)),
      askedFor: (id) => asked.get(id) ?? {},
      tenantOf: (exec) =>
        config.tenantOf({ scope: exec.scope, ...(exec.sessionId !== undefined && { sessionId: exec.sessionId }) }),
      searchTools: (view, query, limit) =>
        searchTools(view, deriveNames(view), query, limit === undefined ? {} : { limit }) as unknown as Json, // Plain data of its own making.
      describeTools: (view, names, session) =>
        describeTools(view, deriveNames(view), names, session && { observed: sessionTools.observed(session) }),
    }),
  )

  function openSession({
    id,
    scope = GLOBAL_SCOPE,
  }: { readonly id?: string; readonly scope?: string } = {}): SessionLog {
    const log = store.open(sessionId(id ?? `session-${randomUUID()}`), scope)
    sessions.set(log.sessionId, log)
    return log
  }

  function render(view: ToolView, renderOptions: RenderOptions = {}, session?: string): RenderedSdk {
    const log = session === undefined ? undefined : sessions.get(session)
    // Another scope's session is none of this one's business.
    if (log?.scope !== view.scope) return renderSdk(view, deriveNames(view), renderOptions)
    return renderForSession(view, deriveNames(view), renderOptions, sessionTools.useOf(log))
  }

  function toldAbout(scope: string, session?: string): [RenderedSdk, UsageFacts] {
    const view = registry.view(scope)
    // Whoever is told about the tools writes a program next: the checker reads their types meanwhile.
    if (config.typecheck !== 'off') checker.prepare(view, deriveNames(view))
    const mode = view.mode === 'both' ? 'both' : 'code'
    return [render(view, {}, session), { ...config.limits, typecheck: config.typecheck, mode }]
  }

  async function runProgram(code: string, runOptions: RunOptions): Promise<RunResult> {
    const scope = runOptions.scope ?? runOptions.session?.scope ?? GLOBAL_SCOPE
    const session = runOptions.session ?? openSession({ scope })
    sessions.set(session.sessionId, session)
    const id = callId(runOptions.callId ?? `call-${randomUUID()}`)
    asked.set(id, {
      ...(runOptions.limits !== undefined && { limits: runOptions.limits }),
      ...(runOptions.typecheck !== undefined && { typecheck: checkTypecheck(runOptions.typecheck) }),
      ...(runOptions.onEvent !== undefined && { onEvent: runOptions.onEvent }),
    })
    try {
      const batch = new CallBatch({
        runtime,
        session,
        scope,
        clock: systemClock,
        ...(runOptions.signal !== undefined && { signal: runOptions.signal }),
      })
      const { results, contexts, concludesTurn } = await batch.run([
        { callId: id, name: RUN_CODE, arguments: JSON.stringify(argumentsOf(code, runOptions)) },
      ])
      await session.flush()
      const outcome = results[0]?.outcome
      if (outcome === undefined) throw new TypeError('a batch of one call gave no result')
      return { callId: id, sessionId: session.sessionId, outcome, ...readRun(outcome), contexts, concludesTurn }
    } finally {
      asked.delete(id)
    }
  }

  let isDisposed = false
  function assertOpen(): void {
    if (isDisposed)
      throw new CodedError('CONFIG_INVALID', 'engine: it is disposed and runs nothing more; create a new one')
  }

  const owned = parts.move()
  return {
    registry,
    runtime,
    store,
    limits: config.limits,
    problems,
    openSession(sessionOptions) {
      assertOpen()
      return openSession(sessionOptions)
    },
    closeSession(id) {
      assertOpen()
      sessions.delete(sessionId(id))
      sessionTools.forget(sessionId(id))
      store.release?.(sessionId(id))
      artifacts.release?.(id)
    },
    async run(code, runOptions = {}) {
      assertOpen()
      const work = runProgram(code, runOptions)
      running.add(work)
      try {
        return await work
      } finally {
        running.delete(work)
      }
    },
    watchRun(id, listener) {
      asked.set(id, { ...asked.get(id), onEvent: listener })
      return { [Symbol.dispose]: () => void asked.delete(id) }
    },
    sdk: (scope = GLOBAL_SCOPE, renderOptions) => render(registry.view(scope), renderOptions, renderOptions?.session),
    systemPrompt: (scope = GLOBAL_SCOPE, session) => systemPrompt(...toldAbout(scope, session), templates),
    runCodeDescription: (scope = GLOBAL_SCOPE, session) => runCodeDescription(...toldAbout(scope, session), templates),
    async report() {
      assertOpen()
      return await executor.report()
    },
    load: () => executor.load(),
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await owned.disposeAsync()
    },
  }
}

const MAX_PROBLEMS = 1_000

/** What the caller of one run asked for beside the arguments of `run_code`. */
interface Asked {
  readonly limits?: Partial<Limits>
  readonly typecheck?: TypecheckMode
  readonly onEvent?: (event: RunEvent) => void
}

function startExecutor({ isolation, requireConfinement, pool, sandboxNode }: EngineConfig): Promise<Executor> {
  if (isolation === 'in-process') {
    return createInProcessExecutor(pool.maxQueue === undefined ? {} : { maxQueue: pool.maxQueue })
  }
  return createProcessExecutor({
    requireConfinement,
    ...pool,
    ...(sandboxNode !== undefined && { node: sandboxNode }),
  })
}

/** Imports the servers' tools, and again whenever a server says that its list changed. */
function followTools(registry: ToolRegistry, servers: McpConnections, report: (problem: EngineProblem) => void): void {
  let registered = registry.registerAll(servers.tools())
  servers.onToolsChanged(() => {
    registered()
    try {
      registered = registry.registerAll(servers.tools())
    } catch (error) {
      // The new list clashes with something that is registered: its tools are gone until the next change.
      report({ message: `the changed tools of a server could not be registered: ${thrownMessage(error)}` })
    }
  })
}

function argumentsOf(code: string, options: RunOptions) {
  return {
    code,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options.description !== undefined && { description: options.description }),
  }
}

/** The outcome's own JSON, typed: `run-code.ts` is the only writer of both shapes. */
function readRun(outcome: Outcome): Pick<RunResult, 'value' | 'partial'> {
  if (!outcome.isError) return { value: outcome.value as unknown as RunValue }
  if (outcome.error.details === undefined) return {}
  return { partial: { logs: [], calls: [], notices: [], ...(outcome.error.details as object) } }
}

/** A store that was given stays its giver's: another engine may go on with it when this one has ended. */
function openStore({ store }: EngineConfig, parts: AsyncDisposableStack): SessionStore {
  const now = () => systemClock.nowMs()
  if (store === undefined) return parts.use(createMemoryStore({ now }))
  return 'sqlite' in store ? parts.use(createSqliteStore({ path: store.sqlite, now })) : store
}

/**
 * Where programs and policies keep what was too large to show; give it to engines that follow each other. Beside the
 * database of the sessions when there is one, else in memory, for as long as the session is open.
 */
export function createArtifacts(database?: string): ArtifactStore & Disposable {
  const parts = {
    limits: { maxBytesPerOwner: 256 * 1024 * 1024, maxBytes: 1024 * 1024 * 1024, maxAgeMs: 24 * 3_600_000 },
    nowMs: () => systemClock.nowMs(),
    newId: randomUUID,
  }
  if (database !== undefined) return createSqliteArtifacts({ ...parts, path: `${database}.artifacts` })
  return { ...createMemoryArtifacts(parts), [Symbol.dispose]() {} }
}

function artifactsOf({ store }: EngineConfig): ArtifactStore & Disposable {
  return createArtifacts(store !== undefined && 'sqlite' in store ? store.sqlite : undefined)
}

/** When one of two starts fails, the other must not be left running. */
async function bothOrNeither<A extends AsyncDisposable, B extends AsyncDisposable>(
  a: Promise<A>,
  b: Promise<B>,
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([a, b])
  if (first.status === 'fulfilled' && second.status === 'fulfilled') return [first.value, second.value]
  if (first.status === 'fulfilled') await first.value[Symbol.asyncDispose]()
  if (second.status === 'fulfilled') await second.value[Symbol.asyncDispose]()
  const failed = first.status === 'rejected' ? first.reason : second.status === 'rejected' ? second.reason : undefined
  throw failed instanceof Error ? failed : new CodedError('SANDBOX_UNAVAILABLE', 'the engine could not start')
}
