import { getEventListeners } from 'node:events'
import { afterEach, expect } from 'vitest'
import type { UserMessage } from '../../src/data/content.ts'
import { sessionId } from '../../src/data/ids.ts'
import type { Outcome } from '../../src/data/outcome.ts'
import type {
  ApprovalAnswer,
  ApprovalRequest,
  CallReport,
  CallRequest,
  CallView,
  Policy,
} from '../../src/pipeline/call.ts'
import type { Diagnostic } from '../../src/pipeline/runtime-parts.ts'
import { ToolRuntime, type RuntimeOptions } from '../../src/pipeline/tool-runtime.ts'
import { ToolRegistry } from '../../src/registry/registry.ts'
import { GLOBAL_SCOPE, type Mode } from '../../src/registry/scope.ts'
import type { ToolDefinition } from '../../src/registry/tool.ts'
import type { SessionLog, SessionStore } from '../../src/session/log.ts'
import { createMemoryStore } from '../../src/session/memory-log.ts'
import { expectSoundLogs } from '../support/sound-logs.ts'
import { createFakeClock, type FakeClock } from './fake-clock.ts'

export interface Observed {
  readonly call: CallView
  readonly outcome: Outcome
  readonly report: CallReport
}

export interface Rig {
  readonly registry: ToolRegistry
  readonly runtime: ToolRuntime
  readonly clock: FakeClock
  readonly store: SessionStore
  readonly session: SessionLog
  /** What an observer saw, in order of settling. */
  readonly observed: Observed[]
  readonly diagnostics: Diagnostic[]
  /** A model's call in the rig's session; `overrides` go on top of the request. */
  call(name: string, args?: unknown, overrides?: Partial<CallRequest>): Promise<Outcome>
}

const rigs: Rig[] = []
afterEach(async () => {
  // Whatever a test is about: no call of it may have broken the protocol, and nothing may be left ticking.
  for (const { diagnostics, clock, store } of rigs.splice(0)) {
    expect(diagnostics.filter(({ code }) => code === 'INVARIANT_BROKEN' || code === 'INTERNAL_FAULT')).toEqual([])
    await expectSoundLogs(store)
    expect(clock.pendingTimers).toBe(0)
  }
})

export function createRig(options: Partial<RuntimeOptions> & { readonly mode?: Mode } = {}): Rig {
  const { mode = 'native', ...runtimeOptions } = options
  const clock = createFakeClock()
  const registry = new ToolRegistry()
  registry.setMode(GLOBAL_SCOPE, mode)
  const store = createMemoryStore({ now: () => clock.nowMs() })
  const session = store.open(sessionId('s1'), GLOBAL_SCOPE)
  const diagnostics: Diagnostic[] = []
  const observed: Observed[] = []
  let ids = 0
  const runtime = new ToolRuntime({
    registry,
    clock,
    ids: () => `${++ids}`,
    drainMs: 100,
    checkInvariants: true,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...runtimeOptions,
  })
  runtime.observe({ settled: (call, outcome, report) => void observed.push({ call, outcome, report }) })
  const rig: Rig = {
    registry,
    runtime,
    clock,
    store,
    session,
    observed,
    diagnostics,
    call: (name, args = {}, overrides = {}) =>
      runtime.execute({ name, arguments: { value: args }, scope: GLOBAL_SCOPE, entry: 'model', session, ...overrides }),
  }
  rigs.push(rig)
  return rig
}

/** A tool that needs nothing and gives `"done"`. */
export function tool(overrides: Partial<ToolDefinition> & { readonly name: string }): ToolDefinition {
  return {
    description: 'A tool of a test.',
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: () => 'done',
    output: { render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    ...overrides,
  }
}

/** The policy for one tool alone; every other call passes it untouched. */
export function onlyFor(toolName: string, policy: Policy): Policy {
  const isMeant = (call: CallView) => call.toolName === toolName
  return {
    name: policy.name,
    pre: (call, signal) => (isMeant(call) ? policy.pre?.(call, signal) : undefined) ?? { decision: 'allow' },
    around: (call, next) => (isMeant(call) ? policy.around?.(call, next) : undefined) ?? next(),
    post: (call, outcome) => (isMeant(call) ? policy.post?.(call, outcome) : undefined) ?? { decision: 'keep' },
  }
}

/** An approver that gives these answers in turn and keeps the questions. */
export function scriptedApprover(...answers: readonly (ApprovalAnswer | (() => Promise<ApprovalAnswer>))[]) {
  const questions: { readonly request: ApprovalRequest; readonly signal: AbortSignal }[] = []
  return {
    questions,
    async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
      const answer = answers[questions.length]
      questions.push({ request, signal })
      if (answer === undefined) throw new Error('the test has no further answer')
      return typeof answer === 'function' ? answer() : answer
    },
  }
}

export const never = <T>(): Promise<T> => new Promise<T>(() => {})

export function textOf(outcome: Outcome): string {
  return outcome.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

export function contextTexts(outcome: Outcome): readonly string[] {
  return (outcome.contexts ?? []).map(messageText)
}
export function messageText(message: UserMessage): string {
  return message.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

export function codeOf(outcome: Outcome): string | undefined {
  return outcome.isError ? outcome.error.code : undefined
}

export function abortListeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
}
