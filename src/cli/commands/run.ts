import { CardProjection, presentersOf, type FindPresenter } from '../../cards.ts'
import type { TypecheckMode } from '../../codemode/preflight.ts'
import type { RunEvent } from '../../codemode/run-code.ts'
import { CodedError } from '../../data/failure.ts'
import type { Engine, RunResult } from '../../engine.ts'
import type { Policy } from '../../pipeline/call.ts'
import { watchLog } from '../../session/watch-log.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { writeCards } from '../format/cards.ts'
import { writeRun, runDocument } from '../format/run.ts'
import { createProgressPrinter } from '../format/progress.ts'
import { watchInterrupt } from '../interrupt.ts'
import { warn, writeJson, type Io } from '../io.ts'
import { readProgram } from '../read-program.ts'
import { createTerminalApprover } from '../terminal-approver.ts'
import { readSources, startEngine, type SourceOptions, type ToolSources } from '../tool-sources.ts'

export interface RunCommandOptions extends SourceOptions {
  readonly db?: string
  readonly session?: string
  readonly timeout?: number
  readonly requireConfinement?: 'none' | 'basic' | 'strong'
  readonly typecheck?: TypecheckMode
  readonly json?: boolean
  readonly cards?: boolean
}

/** Runs one program and prints what it returned, printed and called. An interrupt ends the run and prints it all the same. */
export async function runCommand(path: string, options: RunCommandOptions, io: Io): Promise<number> {
  const code = await readProgram(path, io)
  const sources = readSources(options, io)
  checkOptions(options, sources)
  using interrupt = watchInterrupt()
  const approver = createTerminalApprover(io, path === '-')
  const starting = startEngine(sources, io, {
    ...(options.db !== undefined && { store: { sqlite: options.db } }),
    ...(options.requireConfinement !== undefined && { requireConfinement: options.requireConfinement }),
    ...(options.typecheck !== undefined && { typecheck: options.typecheck }),
    ...(approver !== undefined && { approver }),
    ...(sources.approvalRequired.size > 0 && { policies: [askFor(sources.approvalRequired)] }),
  })
  await using engine = await interrupt.race(starting)
  const shown: string[] = []
  const progress = createProgressPrinter(io, options.json === true)
  const projection = options.cards === true ? new CardProjection(presentersIn(engine, sources.scope)) : undefined
  const result = await runOnce(engine, code, sources.scope, options, interrupt.signal, projection, (event) => {
    if (event.type === 'show') shown.push(event.json)
    progress?.(event)
  })
  const cards = projection?.cards()
  const exitCode = result.outcome.isError ? (interrupt.exitCode ?? exitCodeOf(result.outcome.error.code)) : EXIT.ok
  if (options.json === true)
    writeJson(io, runDocument(result, { exitCode, problems: [...sources.problems, ...engine.problems], cards }))
  else {
    writeRun(io, result, shown)
    if (cards !== undefined) writeCards(io, cards)
  }
  if (interrupt.exitCode !== undefined && options.json !== true) warn(io, 'interrupted')
  return exitCode
}

function checkOptions({ db, session, scope }: RunCommandOptions, { settings }: ToolSources): void {
  const isKept = db !== undefined || settings?.store !== undefined
  if (session !== undefined && !isKept)
    throw new CodedError('CONFIG_INVALID', '--session needs --db: without a file no session is kept')
  // A codeferry.json declares scopes; elsewhere they only tell the sessions of a file apart.
  if (scope !== undefined && !isKept && settings?.kind !== 'codeferry')
    throw new CodedError('CONFIG_INVALID', '--scope needs --db: without a file no session is kept')
}

async function runOnce(
  engine: Engine,
  code: string,
  scope: string,
  options: RunCommandOptions,
  signal: AbortSignal,
  projection: CardProjection | undefined,
  onEvent: (event: RunEvent) => void,
): Promise<RunResult> {
  const session = engine.openSession({ scope, ...(options.session !== undefined && { id: options.session }) })
  return await engine.run(code, {
    scope,
    session: projection === undefined ? session : watchLog(session, (event) => void projection.take(event)),
    signal,
    ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
    onEvent,
  })
}

/** Looked up when a call starts: servers may change their tools meanwhile. */
function presentersIn(engine: Engine, scope: string): FindPresenter {
  return (name) => presentersOf(engine.registry.view(scope))(name)
}

/** The mock file's word that a tool needs a person's yes. */
function askFor(names: ReadonlySet<string>): Policy {
  return {
    name: 'mock-approval',
    pre: (call) =>
      names.has(call.toolName)
        ? { decision: 'ask', reason: 'the mock file says "approval": "required"' }
        : { decision: 'allow' },
  }
}
