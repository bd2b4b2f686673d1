/**
 * The one table of failure codes. HTTP, MCP, CLI, docs and SDK typings read it; nothing else knows a code's meaning.
 * `retry` tells a caller what a second try needs: `never` (the same call fails again), `after-change` (change the
 * call or the program), `later` (the same call may work later).
 */
interface CodeFacts {
  readonly summary: string
  readonly kind: 'call' | 'run' | 'diagnostic' | 'config'
  readonly retry: 'never' | 'after-change' | 'later'
  readonly httpStatus: number
  readonly rpcCode: number
  readonly exitCode: number
}

export const FAILURE_CODES = {
  // Calls: tool-runtime table.
  INVALID_ARGS: call(
    'The arguments are not JSON, not lossless, or do not match the tool’s parameters.',
    'after-change',
    422,
  ),
  CALL_VIA_RUN_CODE: call('In code mode a tool is called from a program, not directly.', 'after-change', 409),
  UNKNOWN_TOOL: call('No tool of that name is visible here.', 'after-change', 404),
  ABORTED_BEFORE_DISPATCH: call('The call was cancelled before the tool started.', 'later', 499),
  POLICY_DENIED: call('A policy denied the call.', 'never', 403),
  APPROVAL_REJECTED: call('A person refused the call.', 'never', 403),
  APPROVAL_CANCELLED: call('The question to a person was withdrawn or not answered in time.', 'later', 403),
  APPROVAL_UNAVAILABLE: call('The call needs a person’s approval and nobody can be asked here.', 'never', 403),
  GUARD_DENIED: call('The owner’s guard denied the call.', 'never', 403),
  POLICY_FAILED: call('A policy, guard or approver threw; the call did not run.', 'later', 500),
  TOOL_FAILED: call('The tool threw.', 'later', 502),
  TOOL_TIMEOUT: call('The tool did not answer within its own time limit.', 'later', 504),
  INVALID_TOOL_OUTPUT: call('The tool’s value, content or meta is not what its definition promises.', 'never', 502),
  ABORTED: call('The call was cancelled while or after the tool ran.', 'later', 499),
  WRAPPER_FAILED: call('A wrapper around the tool threw.', 'later', 500),
  POST_POLICY_FAILED: call('A policy that looks at results failed.', 'later', 500),
  POST_POLICY_BLOCKED: call('A policy withheld the result.', 'never', 403),
  ABANDONED: call('The tool ignored cancellation and was left behind; what it still does is not known.', 'later', 504),
  CALL_LIMIT: both('The program made more calls, or asked the host for more, than it may.', 'after-change', 429),
  VALUE_TOO_LARGE: call('A tool’s value is larger than a program may receive.', 'after-change', 413),
  INVALID_PARENT: call('The call names a parent that is not a running call of the same session.', 'never', 409),
  OUTCOME_UNKNOWN: call('The call had started when the host died; whether it took effect is not known.', 'never', 500),
  // Runs: code-mode failure kinds.
  COMPILE_ERROR: run('The program does not parse, or uses something a program cannot have.', 'after-change', 422),
  TYPE_ERROR: run('The program does not match the types of the tools it calls.', 'after-change', 422),
  PROGRAM_ERROR: run('The program threw an error that it did not catch.', 'after-change', 422),
  TIMEOUT: run('The program used up its time.', 'after-change', 408),
  MEMORY_LIMIT: run('The program used up its memory.', 'after-change', 422),
  OUTPUT_LIMIT: run('The program returned more than it may.', 'after-change', 413),
  DEADLOCK: run('The program waits for something that nothing can settle.', 'after-change', 422),
  SANDBOX_LOST: run('The sandbox process died and the run could not be resumed.', 'later', 500),
  OVERLOADED: run('Too many programs are running or waiting.', 'later', 503),
  REPLAY_DIVERGED: run('On resuming, the program did not do what it had done before.', 'after-change', 409),
  // Seen by observers only.
  FINALIZER_FAILED: {
    summary: 'The tool’s finalizer threw or gave bad content; a safe text stands in its place.',
    kind: 'diagnostic',
    retry: 'never',
    httpStatus: 500,
    rpcCode: -32603,
    exitCode: 1,
  },
  // Configuration, at start.
  CONFIG_INVALID: {
    summary: 'A configuration file, option or server entry is wrong.',
    kind: 'config',
    retry: 'after-change',
    httpStatus: 500,
    rpcCode: -32603,
    exitCode: 2,
  },
  SANDBOX_UNAVAILABLE: {
    summary: 'No sandbox can be started here: Node, isolated-vm or the required confinement is missing.',
    kind: 'config',
    retry: 'after-change',
    httpStatus: 503,
    rpcCode: -32603,
    exitCode: 4,
  },
  UPSTREAM_UNAVAILABLE: {
    summary: 'A tool server did not start, or its connection ended.',
    kind: 'call',
    retry: 'later',
    httpStatus: 502,
    rpcCode: -32603,
    exitCode: 1,
  },
} as const satisfies Record<string, CodeFacts>

/** Codes of this project. A tool may use its own besides (`Failure.code` is a string). */
export type FailureCode = keyof typeof FAILURE_CODES

export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURE_CODES, code)
}

function call(summary: string, retry: CodeFacts['retry'], httpStatus: number) {
  return { summary, kind: 'call', retry, httpStatus, rpcCode: -32000, exitCode: 1 } as const
}
function run(summary: string, retry: CodeFacts['retry'], httpStatus: number) {
  return { summary, kind: 'run', retry, httpStatus, rpcCode: -32001, exitCode: 1 } as const
}
function both(summary: string, retry: CodeFacts['retry'], httpStatus: number) {
  return { summary, kind: 'run', retry, httpStatus, rpcCode: -32000, exitCode: 1 } as const
}
