import { describe, expect, test } from 'vitest'
import { createFailure } from '../../src/data/failure.ts'
import type { Outcome } from '../../src/data/outcome.ts'
import { checkRecord, type CallRecord } from '../../src/pipeline/invariants.ts'
import { STAGES, type Stage } from '../../src/pipeline/stages.ts'
import { createRig, tool } from './rig.ts'

const success: Outcome = Object.freeze({ isError: false, value: 1, content: Object.freeze([]) })
const failure = (bodyStarted: boolean): Outcome =>
  Object.freeze({
    isError: true,
    error: Object.freeze(createFailure('TOOL_FAILED', 'x', { phase: 'body', bodyStarted })),
    content: Object.freeze([]),
  })
const WHOLE: readonly Stage[] = ['create', 'mode', 'pre', 'guards', 'body', 'value', 'render', 'post']

const check = (record: Partial<CallRecord>) =>
  checkRecord({ steps: WHOLE, isAllowed: true, hasFinalizer: false, outcome: success, ...record })

describe('a call that kept the protocol', () => {
  test.each<[string, Partial<CallRecord>]>([
    ['the usual way', {}],
    ['every stage', { steps: [...STAGES], hasFinalizer: true }],
    [
      'a retry',
      { steps: ['create', 'mode', 'pre', 'guards', 'around', 'body', 'around', 'body', 'value', 'render', 'post'] },
    ],
    ['a value replaced by a policy', { steps: [...WHOLE, 'value', 'render'] }],
    ['a refusal', { steps: ['create', 'mode', 'post'], isAllowed: false, outcome: failure(false) }],
    [
      'a wrapper’s own success',
      {
        steps: ['create', 'mode', 'pre', 'guards', 'around', 'value', 'render', 'post'],
        outcome: Object.freeze({ ...success, synthetic: true }),
      },
    ],
  ])('%s', (_title, record) => expect(check(record)).toEqual([]))
})

describe('a breach is named', () => {
  test.each<[string, Partial<CallRecord>, string]>([
    ['a body before its policy', { steps: ['create', 'mode', 'body', 'pre', 'guards', 'value'] }, 'pre came too late'],
    ['a body without an allow', { isAllowed: false }, 'without an allow'],
    ['a body without guards', { steps: ['create', 'mode', 'pre', 'body', 'value'] }, 'without the guards'],
    ['two finalizers', { steps: [...WHOLE, 'finalize', 'finalize'], hasFinalizer: true }, 'finalize came twice'],
    ['a finalizer left out', { hasFinalizer: true }, 'the finalizer is tried once'],
    ['post before the body', { steps: ['create', 'mode', 'pre', 'guards', 'post', 'body'] }, 'body came too late'],
    ['no beginning', { steps: WHOLE.slice(1) }, 'begins with create'],
    ['a body that ran and is denied', { outcome: failure(false) }, 'bodyStarted'],
    ['a success out of nothing', { steps: ['create', 'mode', 'pre', 'guards', 'post'] }, 'must be synthetic'],
    ['an outcome that can be changed', { outcome: { ...success } }, 'not frozen'],
    [
      'content that can be changed',
      { outcome: Object.freeze({ ...success, content: Object.freeze([{ type: 'text' as const, text: '' }]) }) },
      'not frozen',
    ],
  ])('%s', (_title, record, expected) => expect(check(record).join('\n')).toContain(expected))
})

test('a runtime that checks reports a breach to its owner and leaves the outcome alone', async () => {
  const rig = createRig()
  // A tool cannot break the protocol; a finalizer that thaws what it was given cannot either. So the checker is silent.
  rig.registry.register(
    tool({
      name: 't',
      finalizeContent(_exec, result) {
        expect(() => Object.assign(result, { isError: true })).toThrow(TypeError)
        return undefined
      },
    }),
  )
  expect(await rig.call('t')).toMatchObject({ isError: false })
  expect(rig.diagnostics).toEqual([])
})
