import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../../src/data/outcome.ts'
import type { GuestReply } from '../../../src/executor/executor.ts'
import { createBridge } from '../../../src/codemode/bridge.ts'
import { DEFAULT_LIMITS } from '../../../src/codemode/limits.ts'
import { CallBatch } from '../../../src/pipeline/call-batch.ts'
import type { CallView } from '../../../src/pipeline/call.ts'
import { RUN_CODE } from '../../../src/registry/scope.ts'
import type { Execution, ToolDefinition } from '../../../src/registry/tool.ts'
import { checkEvents } from '../../../src/session/invariants.ts'
import { abortListeners, codeOf, createRig, scriptedApprover, tool, type Rig } from '../../pipeline/rig.ts'
import { countAwaitPoints } from '../../support/await-points.ts'

/**
 * A call may be cancelled at any moment. These tests find the moments by themselves: each scenario is run once to count
 * its await points, then once more for each of them, cancelled right there.
 */

const SCENARIOS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'a call through every stage': async (world) => {
    world.everyHook({ isAsking: true })
    world.register(slowTool(world, 'leaf'))
    await world.execute('leaf', {
      admit() {
        world.begins('admit')
        return slowly({ [Symbol.dispose]: () => {} })
      },
    })
  },
  'a call that is tried again by a wrapper': async (world) => {
    let tries = 0
    const failsOnce = async (exec: Execution) => {
      await slowly()
      exec.signal.throwIfAborted()
      if (tries++ === 0) throw new Error('not yet')
      return 'done'
    }
    world.register(slowTool(world, 'leaf', failsOnce))
    world.rig.runtime.use({
      name: 'retry',
      async around(_call, next) {
        const first = await next()
        if (!first.outcome.isError) return first
        await world.sleep(20)
        return await next()
      },
    })
    await world.execute('leaf')
  },
  'a body that does not hear the abort and ends within the drain time': async (world) => {
    world.everyHook({ isAsking: false })
    world.register(slowTool(world, 'leaf', () => world.sleep(50)))
    await world.execute('leaf')
  },
  'a body that does not hear the abort and is left behind': async (world) => {
    world.everyHook({ isAsking: false })
    world.register(
      slowTool(world, 'leaf', async () => {
        await world.sleep(1) // An await point while the body runs.
        return world.sleep(500)
      }),
    )
    await world.execute('leaf')
  },
  'a composite and its children': async (world) => {
    world.everyHook({ isAsking: false })
    world.register(slowTool(world, 'leaf'))
    world.register(
      slowTool(world, 'composite', async (exec) => {
        const child = () =>
          world.rig.runtime.execute({
            name: 'leaf',
            arguments: { raw: '{}' },
            scope: 'global',
            entry: 'program',
            parent: exec.token,
            session: world.rig.session,
          })
        world.outcomes.push(...(await Promise.all([child(), child()])), await child())
        return 'done'
      }),
    )
    await world.execute('composite')
  },
  'a batch of calls that overlap and calls that run alone': async (world) => {
    world.everyHook({ isAsking: false })
    world.register({ ...slowTool(world, 'safe'), isConcurrencySafe: () => true })
    world.register(slowTool(world, 'alone'))
    await world.batch(['safe', 'safe', 'alone', 'safe', 'unknown'])
  },
  'a program’s calls, through the bridge': async (world) => {
    world.everyHook({ isAsking: false })
    world.register({ ...slowTool(world, 'safe'), isConcurrencySafe: () => true })
    world.register(slowTool(world, 'alone'))
    world.installProgram(['safe', 'safe', 'alone', 'safe', 'unknown'])
    await world.batch([RUN_CODE])
  },
}

describe.each(Object.entries(SCENARIOS))('%s', (name, scenario) => {
  test('ends well when it is cancelled at any of its await points', { timeout: 120_000 }, async () => {
    const undisturbed = createWorld()
    const points = await play(undisturbed, scenario)
    undisturbed.check()
    expect(undisturbed.ranks().filter((rank) => rank !== RANK.undisturbed)).toEqual([])
    const endings = new Set<string>()
    let last = 0
    for (let point = 1; point <= points; point++) {
      const world = createWorld()
      await play(world, scenario, point)
      expect({ point, isAborted: world.isAborted() }).toEqual({ point, isAborted: true })
      world.check()
      // The later the abort, the further the call has come. It never falls back.
      const rank = world.ranks().at(-1) ?? RANK.undisturbed
      expect({ point, rank }).toEqual({ point, rank: Math.max(rank, last) })
      last = rank
      for (const outcome of world.outcomes)
        if (outcome.isError) endings.add(`${outcome.error.code} (${outcome.error.phase})`)
    }
    expect(points).toBeGreaterThan(10)
    expect([...endings].join()).toMatch(name.includes('left behind') ? 'ABANDONED (body)' : 'ABORTED (body)')
    console.info(`${name}: cancelled at each of ${points} await points: ${[...endings].join(', ')}`)
  })
})

const HOOKS = [
  'validateArguments',
  'pre',
  'ask',
  'guard',
  'admit',
  'before next()',
  'body',
  'output.validate',
  'output.render',
  'output.presentationMeta',
  'after next()',
  'post',
  'finalizeContent',
  'observer',
] as const

test.each(HOOKS)('a call that is cancelled inside its own %s ends well', async (hook) => {
  const world = createWorld()
  const at = <T>(name: (typeof HOOKS)[number], give: T): T => {
    if (name === hook) world.abort()
    return give
  }
  world.rig.runtime.use({
    name: 'hooks',
    pre: () => at('pre', { decision: 'ask', reason: 'r' }),
    async around(_call, next) {
      world.begins('around')
      at('before next()', null)
      const passed = await next()
      return at('after next()', passed)
    },
    post: () => at('post', { decision: 'keep' }),
  })
  world.rig.runtime.guard({ name: 'guard', check: () => at('guard', { decision: 'pass' }) })
  world.rig.runtime.observe({ settled: () => at('observer', undefined) })
  world.onAsk = () => at('ask', undefined)
  world.register({
    ...slowTool(world, 'leaf', () => at('body', 'done')),
    validateArguments: () => at('validateArguments', []),
    finalizeContent: () => (world.finalized++, at('finalizeContent', undefined)),
    output: {
      validate: () => at('output.validate', []),
      render: () => at('output.render', []),
      presentationMeta: () => at('output.presentationMeta', { seen: true }),
    },
  })
  await play(world, (it) =>
    it.execute('leaf', { admit: async () => (world.begins('admit'), at('admit', { [Symbol.dispose]: () => {} })) }),
  )
  world.check()
  const isBefore = HOOKS.indexOf(hook) < HOOKS.indexOf('body')
  // What is decided is decided: the last two hooks see the outcome and cannot unmake it.
  const expected = isBefore
    ? 'ABORTED_BEFORE_DISPATCH'
    : HOOKS.indexOf(hook) >= HOOKS.indexOf('finalizeContent')
      ? undefined
      : 'ABORTED'
  expect(world.outcomes.map(codeOf)).toEqual([expected])
})

const RANK = { beforeBody: 0, aborted: 1, undisturbed: 2 } as const

interface World {
  readonly rig: Rig
  readonly outcomes: Outcome[]
  onAsk: () => void
  finalized: number
  abort(): void
  isAborted(): boolean
  /** Hears no signal. */
  sleep(ms: number): Promise<string>
  register(definition: ToolDefinition): void
  everyHook(options: { readonly isAsking: boolean }): void
  execute(name: string, extra?: object): Promise<void>
  batch(names: readonly string[]): Promise<void>
  /** `run_code` whose program makes these calls at once, and one more after them. */
  installProgram(names: readonly string[]): void
  /** Of each outcome, how far it came. */
  ranks(): readonly number[]
  /** Something that could have an effect begins. After an abort that fails the test. */
  begins(what: string): void
  check(): void
}

async function play(world: World, scenario: (world: World) => Promise<void>, point?: number): Promise<number> {
  const work = countAwaitPoints(
    () => scenario(world),
    point === undefined ? undefined : { point, act: () => world.abort() },
  )
  await world.rig.clock.advance(10_000)
  return await work
}

function createWorld(): World {
  const caller = new AbortController()
  const rig = createRig({ mode: 'both', approver: { ask: (...asked) => approver.ask(...asked) } })
  const approver = scriptedApprover(async () => {
    world.begins('ask')
    world.onAsk()
    return await slowly({ answer: 'approve' as const })
  })
  const begunAfterAbort: string[] = []
  let batches = 0
  const isOurs = (call: CallView) => call.toolName !== RUN_CODE
  const world: World = {
    rig,
    outcomes: [],
    onAsk: () => {},
    finalized: 0,
    abort: () => caller.abort(new DOMException('the caller has gone', 'AbortError')),
    isAborted: () => caller.signal.aborted,
    sleep: (ms) => new Promise((resolve) => rig.clock.after(ms, () => resolve('awake'))),
    register(definition) {
      rig.registry.register({ finalizeContent: () => void world.finalized++, ...definition })
    },
    everyHook({ isAsking }) {
      rig.runtime.use({
        name: 'slow',
        pre(call) {
          world.begins('pre')
          return slowly(isAsking && isOurs(call) ? { decision: 'ask', reason: 'r' } : { decision: 'allow' })
        },
        async around(_call, next) {
          world.begins('around')
          await slowly()
          const passed = await next()
          return await slowly(passed)
        },
        post: () => slowly({ decision: 'keep' }),
      })
      rig.runtime.guard({ name: 'guard', check: () => ({ decision: 'pass' }) })
    },
    async execute(name, extra = {}) {
      world.outcomes.push(await rig.call(name, {}, { signal: caller.signal, ...extra }))
    },
    async batch(names) {
      batches += names.length
      const batch = new CallBatch({
        runtime: rig.runtime,
        session: rig.session,
        scope: 'global',
        clock: rig.clock,
        signal: caller.signal,
      })
      const { results } = await batch.run(names.map((name) => ({ name, arguments: '{}' })))
      expect(results.map((result) => result.name)).toEqual(names)
      world.outcomes.push(...results.map(({ outcome }) => outcome))
    },
    installProgram(names) {
      rig.registry.installRunCode(
        tool({
          name: RUN_CODE,
          async execute(_args, exec) {
            const bridge = createBridge({
              runtime: rig.runtime,
              view: rig.registry.view('global'),
              exec,
              session: rig.session,
              limits: { ...DEFAULT_LIMITS, maxConcurrentCalls: 2 },
              monotonicMs: () => rig.clock.monotonicMs(),
              artifacts: { put: () => undefined, read: () => undefined },
              searchTools: () => null,
              describeTools: () => null,
              whileAsking: () => ({ [Symbol.dispose]: () => {} }),
            })
            let number = 0
            const call = (name: string): Promise<GuestReply> =>
              bridge.call({ number: ++number, op: 'call', name, argumentsJson: '{}', signal: exec.signal })
            const replies = await Promise.all(names.map(call))
            replies.push(await call('safe'))
            await bridge.quiet()
            return replies.map(({ ok }) => ok)
          },
        }),
      )
    },
    ranks: () => world.outcomes.map(rankOf),
    begins: (what) => void (caller.signal.aborted && begunAfterAbort.push(what)),
    check() {
      expect(begunAfterAbort).toEqual([])
      expect(abortListeners(caller.signal)).toBe(0)
      // One end each, seen once, and finalized once where there was a tool.
      const seen = rig.observed.filter(({ call }) => isOurs(call))
      expect(new Set(rig.observed.map(({ call }) => call.callId)).size).toBe(rig.observed.length)
      expect(world.finalized).toBe(seen.filter(({ call }) => call.definition !== undefined).length)
      for (const { outcome, report } of rig.observed) {
        expect(Object.isFrozen(outcome)).toBe(true)
        if (!outcome.isError || outcome.error.code === 'UNKNOWN_TOOL') continue
        const allowed = report.bodyStarted ? ['ABORTED', 'ABANDONED'] : ['ABORTED_BEFORE_DISPATCH']
        expect(allowed).toContain(outcome.error.code)
      }
      const events = rig.session.events()
      expect(checkEvents(events, { isEnded: true })).toEqual([])
      expect(events.filter(({ type }) => type === 'tool/result')).toHaveLength(batches)
    },
  }
  return world
}

function slowTool(
  world: World,
  name: string,
  body: (exec: Execution) => unknown = async (exec) => {
    await slowly()
    exec.signal.throwIfAborted()
    return await slowly('done')
  },
): ToolDefinition {
  return tool({
    name,
    execute(_args, exec) {
      world.begins('body')
      return body(exec)
    },
  })
}

/** Two await points of its own, as real hooks have. */
async function slowly(): Promise<undefined>
async function slowly<const T>(value: T): Promise<T>
async function slowly(value?: unknown): Promise<unknown> {
  await Promise.resolve()
  await Promise.resolve()
  return value
}

function rankOf(outcome: Outcome): number {
  if (!outcome.isError || outcome.error.code === 'UNKNOWN_TOOL') return RANK.undisturbed
  return outcome.error.code === 'ABORTED_BEFORE_DISPATCH' ? RANK.beforeBody : RANK.aborted
}
