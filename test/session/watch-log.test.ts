import { expect, test } from 'vitest'
import { sessionId } from '../../src/data/ids.ts'
import type { StoredEvent } from '../../src/session/events.ts'
import { createMemoryStore } from '../../src/session/memory-log.ts'
import { watchLog } from '../../src/session/watch-log.ts'
import { call, result } from './sample-events.ts'

test('a watched log is the same session, and each event that is appended through it is seen as it is kept', async () => {
  await using store = createMemoryStore({ now: () => 5 })
  const log = store.open(sessionId('a'), 'agent')
  const seen: StoredEvent[] = []
  const watched = watchLog(log, (event) => seen.push(event))
  const kept = [watched.append(call('call-1')), watched.append(result('call-1'))]
  await watched.flush()
  expect(seen).toEqual(kept)
  expect(log.events().slice(1)).toEqual(kept)
  expect(watched).toMatchObject({ sessionId: 'a', scope: 'agent' })
  expect(watched.events()).toEqual(log.events())
})

test('a listener that throws costs neither the event nor its writer anything, and is reported', async () => {
  await using store = createMemoryStore({ now: () => 5 })
  const faults: unknown[] = []
  const watched = watchLog(
    store.open(sessionId('a'), 'agent'),
    () => {
      throw new Error('the screen is gone')
    },
    (thrown) => faults.push(thrown),
  )
  expect(watched.append(call('call-1')).sequence).toBe(2)
  expect(watched.events()).toHaveLength(2)
  expect(faults).toEqual([new Error('the screen is gone')])
})
