import type { UserMessage } from '../../../src/data/content.ts'
import { CodedError } from '../../../src/data/failure.ts'
import type { FailurePhase } from '../../../src/data/failure.ts'
import type { Approver, CallRequest, Guard, Policy } from '../../../src/pipeline/call.ts'
import type { Mode } from '../../../src/registry/scope.ts'
import type { CallToken, ToolDefinition } from '../../../src/registry/tool.ts'
import { never, scriptedApprover } from '../../pipeline/rig.ts'

/** What a row needs of the world around one call of the tool `target`. */
export interface Arrangement {
  readonly tool?: Partial<ToolDefinition>
  readonly policies?: readonly Policy[]
  readonly guards?: readonly Guard[]
  readonly approver?: Approver
  readonly request?: Partial<CallRequest>
  /** The call is made without a session. */
  readonly withoutSession?: boolean
  readonly mode?: Mode
  readonly hide?: boolean
  /** Moves the clock while the call is under way. */
  readonly advanceMs?: number
  readonly abortFirst?: boolean
}

export interface Row {
  readonly title: string
  /** Default: both. */
  readonly entries?: readonly ('native' | 'nested')[]
  /** `abort` cancels the call from its caller's side. */
  readonly arrange: (abort: () => void) => Arrangement
  /** Absent: the call succeeds. */
  readonly code?: string
  readonly phase?: FailurePhase
  readonly bodyStarted: boolean
  readonly post: boolean
  readonly finalizer: boolean
  readonly contexts?: readonly string[]
  readonly concludes?: boolean
}

export const FROM_BODY = 'from the body'
const fromPost: UserMessage = { role: 'user', content: [{ type: 'text', text: 'from post' }], source: 'p' }
const policy = (hooks: Omit<Policy, 'name'>): Policy => ({ name: 'p', ...hooks })
const ask = policy({ pre: () => ({ decision: 'ask', reason: 'it is risky' }) })
const hostile = () => {
  throw new Proxy(
    {},
    {
      get() {
        throw new Error('trap')
      },
    },
  )
}
/** A body that does its work and is cancelled before it returns. */
const speaks = (then: (exec: Parameters<ToolDefinition['execute']>[1]) => unknown): ToolDefinition['execute'] => {
  return (_args, exec) => {
    exec.deferContext(FROM_BODY)
    exec.concludeTurn()
    return then(exec)
  }
}
const untilStopped = (exec: Parameters<ToolDefinition['execute']>[1]) =>
  new Promise((_resolve, reject) => exec.signal.addEventListener('abort', () => reject(exec.signal.reason as Error)))

const NOT_STARTED = { bodyStarted: false, finalizer: true } as const
const REFUSED = { ...NOT_STARTED, post: true } as const
const FAILED = { bodyStarted: true, post: true, finalizer: true, contexts: [FROM_BODY] } as const

export const FAILURE_TABLE: readonly Row[] = [
  {
    title: 'a success keeps contexts and the wish to end the turn',
    arrange: () => ({}),
    bodyStarted: true,
    post: true,
    finalizer: true,
    contexts: [FROM_BODY],
    concludes: true,
  },
  {
    title: 'arguments that are not JSON',
    arrange: () => ({ request: { arguments: { raw: '{"a": ' } } }),
    code: 'INVALID_ARGS',
    phase: 'arguments',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'arguments that are JSON but no object',
    arrange: () => ({ request: { arguments: { raw: '[1]' } } }),
    code: 'INVALID_ARGS',
    phase: 'arguments',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'arguments that JSON cannot hold',
    arrange: () => ({ request: { arguments: { value: { count: 1n } } } }),
    code: 'INVALID_ARGS',
    phase: 'arguments',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a parent that is no running call',
    arrange: () => ({ request: { parent: Object.freeze({}) as CallToken } }),
    code: 'INVALID_PARENT',
    phase: 'lookup',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a direct call in code mode',
    entries: ['native'],
    arrange: () => ({ mode: 'code' }),
    code: 'CALL_VIA_RUN_CODE',
    phase: 'mode',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'an unknown tool',
    arrange: () => ({ request: { name: 'targte' } }),
    code: 'UNKNOWN_TOOL',
    phase: 'lookup',
    bodyStarted: false,
    post: true,
    finalizer: false,
  },
  {
    title: 'a tool that a restriction hides',
    arrange: () => ({ hide: true }),
    code: 'UNKNOWN_TOOL',
    phase: 'lookup',
    bodyStarted: false,
    post: true,
    finalizer: false,
  },
  {
    title: 'run_code, called from a program',
    entries: ['nested'],
    arrange: () => ({ request: { name: 'run_code' } }),
    code: 'UNKNOWN_TOOL',
    phase: 'lookup',
    bodyStarted: false,
    post: true,
    finalizer: false,
  },
  {
    title: 'a caller that has aborted already',
    arrange: () => ({ abortFirst: true }),
    code: 'ABORTED_BEFORE_DISPATCH',
    phase: 'arguments',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'an abort while a pre-policy decides',
    arrange: (abort) => ({ policies: [policy({ pre: () => (abort(), never()) })] }),
    code: 'ABORTED_BEFORE_DISPATCH',
    phase: 'pre',
    ...REFUSED,
  },
  {
    title: 'an abort while a person is asked',
    arrange: (abort) => ({ policies: [ask], approver: { ask: () => (abort(), never()) } }),
    code: 'ABORTED_BEFORE_DISPATCH',
    phase: 'approval',
    ...REFUSED,
  },
  {
    title: 'an abort while the call waits to be admitted',
    arrange: (abort) => ({ request: { admit: () => (abort(), never()) } }),
    code: 'ABORTED_BEFORE_DISPATCH',
    phase: 'guards',
    ...REFUSED,
  },
  {
    title: 'an abort by a wrapper’s hand before the body',
    arrange: (abort) => ({ policies: [policy({ around: (_call, next) => (abort(), next()) })] }),
    code: 'ABORTED_BEFORE_DISPATCH',
    phase: 'body',
    ...REFUSED,
  },
  {
    title: 'a pre-policy that denies',
    arrange: () => ({ policies: [policy({ pre: () => ({ decision: 'deny', reason: 'no' }) })] }),
    code: 'POLICY_DENIED',
    phase: 'pre',
    ...REFUSED,
  },
  {
    title: 'a pre-policy that cancels',
    arrange: () => ({ policies: [policy({ pre: async () => ({ decision: 'cancel', reason: 'not now' }) })] }),
    code: 'ABORTED_BEFORE_DISPATCH',
    phase: 'pre',
    ...REFUSED,
  },
  {
    title: 'a person who rejects',
    arrange: () => ({ policies: [ask], approver: scriptedApprover({ answer: 'reject', reason: 'too late' }) }),
    code: 'APPROVAL_REJECTED',
    phase: 'approval',
    ...REFUSED,
  },
  {
    title: 'a person who dismisses the question',
    arrange: () => ({ policies: [ask], approver: scriptedApprover({ answer: 'dismiss' }) }),
    code: 'APPROVAL_CANCELLED',
    phase: 'approval',
    ...REFUSED,
  },
  {
    title: 'a question that nobody answers in time',
    arrange: () => ({ policies: [ask], approver: { ask: () => never() }, advanceMs: 3_600_000 }),
    code: 'APPROVAL_CANCELLED',
    phase: 'approval',
    ...REFUSED,
  },
  {
    title: 'a question that the approver withdraws',
    arrange: () => ({
      policies: [ask],
      approver: { ask: () => Promise.reject(new DOMException('gone', 'AbortError')) },
    }),
    code: 'APPROVAL_CANCELLED',
    phase: 'approval',
    ...REFUSED,
  },
  {
    title: 'a question without an approver',
    arrange: () => ({ policies: [ask] }),
    code: 'APPROVAL_UNAVAILABLE',
    phase: 'approval',
    ...REFUSED,
  },
  {
    title: 'a question without a session',
    arrange: () => ({ policies: [ask], approver: scriptedApprover({ answer: 'approve' }), withoutSession: true }),
    code: 'APPROVAL_UNAVAILABLE',
    phase: 'approval',
    ...REFUSED,
  },
  {
    title: 'a guard that denies',
    arrange: () => ({ guards: [{ name: 'g', check: () => ({ decision: 'deny', reason: 'never' }) }] }),
    code: 'GUARD_DENIED',
    phase: 'guards',
    ...REFUSED,
  },
  {
    title: 'a guard that denies what a person approved',
    arrange: () => ({
      policies: [ask],
      approver: scriptedApprover({ answer: 'approve' }),
      guards: [{ name: 'g', check: () => ({ decision: 'deny', reason: 'never' }) }],
    }),
    code: 'GUARD_DENIED',
    phase: 'guards',
    ...REFUSED,
  },
  {
    title: 'a pre-policy that throws',
    arrange: () => ({ policies: [policy({ pre: hostile })] }),
    code: 'POLICY_FAILED',
    phase: 'pre',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a pre-policy that rejects',
    arrange: () => ({ policies: [policy({ pre: () => Promise.reject(new Error('down')) })] }),
    code: 'POLICY_FAILED',
    phase: 'pre',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a pre-policy that gives nonsense',
    arrange: () => ({ policies: [policy({ pre: () => JSON.parse('{"decision":"yes"}') as never })] }),
    code: 'POLICY_FAILED',
    phase: 'pre',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a guard that throws',
    arrange: () => ({ guards: [{ name: 'g', check: hostile }] }),
    code: 'POLICY_FAILED',
    phase: 'guards',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a guard that gives a promise',
    arrange: () => ({ guards: [{ name: 'g', check: () => Promise.reject(new Error('async guard')) as never }] }),
    code: 'POLICY_FAILED',
    phase: 'guards',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'an approver that throws',
    arrange: () => ({ policies: [ask], approver: { ask: hostile } }),
    code: 'POLICY_FAILED',
    phase: 'approval',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'an approver that gives nonsense',
    arrange: () => ({ policies: [ask], approver: { ask: async () => ({ answer: 'sure' }) as never } }),
    code: 'POLICY_FAILED',
    phase: 'approval',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'arguments that the tool’s own check refuses',
    arrange: () => ({
      tool: {
        validateArguments: () => [{ path: '/a', expected: 'number', received: 'missing', message: '"a" is missing' }],
      },
    }),
    code: 'INVALID_ARGS',
    phase: 'arguments',
    ...REFUSED,
  },
  {
    title: 'a check of the arguments that throws',
    arrange: () => ({ tool: { validateArguments: hostile } }),
    code: 'TOOL_FAILED',
    phase: 'arguments',
    ...REFUSED,
  },
  {
    title: 'a check of the arguments that is async',
    arrange: () => ({ tool: { validateArguments: (async () => []) as never } }),
    code: 'TOOL_FAILED',
    phase: 'arguments',
    ...REFUSED,
  },
  {
    title: 'a body that throws',
    arrange: () => ({
      tool: {
        execute: speaks(() => {
          throw new Error('disk full')
        }),
      },
    }),
    code: 'TOOL_FAILED',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a body that throws with a code of its own',
    arrange: () => ({ tool: { execute: speaks(() => Promise.reject(new CodedError('QUOTA', 'used up'))) } }),
    code: 'QUOTA',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a body whose server has gone',
    arrange: () => ({
      tool: { execute: speaks(() => Promise.reject(new CodedError('UPSTREAM_UNAVAILABLE', 'server "a": it ended'))) },
    }),
    code: 'UPSTREAM_UNAVAILABLE',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a body that cannot say whether it took effect',
    arrange: () => ({
      tool: { execute: speaks(() => Promise.reject(new CodedError('OUTCOME_UNKNOWN', 'its host died meanwhile'))) },
    }),
    code: 'OUTCOME_UNKNOWN',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a body that throws something hostile',
    arrange: () => ({ tool: { execute: speaks(hostile) } }),
    code: 'TOOL_FAILED',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a body that claims to be a policy',
    arrange: () => ({ tool: { execute: speaks(() => Promise.reject(new CodedError('GUARD_DENIED', 'ha'))) } }),
    code: 'TOOL_FAILED',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a body that is stopped at its own deadline',
    arrange: () => ({ tool: { timeoutMs: 50, execute: speaks(untilStopped) }, advanceMs: 50 }),
    code: 'TOOL_TIMEOUT',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a body that gives something that is not JSON',
    arrange: () => ({ tool: { execute: speaks(() => ({ when: new Date(0) })) } }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'value',
    ...FAILED,
  },
  {
    title: 'a body that gives nothing',
    arrange: () => ({ tool: { execute: speaks(() => undefined) } }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'value',
    ...FAILED,
  },
  {
    title: 'a value that is not what the schema says',
    arrange: () => ({
      tool: {
        output: {
          validate: () => [{ path: '', expected: 'number', received: '"done"', message: 'it must be a number' }],
          render: () => [],
        },
      },
    }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'value',
    ...FAILED,
  },
  {
    title: 'a check of the value that is async',
    arrange: () => ({ tool: { output: { validate: async () => [], render: () => [] } as never } }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'value',
    ...FAILED,
  },
  {
    title: 'a render that throws',
    arrange: () => ({ tool: { output: { render: hostile } } }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'value',
    ...FAILED,
  },
  {
    title: 'a render that gives no blocks',
    arrange: () => ({ tool: { output: { render: () => [{ type: 'video' }] as never } } }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'value',
    ...FAILED,
  },
  {
    title: 'meta that is not JSON',
    arrange: () => ({ tool: { output: { render: () => [], presentationMeta: () => ({ n: Number.NaN }) } } }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'value',
    ...FAILED,
  },
  {
    title: 'an abort after which the body succeeds all the same',
    arrange: (abort) => ({ tool: { execute: speaks(() => (abort(), 'done')) } }),
    code: 'ABORTED',
    phase: 'body',
    ...FAILED,
    post: false,
  },
  {
    title: 'an abort that the body hands back',
    arrange: (abort) => ({
      tool: {
        execute: speaks((exec) => {
          abort()
          exec.signal.throwIfAborted()
        }),
      },
    }),
    code: 'ABORTED',
    phase: 'body',
    ...FAILED,
    post: false,
  },
  {
    title: 'an abort while a post-policy looks at a success',
    arrange: (abort) => ({ policies: [policy({ post: () => (abort(), never()) })] }),
    code: 'ABORTED',
    phase: 'post',
    ...FAILED,
  },
  {
    title: 'an abort when the body had failed with an error of its own',
    arrange: (abort) => ({
      tool: {
        execute: speaks(() => {
          abort()
          throw new Error('disk full')
        }),
      },
    }),
    code: 'TOOL_FAILED',
    phase: 'body',
    ...FAILED,
  },
  {
    title: 'a wrapper that throws before the body',
    arrange: () => ({ policies: [policy({ around: hostile })] }),
    code: 'WRAPPER_FAILED',
    phase: 'around',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a wrapper that throws after the body',
    arrange: () => ({
      policies: [
        policy({
          async around(_call, next) {
            await next()
            throw new Error('metrics are down')
          },
        }),
      ],
    }),
    code: 'WRAPPER_FAILED',
    phase: 'around',
    ...FAILED,
    post: false,
  },
  {
    title: 'a wrapper that passes nothing on',
    arrange: () => ({ policies: [policy({ around: async () => ({ outcome: 'fine' }) as never })] }),
    code: 'WRAPPER_FAILED',
    phase: 'around',
    ...NOT_STARTED,
    post: false,
  },
  {
    title: 'a wrapper’s own value that is invalid',
    arrange: () => ({ policies: [policy({ around: async (_call, next) => next.succeed(undefined as never) })] }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'around',
    ...REFUSED,
  },
  {
    title: 'a post-policy that throws',
    arrange: () => ({ policies: [policy({ post: hostile })] }),
    code: 'POST_POLICY_FAILED',
    phase: 'post',
    ...FAILED,
  },
  {
    title: 'a post-policy that gives a value and content',
    arrange: () => ({
      policies: [policy({ post: () => ({ decision: 'replace-value', value: 1, content: [] }) as never })],
    }),
    code: 'POST_POLICY_FAILED',
    phase: 'post',
    ...FAILED,
  },
  {
    title: 'a post-policy that gives content that is none',
    arrange: () => ({
      policies: [policy({ post: () => ({ decision: 'replace-content', content: 'text' as never }) })],
    }),
    code: 'POST_POLICY_FAILED',
    phase: 'post',
    ...FAILED,
  },
  {
    title: 'a post-policy that gives an invalid value',
    arrange: () => ({
      policies: [policy({ post: () => ({ decision: 'replace-value', value: Number.NaN }) })],
    }),
    code: 'INVALID_TOOL_OUTPUT',
    phase: 'post',
    ...FAILED,
  },
  {
    title: 'a post-policy that would turn a failure into a success',
    arrange: () => ({
      tool: { execute: speaks(hostile) },
      policies: [policy({ post: () => ({ decision: 'replace-value', value: 'fine' }) })],
    }),
    code: 'POST_POLICY_FAILED',
    phase: 'post',
    ...FAILED,
  },
  {
    title: 'a post-policy that blocks keeps its own contexts and drops the tool’s',
    arrange: () => ({
      policies: [policy({ post: () => ({ decision: 'block', feedback: 'secret', contexts: [fromPost] }) })],
    }),
    code: 'POST_POLICY_BLOCKED',
    phase: 'post',
    ...FAILED,
    contexts: ['from post'],
  },
  {
    title: 'a finalizer that throws changes content alone',
    arrange: () => ({ tool: { finalizeContent: hostile } }),
    bodyStarted: true,
    post: true,
    finalizer: true,
    contexts: [FROM_BODY],
    concludes: true,
  },
  {
    title: 'a body that ignores an abort past the drain time',
    arrange: (abort) => ({ tool: { execute: speaks(() => (abort(), never())) }, advanceMs: 100 }),
    code: 'ABANDONED',
    phase: 'body',
    ...FAILED,
    post: false,
  },
  {
    title: 'a body that ignores its own deadline past the drain time',
    arrange: () => ({ tool: { timeoutMs: 50, execute: speaks(() => never()) }, advanceMs: 150 }),
    code: 'ABANDONED',
    phase: 'body',
    ...FAILED,
    post: false,
  },
]
