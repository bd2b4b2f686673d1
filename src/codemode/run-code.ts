import type { ArtifactStore } from '../artifacts/store.ts'
import type { ContentBlock } from '../data/content.ts'
import { CodedError } from '../data/failure.ts'
import type { CallId, SessionId } from '../data/ids.ts'
import { isRecord, type Json, type JsonObject } from '../data/json.ts'
import { parseContent } from '../data/parse-content.ts'
import type { Executor, GuestEvent, LogLine, Notice, Run, RunEnding } from '../executor/executor.ts'
import type { ToolRuntime } from '../pipeline/tool-runtime.ts'
import { deriveNames } from '../registry/native-names.ts'
import type { ToolRegistry } from '../registry/registry.ts'
import { RUN_CODE } from '../registry/scope.ts'
import type { Execution, ToolDefinition } from '../registry/tool.ts'
import type { ToolView } from '../registry/view.ts'
import type { SessionLog } from '../session/log.ts'
import type { TypeChecker } from '../typecheck/checker.ts'
import { createBridge, type Bridge, type CallSummary, type DispatchEvent } from './bridge.ts'
import { compileProgram, type CompileFailure, type CompiledProgram, type ParsedProgram } from './compile.ts'
import { explainRuntimeError } from './compile/explain.ts'
import { lateSyntaxError } from './late-syntax-error.ts'
import { preflight, type Preflight, type TypecheckMode } from './preflight.ts'
import { resolveLimits, type Limits } from './limits.ts'
import { presentFailure, presentSuccess, type PresentationLimits, type RunFacts } from './presentation.ts'
import { runCodePresenter } from './run-code-presenter.ts'
import { createTurnQueue, type TurnQueue } from './turn-queue.ts'

/** The canonical value of a successful `run_code`. `result` is absent when the program returned nothing. */
export interface RunValue {
  readonly result?: Json
  readonly logs: readonly LogLine[]
  readonly calls: readonly CallSummary[]
  readonly notices: readonly Notice[]
}

/** What somebody who started a run may see of it while it goes on. */
export type RunEvent = GuestEvent | DispatchEvent

export interface RunCodeOptions {
  readonly registry: ToolRegistry
  readonly runtime: ToolRuntime
  readonly executor: Executor
  readonly artifacts: ArtifactStore
  readonly limits: Limits
  readonly checker: TypeChecker
  readonly typecheck: TypecheckMode
  readonly monotonicMs: () => number
  readonly nowMs: () => number
  /** 128 bits of hex from a CSPRNG. */
  readonly newSeed: () => string
  readonly sessionOf: (exec: Execution) => SessionLog | undefined
  /** What the caller of this very run asked for besides the arguments. */
  readonly askedFor: (callId: CallId) => {
    readonly limits?: Partial<Limits>
    readonly typecheck?: TypecheckMode
    readonly onEvent?: (event: RunEvent) => void
  }
  readonly tenantOf: (exec: Execution) => string
  readonly searchTools: (view: ToolView, query: string, limit: number | undefined) => Json
  readonly describeTools: (view: ToolView, names: readonly string[], session: SessionId | undefined) => Json
}

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'The program: TypeScript, the body of an async function.' },
    description: { type: 'string', description: 'One line for the person who watches: what the program does.' },
    timeoutMs: { type: 'number', description: 'Lowers the time the program may take.' },
  },
  required: ['code'],
}

/**
 * `run_code`: an ordinary registered tool with the whole pipeline around it, so that policy sees the program. It
 * compiles, starts a run, and turns the run's ending into a value or a failure. It judges no call: each call the
 * program makes goes back through the runtime, with this execution as its parent.
 */
export function createRunCodeTool(options: RunCodeOptions): ToolDefinition {
  // Content of a failed run, from the throw in `execute` to the finalizer of the same call.
  const failedContent = new Map<CallId, readonly ContentBlock[]>()
  const turns = createTurnQueue()

  return {
    name: RUN_CODE,
    title: 'Run a program',
    description: 'Runs a TypeScript program that calls the tools, and gives back what it returns and prints.',
    parameters: PARAMETERS,
    validateArguments: checkArguments,
    output: {
      render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }],
    },
    async execute(args, exec) {
      const run = await executeProgram({ ...options, turns }, args, exec)
      if (run.failure === undefined) {
        exec.attachContent(run.content)
        if (run.concludesTurn) exec.concludeTurn()
        return run.value
      }
      failedContent.set(exec.callId, run.content)
      throw run.failure
    },
    finalizeContent(exec, result) {
      const content = failedContent.get(exec.callId)
      failedContent.delete(exec.callId)
      return result.isError ? content : undefined
    },
    ...runCodePresenter,
  }
}

function checkArguments(args: JsonObject) {
  if (typeof args.code === 'string') return []
  const received = args.code === undefined ? 'missing' : JSON.stringify(args.code).slice(0, 60)
  return [
    { path: '/code', expected: 'string', received, message: `"code" must be the program as a string; got ${received}` },
  ]
}

interface Finished {
  readonly value?: RunValue
  readonly failure?: CodedError
  readonly content: readonly ContentBlock[]
  readonly concludesTurn: boolean
}

async function executeProgram(
  options: RunCodeOptions & { readonly turns: TurnQueue },
  args: JsonObject,
  exec: Execution,
): Promise<Finished> {
  const asked = options.askedFor(exec.callId)
  const limits = limitsOf(options.limits, asked.limits, args.timeoutMs)
  const view = options.registry.view(exec.scope)
  const names = deriveNames(view)
  const presentation: PresentationLimits = {
    maxContentBytes: limits.maxContentBytes,
    keep: (text) => options.artifacts.put(exec.sessionId ?? exec.rootCallId, text)?.id,
  }

  // Isolates take about as long to make as programs to compile and check: both are done at once.
  options.executor.expect(options.tenantOf(exec))
  const toolNames = [...view.toolsByName.keys()]
  const { compiled, checked } = await prepare(codeOf(args), limits.maxProgramBytes, toolNames, (program) =>
    preflight(program, { mode: asked.typecheck ?? options.typecheck, view, names, checker: options.checker }),
  )
  if (!compiled.ok)
    return failed('COMPILE_ERROR', compiled.message, emptyFacts([]), presentation, {
      line: compiled.line,
      column: compiled.column,
    })
  if (checked.refusal !== undefined) {
    const { message, line, column } = checked.refusal
    const notices = [...compiled.notices, ...checked.notices]
    return failed('TYPE_ERROR', message, emptyFacts(notices), presentation, { line, column })
  }

  let run: Run | undefined
  const bridge = createBridge({
    runtime: options.runtime,
    view,
    exec,
    session: options.sessionOf(exec),
    limits,
    monotonicMs: options.monotonicMs,
    artifacts: options.artifacts,
    turns: options.turns,
    searchTools: (query, limit) => options.searchTools(view, query, limit),
    describeTools: (wanted) => options.describeTools(view, wanted, exec.sessionId),
    whileAsking: () => run?.pauseWall() ?? { [Symbol.dispose]: () => {} },
    ...(asked.onEvent !== undefined && { onDispatch: asked.onEvent }),
  })
  run = options.executor.start(
    {
      runId: exec.callId,
      tenant: options.tenantOf(exec),
      code: compiled.code,
      places: compiled.places(),
      bindings: [...view.toolsByName.values()]
        .filter((tool) => tool.tier !== 'native')
        .map((tool) => ({
          name: tool.name,
          path: names.pathByName.get(tool.name) ?? [tool.name],
          required: wantedOf(tool),
        })),
      limits,
      signal: exec.signal,
      startTimeMs: options.nowMs(),
      seed: options.newSeed(),
    },
    {
      call: (request) => bridge.call(request),
      onEvent(event) {
        if (event.type === 'progress') exec.reportProgress(event)
        asked.onEvent?.(event)
      },
    },
  )
  const ending = await run.ending
  // The run is over for the program; what it started outside is not over before the pipeline says so.
  await bridge.quiet()
  const noticed = { ...compiled, notices: [...compiled.notices, ...checked.notices] }
  return conclude(ending, noticed, bridge, presentation, toolNames)
}

/** Compiles and checks at the same time: both need no more than the parsed text, and neither runs any of it. */
async function prepare(
  code: string,
  maxProgramBytes: number,
  toolNames: readonly string[],
  check: (program: ParsedProgram) => Promise<Preflight>,
): Promise<{ readonly compiled: CompiledProgram | CompileFailure; readonly checked: Preflight }> {
  let checking: Promise<Preflight> | undefined
  const compiled = await compileProgram(code, {
    maxProgramBytes,
    toolNames,
    onParsed(program) {
      checking = check(program)
      checking.catch(() => {}) // Compiling may take longer; what went wrong is seen where it is awaited.
    },
  })
  return { compiled, checked: (await checking) ?? { notices: [] } }
}

function conclude(
  ending: RunEnding,
  compiled: CompiledProgram,
  bridge: Bridge,
  presentation: PresentationLimits,
  toolNames: readonly string[],
): Finished {
  const facts = factsOf(ending, compiled, bridge)
  switch (ending.kind) {
    case 'returned': {
      const returned = ending.resultJson === undefined ? undefined : parseGuestJson(ending.resultJson)
      if (returned?.ok === false)
        return failed(
          'SANDBOX_LOST',
          'the sandbox gave a result that is not JSON; its process is not to be trusted.',
          facts,
          presentation,
          {},
        )
      const result = returned?.value
      const value = {
        ...(result !== undefined && { result }),
        logs: facts.logs,
        calls: facts.calls,
        notices: facts.notices,
      }
      const content = presentSuccess(
        { ...facts, hasResult: result !== undefined, ...(result !== undefined && { result }) },
        presentation,
      )
      return { value, content, concludesTurn: bridge.concludesTurn() }
    }
    case 'threw': {
      const explained = explainRuntimeError(ending.error, compiled, toolNames)
      const code = ending.error.code === 'CALL_LIMIT' ? 'CALL_LIMIT' : 'PROGRAM_ERROR'
      const error = { name: ending.error.name, message: ending.error.message, stack: explained.stack }
      return failed(code, explained.message, facts, presentation, {
        line: explained.line,
        column: explained.column,
        error: {
          ...error,
          ...(ending.error.code !== undefined && { code: ending.error.code }),
          ...(ending.error.tool !== undefined && { tool: ending.error.tool }),
        },
      })
    }
    case 'stopped': {
      if (ending.code === 'COMPILE_ERROR') {
        const { message, line, column } = lateSyntaxError(ending.message, compiled)
        return failed('COMPILE_ERROR', message, facts, presentation, { line, column })
      }
      const open = namesOf(ending.openCalls, bridge)
      const said = ending.message.replace(/\.$/, '')
      const message = open.length === 0 ? ending.message : `${said}; still open: ${open.join(', ')}`
      return failed(ending.code, message, facts, presentation, {})
    }
  }
}

function factsOf(ending: RunEnding, compiled: CompiledProgram, bridge: Bridge): RunFacts {
  const notices = [...compiled.notices, ...ending.notices]
  const calls = bridge.calls()
  if (ending.unawaitedCalls.length > 0)
    notices.push({ code: 'not-awaited', message: openAtEnd(ending.unawaitedCalls, new Set(ending.openCalls), bridge) })
  const shown: ContentBlock[] = []
  for (const json of ending.shown) {
    const block = parseGuestJson(json)
    const parsed = parseContent([block.ok ? block.value : null])
    if (parsed.ok) shown.push(...parsed.content)
    else
      notices.push({
        code: 'show-refused',
        message: `show() takes a content block: ${parsed.reason} at ${parsed.path || 'the block'}`,
      })
  }
  return { hasResult: false, logs: ending.logs, notices, calls, shown }
}

/**
 * Calls that were open when the program had ended. Whether their promises were forgotten or used and left behind (by a
 * race, by an error elsewhere) nobody outside the program can tell: the words are true of both.
 */
function openAtEnd(numbers: readonly number[], cut: ReadonlySet<number>, bridge: Bridge): string {
  const settled = numbers.filter((number) => !cut.has(number))
  const [unstarted, aborted] = [[], []] as [number[], number[]]
  for (const number of cut) (bridge.summaryOf(number)?.state === 'unstarted' ? unstarted : aborted).push(number)
  const failures = settled
    .map((number) => bridge.summaryOf(number))
    .filter((call) => call?.isError === true)
    .map((call) => `${call?.name}: ${call?.code} ${call?.message ?? ''}`)
  const parts = [
    [settled, 'let settle'],
    [aborted, 'aborted when the time for that (drainMs) was up, outcome unknown'],
    [unstarted, 'never started'],
  ] as const
  const told = parts.flatMap(([of, what]) => (of.length === 0 ? [] : [`${what}: ${namesOf(of, bridge).join(', ')}`]))
  const failed = failures.length === 0 ? '' : ` Failed: ${failures.join('; ')}.`
  return `the program ended before all of its calls had (not awaited, or left behind by a race or an error): ${told.join('; ')}.${failed} To wait for a call: await it.`
}

/** Text from a guest is JSON by its prelude's word only; a taken-over child may send anything. */
function parseGuestJson(text: string): { readonly ok: true; readonly value: Json } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) as Json } // JSON.parse gives JSON.
  } catch {
    return { ok: false }
  }
}

function failed(
  code: string,
  message: string,
  facts: RunFacts,
  presentation: PresentationLimits,
  extra: { readonly line?: number | undefined; readonly column?: number | undefined; readonly error?: JsonObject },
): Finished {
  const details = {
    ...(extra.line !== undefined && { line: extra.line }),
    ...(extra.column !== undefined && { column: extra.column }),
    ...(extra.error !== undefined && { error: extra.error }),
    logs: facts.logs,
    calls: facts.calls,
    notices: facts.notices,
  }
  return {
    failure: new CodedError(code, message, { details: details as unknown as Json }), // Interfaces of JSON fields only.
    content: presentFailure(`${code}: ${message}`, facts, presentation),
    concludesTurn: false,
  }
}

function emptyFacts(notices: readonly Notice[]): RunFacts {
  return { hasResult: false, logs: [], notices, calls: [], shown: [] }
}

function namesOf(numbers: readonly number[], bridge: Bridge): readonly string[] {
  return [...new Set(numbers.map((number) => bridge.nameOf(number) ?? `call ${number}`))]
}

/** `validateArguments` has said that it is a string. */
function codeOf(args: JsonObject): string {
  return typeof args.code === 'string' ? args.code : ''
}

/** The required properties; where none is, the only one there is: what a bare scalar must have been meant for. */
function wantedOf(tool: ToolDefinition): readonly string[] {
  const { required, properties } = tool.parameters
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []
  const known = isRecord(properties) ? Object.keys(properties) : []
  return names.length === 0 && known.length === 1 ? known : names
}

/** A caller may lower the wall time through the arguments, never raise it; nonsense there fails no good program. */
function limitsOf(base: Limits, overrides: Partial<Limits> | undefined, timeoutMs: Json | undefined): Limits {
  const limits = resolveLimits(base, overrides)
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 1)) return limits
  return { ...limits, wallMs: Math.min(limits.wallMs, Math.floor(timeoutMs)) }
}
