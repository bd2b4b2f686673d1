import { expect, test } from 'vitest'
import { sessionId } from '../../src/data/ids.ts'
import type { StoredEvent } from '../../src/session/events.ts'
import { checkEvents } from '../../src/session/invariants.ts'
import { call, context, dispatchEnd, dispatchStart, result, stored } from './sample-events.ts'

const start = dispatchStart('call-1/1')
const end = dispatchEnd('call-1/1')

test.each([
  ['a whole run', stored(call('call-1'), start, end, result('call-1'), context('call-1', 'x'))],
  ['overlapping calls', stored(call('a'), call('b'), result('b'), result('a'), context('b', 'x'))],
  [
    'a run that the service started',
    stored(dispatchStart('r/1', 'echo', 'r', 'r'), dispatchEnd('r/1', 'echo', 'r', 'r')),
  ],
  [
    'a dispatch inside a dispatch, with a context of its own',
    stored(
      call('call-1'),
      start,
      dispatchStart('n', 'x', 'call-1/1'),
      dispatchEnd('n', 'x', 'call-1/1'),
      context('n', 'x'),
      end,
      result('call-1'),
    ),
  ],
  ['an empty log', []],
])('%s breaks no rule', (_name, events) => {
  expect(checkEvents(events, { isEnded: true })).toEqual([])
})

test.each([
  ['sequence-gapless', stored(call('call-1')).map((event) => ({ ...event, sequence: event.sequence * 2 - 1 }))],
  [
    'one-session',
    [
      ...stored(),
      ...stored(call('a'))
        .slice(1)
        .map((e) => ({ ...e, sessionId: sessionId('t') })),
    ],
  ],
  [
    'opened-first',
    stored(call('call-1'))
      .slice(1)
      .map((event) => ({ ...event, sequence: 1 })),
  ],
  ['opened-first', stored({ type: 'session/opened', scope: 'global' })],
  ['ids-unique', stored(call('call-1'), result('call-1'), call('call-1'))],
  ['ids-unique', stored(call('call-1'), start, end, start)],
  ['result-after-call', stored(result('call-1'))],
  ['result-after-call', stored(call('call-1'), result('call-1', 'other_name'))],
  ['result-after-call', stored(call('call-1'), start, result('call-1/1', 'echo'))],
  ['one-result', stored(call('call-1'), result('call-1'), result('call-1'))],
  ['settle-after-start', stored(call('call-1'), end)],
  ['settle-after-start', stored(call('call-1'), dispatchEnd('call-1', 'run_code'))],
  ['one-settle', stored(call('call-1'), start, end, end)],
  ['settle-matches-start', stored(call('call-1'), call('b'), start, dispatchEnd('call-1/1', 'echo', 'b', 'b'))],
  ['settle-matches-start', stored(call('call-1'), start, dispatchEnd('call-1/1', 'other'))],
  ['parent-known', stored(call('call-1'), dispatchStart('x', 'echo', 'nobody'))],
  ['parent-known', stored(call('call-1'), call('b'), dispatchStart('x', 'echo', 'b', 'call-1'))],
  ['parent-known', stored(call('call-1'), start, end, dispatchStart('x', 'echo', 'call-1/1'))],
  ['all-settled', stored(call('call-1'), start, result('call-1'))],
  ['context-after-result', stored(call('call-1'), context('call-1', 'x'))],
  ['context-after-result', stored(context('nobody', 'x'))],
] as readonly (readonly [string, readonly StoredEvent[]])[])(
  '%s is reported once, with the event (%#)',
  (rule, events) => {
    const problems = checkEvents(events)
    expect(problems.map((problem) => problem.rule)).toEqual([rule])
    expect(events.some(({ sequence }) => sequence === problems[0]?.sequence)).toBe(true)
  },
)

test('open calls are fine while the session lives and are all named when it has ended', () => {
  const events = stored(call('call-1'), start)
  expect(checkEvents(events)).toEqual([])
  expect(checkEvents(events, { isEnded: true }).map(({ rule, sequence }) => [rule, sequence])).toEqual([
    ['all-settled', 2],
    ['all-settled', 3],
  ])
})
