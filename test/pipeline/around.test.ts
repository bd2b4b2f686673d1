import { describe, expect, test } from 'vitest'
import { CodedError } from '../../src/data/failure.ts'
import type { Passed, Policy } from '../../src/pipeline/call.ts'
import { abortListeners, codeOf, contextTexts, createRig, never, textOf, tool } from './rig.ts'
import { settle } from './fake-clock.ts'

const around = (hook: NonNullable<Policy['around']>, name = 'wrapper'): Policy => ({ name, around: hook })

describe('retries', () => {
  test('run the body again with fresh contexts and a fresh wish to end the turn', async () => {
    const rig = createRig()
    let tries = 0
    rig.registry.register(
      tool({
        name: 't',
        execute(_args, exec) {
          tries++
          exec.deferContext(`try ${tries}`)
          if (tries === 1) {
            exec.concludeTurn()
            exec.attachContent([{ type: 'text', text: 'of the first try' }])
            throw new Error('flaky')
          }
          return tries
        },
      }),
    )
    rig.runtime.use(
      around(async (call, next) => {
        const first = await next()
        call.deferContext('retried')
        return first.outcome.isError ? next() : first
      }),
    )
    const outcome = await rig.call('t')
    expect(outcome).toMatchObject({ isError: false, value: 2 })
    expect(outcome).not.toHaveProperty('concludesTurn')
    expect(contextTexts(outcome)).toEqual(['try 2', 'retried'])
    expect(textOf(outcome)).toBe('2')
  })

  test('have the idempotency key of their call, which no other call has', async () => {
    const rig = createRig()
    const keys: (string | undefined)[] = []
    rig.registry.register(
      tool({
        name: 't',
        execute(_args, exec) {
          keys.push(exec.idempotencyKey)
          if (keys.length === 1) throw new Error('flaky')
          return 1
        },
      }),
    )
    rig.runtime.use(
      around(async (_call, next) => {
        const first = await next()
        return first.outcome.isError ? next() : first
      }),
    )
    await rig.call('t')
    await rig.call('t')
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
    expect([keys[1] === keys[0], keys[2] === keys[0]]).toEqual([true, false])
  })

  test('next() resolves to the failure and never rejects', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', execute: () => Promise.reject(new Error('broken')) }))
    const seen: unknown[] = []
    rig.runtime.use(
      around(async (_call, next) => {
        const passed = await next()
        seen.push(passed.outcome)
        return passed
      }),
    )
    const outcome = await rig.call('t')
    expect(seen).toEqual([outcome])
    expect(Object.isFrozen(seen[0])).toBe(true)
  })

  test('a call cancelled between two tries is ABORTED, as its body had run', async () => {
    const rig = createRig()
    const caller = new AbortController()
    let tries = 0
    rig.registry.register(tool({ name: 't', execute: () => Promise.reject(new Error(`try ${++tries}`)) }))
    rig.runtime.use(
      around(async (_call, next) => {
        await next()
        caller.abort()
        return next()
      }),
    )
    const outcome = await rig.call('t', {}, { signal: caller.signal })
    expect(outcome).toMatchObject({ error: { code: 'ABORTED', bodyStarted: true } })
    expect(tries).toBe(1)
  })
})

describe('success of a wrapper’s own', () => {
  test('is marked synthetic, validated and rendered like the body’s', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        output: {
          validate: (value) =>
            typeof value === 'number' ? [] : [{ path: '', expected: 'number', received: '?', message: 'not a number' }],
          render: (_args, value) => [{ type: 'text', text: `value ${JSON.stringify(value)}` }],
        },
      }),
    )
    let cached: unknown = 7
    rig.runtime.use(around(async (_call, next) => next.succeed(cached as never)))
    const good = await rig.call('t')
    expect(good).toMatchObject({ isError: false, value: 7, synthetic: true })
    expect(textOf(good)).toBe('value 7')
    cached = 'seven'
    expect(await rig.call('t')).toMatchObject({
      error: { code: 'INVALID_TOOL_OUTPUT', phase: 'around', bodyStarted: false },
    })
  })

  test('takes nothing over from a body that failed', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        execute(_args, exec) {
          exec.deferContext('of the failure')
          exec.concludeTurn()
          throw new Error('broken')
        },
      }),
    )
    rig.runtime.use(
      around(async (_call, next) => {
        await next()
        return next.succeed('fallback')
      }),
    )
    const outcome = await rig.call('t')
    expect(outcome).toEqual({
      isError: false,
      value: 'fallback',
      content: [{ type: 'text', text: '"fallback"' }],
      synthetic: true,
    })
  })

  test('a result of another call is not accepted', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    let kept: Passed | undefined
    rig.runtime.use(
      around(async (_call, next) => {
        const own = await next()
        return (kept ??= own)
      }),
    )
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    expect(codeOf(await rig.call('t'))).toBe('WRAPPER_FAILED')
  })
})

describe('signals', () => {
  /** A body that is stopped by its signal and says by which reason. */
  const obedient = tool({
    name: 't',
    execute: (_args, exec) =>
      new Promise((_resolve, reject) => {
        exec.signal.addEventListener('abort', () => reject(new Error(`stopped: ${String(exec.signal.reason)}`)), {
          once: true,
        })
      }),
  })

  test('a signal put in place is fused with the caller’s: either stops the body', async () => {
    for (const who of ['wrapper', 'caller'] as const) {
      const rig = createRig()
      const controllers = { wrapper: new AbortController(), caller: new AbortController() }
      rig.registry.register(obedient)
      rig.runtime.use(
        around((call, next) => {
          call.signal = controllers.wrapper.signal
          return next()
        }),
      )
      const pending = rig.call('t', {}, { signal: controllers.caller.signal })
      await settle()
      controllers[who].abort(who)
      expect(textOf(await pending)).toContain(`stopped: ${who}`)
      expect(abortListeners(controllers.wrapper.signal)).toBe(0)
      expect(abortListeners(controllers.caller.signal)).toBe(0)
    }
  })

  test('an inner wrapper cannot cut off an outer one', async () => {
    const rig = createRig()
    const outer = new AbortController()
    rig.registry.register(obedient)
    rig.runtime.use(
      around((call, next) => {
        call.signal = outer.signal
        return next()
      }, 'outer'),
    )
    rig.runtime.use(
      around((call, next) => {
        call.signal = new AbortController().signal
        return next()
      }, 'inner'),
    )
    const pending = rig.call('t')
    await settle()
    outer.abort('outer')
    expect(textOf(await pending)).toContain('stopped: outer')
    expect(abortListeners(outer.signal)).toBe(0)
  })

  test('a wrapper’s view is its own again after next(), whatever was fused for the body', async () => {
    const rig = createRig()
    const bodySignals: AbortSignal[] = []
    rig.registry.register(tool({ name: 't', execute: (_args, exec) => (bodySignals.push(exec.signal), 1) }))
    const mine = new AbortController().signal
    const seen: AbortSignal[] = []
    rig.runtime.use(
      around(async (call, next) => {
        call.signal = mine
        const passed = await next()
        seen.push(call.signal)
        return passed
      }),
    )
    rig.runtime.use(around((call, next) => ((call.signal = new AbortController().signal), next()), 'inner'))
    await rig.call('t')
    expect(seen).toEqual([mine])
    expect(bodySignals[0]).not.toBe(mine)
  })

  test('listeners are gone after every retry', async () => {
    const rig = createRig()
    const caller = new AbortController()
    const mine = new AbortController()
    const counts: number[] = []
    rig.registry.register(tool({ name: 't', execute: async () => Promise.reject(new Error('again')) }))
    rig.runtime.use(
      around(async (call, next) => {
        call.signal = mine.signal
        for (let i = 0; i < 5; i++) {
          await next()
          counts.push(abortListeners(mine.signal))
        }
        return next()
      }),
    )
    await rig.call('t', {}, { signal: caller.signal })
    expect(counts).toEqual([0, 0, 0, 0, 0])
    expect(abortListeners(caller.signal)).toBe(0)
  })

  test('an abort with the code TOOL_TIMEOUT is a timeout of the call, and a success after it is none', async () => {
    for (const end of ['throws', 'succeeds'] as const) {
      const rig = createRig()
      const mine = new AbortController()
      rig.registry.register(
        tool({
          name: 't',
          execute: (_args, exec) =>
            new Promise((resolve, reject) => {
              const stop = () => (end === 'throws' ? reject(new Error('late')) : resolve('late'))
              exec.signal.addEventListener('abort', stop, { once: true })
            }),
        }),
      )
      rig.runtime.use(around((call, next) => ((call.signal = mine.signal), next())))
      const pending = rig.call('t')
      await settle()
      mine.abort(new CodedError('TOOL_TIMEOUT', 'policy: 20 ms are over'))
      expect(await pending).toMatchObject({
        error: { code: 'TOOL_TIMEOUT', message: 'policy: 20 ms are over', phase: 'body', bodyStarted: true },
      })
    }
  })

  test('a body stopped by a wrapper for another reason is ABORTED, and may succeed', async () => {
    const rig = createRig()
    const mine = new AbortController()
    let echo = true
    rig.registry.register(
      tool({
        name: 't',
        execute(_args, exec) {
          mine.abort(new Error('enough'))
          if (echo) exec.signal.throwIfAborted()
          return 'made it'
        },
      }),
    )
    rig.runtime.use(around((call, next) => ((call.signal = mine.signal), next())))
    const stopped = await rig.call('t')
    expect(stopped).toMatchObject({ error: { code: 'ABORTED', bodyStarted: true } })
    expect(textOf(stopped)).toContain('enough')
    echo = false
    // The signal is aborted from the start now: nothing begins.
    expect(codeOf(await rig.call('t'))).toBe('ABORTED_BEFORE_DISPATCH')
  })

  test('something that is no signal is a fault of the wrapper', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(around((call, next) => ((call.signal = {} as never), next())))
    expect(await rig.call('t')).toMatchObject({ error: { code: 'WRAPPER_FAILED', bodyStarted: false } })
  })
})

describe('wrappers that misbehave', () => {
  test('one that races its body away ends only when the body has ended', async () => {
    const rig = createRig()
    let bodyEnded = false
    rig.registry.register(
      tool({
        name: 't',
        execute: (_args, exec) =>
          new Promise((_resolve, reject) => {
            exec.signal.addEventListener('abort', () => {
              bodyEnded = true
              reject(exec.signal.reason as Error)
            })
          }),
      }),
    )
    rig.runtime.use(around(async (_call, next) => Promise.race([next(), Promise.resolve(next.succeed('hedge'))])))
    const outcome = await rig.call('t')
    expect(outcome).toMatchObject({ isError: false, value: 'hedge', synthetic: true })
    expect(bodyEnded).toBe(true)
    expect(rig.observed[0]?.report.bodyStarted).toBe(true)
  })

  test('one that hangs after an abort is left behind, and its next() starts nothing', async () => {
    const rig = createRig()
    const caller = new AbortController()
    let started = 0
    let goOn = () => {}
    rig.registry.register(tool({ name: 't', execute: () => ++started }))
    rig.runtime.use(
      around(async (_call, next) => {
        await new Promise<void>((resolve) => (goOn = resolve))
        return next()
      }),
    )
    rig.runtime.use(around((_call, next) => (started++, next()), 'inner'))
    const pending = rig.call('t', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    await rig.clock.advance(200)
    expect(await pending).toMatchObject({ error: { code: 'ABORTED_BEFORE_DISPATCH', bodyStarted: false } })
    expect(abortListeners(caller.signal)).toBe(0)
    goOn()
    await settle()
    expect(started).toBe(0)
    expect(rig.runtime.lateArrivals).toBe(1)
  })

  test('one that hangs after its body ran is ABANDONED with the body’s contexts', async () => {
    const rig = createRig()
    const caller = new AbortController()
    rig.registry.register(tool({ name: 't', execute: (_args, exec) => (exec.deferContext('kept'), 'done') }))
    rig.runtime.use(
      around(async (_call, next) => {
        await next()
        return never()
      }),
    )
    const pending = rig.call('t', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    await rig.clock.advance(200)
    const outcome = await pending
    expect(outcome).toMatchObject({ error: { code: 'ABANDONED', phase: 'around', bodyStarted: true } })
    expect(contextTexts(outcome)).toEqual(['kept'])
    expect(abortListeners(caller.signal)).toBe(0)
  })

  test('an outer wrapper sees the failure of an inner one and may go on', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    let isFirst = true
    rig.runtime.use(
      around(async (_call, next) => {
        const first = await next()
        return codeOf(first.outcome) === 'WRAPPER_FAILED' ? next() : first
      }, 'outer'),
    )
    rig.runtime.use(
      around((_call, next) => {
        if (isFirst) {
          isFirst = false
          throw new Error('once')
        }
        return next()
      }, 'inner'),
    )
    expect(await rig.call('t')).toMatchObject({ isError: false, value: 'done' })
  })
})

test('contexts come in the order body, inner wrapper, outer wrapper, post-policies', async () => {
  const rig = createRig()
  rig.registry.register(tool({ name: 't', execute: (_args, exec) => (exec.deferContext('body'), 'done') }))
  const says = (name: string): Policy => ({
    name,
    async around(call, next) {
      call.deferContext(`around ${name}`)
      return next()
    },
    post: () => ({
      decision: 'keep',
      contexts: [{ role: 'user', content: [{ type: 'text', text: `post ${name}` }], source: name, metadata: { n: 1 } }],
    }),
  })
  rig.runtime.use(says('outer'))
  rig.runtime.use(says('inner'))
  const outcome = await rig.call('t')
  expect(contextTexts(outcome)).toEqual(['body', 'around inner', 'around outer', 'post outer', 'post inner'])
  expect(outcome.contexts?.map(({ source }) => source)).toEqual(['t', 'inner', 'outer', 'outer', 'inner'])
  expect(outcome.contexts?.at(-1)?.metadata).toEqual({ n: 1 })
})
