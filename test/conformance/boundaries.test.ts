import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CardProjection, cardsOf, presentersOf } from '../../src/cards.ts'
import { createBridge } from '../../src/codemode/bridge.ts'
import { DEFAULT_LIMITS } from '../../src/codemode/limits.ts'
import { sessionId } from '../../src/data/ids.ts'
import type { GuestReply } from '../../src/executor/executor.ts'
import { CallBatch } from '../../src/pipeline/call-batch.ts'
import { defineTool } from '../../src/registry/define-tool.ts'
import { RUN_CODE } from '../../src/registry/scope.ts'
import type { ToolDefinition } from '../../src/registry/tool.ts'
import { settle } from '../pipeline/fake-clock.ts'
import { codeOf, createRig, textOf, tool, type Rig } from '../pipeline/rig.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'

/** The dynamic windows and the tradeoffs of docs/boundaries.md that no other test is about. */

/** A tool whose body says what runs and then waits to be let go. */
function held(version: string, overrides: Partial<ToolDefinition> = {}) {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  const definition = tool({
    name: 't',
    execute: async () => (await promise, `body ${version}`),
    output: { render: (_args, value) => [{ type: 'text', text: `render ${version} of ${JSON.stringify(value)}` }] },
    finalizeContent: (_exec, { content }) => [...content, { type: 'text', text: `finalizer ${version}` }],
    ...overrides,
  })
  return { definition, letGo }
}
const batchOf = (rig: Rig, scope = 'global') =>
  new CallBatch({ runtime: rig.runtime, session: rig.session, scope, clock: rig.clock })
const call = (name: string) => ({ name, arguments: '{}' })

describe('while a batch is under way', () => {
  test('a tool that is restricted meanwhile is refused to a queued call, and one that is let in again runs', async () => {
    const rig = createRig()
    rig.registry.declareScope('agent')
    const first = held('1', { name: 'first' })
    rig.registry.registerAll([first.definition, tool({ name: 'a' }), tool({ name: 'b' })])
    const onB = rig.registry.restrict('agent', { deny: ['b'] })
    const log = rig.store.open(sessionId('agent-session'), 'agent')
    const batch = new CallBatch({ runtime: rig.runtime, session: log, scope: 'agent', clock: rig.clock })
    const pending = batch.run([call('first'), call('a'), call('b')])
    await settle()
    rig.registry.restrict('agent', { deny: ['a'] })
    onB()
    first.letGo()
    const { results } = await pending
    expect(results.map(({ outcome }) => codeOf(outcome))).toEqual([undefined, 'UNKNOWN_TOOL', undefined])
  })

  test('a call whose scope is disposed ends as it began; what is queued, and what it calls itself, finds no tools', async () => {
    const rig = createRig({ mode: 'both' })
    const scope = rig.registry.declareScope('agent')
    const codes: (string | undefined)[] = []
    const { promise, resolve: letGo } = Promise.withResolvers<void>()
    rig.registry.register(tool({ name: 'leaf' }))
    rig.registry.register(
      tool({
        name: 'composite',
        async execute(_args, exec) {
          await promise
          const { token: parent, scope: name } = exec
          codes.push(codeOf(await rig.call('leaf', {}, { entry: 'program', parent, scope: name, session: log })))
          return 'done'
        },
      }),
      { scope: 'agent' },
    )
    const log = rig.store.open(sessionId('agent-session'), 'agent')
    const batch = new CallBatch({ runtime: rig.runtime, session: log, scope: 'agent', clock: rig.clock })
    const pending = batch.run([call('composite'), call('leaf')])
    await settle()
    scope()
    letGo()
    const { results } = await pending
    expect(results.map(({ outcome }) => codeOf(outcome))).toEqual([undefined, 'UNKNOWN_TOOL'])
    expect(codes).toEqual(['UNKNOWN_TOOL'])
  })

  test('a mode that changes decides about queued calls, and lets a running program go on', async () => {
    const rig = createRig({ mode: 'both' })
    rig.registry.register(tool({ name: 'leaf' }))
    const { promise, resolve: letGo } = Promise.withResolvers<void>()
    let nested: string | undefined = 'not made'
    rig.registry.installRunCode(
      tool({
        name: RUN_CODE,
        async execute(_args, exec) {
          await promise
          nested = codeOf(await rig.call('leaf', {}, { entry: 'program', parent: exec.token }))
          return 'done'
        },
      }),
    )
    const program = batchOf(rig).run([call(RUN_CODE), call('leaf')])
    await settle()
    rig.registry.setMode('global', 'code')
    letGo()
    expect((await program).results.map(({ outcome }) => codeOf(outcome))).toEqual([undefined, 'CALL_VIA_RUN_CODE'])
    expect(nested).toBeUndefined()
  })
})

describe('while a call is under way', () => {
  test('a reload changes nothing of it: body, render and finalizer are those it began with; the next call has the new ones', async () => {
    const rig = createRig()
    const old = held('1')
    const registration = rig.registry.register(old.definition)
    const running = rig.call('t')
    await settle()
    registration()
    const fresh = held('2')
    rig.registry.register(fresh.definition)
    const next = rig.call('t')
    old.letGo()
    fresh.letGo()
    expect(textOf(await running)).toBe('render 1 of "body 1"\nfinalizer 1')
    expect(textOf(await next)).toBe('render 2 of "body 2"\nfinalizer 2')
  })

  test('a tool that is taken away while a person is asked is the tool that was asked about, if the person says yes', async () => {
    const { promise: answer, resolve: say } = Promise.withResolvers<{ readonly answer: 'approve' }>()
    const rig = createRig({ approver: { ask: () => answer } })
    rig.runtime.use({ name: 'p', pre: () => ({ decision: 'ask', reason: 'r' }) })
    const old = held('1')
    const registration = rig.registry.register(old.definition)
    const pending = rig.call('t')
    await settle()
    registration()
    old.letGo()
    say({ answer: 'approve' })
    expect(textOf(await pending)).toContain('body 1')
    expect(codeOf(await rig.call('t'))).toBe('UNKNOWN_TOOL')
  })

  test('a policy that is added takes part in the stages that are still to come, and no others', async () => {
    const rig = createRig()
    const { definition, letGo } = held('1')
    rig.registry.register(definition)
    const log: string[] = []
    const pending = rig.call('t')
    await settle()
    rig.runtime.use({
      name: 'late',
      pre: () => (log.push('pre'), { decision: 'deny', reason: 'too late' }),
      around: (_call, next) => (log.push('around'), next()),
      post: () => (log.push('post'), { decision: 'keep' }),
    })
    letGo()
    expect(codeOf(await pending)).toBeUndefined()
    expect(log).toEqual(['post'])
    expect(codeOf(await rig.call('t'))).toBe('POLICY_DENIED')
  })

  test('a policy that is taken back still finishes the stage it is in, and takes part in no later one', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    const log: string[] = []
    const { promise, resolve: letGo } = Promise.withResolvers<void>()
    const retired = rig.runtime.use({
      name: 'retired',
      pre: async () => (await promise, log.push('pre of retired'), { decision: 'allow' }),
      post: () => (log.push('post of retired'), { decision: 'keep' }),
    })
    const second = rig.runtime.use({ name: 'second', pre: () => (log.push('pre of second'), { decision: 'allow' }) })
    const pending = rig.call('t')
    await settle()
    retired()
    second()
    letGo()
    expect(codeOf(await pending)).toBeUndefined()
    // The round of a stage is the list it began with.
    expect(log).toEqual(['pre of retired', 'pre of second'])
  })

  test('a guard that is added while a person is asked is asked too, and its veto stands', async () => {
    const { promise: answer, resolve: say } = Promise.withResolvers<{ readonly answer: 'approve' }>()
    const rig = createRig({ approver: { ask: () => answer } })
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use({ name: 'p', pre: () => ({ decision: 'ask', reason: 'r' }) })
    const pending = rig.call('t')
    await settle()
    rig.runtime.guard({ name: 'late', check: () => ({ decision: 'deny', reason: 'frozen for the night' }) })
    say({ answer: 'approve' })
    expect(codeOf(await pending)).toBe('GUARD_DENIED')
  })

  test('an observer that is added sees how it ends, and one that is taken back does not', async () => {
    const rig = createRig()
    const { definition, letGo } = held('1')
    rig.registry.register(definition)
    const seen: string[] = []
    const early = rig.runtime.observe({ settled: () => void seen.push('early') })
    const pending = rig.call('t')
    await settle()
    early()
    rig.runtime.observe({ settled: () => void seen.push('late') })
    letGo()
    await pending
    expect(seen).toEqual(['late'])
  })
})

describe('while a program runs', () => {
  test('a tool that is taken away is refused to its next call, and the program can go on', async () => {
    await using engine = await createCheckedEngine({ requireConfinement: 'none' })
    const gone = engine.registry.register(tool({ name: 'gone', execute: () => 1 }))
    engine.registry.register(tool({ name: 'remove', execute: () => (gone(), true) }))
    const { value } = await engine.run(
      `const before = await tools.gone()
       await tools.remove()
       return [before, await tools.gone().catch((error) => error.code)]`,
    )
    expect(value?.result).toEqual([1, 'UNKNOWN_TOOL'])
  })

  test('a server that changes its tool list disturbs no call, and the new tool is there for the next program', async () => {
    const grown = Promise.withResolvers<boolean>()
    await using engine = await createCheckedEngine({
      requireConfinement: 'none',
      mcpServers: [
        {
          name: 'odd',
          transport: 'stdio',
          command: process.execPath,
          args: [resolve('test/support/servers/odd-server.ts')],
        },
      ],
      tools: [tool({ name: 'untilGrown', execute: () => grown.promise })],
    })
    engine.registry.onChange(() => {
      if (engine.registry.view('global').toolsByName.has('odd.grown')) grown.resolve(true)
    })
    const during = await engine.run(
      `const steps = tools.odd.steps()
       await tools.odd.grow()
       await tools.untilGrown()
       return [await steps, await tools.odd.echo({ words: 'still here' }), typeof tools.odd.grown]`,
    )
    expect(during.value?.result).toEqual(['done', 'you said still here', 'undefined'])
    const after = await engine.run('return await tools.odd.grown()')
    expect(after.value?.result).toBe('you said nothing')
  })

  test('its calls are classified when they are submitted, by the view it began with', async () => {
    const rig = createRig({ mode: 'both' })
    const log: string[] = []
    const overlapping = (isSafe: boolean) =>
      tool({
        name: 't',
        isConcurrencySafe: () => isSafe,
        async execute() {
          log.push('+')
          await settle()
          log.push('-')
          return 1
        },
      })
    const registration = rig.registry.register(overlapping(false))
    rig.registry.installRunCode(
      tool({
        name: RUN_CODE,
        async execute(_args, exec) {
          const bridge = createBridge({
            runtime: rig.runtime,
            view: rig.registry.view('global'),
            exec,
            session: rig.session,
            limits: DEFAULT_LIMITS,
            monotonicMs: () => rig.clock.monotonicMs(),
            artifacts: { put: () => undefined, read: () => undefined },
            searchTools: () => null,
            describeTools: () => null,
            whileAsking: () => ({ [Symbol.dispose]: () => {} }),
          })
          registration()
          rig.registry.register(overlapping(true))
          const calls = [1, 2].map((number) =>
            bridge.call({ number, op: 'call', name: 't', argumentsJson: '{}', signal: exec.signal }),
          )
          const replies: readonly GuestReply[] = await Promise.all(calls)
          await bridge.quiet()
          return replies.every(({ ok }) => ok)
        },
      }),
    )
    expect(await rig.call(RUN_CODE)).toMatchObject({ value: true })
    // The new definition runs; that it may overlap is not believed before the next program.
    expect(log).toEqual(['+', '-', '+', '-'])
  })
})

describe('between a run and its replay', () => {
  test('a reload may change how an old card looks, and nothing of what it says happened', async () => {
    const rig = createRig()
    const old = tool({ name: 't', presentCall: () => ({ kind: 'web', url: 'old' }) })
    const registration = rig.registry.register(old)
    const live = new CardProjection((name) => presentersOf(rig.registry.view('global'))(name))
    await batchOf(rig).run([call('t')])
    for (const event of rig.session.events()) live.take(event)
    registration()
    rig.registry.register(tool({ name: 't', presentCall: () => ({ kind: 'web', url: 'new' }) }))
    const [then] = live.cards()
    const [now] = cardsOf(rig.session.events(), presentersOf(rig.registry.view('global')))
    expect(then?.call).toEqual({ kind: 'web', url: 'old' })
    expect(now).toEqual({ ...then, call: { kind: 'web', url: 'new' } })
  })
})

describe('tradeoffs', () => {
  test('a policy that tries to rewrite the arguments changes nothing: the body gets what the log holds', async () => {
    const rig = createRig()
    const got: unknown[] = []
    rig.registry.register(tool({ name: 't', execute: (args) => (got.push(args), 1) }))
    rig.runtime.use({
      name: 'rewriter',
      pre(view) {
        expect(() => Object.assign(view.arguments, { path: '/etc' })).toThrow(TypeError)
        return { decision: 'allow', arguments: { path: '/etc' } } as never
      },
    })
    await batchOf(rig).run([{ name: 't', arguments: '{"path":"/tmp"}' }])
    expect(got).toEqual([{ path: '/tmp' }])
    expect(rig.session.events()[1]).toMatchObject({ arguments: '{"path":"/tmp"}' })
  })

  test('a direct execute() leaves no trace in the session', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', execute: (_args, exec) => (exec.deferContext('a note'), 1) }))
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    expect(rig.session.events().map(({ type }) => type)).toEqual(['session/opened'])
  })

  test('a raw registration that validates in its body gets whatever JSON comes; defineTool does not', async () => {
    const rig = createRig()
    const got: unknown[] = []
    const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    rig.registry.register(tool({ name: 'raw', parameters, execute: (args) => (got.push(args), 1) }))
    rig.registry.register(
      defineTool({ name: 'defined', description: 'd', parameters, execute: (args) => (got.push(args), 1) }),
    )
    await rig.call('raw', { n: 'text', more: [null] })
    expect(codeOf(await rig.call('defined', { n: 'text' }))).toBe('INVALID_ARGS')
    // An explicit root is open unless its author closes it.
    await rig.call('defined', { n: 1, more: [null] })
    expect(got).toEqual([
      { n: 'text', more: [null] },
      { n: 1, more: [null] },
    ])
  })

  test('a retry by a wrapper repeats the side effects of the body', async () => {
    const rig = createRig()
    let effects = 0
    rig.registry.register(tool({ name: 't', execute: () => ++effects }))
    rig.runtime.use({ name: 'twice', around: async (_call, next) => (await next(), await next()) })
    expect(await rig.call('t')).toMatchObject({ value: 2 })
    expect(effects).toBe(2)
  })

  test('what a tool claims about overlapping is believed, true or not', async () => {
    const rig = createRig()
    let inside = 0
    let most = 0
    rig.registry.register(
      tool({
        name: 'liar',
        isConcurrencySafe: () => true,
        async execute() {
          most = Math.max(most, ++inside)
          await settle()
          inside--
          return 1
        },
      }),
    )
    await batchOf(rig).run([call('liar'), call('liar')])
    expect(most).toBe(2)
  })
})
