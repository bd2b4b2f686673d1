import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/data/outcome.ts'
import type { Execution } from '../../src/registry/tool.ts'
import { settle } from './fake-clock.ts'
import { abortListeners, codeOf, contextTexts, createRig, never, textOf, tool } from './rig.ts'

describe('admission', () => {
  test('comes after the guards and before the wrappers, and the slot is given back when the body has settled', async () => {
    const rig = createRig()
    const log: string[] = []
    rig.registry.register(tool({ name: 't', execute: () => (log.push('body'), 1) }))
    rig.runtime.guard({ name: 'g', check: () => (log.push('guard'), { decision: 'pass' }) })
    rig.runtime.use({
      name: 'p',
      around: (_call, next) => (log.push('around'), next()),
      post: () => (log.push('post'), { decision: 'keep' }),
    })
    await rig.call(
      't',
      { a: 1 },
      {
        admit: async (call) => {
          log.push(`admit ${JSON.stringify(call.arguments)} ${call.definition.name}`)
          return { [Symbol.dispose]: () => void log.push('slot back') }
        },
      },
    )
    expect(log).toEqual(['guard', 'admit {"a":1} t', 'around', 'body', 'slot back', 'post'])
  })

  test('a slot that is granted after an abort is given back at once', async () => {
    const rig = createRig()
    const caller = new AbortController()
    let ran = false
    let returned = 0
    let grant: (slot: Disposable) => void = () => {}
    rig.registry.register(tool({ name: 't', execute: () => (ran = true) }))
    const pending = rig.call(
      't',
      {},
      {
        signal: caller.signal,
        admit: () => new Promise((resolve) => (grant = resolve)),
      },
    )
    await settle()
    caller.abort()
    expect(codeOf(await pending)).toBe('ABORTED_BEFORE_DISPATCH')
    grant({ [Symbol.dispose]: () => void returned++ })
    await settle()
    expect(returned).toBe(1)
    expect(ran).toBe(false)
  })

  test('a slot that is granted in the turn of the abort is given back too', async () => {
    const rig = createRig()
    const caller = new AbortController()
    let returned = 0
    rig.registry.register(tool({ name: 't' }))
    const outcome = await rig.call(
      't',
      {},
      {
        signal: caller.signal,
        async admit() {
          caller.abort()
          return { [Symbol.dispose]: () => void returned++ }
        },
      },
    )
    expect(codeOf(outcome)).toBe('ABORTED_BEFORE_DISPATCH')
    await settle()
    expect(returned).toBe(1)
  })

  test('a hook that rejects fails the call closed', async () => {
    const rig = createRig()
    let ran = false
    rig.registry.register(tool({ name: 't', execute: () => (ran = true) }))
    const outcome = await rig.call('t', {}, { admit: () => Promise.reject(new Error('pool is gone')) })
    expect(outcome).toMatchObject({ error: { code: 'POLICY_FAILED', bodyStarted: false } })
    expect(ran).toBe(false)
  })
})

describe('deadlines', () => {
  test('a body that succeeds after its deadline is late all the same', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        timeoutMs: 50,
        execute: (_args, exec) =>
          new Promise((resolve) => exec.signal.addEventListener('abort', () => resolve('too late'))),
      }),
    )
    const pending = rig.call('t')
    await rig.clock.advance(50)
    expect(await pending).toMatchObject({ error: { code: 'TOOL_TIMEOUT', retryable: true } })
  })

  test('a body in time leaves no timer behind', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', timeoutMs: 50 }))
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    expect(rig.clock.pendingTimers).toBe(0)
  })

  test('when the caller aborted first, the deadline says nothing any more', async () => {
    const rig = createRig()
    const caller = new AbortController()
    rig.registry.register(
      tool({
        name: 't',
        timeoutMs: 50,
        execute: (_args, exec) =>
          new Promise((_resolve, reject) =>
            exec.signal.addEventListener('abort', () => rig.clock.after(80, () => reject(exec.signal.reason as Error))),
          ),
      }),
    )
    const pending = rig.call('t', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    await rig.clock.advance(80)
    expect(codeOf(await pending)).toBe('ABORTED')
  })
})

describe('draining', () => {
  test('a body that is left behind can send nothing any more, and what it sends is counted', async () => {
    const rig = createRig()
    const caller = new AbortController()
    let left: Execution | undefined
    let end: (value: string) => void = () => {}
    rig.registry.register(
      tool({
        name: 't',
        execute: (_args, exec) => {
          left = exec
          exec.deferContext('in time')
          return new Promise((resolve) => (end = resolve))
        },
      }),
    )
    const pending = rig.call('t', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    await rig.clock.advance(99)
    expect(rig.observed).toEqual([])
    await rig.clock.advance(1)
    const outcome = await pending
    expect(codeOf(outcome)).toBe('ABANDONED')
    left?.deferContext('too late')
    left?.concludeTurn()
    left?.reportProgress({ fraction: 1 })
    left?.attachContent([])
    end('done')
    await settle()
    expect(contextTexts(outcome)).toEqual(['in time'])
    expect(rig.runtime.lateArrivals).toBe(5)
    expect(rig.observed).toHaveLength(1)
  })

  test('a body that settles within the drain time has its own outcome', async () => {
    const rig = createRig()
    const caller = new AbortController()
    rig.registry.register(
      tool({
        name: 't',
        execute: () => new Promise((_resolve, reject) => rig.clock.after(90, () => reject(new Error('cleaned up')))),
      }),
    )
    const pending = rig.call('t', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    await rig.clock.advance(90)
    expect(textOf(await pending)).toContain('TOOL_FAILED: cleaned up')
  })

  test('a composite is waited for until its children are fenced, and then as long again', async () => {
    const rig = createRig({ mode: 'both' })
    const caller = new AbortController()
    rig.registry.register(tool({ name: 'deaf', execute: () => never() }))
    rig.registry.register(
      tool({
        name: 'composite',
        async execute(_args, exec) {
          const child = await rig.call('deaf', {}, { entry: 'program', parent: exec.token })
          await new Promise<void>((resolve) => rig.clock.after(50, resolve))
          throw new Error(`my child was ${codeOf(child)}`)
        },
      }),
    )
    const pending = rig.call('composite', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    await rig.clock.advance(200)
    expect(textOf(await pending)).toContain('my child was ABANDONED')
  })

  test('a composite that hangs after its children is fenced like any other', async () => {
    const rig = createRig({ mode: 'both' })
    const caller = new AbortController()
    rig.registry.register(tool({ name: 'leaf' }))
    rig.registry.register(
      tool({
        name: 'composite',
        async execute(_args, exec) {
          await rig.call('leaf', {}, { entry: 'program', parent: exec.token })
          return never()
        },
      }),
    )
    const pending = rig.call('composite', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    await rig.clock.advance(300)
    expect(codeOf(await pending)).toBe('ABANDONED')
  })
})

test('a child hears the abort of its parent’s body, whatever signal it was given itself', async () => {
  const rig = createRig({ mode: 'both' })
  const own = new AbortController()
  let child: Outcome | undefined
  rig.registry.register(
    tool({
      name: 'leaf',
      execute: (_args, exec) =>
        new Promise((_resolve, reject) =>
          exec.signal.addEventListener('abort', () => reject(exec.signal.reason as Error)),
        ),
    }),
  )
  rig.registry.register(
    tool({
      name: 'composite',
      timeoutMs: 50,
      async execute(_args, exec) {
        child = await rig.call('leaf', {}, { entry: 'program', parent: exec.token, signal: own.signal })
        return 'done'
      },
    }),
  )
  const pending = rig.call('composite')
  await rig.clock.advance(50)
  expect(codeOf(await pending)).toBe('TOOL_TIMEOUT')
  expect(child).toMatchObject({ error: { code: 'ABORTED' } })
  expect(abortListeners(own.signal)).toBe(0)
})

test('a pre-policy hears the abort and is not waited for', async () => {
  const rig = createRig()
  const caller = new AbortController()
  const heard: unknown[] = []
  let decide: (decision: { decision: 'allow' }) => void = () => {}
  rig.registry.register(tool({ name: 't' }))
  rig.runtime.use({
    name: 'slow',
    pre(_call, signal) {
      signal.addEventListener('abort', () => heard.push(signal.reason), { once: true })
      return new Promise((resolve) => (decide = resolve))
    },
  })
  const pending = rig.call('t', {}, { signal: caller.signal })
  await settle()
  caller.abort('gone')
  expect(codeOf(await pending)).toBe('ABORTED_BEFORE_DISPATCH')
  expect(heard).toEqual(['gone'])
  decide({ decision: 'allow' })
  await settle()
  expect(rig.runtime.lateArrivals).toBe(1)
})

test('a post-policy that hangs on a failure is not waited for beyond the drain time', async () => {
  const rig = createRig()
  const caller = new AbortController()
  rig.registry.register(tool({ name: 't', execute: () => Promise.reject(new Error('broken')) }))
  rig.runtime.use({ name: 'slow', post: () => never() })
  const pending = rig.call('t', {}, { signal: caller.signal })
  await settle()
  caller.abort()
  await rig.clock.advance(100)
  expect(textOf(await pending)).toContain('broken')
  expect(abortListeners(caller.signal)).toBe(0)
})

describe('children that are open together', () => {
  async function openChildren(count: number, signalOf: (exec: Execution) => AbortSignal | undefined) {
    const rig = createRig()
    const caller = new AbortController()
    const children: Promise<Outcome>[] = []
    let finish: () => void = () => {}
    rig.registry.registerAll([
      tool({
        name: 'leaf',
        execute: (_args, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      }),
      tool({
        name: 'composite',
        execute: async (_args, exec) => {
          for (let n = 0; n < count; n++) {
            const signal = signalOf(exec)
            const overrides = { entry: 'program', parent: exec.token, ...(signal !== undefined && { signal }) } as const
            children.push(rig.call('leaf', {}, overrides))
          }
          await new Promise<void>((resolve) => (finish = resolve))
          return 'went on without them'
        },
      }),
    ])
    const parent = rig.call('composite', {}, { signal: caller.signal })
    await settle()
    return { caller, children, parent, finish: () => finish() }
  }

  test('put one listener on the signal that they were all given, and take it away', async () => {
    const shared = new AbortController()
    const { caller, children, parent, finish } = await openChildren(50, () => shared.signal)
    expect(abortListeners(shared.signal)).toBe(1)
    shared.abort()
    expect((await Promise.all(children)).map(codeOf)).toEqual(children.map(() => 'ABORTED'))
    finish()
    expect(codeOf(await parent)).toBeUndefined()
    expect([abortListeners(shared.signal), abortListeners(caller.signal)]).toEqual([0, 0])
  })

  test('hear their caller even when their parent has ended before them', async () => {
    for (const signalOf of [(exec: Execution) => exec.signal, () => undefined]) {
      const { caller, children, parent, finish } = await openChildren(3, signalOf)
      finish()
      expect(codeOf(await parent)).toBeUndefined()
      caller.abort()
      expect((await Promise.all(children)).map(codeOf)).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
      expect(abortListeners(caller.signal)).toBe(0)
    }
  })

  test('have a signal each', async () => {
    const rig = createRig()
    const signals: AbortSignal[] = []
    rig.registry.registerAll([
      tool({ name: 'leaf', execute: async (_args, { signal }) => (await settle(), signals.push(signal)) }),
      tool({
        name: 'composite',
        execute: async (_args, { token, signal }) => {
          const child = () => rig.call('leaf', {}, { entry: 'program', parent: token, signal })
          await Promise.all([child(), child()])
          return 'done'
        },
      }),
    ])
    await rig.call('composite', {}, { signal: new AbortController().signal })
    expect(new Set(signals).size).toBe(2)
  })
})
