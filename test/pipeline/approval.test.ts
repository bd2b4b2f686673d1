import { describe, expect, test } from 'vitest'
import { CallBatch } from '../../src/pipeline/call-batch.ts'
import type { Policy } from '../../src/pipeline/call.ts'
import { parseEvent } from '../../src/session/parse-event.ts'
import { settle } from './fake-clock.ts'
import { codeOf, createRig, never, scriptedApprover, textOf, tool } from './rig.ts'

const asks = (reason: string): Policy => ({ name: reason, pre: () => ({ decision: 'ask', reason }) })

describe('asking', () => {
  test('several policies ask one question with all their reasons, about exactly what will run', async () => {
    const approver = scriptedApprover({ answer: 'approve' })
    const rig = createRig({ approver })
    const bodies: unknown[] = []
    rig.registry.register(tool({ name: 't', execute: (args) => (bodies.push(args), 'done') }))
    for (const reason of ['it deletes', 'it costs']) rig.runtime.use(asks(reason))
    expect(codeOf(await rig.call('t', { id: 7 }))).toBeUndefined()
    expect(approver.questions).toHaveLength(1)
    expect(approver.questions[0]?.request).toMatchObject({
      toolName: 't',
      reasons: ['it deletes', 'it costs'],
      sessionId: 's1',
    })
    expect(approver.questions[0]?.request.arguments).toBe(bodies[0])
  })

  test('a policy that denies after another asked spares the person the question', async () => {
    const approver = scriptedApprover()
    const rig = createRig({ approver })
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(asks('maybe'))
    rig.runtime.use({ name: 'no', pre: () => ({ decision: 'deny', reason: 'never' }) })
    expect(codeOf(await rig.call('t'))).toBe('POLICY_DENIED')
    expect(approver.questions).toEqual([])
  })

  test('nobody is asked about a call whose arguments cannot pass', async () => {
    const approver = scriptedApprover()
    const rig = createRig({ approver })
    rig.registry.register(
      tool({
        name: 't',
        validateArguments: () => [{ path: '', expected: 'x', received: 'y', message: 'bad' }],
      }),
    )
    rig.runtime.use(asks('maybe'))
    expect(codeOf(await rig.call('t'))).toBe('INVALID_ARGS')
    expect(approver.questions).toEqual([])
  })

  test('a grant is for one call alone', async () => {
    const approver = scriptedApprover({ answer: 'approve' }, { answer: 'reject', reason: 'once was enough' })
    const rig = createRig({ approver })
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(asks('each time'))
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    const second = await rig.call('t')
    expect(codeOf(second)).toBe('APPROVAL_REJECTED')
    expect(textOf(second)).toContain('once was enough')
  })

  test('a guard is asked after the grant, and is right', async () => {
    const order: string[] = []
    const rig = createRig({ approver: { ask: async () => (order.push('approved'), { answer: 'approve' }) } })
    rig.registry.register(tool({ name: 't', execute: () => order.push('body') }))
    rig.runtime.use(asks('risky'))
    rig.runtime.guard({ name: 'g', check: () => (order.push('guard'), { decision: 'deny', reason: 'frozen zone' }) })
    expect(codeOf(await rig.call('t'))).toBe('GUARD_DENIED')
    expect(order).toEqual(['approved', 'guard'])
  })

  test('who approved is in the report of the call', async () => {
    const rig = createRig({ approver: scriptedApprover({ answer: 'approve', by: 'mia' }) })
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(asks('risky'))
    await rig.call('t')
    expect(rig.observed[0]?.report.diagnostics).toEqual([{ code: 'APPROVED', message: 'approved by mia' }])
  })
})

describe('who decided', () => {
  const batchOf = (rig: ReturnType<typeof createRig>) =>
    new CallBatch({ runtime: rig.runtime, session: rig.session, scope: 'global', clock: rig.clock })

  test.each([
    [
      { answer: 'approve', by: 'mia' },
      { answer: 'approve', by: 'mia' },
    ],
    [{ answer: 'approve' }, { answer: 'approve' }],
    [
      { answer: 'reject', by: 'mia', reason: 'no' },
      { answer: 'reject', by: 'mia' },
    ],
    [{ answer: 'dismiss', by: 'mia' }, { answer: 'dismiss' }],
  ] as const)(
    '%j stands on the outcome and in the log, whatever policies make of the result',
    async (given, expected) => {
      const rig = createRig({ approver: scriptedApprover(given) })
      rig.registry.register(tool({ name: 't', finalizeContent: () => [{ type: 'text', text: 'final' }] }))
      rig.runtime.use(asks('risky'))
      rig.runtime.use({
        name: 'r',
        post: () => ({ decision: 'replace-content', content: [{ type: 'text', text: 'x' }] }),
      })
      const { results } = await batchOf(rig).run([{ callId: 'a', name: 't', arguments: '{}' }])
      const outcome = results[0]?.outcome
      expect(outcome?.approval).toEqual(expected)
      expect(Object.isFrozen(outcome) && Object.isFrozen(outcome?.approval)).toBe(true)
      const end = rig.session.events().find(({ type }) => type === 'tool/result')
      expect(end).toMatchObject({ approval: expected })
      expect(parseEvent(JSON.parse(JSON.stringify(end)))).toMatchObject({ ok: true })
      expect(rig.observed[0]?.outcome.approval).toEqual(expected)
    },
  )

  test('a call that nobody was asked about, or nobody answered for, says nothing of it', async () => {
    const withdrawn = new DOMException('gone', 'AbortError')
    const rig = createRig({ approver: { ask: () => Promise.reject(withdrawn) } })
    rig.registry.registerAll([tool({ name: 't' }), tool({ name: 'free' })])
    rig.runtime.use({
      name: 'p',
      pre: ({ toolName }) => ({ decision: toolName === 't' ? 'ask' : 'allow', reason: '' }),
    })
    const { results } = await batchOf(rig).run([
      { callId: 'a', name: 't', arguments: '{}' },
      { callId: 'b', name: 'free', arguments: '{}' },
    ])
    expect(results.map(({ outcome }) => codeOf(outcome))).toEqual(['APPROVAL_CANCELLED', undefined])
    for (const event of rig.session.events()) expect(event).not.toHaveProperty('approval')
  })
})

describe('withdrawing', () => {
  test('the caller’s abort withdraws the question, and a later answer is dropped and counted', async () => {
    let answer: (given: { answer: 'approve' }) => void = () => {}
    const signals: AbortSignal[] = []
    const rig = createRig({
      approver: {
        ask: (_request, signal) => (signals.push(signal), new Promise((resolve) => (answer = resolve))),
      },
    })
    let ran = false
    rig.registry.register(tool({ name: 't', execute: () => (ran = true) }))
    rig.runtime.use(asks('risky'))
    const caller = new AbortController()
    const pending = rig.call('t', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    expect(codeOf(await pending)).toBe('ABORTED_BEFORE_DISPATCH')
    expect(signals[0]?.aborted).toBe(true)
    answer({ answer: 'approve' })
    await settle()
    expect(ran).toBe(false)
    expect(rig.runtime.lateArrivals).toBe(1)
  })

  test('an answer in the same turn as the abort does not start the call', async () => {
    const caller = new AbortController()
    const rig = createRig({ approver: { ask: async () => (caller.abort(), { answer: 'approve' }) } })
    let ran = false
    rig.registry.register(tool({ name: 't', execute: () => (ran = true) }))
    rig.runtime.use(asks('risky'))
    expect(codeOf(await rig.call('t', {}, { signal: caller.signal }))).toBe('ABORTED_BEFORE_DISPATCH')
    expect(ran).toBe(false)
  })

  test('a question that is open too long is withdrawn', async () => {
    const signals: AbortSignal[] = []
    const rig = createRig({ approvalMs: 500, approver: { ask: (_request, signal) => (signals.push(signal), never()) } })
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(asks('risky'))
    const pending = rig.call('t')
    await rig.clock.advance(499)
    expect(signals[0]?.aborted).toBe(false)
    await rig.clock.advance(1)
    const outcome = await pending
    expect(codeOf(outcome)).toBe('APPROVAL_CANCELLED')
    expect(textOf(outcome)).toContain('500 ms')
    expect(signals[0]?.aborted).toBe(true)
  })
})

test('whileAsking covers the time of the question and nothing else, however it ends', async () => {
  for (const answer of ['approve', 'dismiss'] as const) {
    const log: string[] = []
    const rig = createRig({ approver: { ask: async () => (log.push('asked'), { answer }) } })
    rig.registry.register(tool({ name: 't', execute: () => (log.push('body'), 1) }))
    rig.runtime.use(asks('risky'))
    await rig.call(
      't',
      {},
      {
        whileAsking: () => (log.push('begin'), { [Symbol.dispose]: () => void log.push('end') }),
      },
    )
    expect(log).toEqual(['begin', 'asked', 'end', ...(answer === 'approve' ? ['body'] : [])])
  }
})
