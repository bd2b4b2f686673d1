import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallBatch, type BatchCall } from '../../src/pipeline/call-batch.ts'
import { RUN_CODE } from '../../src/registry/scope.ts'
import type { StoredEvent } from '../../src/session/events.ts'
import { checkEvents } from '../../src/session/invariants.ts'
import { settle } from './fake-clock.ts'
import { abortListeners, codeOf, createRig, messageText, tool, type Rig } from './rig.ts'

/** Registers `safe` and `alone`, whose bodies end when the test says so, by their argument `id`. */
function withGates(rig: Rig) {
  const log: string[] = []
  const gates = new Map<string, () => void>()
  const body = (name: string, isSafe: boolean) =>
    tool({
      name,
      isConcurrencySafe: () => isSafe,
      execute: async (args, exec) => {
        const id = typeof args.id === 'string' ? args.id : ''
        log.push(`+${id}`)
        await new Promise<void>((resolve, reject) => {
          gates.set(id, resolve)
          exec.signal.addEventListener('abort', () => reject(exec.signal.reason as Error), { once: true })
        })
        log.push(`-${id}`)
        return id
      },
    })
  rig.registry.registerAll([body('safe', true), body('alone', false)])
  const open = async (id: string) => {
    await settle()
    const gate = gates.get(id)
    if (gate === undefined) throw new Error(`${id} has not started`)
    gate()
    await settle()
  }
  return { log, open }
}

const call = (name: string, id: string): BatchCall => ({ callId: id, name, arguments: JSON.stringify({ id }) })
const batchOf = (rig: Rig, options: { signal?: AbortSignal; maxConcurrentCalls?: number } = {}) =>
  new CallBatch({ runtime: rig.runtime, session: rig.session, scope: 'global', clock: rig.clock, ...options })
const short = (event: StoredEvent) => ('callId' in event ? `${event.type} ${event.callId}` : event.type)

describe('order', () => {
  test('safe calls overlap, an exclusive one runs alone, and results are committed in the model’s order', async () => {
    const rig = createRig()
    const { log, open } = withGates(rig)
    const pending = batchOf(rig).run([call('safe', 'a'), call('safe', 'b'), call('alone', 'c'), call('safe', 'd')])
    await settle()
    expect(log).toEqual(['+a', '+b'])
    await open('b')
    expect(log).toEqual(['+a', '+b', '-b'])
    await open('a')
    expect(log).toEqual(['+a', '+b', '-b', '-a', '+c'])
    await open('c')
    await open('d')
    const { results } = await pending
    expect(results.map(({ callId, outcome }) => [callId, outcome.isError])).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => [id, false]),
    )
    expect(rig.session.events().map(short)).toEqual([
      'session/opened',
      'tool/call a',
      'tool/call b',
      'tool/result a',
      'tool/result b',
      'tool/call c',
      'tool/result c',
      'tool/call d',
      'tool/result d',
    ])
    expect(checkEvents(rig.session.events(), { isEnded: true })).toEqual([])
  })

  test('no more than maxConcurrentCalls run at once', async () => {
    const rig = createRig()
    const { log, open } = withGates(rig)
    const pending = batchOf(rig, { maxConcurrentCalls: 2 }).run(['a', 'b', 'c'].map((id) => call('safe', id)))
    await settle()
    expect(log).toEqual(['+a', '+b'])
    await open('b')
    expect(log).toEqual(['+a', '+b', '-b', '+c'])
    await open('a')
    await open('c')
    await pending
  })

  test('a queued call is classified by the registry as it stands when it starts', async () => {
    const rig = createRig()
    const { log, open } = withGates(rig)
    const registration = rig.registry.register(
      tool({ name: 'changing', isConcurrencySafe: () => true, execute: () => log.push('old') }),
    )
    const pending = batchOf(rig).run([call('alone', 'a'), call('changing', 'b'), call('safe', 'c')])
    await settle()
    registration()
    rig.registry.register(
      tool({
        name: 'changing',
        execute: async () => {
          log.push('+new')
          await settle()
          log.push('-new')
          return 1
        },
      }),
    )
    await open('a')
    await settle()
    await open('c')
    await pending
    expect(log).toEqual(['+a', '-a', '+new', '-new', '+c', '-c'])
  })

  test('a claim that throws, or is a promise, is no claim', async () => {
    const rig = createRig()
    const { log } = withGates(rig)
    for (const [name, isConcurrencySafe] of Object.entries({
      throws: () => {
        throw new Error('?')
      },
      promises: () => Promise.resolve(true) as never,
    })) {
      rig.registry.register(
        tool({
          name,
          isConcurrencySafe,
          execute: async () => {
            log.push(`+${name}`)
            await settle()
            log.push(`-${name}`)
            return 1
          },
        }),
      )
    }
    await batchOf(rig).run([call('throws', 'a'), call('throws', 'b'), call('promises', 'c'), call('promises', 'd')])
    expect(log).toEqual(['throws', 'throws', 'promises', 'promises'].flatMap((name) => [`+${name}`, `-${name}`]))
  })
})

describe('what goes into the log', () => {
  test('the raw argument string, also one that is not JSON', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    const { results } = await batchOf(rig).run([{ name: 't', arguments: '{"a": ' }])
    expect(results[0]?.outcome).toMatchObject({ error: { code: 'INVALID_ARGS' } })
    expect(rig.session.events()).toMatchObject([
      { type: 'session/opened' },
      { type: 'tool/call', arguments: '{"a": ' },
      { type: 'tool/result', isError: true, errorInfo: { code: 'INVALID_ARGS' } },
    ])
  })

  test('no canonical value and no context is in a result; contexts follow all results, in the order of results', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        isConcurrencySafe: () => true,
        execute: (args, exec) => {
          exec.deferContext(`of ${JSON.stringify(args.id)}`)
          if (args.id === 'a') exec.concludeTurn()
          return { secret: 'canonical' }
        },
        output: { render: () => [{ type: 'text', text: 'rendered' }] },
      }),
    )
    const batch = await batchOf(rig).run([call('t', 'a'), call('t', 'b')])
    expect(batch.concludesTurn).toBe(true)
    expect(batch.contexts.map(messageText)).toEqual(['of "a"', 'of "b"'])
    expect(JSON.stringify(rig.session.events())).not.toContain('canonical')
    expect(rig.session.events().map(short).slice(-4)).toEqual([
      'tool/result a',
      'tool/result b',
      'context/added a',
      'context/added b',
    ])
    expect(rig.session.events()[3]).toMatchObject({ concludesTurn: true, content: [{ text: 'rendered' }] })
    expect(checkEvents(rig.session.events(), { isEnded: true })).toEqual([])
  })

  test('an id that the session has used before is made unique', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    const first = await batchOf(rig).run([call('t', 'x'), call('t', 'x')])
    const second = await batchOf(rig).run([call('t', 'x')])
    expect([...first.results, ...second.results].map(({ callId }) => callId)).toEqual(['x', 'x-2', 'x-3'])
    expect(checkEvents(rig.session.events(), { isEnded: true })).toEqual([])
  })

  test('a log that refuses ends the batch, after what had started has ended', async () => {
    const rig = createRig()
    let ended = 0
    rig.registry.register(
      tool({ name: 't', isConcurrencySafe: () => true, execute: async () => (await settle(), ++ended) }),
    )
    let appends = 0
    const session = Object.assign(Object.create(rig.session) as typeof rig.session, {
      append(event: Parameters<typeof rig.session.append>[0]) {
        if (++appends === 2) throw new Error('disk full')
        return rig.session.append(event)
      },
    })
    const batch = new CallBatch({ runtime: rig.runtime, session, scope: 'global', clock: rig.clock })
    await expect(batch.run(['a', 'b', 'c'].map((id) => call('t', id)))).rejects.toThrow('disk full')
    // The second was never made, as its start could not be written.
    expect(ended).toBeGreaterThan(0)
    expect(rig.observed.map(({ call: { callId } }) => callId)).not.toContain('b')
  })
})

describe('abort', () => {
  test('drains and commits what started; the rest gets pairs that observers and finalizers see', async () => {
    const rig = createRig()
    const { log } = withGates(rig)
    let finalized = 0
    rig.registry.register(
      tool({ name: 'rest', isConcurrencySafe: () => true, finalizeContent: () => void finalized++ }),
    )
    const caller = new AbortController()
    const pending = batchOf(rig, { signal: caller.signal }).run([
      call('alone', 'a'),
      call('alone', 'b'),
      call('rest', 'c'),
      call('rest', 'd'),
    ])
    await settle()
    caller.abort()
    const { results } = await pending
    expect(log).toEqual(['+a'])
    expect(results.map(({ outcome }) => codeOf(outcome))).toEqual([
      'ABORTED',
      'ABORTED_BEFORE_DISPATCH',
      'ABORTED_BEFORE_DISPATCH',
      'ABORTED_BEFORE_DISPATCH',
    ])
    expect(finalized).toBe(2)
    expect(rig.observed.map(({ call: { callId } }) => callId)).toEqual(['a', 'b', 'c', 'd'])
    expect(rig.session.events().map(short).slice(1)).toEqual(
      ['a', 'b', 'c', 'd'].flatMap((id) => [`tool/call ${id}`, `tool/result ${id}`]),
    )
    expect(abortListeners(caller.signal)).toBe(0)
  })

  test('a batch that begins after the abort starts nothing', async () => {
    const rig = createRig()
    let ran = false
    rig.registry.register(tool({ name: 't', execute: () => (ran = true) }))
    const { results } = await batchOf(rig, { signal: AbortSignal.abort() }).run([call('t', 'a'), call('t', 'b')])
    expect(results.map(({ outcome }) => codeOf(outcome))).toEqual([
      'ABORTED_BEFORE_DISPATCH',
      'ABORTED_BEFORE_DISPATCH',
    ])
    expect(ran).toBe(false)
  })
})

test('a policy that asks finds the session in a batch', async () => {
  const rig = createRig({ approver: { ask: async () => ({ answer: 'approve' }) } })
  rig.registry.register(tool({ name: 't' }))
  rig.runtime.use({ name: 'p', pre: () => ({ decision: 'ask', reason: 'risky' }) })
  const { results } = await batchOf(rig).run([call('t', 'a')])
  expect(results[0]?.durable.isError).toBe(false)
})

test('the mode of the scope is the mode of the batch', async () => {
  const rig = createRig({ mode: 'code' })
  rig.registry.register(tool({ name: 't' }))
  rig.registry.installRunCode(tool({ name: RUN_CODE }))
  const { results } = await batchOf(rig).run([call('t', 'a'), { name: RUN_CODE, arguments: '{}' }])
  expect(results.map(({ outcome }) => codeOf(outcome))).toEqual(['CALL_VIA_RUN_CODE', undefined])
})

test('whatever the mix of calls and the moment of an abort, the log is whole and in the model’s order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ isSafe: fc.boolean(), turns: fc.nat(3), fails: fc.boolean() }), { maxLength: 8 }),
      fc.option(fc.nat(6)),
      async (plans, abortAfter) => {
        const rig = createRig()
        let running = 0
        let overlapped = false
        for (const [index, { isSafe, turns, fails }] of plans.entries()) {
          rig.registry.register(
            tool({
              name: `t${index}`,
              isConcurrencySafe: () => isSafe,
              async execute() {
                running++
                for (let turn = 0; turn < turns; turn++) {
                  overlapped ||= !isSafe && running > 1
                  await Promise.resolve()
                }
                running--
                if (fails) throw new Error('broken')
                return index
              },
            }),
          )
        }
        const caller = new AbortController()
        const pending = batchOf(rig, { signal: caller.signal, maxConcurrentCalls: 3 }).run(
          plans.map((_, index) => ({ name: `t${index}`, arguments: '' })),
        )
        if (abortAfter !== null) {
          for (let turn = 0; turn < abortAfter; turn++) await Promise.resolve()
          caller.abort()
        }
        const { results } = await pending
        expect(overlapped).toBe(false)
        expect(results.map(({ name }) => name)).toEqual(plans.map((_, index) => `t${index}`))
        const committed = rig.session.events().filter(({ type }) => type === 'tool/result')
        expect(committed.map((event) => ('name' in event ? event.name : ''))).toEqual(results.map(({ name }) => name))
        expect(checkEvents(rig.session.events(), { isEnded: true })).toEqual([])
        expect(abortListeners(caller.signal)).toBe(0)
      },
    ),
    { numRuns: 60 },
  )
})
