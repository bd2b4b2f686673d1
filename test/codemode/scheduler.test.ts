import fc from 'fast-check'
import { getEventListeners } from 'node:events'
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

test('calls that wait put one listener on the signal they share, and none is left', async () => {
  const scheduler = createScheduler(1)
  const tickets = Array.from({ length: 20 }, () => scheduler.submit(false))
  const { signal } = new AbortController()
  const slots = tickets.map((ticket) => ticket.admit(signal))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  for (const [index, ticket] of tickets.entries()) {
    using _slot = await slots[index]
    ticket.settled()
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

/** The rules in their plainest form: at every change, look through all that is open. */
function createPlainScheduler(max: number) {
  interface Plain {
    readonly name: number
    readonly isExclusive: boolean
    state: 'submitted' | 'waiting' | 'running'
  }
  const open = new Map<number, Plain>()
  const admitted: number[] = []
  const pump = () => {
    let anyBefore = false
    for (const entry of open.values()) {
      const running = [...open.values()].filter(({ state }) => state === 'running').length
      if (entry.state === 'waiting' && running < max && (!entry.isExclusive || (!anyBefore && running === 0))) {
        entry.state = 'running'
        admitted.push(entry.name)
      }
      if (entry.isExclusive) return
      anyBefore = true
    }
  }
  return {
    admitted,
    submit: (name: number, isExclusive: boolean) => void open.set(name, { name, isExclusive, state: 'submitted' }),
    become(name: number, state: Plain['state']) {
      const entry = open.get(name)
      if (entry !== undefined) entry.state = state
      pump()
    },
    settle: (name: number) => (open.delete(name), pump()),
  }
}

test('in any order of events lets in the same calls as the rules say', async () => {
  const step = fc.record({
    what: fc.constantFrom('submit', 'submit', 'submit exclusive', 'ask', 'ask', 'ask', 'abort', 'give back', 'settle'),
    which: fc.nat(11),
  })
  const property = fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 80 }), run)
  await fc.assert(property, { numRuns: 300 })

  async function run(max: number, steps: readonly { readonly what: string; readonly which: number }[]) {
    const scheduler = createScheduler(max)
    const plain = createPlainScheduler(max)
    const admitted: number[] = []
    const calls: { ticket: Ticket; abort: AbortController; stage: 'new' | 'asked' | 'done'; slot?: Disposable }[] = []
    for (const { what, which } of steps) {
      const name = which % Math.max(1, calls.length)
      const known = calls[name]
      if (what.startsWith('submit')) {
        const isExclusive = what === 'submit exclusive'
        plain.submit(calls.length, isExclusive)
        calls.push({ ticket: scheduler.submit(isExclusive), abort: new AbortController(), stage: 'new' })
      } else if (known === undefined) continue
      else if (what === 'ask' && known.stage === 'new') {
        known.stage = 'asked'
        void known.ticket.admit(known.abort.signal).then((slot) => {
          known.slot = slot
          if (!known.abort.signal.aborted) admitted.push(name)
        })
        plain.become(name, 'waiting')
      } else if (what === 'abort' && known.stage === 'asked' && known.slot === undefined) {
        known.abort.abort()
        plain.become(name, 'submitted')
      } else if (what === 'give back' && known.slot !== undefined && known.stage === 'asked') {
        known.slot[Symbol.dispose]()
        plain.become(name, 'submitted')
      } else if (what === 'settle') {
        known.stage = 'done'
        known.ticket.settled()
        plain.settle(name)
      }
      await settleMicrotasks()
      expect(admitted).toEqual(plain.admitted)
    }
  }
})
