import {
  createAnnotationPolicy,
  createApprovalPolicy,
  createRatePolicy,
  createRedactPolicy,
  createTimeoutPolicy,
  defineTool,
  type Policy,
  type ToolDefinition,
} from '../src/index.ts'
import { systemClock } from '../src/pipeline/system-clock.ts'

/** A tool that does nothing, and so shows what everything around it costs. `onBody` is told of each call. */
export function createEmptyTool(onBody: (argument: number) => void = () => {}): ToolDefinition {
  return defineTool({
    name: 'empty',
    description: 'Does nothing and gives it back.',
    parameters: { type: 'object', properties: { n: { type: 'number' } } },
    output: {
      schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false },
    },
    annotations: { readOnlyHint: true },
    isConcurrencySafe: () => true,
    execute({ n = 0 }) {
      onBody(n)
      return { n }
    },
  })
}

/** A tool that gives so many characters. */
export function createTextTool(): ToolDefinition {
  const textByLength = new Map<number, string>()
  return defineTool({
    name: 'text',
    description: 'Gives a text of that length.',
    parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    annotations: { readOnlyHint: true },
    isConcurrencySafe: () => true,
    execute({ n }) {
      const text = textByLength.get(n) ?? 'x'.repeat(n)
      textByLength.set(n, text)
      return { text }
    },
  })
}

/** Five built-in policies as an owner would mount them: three look before the call, two wrap it, one looks after it. */
export function fivePolicies(): readonly Policy[] {
  return [
    createAnnotationPolicy(),
    createApprovalPolicy({ rules: [{ tools: 'delete*', reason: 'it deletes' }] }),
    createRatePolicy({
      clock: systemClock,
      rules: [{ tools: '*', maxCalls: 10_000, perMs: 10, maxConcurrent: 1_000 }],
    }),
    createTimeoutPolicy({ clock: systemClock, rules: [{ tools: '*', timeoutMs: 30_000 }] }),
    createRedactPolicy({ target: 'value' }),
  ]
}

/** The floor of five policies: every hook is there and does nothing. */
export function fiveIdlePolicies(): readonly Policy[] {
  return Array.from({ length: 5 }, (_, index) => ({
    name: `idle-${index}`,
    pre: () => ({ decision: 'allow' as const }),
    around: (_call, next) => next(),
    post: () => ({ decision: 'keep' as const }),
  }))
}
