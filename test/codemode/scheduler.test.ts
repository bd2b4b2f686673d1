import { describe, expect, test } from 'vitest'
import { createScheduler, type Ticket } from '../../src/codemode/scheduler.ts'

const never = new AbortController().signal

/** Which tickets have been let in so far. */
function watch(tickets: Record<string, Ticket>) {
  const admitted: string[] = []
  const slots = new Map<string, Disposable>()
  return {
    admitted,
    async ask(name: string, signal = never) {
      void tickets[name]!.admit(signal).then((slot) => (admitted.push(name), slots.set(name, slot)))
      await settleMicrotasks()
    },
    async settle(name: string) {
      slots.get(name)?.[Symbol.dispose]()
      tickets[name]!.settled()
      await settleMicrotasks()
    },
  }
}

async function settleMicrotasks() {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

describe('calls that are safe together', () => {
  test('overlap up to the bound; the next one enters when one settles', async () => {
    const scheduler = createScheduler(2)
    const run = watch({ a: scheduler.submit(false), b: scheduler.submit(false), c: scheduler.submit(false) })
    for (const name of ['a', 'b', 'c']) await run.ask(name)
    expect(run.admitted).toEqual(['a', 'b'])
    await run.settle('b')
    expect(run.admitted).toEqual(['a', 'b', 'c'])
  })

  test('pass one that waits for a person, which holds no slot', async () => {
    const scheduler = createScheduler(1)
    const run = watch({ asking: scheduler.submit(false), b: scheduler.submit(false) })
    await run.ask('b')
    expect(run.admitted).toEqual(['b'])
  })
})

describe('an exclusive call', () => {
  test('waits for all before it, runs alone, and holds back all behind it', async () => {
    const scheduler = createScheduler(16)
    const run = watch({ a: scheduler.submit(false), alone: scheduler.submit(true), b: scheduler.submit(false) })
    for (const name of ['b', 'alone', 'a']) await run.ask(name)
    expect(run.admitted).toEqual(['a'])
    await run.settle('a')
    expect(run.admitted).toEqual(['a', 'alone'])
    await run.settle('alone')
    expect(run.admitted).toEqual(['a', 'alone', 'b'])
  })

  test('that is refused before its body lets the ones behind it go', async () => {
    const scheduler = createScheduler(16)
    const run = watch({ alone: scheduler.submit(true), b: scheduler.submit(false) })
    await run.ask('b')
    expect(run.admitted).toEqual([])
    await run.settle('alone')
    expect(run.admitted).toEqual(['b'])
  })
})

test('an abort lets a waiting call go on to its own refusal without a slot', async () => {
  const scheduler = createScheduler(1)
  const run = watch({ a: scheduler.submit(false), b: scheduler.submit(false), c: scheduler.submit(false) })
  const abort = new AbortController()
  await run.ask('a')
  await run.ask('b', abort.signal)
  await run.ask('c')
  abort.abort()
  await settleMicrotasks()
  expect(run.admitted).toEqual(['a', 'b'])
  await run.settle('b')
  expect(run.admitted).toEqual(['a', 'b'])
  await run.settle('a')
  expect(run.admitted).toEqual(['a', 'b', 'c'])
})

test('a ticket that settles twice gives back one slot', async () => {
  const scheduler = createScheduler(1)
  const run = watch({ a: scheduler.submit(false), b: scheduler.submit(false), c: scheduler.submit(false) })
  for (const name of ['a', 'b', 'c']) await run.ask(name)
  await run.settle('a')
  await run.settle('a')
  expect(run.admitted).toEqual(['a', 'b'])
})
