/**
 * The seam between a run and whatever evaluates it. An executor knows binding names and functions; it knows neither
 * tools nor policy. Everything a program says arrives here as bounded strings from a hostile peer.
 */
export interface Executor extends AsyncDisposable {
  /** Never throws for what a program does; throws `CodedError('SANDBOX_UNAVAILABLE')` when no sandbox can exist at all. */
  start(request: RunRequest, host: RunHost): Run
  /**
   * A run of this tenant will be here in some milliseconds, or may not come after all: what it would wait for is made
   * meanwhile (its program is being compiled and checked).
   */
  expect(tenant: string): void
  /** What walls stand and what the pool holds; for `doctor`. */
  report(): Promise<ExecutorReport>
  /** How much there is to do at this moment. */
  load(): ExecutorLoad
}

export interface ExecutorLoad {
  /** Sandbox processes that live. */
  readonly children: number
  /** Runs that have begun and not ended, those that wait included. */
  readonly runs: number
  /** Runs that wait for a place in a sandbox. */
  readonly waiting: number
}

export interface RunRequest {
  readonly runId: string
  /** Runs of different tenants never share a process. */
  readonly tenant: string
  /** JavaScript: a script whose completion value is an async function of no arguments. */
  readonly code: string
  /** Where places of the code are in the text it was made from: see `StartBody`. */
  readonly places?: { readonly table: string; readonly ownSuffix: string }
  readonly bindings: readonly Binding[]
  readonly limits: RunLimits
  readonly signal: AbortSignal
  /** Milliseconds since 1970 that the guest's clock starts at; with `seed`, what makes a run repeatable. */
  readonly startTimeMs: number
  /** 128 bits as hex, from a CSPRNG; never shown to the program. */
  readonly seed: string
}

/** A function the guest finds under `tools`. */
export interface Binding {
  /** Registered name: always reachable as `tools["name"]`. */
  readonly name: string
  /** Where it also hangs: `['github', 'issue_read']` is `tools.github.issue_read`. */
  readonly path: readonly string[]
  /** Names of the required properties, or of the only one that there is; lets the guest word a refusal of a bare scalar argument. */
  readonly required: readonly string[]
}

export interface RunLimits {
  readonly cpuMs: number
  readonly wallMs: number
  readonly drainMs: number
  readonly memoryMb: number
  readonly maxPendingCalls: number
  readonly maxLogBytes: number
  readonly maxResultBytes: number
  readonly maxValueBytes: number
}

/** What the guest can ask of the host. All are started at once and in order; none may throw or reject. */
export interface RunHost {
  call(request: GuestCall): Promise<GuestReply>
  /** A line, a block or a notice, as it happens. The ending holds them all again. */
  onEvent?(event: GuestEvent): void
}

export interface GuestCall {
  /** 1, 2, 3 … in order of submission within the run. */
  readonly number: number
  /** `call`: the canonical value. `full`: value, content and meta. The rest are services that are no tool calls. */
  readonly op: 'call' | 'full' | 'search' | 'describe' | 'artifact'
  readonly name: string
  /** JSON text of the arguments, at most `maxValueBytes`. Not parsed yet. */
  readonly argumentsJson: string
  /** Aborted when the run ends, for whatever reason. */
  readonly signal: AbortSignal
}

/** `json` of a failure is the ToolError's fields: `{ tool, code, message, phase, bodyStarted, retryable, details?, content? }`. */
export type GuestReply = { readonly ok: true; readonly json: string } | { readonly ok: false; readonly json: string }

export type LogLevel = 'log' | 'info' | 'warn' | 'error' | 'debug'
export interface LogLine {
  readonly level: LogLevel
  /** Guest clock, milliseconds since the start of the run. */
  readonly atMs: number
  readonly text: string
}
export interface Notice {
  readonly code: string
  readonly message: string
}
export type GuestEvent =
  | { readonly type: 'log'; readonly line: LogLine }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** JSON text of a content block given to `show`. */
  | { readonly type: 'show'; readonly json: string }
  | { readonly type: 'progress'; readonly message?: string; readonly fraction?: number }

export interface Run {
  readonly ending: Promise<RunEnding>
  /** Ends the run as `ABORTED` (idempotent). */
  cancel(reason: string): void
  /** Stops the wall clock while a person is asked; dispose to go on. Nests. */
  pauseWall(): Disposable
}

export type RunEnding = RunEndingKind & {
  readonly logs: readonly LogLine[]
  readonly notices: readonly Notice[]
  readonly shown: readonly string[]
  /** Numbers of calls that were open when the run ended and got no answer. */
  readonly openCalls: readonly number[]
  /** Numbers of calls still open when the program itself had ended; they were let settle. */
  readonly unawaitedCalls: readonly number[]
  readonly usage: RunUsage
}
export type RunEndingKind =
  | { readonly kind: 'returned'; readonly resultJson?: string }
  /** An uncaught error. `stack` holds positions in `code` (`program.js:line:col`), or with `places` those of its source (`program.ts:…`). */
  | { readonly kind: 'threw'; readonly error: GuestError }
  | {
      readonly kind: 'stopped'
      readonly code:
        | 'TIMEOUT'
        | 'MEMORY_LIMIT'
        | 'OUTPUT_LIMIT'
        | 'DEADLOCK'
        | 'ABORTED'
        | 'SANDBOX_LOST'
        | 'OVERLOADED'
        | 'REPLAY_DIVERGED'
        | 'COMPILE_ERROR'
      /** Of a `COMPILE_ERROR`: V8's own words, with the place in `code` at the end (`… [program.js:line:column]`). */
      readonly message: string
    }
export interface GuestError {
  readonly name: string
  readonly message: string
  readonly stack: string
  /** Set when the error was a ToolError. */
  readonly code?: string
  readonly tool?: string
}
export interface RunUsage {
  readonly cpuMs: number
  readonly wallMs: number
  /** How often the run was moved to a fresh child. */
  readonly resumes: number
}

export interface ExecutorReport {
  readonly isolation: 'process' | 'in-process'
  /** Path of the binary that runs children, and its version. */
  readonly node: { readonly path: string; readonly version: string }
  readonly isolatedVm: { readonly ok: boolean; readonly detail: string }
  readonly confinement: ConfinementReport
}
export interface ConfinementReport {
  readonly level: 'none' | 'basic' | 'strong'
  readonly walls: readonly { readonly name: string; readonly stands: boolean; readonly detail: string }[]
}
