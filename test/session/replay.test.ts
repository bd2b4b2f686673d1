import { expect, test } from 'vitest'
import { callId } from '../../src/data/ids.ts'
import { callTimeline, callTree, modelMessages } from '../../src/session/replay.ts'
import { call, context, dispatchEnd, dispatchStart, result, root, stored } from './sample-events.ts'

const nested = stored(
  call('call-1'),
  dispatchStart('call-1/1'),
  dispatchStart('call-1/2', 'crew'),
  dispatchStart('call-1/2/1', 'echo', 'call-1/2'),
  dispatchEnd('call-1/2/1', 'echo', 'call-1/2', 'call-1', 'TOOL_TIMEOUT'),
  dispatchEnd('call-1/2', 'crew'),
  result('call-1', 'run_code', 'PROGRAM_ERROR'),
  context('call-1', 'note'),
)

test('calls stand in the tree under the call that made them, with what became of them', () => {
  expect(callTree(nested)).toMatchObject([
    {
      kind: 'call',
      callId: 'call-1',
      arguments: '{}',
      startedAtMs: 1_010,
      settledAtMs: 1_070,
      durationMs: 7,
      state: 'failed',
      error: { code: 'PROGRAM_ERROR' },
      contexts: [{ source: 'a-policy', metadata: { kept: true } }],
      children: [
        { kind: 'dispatch', callId: 'call-1/1', state: 'open', children: [] },
        {
          callId: 'call-1/2',
          state: 'ok',
          durationMs: 5,
          children: [{ callId: 'call-1/2/1', state: 'failed', error: { code: 'TOOL_TIMEOUT' }, contexts: [] }],
        },
      ],
    },
  ])
  expect(callTree(nested)[0]?.children[0]).not.toHaveProperty('durationMs')
})

test('what a person decided about a call stands at the call, and is nothing that a model reads', () => {
  const approval = { answer: 'approve', by: 'mia' } as const
  const log = stored(
    call('call-1'),
    dispatchStart('call-1/1'),
    { ...dispatchEnd('call-1/1'), approval } as never,
    result('call-1'),
  )
  expect(callTree(log)[0]?.children[0]).toMatchObject({ state: 'ok', approval })
  expect(callTree(log)[0]).not.toHaveProperty('approval')
  const direct = stored(call('call-1'), { ...result('call-1'), approval } as never)
  expect(callTree(direct)).toMatchObject([{ approval }])
  expect(JSON.stringify(modelMessages(direct))).not.toContain('mia')
})

test('a run without a logged root shows its dispatches at the top, and ends without a start are left out', () => {
  const events = stored(dispatchStart('r/1', 'echo', 'r', 'r'), dispatchEnd('r/1', 'echo', 'r', 'r'), result('ghost'))
  expect(callTree(events).map(({ callId: id, state }) => [id, state])).toEqual([['r/1', 'ok']])
})

test('a second end does not rewrite the first', () => {
  const [node] = callTree(stored(call('call-1'), result('call-1'), result('call-1', 'run_code', 'ABORTED')))
  expect(node).toMatchObject({ state: 'ok' })
  expect(node).not.toHaveProperty('error')
})

test('a chain of a hundred thousand calls inside each other folds without exhausting the stack', () => {
  const chain = Array.from({ length: 100_000 }, (_, n) => dispatchStart(`c${n + 1}`, 'deep', `c${n}`, 'c0'))
  let [node] = callTree(stored(call('c0'), ...chain))
  let depth = 0
  for (; node !== undefined; node = node.children[0]) depth += 1
  expect(depth).toBe(100_001)
})

test('the model reads its calls, the content of results and what rode home, and nothing else', () => {
  expect(modelMessages(nested)).toEqual([
    { role: 'assistant', callId: 'call-1', name: 'run_code', arguments: '{}' },
    { role: 'tool', callId: 'call-1', content: [{ type: 'text', text: 'result of call-1' }] },
    { role: 'user', content: [{ type: 'text', text: 'note' }] },
  ])
})

test('a message that rode home waits until every call of the step has its result', () => {
  const roles = modelMessages(
    stored(call('a'), call('b'), result('a'), context('a', 'one'), result('b'), context('b', 'two'), call('c')),
  ).map((message) => (message.role === 'user' ? message.content : message.callId))
  const text = (said: string) => [{ type: 'text', text: said }]
  expect(roles).toEqual(['a', 'b', 'a', 'b', text('one'), text('two'), 'c'])
})

test('calls that a process left without a result are answered in its place, unless they are under way', () => {
  const log = stored(
    call('a'),
    call('b'),
    result('a'),
    context('a', 'one'),
    call('c'),
    result('c'),
    call('d'),
    call('e'),
  )
  const told = (underWay: readonly string[]) =>
    modelMessages(log, { isUnderWay: (id) => underWay.includes(id) }).map((message) =>
      message.role === 'user' ? 'one' : `${message.role} ${message.callId}`,
    )
  const first = ['assistant a', 'assistant b', 'tool a', 'tool b', 'one', 'assistant c', 'tool c', 'assistant d']
  expect(told([])).toEqual([...first, 'tool d', 'assistant e', 'tool e'])
  expect(told(['d', 'e'])).toEqual([...first, 'assistant e'])
  expect(told(['e'])).toEqual([...first, 'tool d', 'assistant e'])
  const lost = modelMessages(log, { isUnderWay: () => false }).find(
    (message) => message.role === 'tool' && message.callId === callId('b'),
  )
  expect(lost).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining('OUTCOME_UNKNOWN') }] })
})

test('the timeline of a root holds each start and end under it in order, and only those', () => {
  const events = stored(
    call('other', 'echo'),
    call('call-1'),
    dispatchStart('call-1/1'),
    result('other', 'echo'),
    dispatchStart('call-1/1/1', 'echo', 'call-1/1'),
    dispatchEnd('call-1/1/1', 'echo', 'call-1/1', 'call-1', 'X'),
    result('call-1'),
  )
  const lines = callTimeline(events, root).map((entry) => [
    entry.what,
    entry.callId,
    entry.depth,
    entry.offsetMs,
    entry.code,
  ])
  expect(lines).toEqual([
    ['started', 'call-1', 0, 0, undefined],
    ['started', 'call-1/1', 1, 10, undefined],
    ['started', 'call-1/1/1', 2, 30, undefined],
    ['settled', 'call-1/1/1', 2, 40, 'X'],
    ['settled', 'call-1', 0, 50, undefined],
  ])
  expect(callTimeline(events, callId('unknown'))).toEqual([])
})
