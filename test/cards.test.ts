import { expect, test } from 'vitest'
import { CardProjection, cardsOf, type FindPresenter } from '../src/cards.ts'
import { callId } from '../src/data/ids.ts'
import type { SessionEvent } from '../src/session/events.ts'
import { call, context, dispatchEnd, dispatchStart, result, stored } from './session/sample-events.ts'

const program = (args: object): SessionEvent => ({
  type: 'tool/call',
  callId: callId('call-1'),
  name: 'run_code',
  arguments: JSON.stringify(args),
})
const run = stored(
  program({ code: '// Counts the orders.\nreturn await tools.echo({ a: 1 })' }),
  dispatchStart('call-1/1'),
  dispatchStart('call-1/2', 'crew'),
  dispatchStart('call-1/2/1', 'echo', 'call-1/2'),
  dispatchEnd('call-1/2/1', 'echo', 'call-1/2', 'call-1', 'TOOL_TIMEOUT'),
  dispatchEnd('call-1/2', 'crew'),
  result('call-1', 'run_code', 'PROGRAM_ERROR'),
  context('call-1', 'note'),
)

test('cards nest as the calls did, and say state, code, durations and what to draw', () => {
  expect(cardsOf(run)).toEqual([
    {
      kind: 'call',
      callId: 'call-1',
      name: 'run_code',
      state: 'failed',
      code: 'PROGRAM_ERROR',
      startedAtMs: 1_010,
      durationMs: 7,
      call: { kind: 'terminal', command: 'Counts the orders.' },
      result: { kind: 'terminal', command: 'Counts the orders.', output: 'result of call-1', exitCode: 1 },
      children: [
        {
          kind: 'dispatch',
          callId: 'call-1/1',
          name: 'echo',
          state: 'running',
          startedAtMs: 1_020,
          call: { kind: 'generic', title: 'echo', detail: '{"a":1}' },
          children: [],
        },
        {
          kind: 'dispatch',
          callId: 'call-1/2',
          name: 'crew',
          state: 'done',
          startedAtMs: 1_030,
          durationMs: 5,
          queuedMs: 2,
          call: { kind: 'generic', title: 'crew', detail: '{"a":1}' },
          result: { kind: 'generic', title: 'crew', detail: 'value of call-1/2' },
          children: [
            {
              kind: 'dispatch',
              callId: 'call-1/2/1',
              name: 'echo',
              state: 'failed',
              code: 'TOOL_TIMEOUT',
              startedAtMs: 1_040,
              durationMs: 5,
              queuedMs: 2,
              call: { kind: 'generic', title: 'echo', detail: '{"a":1}' },
              result: { kind: 'generic', title: 'echo', detail: 'value of call-1/2/1' },
              children: [],
            },
          ],
        },
      ],
    },
  ])
})

test('a card says what a person decided about its call', () => {
  const approval = { answer: 'reject', by: 'mia' } as const
  const end = { ...dispatchEnd('call-1/1', 'echo', 'call-1', 'call-1', 'APPROVAL_REJECTED'), approval } as SessionEvent
  const [card] = cardsOf(stored(program({ code: '1' }), dispatchStart('call-1/1'), end))
  expect(card?.children).toMatchObject([{ state: 'failed', approval }])
  expect(card).not.toHaveProperty('approval')
})

test('each event says which card it changed, and cards that were given out stay as they were', () => {
  const projection = new CardProjection()
  const changed: (string | undefined)[] = []
  const given = run.map((event) => {
    changed.push(projection.take(event))
    return projection.cards()
  })
  expect(changed).toEqual([
    undefined,
    'call-1',
    'call-1/1',
    'call-1/2',
    'call-1/2/1',
    'call-1/2/1',
    'call-1/2',
    'call-1',
    undefined,
  ])
  for (const [index, cards] of given.entries()) expect(cards).toEqual(cardsOf(run.slice(0, index + 1)))
})

test('presenters are asked once for the call and once for the result, with what was registered when the call started', () => {
  const asked: string[] = []
  let version = 1
  const find: FindPresenter = (name) => {
    const mine = version
    return {
      presentCall: () => (asked.push(`call ${name} ${mine}`), { kind: 'web', url: 'u' }),
      presentResult: () => (asked.push(`result ${name} ${mine}`), { kind: 'web', url: 'u' }),
    }
  }
  const projection = new CardProjection(find)
  for (const event of stored(call('call-1', 'a'), result('call-1', 'a'))) {
    projection.take(event)
    projection.cards()
    version++
  }
  expect(asked).toEqual(['call a 2', 'result a 2'])
})

test('a presenter sees the meta of a result, of a nested one too', () => {
  const meta = { path: 'a.txt' }
  const events = stored(
    call('call-1', 'edit'),
    dispatchStart('call-1/1', 'edit'),
    { ...dispatchEnd('call-1/1', 'edit'), meta } as SessionEvent,
    { ...result('call-1', 'edit'), meta } as SessionEvent,
  )
  const [card] = cardsOf(events, () => ({
    presentResult: (_args, durable) => ({ kind: 'diff', path: JSON.stringify(durable.meta) }),
  }))
  expect([card?.result, card?.children[0]?.result]).toEqual([
    { kind: 'diff', path: '{"path":"a.txt"}' },
    { kind: 'diff', path: '{"path":"a.txt"}' },
  ])
})

test('a look-up that throws costs the look, not the card', () => {
  const cards = cardsOf(stored(call('call-1', 'a')), () => {
    throw new Error('the registry is gone')
  })
  expect(cards).toMatchObject([{ name: 'a', state: 'running', call: { kind: 'generic', title: 'a' } }])
})

test('a second end, an end without a start and a missing parent draw what can be known', () => {
  const events = stored(
    dispatchStart('r/1', 'echo', 'r', 'r'),
    result('ghost'),
    dispatchEnd('r/1', 'echo', 'r', 'r'),
    dispatchEnd('r/1', 'echo', 'r', 'r', 'ABORTED'),
  )
  expect(cardsOf(events)).toMatchObject([{ callId: 'r/1', state: 'done', children: [] }])
})

test('depth costs no stack', () => {
  const depth = 20_000
  const ids = Array.from({ length: depth }, (_, n) => `c${n}`)
  const chain = ids.slice(1).map((id, n) => dispatchStart(id, 'echo', ids[n], 'c0'))
  let [card] = cardsOf(stored(call('c0'), ...chain))
  let seen = 0
  for (; card !== undefined; [card] = card.children) seen++
  expect(seen).toBe(depth)
})
