import { describe, expect, test } from 'vitest'
import { sessionId } from '../../src/data/ids.ts'
import { createRatePolicy } from '../../src/policy/rate.ts'
import { settle } from '../pipeline/fake-clock.ts'
import { abortListeners, codeOf, createRig, textOf, tool } from '../pipeline/rig.ts'

describe('calls in a time', () => {
  test('beyond the limit are denied, until the oldest is old enough', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(createRatePolicy({ clock: rig.clock, rules: [{ tools: 't', maxCalls: 2, perMs: 1_000 }] }))
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    await rig.clock.advance(400)
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    const denied = await rig.call('t')
    expect(codeOf(denied)).toBe('POLICY_DENIED')
    expect(textOf(denied)).toContain('600 ms')
    await rig.clock.advance(599)
    expect(codeOf(await rig.call('t'))).toBe('POLICY_DENIED')
    await rig.clock.advance(1)
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    expect(codeOf(await rig.call('t'))).toBe('POLICY_DENIED')
  })

  test('are counted together per session when the rule says so', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(
      createRatePolicy({ clock: rig.clock, rules: [{ tools: '*', maxCalls: 1, perMs: 1_000, per: 'session' }] }),
    )
    const other = rig.store.open(sessionId('s2'), 'global')
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    expect(codeOf(await rig.call('t', {}, { session: other }))).toBeUndefined()
    expect(codeOf(await rig.call('t'))).toBe('POLICY_DENIED')
  })

  test('are let in as the window moves, however many it holds', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(createRatePolicy({ clock: rig.clock, rules: [{ tools: 't', maxCalls: 5, perMs: 50 }] }))
    const allowed: number[] = []
    for (let ms = 0; ms < 200; ms += 2) {
      if (codeOf(await rig.call('t')) === undefined) allowed.push(ms)
      await rig.clock.advance(2)
    }
    expect(allowed).toEqual([0, 2, 4, 6, 8, 50, 52, 54, 56, 58, 100, 102, 104, 106, 108, 150, 152, 154, 156, 158])
  })

  test('a call that one rule denies uses up nothing of another', async () => {
    const rig = createRig()
    rig.registry.registerAll([tool({ name: 'a' }), tool({ name: 'b' })])
    rig.runtime.use(
      createRatePolicy({
        clock: rig.clock,
        rules: [
          { tools: '*', maxCalls: 2, perMs: 1_000 },
          { tools: 'a', maxCalls: 1, perMs: 1_000 },
        ],
      }),
    )
    expect(codeOf(await rig.call('a'))).toBeUndefined()
    expect(codeOf(await rig.call('a'))).toBe('POLICY_DENIED')
    expect(codeOf(await rig.call('b'))).toBeUndefined()
    expect(codeOf(await rig.call('b'))).toBe('POLICY_DENIED')
  })
})

describe('calls at once', () => {
  function gated(maxConcurrent: number) {
    const rig = createRig()
    const log: string[] = []
    const gates: (() => void)[] = []
    rig.registry.register(
      tool({
        name: 't',
        execute: async (args) => {
          log.push(`+${JSON.stringify(args.id)}`)
          await new Promise<void>((resolve) => gates.push(resolve))
          return 'done'
        },
      }),
    )
    rig.runtime.use(createRatePolicy({ clock: rig.clock, rules: [{ tools: 't', maxConcurrent }] }))
    const release = async () => {
      gates.shift()?.()
      await settle()
    }
    return { rig, log, release }
  }

  test('wait for their turn, first come first served', async () => {
    const { rig, log, release } = gated(2)
    const calls = [1, 2, 3, 4].map((id) => rig.call('t', { id }))
    await settle()
    expect(log).toEqual(['+1', '+2'])
    await release()
    expect(log).toEqual(['+1', '+2', '+3'])
    await release()
    expect(log).toEqual(['+1', '+2', '+3', '+4'])
    await release()
    await release()
    expect((await Promise.all(calls)).map(codeOf)).toEqual([undefined, undefined, undefined, undefined])
    const again = rig.call('t', { id: 5 })
    await settle()
    expect(log.at(-1)).toBe('+5')
    await release()
    await again
  })

  test('one that is cancelled while it waits ends before its body and takes no place', async () => {
    const { rig, log, release } = gated(1)
    const caller = new AbortController()
    const first = rig.call('t', { id: 1 })
    const second = rig.call('t', { id: 2 }, { signal: caller.signal })
    const third = rig.call('t', { id: 3 })
    await settle()
    caller.abort()
    expect(codeOf(await second)).toBe('ABORTED_BEFORE_DISPATCH')
    expect(abortListeners(caller.signal)).toBe(0)
    await release()
    expect(log).toEqual(['+1', '+3'])
    await release()
    await Promise.all([first, third])
  })
})

test('limits that limit nothing are mistakes of the configuration', () => {
  const { clock } = createRig()
  expect(() => createRatePolicy({ clock, rules: [{ tools: '*', maxCalls: 0, perMs: 1 }] })).toThrow('maxCalls')
  expect(() => createRatePolicy({ clock, rules: [{ tools: '*', maxCalls: 1 }] })).toThrow('go together')
  expect(() => createRatePolicy({ clock, rules: [{ tools: '*', maxConcurrent: Number.NaN }] })).toThrow('maxConcurrent')
})
