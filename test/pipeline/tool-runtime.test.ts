import { describe, expect, test } from 'vitest'
import { callId, sessionId } from '../../src/data/ids.ts'
import type { Outcome } from '../../src/data/outcome.ts'
import type { CallRequest } from '../../src/pipeline/call.ts'
import { STAGES } from '../../src/pipeline/stages.ts'
import { defineTool } from '../../src/registry/define-tool.ts'
import { RUN_CODE } from '../../src/registry/scope.ts'
import type { CallToken } from '../../src/registry/tool.ts'
import { codeOf, createRig, textOf, tool } from './rig.ts'

describe('identity', () => {
  /** Makes a nested call from inside a running composite, with the parent the test wants. */
  async function nested(overrides: (token: CallToken) => Partial<CallRequest>) {
    const rig = createRig({ mode: 'both' })
    rig.registry.register(tool({ name: 'leaf' }))
    let inner: Outcome | undefined
    rig.registry.register(
      tool({
        name: 'composite',
        async execute(_args, exec) {
          inner = await rig.call('leaf', {}, { entry: 'program', parent: exec.token, ...overrides(exec.token) })
          return 'done'
        },
      }),
    )
    await rig.call('composite', {}, { callId: callId('c') })
    if (inner === undefined) throw new Error('no nested call was made')
    return { inner, rig }
  }

  test('a nested call is derived from its parent: id, root and parent', async () => {
    const { inner, rig } = await nested(() => ({}))
    expect(codeOf(inner)).toBeUndefined()
    expect(rig.observed[0]?.call).toMatchObject({ callId: 'c/1', rootCallId: 'c', parentCallId: 'c' })
  })

  test('a composite may number its children; those it does not number get the next free numbers', async () => {
    const rig = createRig({ mode: 'both' })
    rig.registry.register(tool({ name: 'leaf' }))
    rig.registry.register(
      tool({
        name: 'composite',
        async execute(_args, { token }) {
          await rig.call('leaf', {}, { entry: 'program', parent: token, callId: callId('c/7') })
          await rig.call('leaf', {}, { entry: 'program', parent: token })
          return 'done'
        },
      }),
    )
    await rig.call('composite', {}, { callId: callId('c') })
    expect(rig.observed.map(({ call }) => call.callId)).toEqual(['c/7', 'c/8', 'c'])
  })

  test('a forged parent is refused', async () => {
    const { inner } = await nested((token) => ({ parent: Object.freeze(Object.create(token)) as CallToken }))
    expect(codeOf(inner)).toBe('INVALID_PARENT')
  })

  test('a parent of another runtime is refused', async () => {
    const other = createRig()
    let foreign: CallToken | undefined
    let release = () => {}
    other.registry.register(
      tool({
        name: 'open',
        execute: (_args, exec) => {
          foreign = exec.token
          return new Promise((resolve) => (release = () => resolve('done')))
        },
      }),
    )
    const open = other.call('open')
    const { inner } = await nested(() => (foreign === undefined ? {} : { parent: foreign }))
    release()
    await open
    expect(codeOf(inner)).toBe('INVALID_PARENT')
  })

  test('a parent of another session is refused', async () => {
    const { inner } = await nested(() => {
      const { store } = createRig()
      return { session: store.open(sessionId('other'), 'global') }
    })
    expect(codeOf(inner)).toBe('INVALID_PARENT')
    expect(textOf(inner)).toContain('another session')
  })

  test('an id that is not derived from the parent is refused', async () => {
    const { inner } = await nested(() => ({ callId: callId('elsewhere/1') }))
    expect(codeOf(inner)).toBe('INVALID_PARENT')
  })

  test('a parent that has finished is refused', async () => {
    const rig = createRig()
    let kept: CallToken | undefined
    rig.registry.register(tool({ name: 'leaf' }))
    rig.registry.register(
      tool({
        name: 'first',
        execute: (_args, exec) => {
          kept = exec.token
          return 'done'
        },
      }),
    )
    await rig.call('first')
    const outcome = await rig.call('leaf', {}, kept === undefined ? {} : { parent: kept })
    expect(codeOf(outcome)).toBe('INVALID_PARENT')
  })

  test('a parent is finished for policies that look at its result', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 'leaf' }))
    let kept: CallToken | undefined
    rig.registry.register(tool({ name: 'first', execute: (_args, { token }) => ((kept = token), 'done') }))
    const late: (string | undefined)[] = []
    rig.runtime.use({
      name: 'late',
      async post(call) {
        if (call.toolName === 'first' && kept !== undefined)
          late.push(codeOf(await rig.call('leaf', {}, { parent: kept })))
        return { decision: 'keep' }
      },
    })
    await rig.call('first')
    expect(late).toEqual(['INVALID_PARENT'])
  })

  test('a token says nothing and cannot be written', async () => {
    const rig = createRig()
    let token: CallToken | undefined
    rig.registry.register(tool({ name: 'leaf', execute: (_args, exec) => ((token = exec.token), 'done') }))
    await rig.call('leaf')
    expect(JSON.stringify(token)).toBe('{}')
    expect(Object.isFrozen(token)).toBe(true)
    const prototype: unknown = Object.getPrototypeOf(token)
    if (typeof prototype !== 'object' || prototype === null) throw new TypeError('a token has an object behind it')
    expect(Reflect.ownKeys(prototype)).toEqual([])
    expect(Object.isFrozen(prototype)).toBe(true)
    expect(Object.getPrototypeOf(prototype)).toBeNull()
  })

  test('a second open call of the same id is reported to the owner', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 'leaf', execute: async () => 'done' }))
    await Promise.all([rig.call('leaf', {}, { callId: callId('x') }), rig.call('leaf', {}, { callId: callId('x') })])
    expect(rig.diagnostics.map(({ code }) => code)).toEqual(['DUPLICATE_ID'])
  })
})

describe('arguments', () => {
  test('are copied once and frozen: check, policy and body get the very same object', async () => {
    const rig = createRig()
    const seen: unknown[] = []
    rig.registry.register(
      tool({ name: 't', validateArguments: (args) => (seen.push(args), []), execute: (args) => (seen.push(args), 1) }),
    )
    rig.runtime.use({ name: 'p', pre: (call) => (seen.push(call.arguments), { decision: 'allow' }) })
    const given = { list: [1] }
    await rig.call('t', given)
    expect(seen).toHaveLength(3)
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]).toEqual(given)
    expect(seen[0]).not.toBe(given)
    expect(Object.isFrozen(seen[0])).toBe(true)
    expect(Object.isFrozen((seen[0] as typeof given).list)).toBe(true)
  })

  test('an accessor among them is read once, and cannot change which tool runs', async () => {
    const rig = createRig()
    let reads = 0
    const first = rig.registry.register(
      tool({ name: 't', execute: () => 'pinned', finalizeContent: () => [{ type: 'text', text: 'pinned finalizer' }] }),
    )
    const outcome = await rig.call('t', {
      get trap() {
        reads++
        first()
        rig.registry.register(tool({ name: 't', execute: () => 'replaced' }))
        return reads
      },
    })
    expect(outcome).toMatchObject({ isError: false, value: 'pinned' })
    expect(textOf(outcome)).toBe('pinned finalizer')
    expect(reads).toBe(1)
  })

  test('nothing at all means no arguments', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', execute: (args) => args }))
    expect(await rig.call('t', {}, { arguments: { raw: '' } })).toMatchObject({ value: {} })
  })

  test('a name such as __proto__ is ordinary data', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', execute: (args) => Object.keys(args) }))
    const outcome = await rig.call('t', {}, { arguments: { raw: '{"__proto__": {"admin": true}, "then": 1}' } })
    expect(outcome).toMatchObject({ value: ['__proto__', 'then'] })
  })

  test('a defined tool says every violation and what to do', async () => {
    const rig = createRig()
    rig.registry.register(
      defineTool({
        name: 'forecast',
        description: 'Forecast.',
        parameters: {
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
          required: ['city', 'days'],
        },
        execute: () => 'sun',
      }),
    )
    const outcome = await rig.call('forecast', { days: 'three' })
    expect(codeOf(outcome)).toBe('INVALID_ARGS')
    expect(textOf(outcome)).toContain('city')
    expect(textOf(outcome)).toContain('days')
    expect(textOf(outcome)).toContain('Correct the arguments and call again.')
    expect(outcome).toMatchObject({ error: { details: { violations: [{ path: expect.any(String) }, {}] } } })
  })

  test('invalid JSON is refused with its position', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    const outcome = await rig.call('t', {}, { arguments: { raw: '{"a": 1,\n "a": 2}' } })
    expect(outcome).toMatchObject({ error: { code: 'INVALID_ARGS', details: { position: { line: 2 } } } })
  })

  test('lone surrogates are let through and reported', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    await rig.call('t', {}, { arguments: { raw: '{"a": "\\ud800"}' } })
    expect(rig.observed[0]?.report.diagnostics).toMatchObject([{ code: 'ARGUMENTS_NOTE' }])
    expect(rig.diagnostics).toMatchObject([
      {
        code: 'ARGUMENTS_NOTE',
        callId: rig.observed[0]?.call.callId,
        message: expect.stringContaining('/a') as string,
      },
    ])
  })

  test.each<[string, object, string]>([
    ['no entry', { entry: undefined }, '"entry" must be "model", "program" or "host"; got undefined'],
    ['another entry', { entry: 'root' }, 'got "root"'],
    ['no arguments', { arguments: undefined }, '"arguments" must be { raw: string } or { value }'],
    ['raw arguments that are no text', { arguments: { raw: 7 } }, '"arguments" must be'],
    ['no scope', { scope: undefined }, '"scope" must be a string'],
    ['no name', { name: 7 }, '"name" must be a string'],
  ])('a request that JavaScript got wrong is refused with what is wrong in it: %s', async (_name, wrong, message) => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    const request = { name: 't', arguments: { value: {} }, scope: 'global', entry: 'host', ...wrong }
    const outcome = await rig.runtime.execute(request as never)
    expect(outcome).toMatchObject({
      isError: true,
      error: { code: 'INVALID_ARGS', phase: 'lookup', message: expect.stringContaining(message) as string },
    })
    expect(await rig.runtime.execute(undefined as never)).toMatchObject({
      isError: true,
      error: { code: 'INVALID_ARGS' },
    })
  })
})

describe('modes and names', () => {
  test('in code mode a direct call is shown as the program that would make it', async () => {
    const rig = createRig({ mode: 'code' })
    rig.registry.registerAll([tool({ name: 'github.list_issues', namespace: 'github' }), tool({ name: 'odd-name' })])
    rig.registry.installRunCode(tool({ name: RUN_CODE }))
    const plain = await rig.call('github.list_issues', { repo: 'a/b', open: true })
    expect(textOf(plain)).toContain('return await tools.github.list_issues({"repo":"a/b","open":true})')
    const quoted = await rig.call('odd-name', {}, { arguments: { raw: '{"__proto__": 1}' } })
    expect(textOf(quoted)).toContain('return await tools["odd-name"](JSON.parse("{\\"__proto__\\":1}"))')
  })

  test('a tool of tier native stays open in code mode and closed to programs', async () => {
    const rig = createRig({ mode: 'code' })
    rig.registry.register(tool({ name: 't', tier: 'native' }))
    rig.registry.installRunCode(tool({ name: RUN_CODE }))
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    const fromProgram = await rig.call('t', {}, { entry: 'program' })
    expect(codeOf(fromProgram)).toBe('UNKNOWN_TOOL')
    expect(textOf(fromProgram)).toContain('the model calls it directly')
  })

  test('a tool of tier code is called from programs, and does not exist where there are none', async () => {
    const both = createRig({ mode: 'both' })
    both.registry.register(tool({ name: 't', tier: 'code' }))
    both.registry.installRunCode(tool({ name: RUN_CODE }))
    expect(codeOf(await both.call('t'))).toBe('CALL_VIA_RUN_CODE')
    expect(codeOf(await both.call('t', {}, { entry: 'program' }))).toBeUndefined()
    const native = createRig({ mode: 'native' })
    native.registry.register(tool({ name: 't', tier: 'code' }))
    const outcome = await native.call('t')
    expect(codeOf(outcome)).toBe('UNKNOWN_TOOL')
    expect(textOf(outcome)).not.toContain('"t" or')
  })

  test('an unknown name is answered with the nearest ones', async () => {
    const rig = createRig()
    rig.registry.registerAll([tool({ name: 'list_issues' }), tool({ name: 'weather' })])
    const outcome = await rig.call('listIssue')
    expect(textOf(outcome)).toContain('Did you mean "list_issues"?')
    expect(textOf(outcome)).not.toContain('weather')
  })

  test('in code mode an unknown name leads a model to run_code, with the nearest tools as a program calls them', async () => {
    const rig = createRig({ mode: 'code' })
    rig.registry.registerAll([
      tool({ name: 'github.list_issues', namespace: 'github' }),
      tool({ name: 'odd-name' }),
      tool({ name: 'direct', tier: 'native' }),
    ])
    rig.registry.installRunCode(tool({ name: RUN_CODE }))
    const near = textOf(await rig.call('github.listIssue'))
    expect(near).toContain('Did you mean tools.github.list_issues? Call run_code with a program that calls it.')
    expect(textOf(await rig.call('od-name'))).toContain('tools["odd-name"]')
    expect(textOf(await rig.call('drect'))).toContain('Did you mean "direct"?')
    const far = textOf(await rig.call('zzzzzzzz'))
    expect(far).toContain('call run_code with a program; its description lists')
    expect(far).not.toContain('No tools are available')
    expect(textOf(await rig.call('od-name', {}, { entry: 'host' }))).toContain('Did you mean "odd-name"?')
    expect(textOf(await rig.call('od-name', {}, { entry: 'program' }))).toContain('Did you mean "odd-name"?')
    expect(textOf(await rig.call('drect', {}, { entry: 'program' }))).not.toContain('Did you mean')
  })

  test('a hidden tool looks unknown to the model, and only the owner hears of the restriction', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 'delete_all' }))
    rig.registry.declareScope('guest')
    rig.registry.restrict('guest', { deny: ['delete_all'] })
    const hidden = await rig.call('delete_all', {}, { scope: 'guest' })
    const unknown = await rig.call('never_existed', {}, { scope: 'guest' })
    expect(textOf(hidden).replace('delete_all', 'never_existed')).toBe(textOf(unknown))
    expect(rig.diagnostics).toMatchObject([{ code: 'HIDDEN_TOOL' }])
    expect(rig.diagnostics[0]?.message).toContain('guest')
  })

  test('run_code cannot be called from a program, and is told so', async () => {
    const rig = createRig({ mode: 'code' })
    rig.registry.installRunCode(tool({ name: RUN_CODE }))
    expect(codeOf(await rig.call(RUN_CODE))).toBeUndefined()
    const outcome = await rig.call(RUN_CODE, {}, { entry: 'program' })
    expect(codeOf(outcome)).toBe('UNKNOWN_TOOL')
    expect(textOf(outcome)).toContain('a program is what it runs')
  })

  test('the mode refuses before any policy, guard or approver is asked', async () => {
    const rig = createRig({ mode: 'code' })
    rig.registry.register(tool({ name: 't' }))
    rig.registry.installRunCode(tool({ name: RUN_CODE }))
    const asked: string[] = []
    rig.runtime.use({ name: 'p', pre: () => (asked.push('pre'), { decision: 'allow' }) })
    rig.runtime.guard({ name: 'g', check: () => (asked.push('guard'), { decision: 'pass' }) })
    expect(codeOf(await rig.call('t'))).toBe('CALL_VIA_RUN_CODE')
    expect(asked).toEqual([])
  })
})

describe('outcomes', () => {
  test('every stage that ran is timed, in the order of STAGES', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', finalizeContent: () => undefined }))
    rig.runtime.use({ name: 'p', around: (_call, next) => next() })
    await rig.call('t', {}, { admit: async () => ({ [Symbol.dispose]: () => {} }) })
    const ran = Object.keys(rig.observed[0]?.report.stageNs ?? {})
    expect(ran).toEqual(STAGES.filter((stage) => stage !== 'approval'))
  })

  test('an observer that throws, or rejects, changes nothing and is reported', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.observe({
      settled() {
        throw new Error('observer down')
      },
    })
    // An author without types may well write it async.
    rig.runtime.observe({ settled: (() => Promise.reject(new Error('async observer down'))) as () => void })
    expect(codeOf(await rig.call('t'))).toBeUndefined()
    await new Promise((resolve) => setImmediate(resolve))
    expect(rig.diagnostics.map(({ code }) => code)).toEqual(['OBSERVER_FAILED', 'OBSERVER_FAILED'])
  })

  test('a finalizer that fails leaves a constant text, and observers hear why', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        execute: () => 'token=s3cret',
        finalizeContent: () => {
          throw new Error('cannot scrub token=s3cret')
        },
      }),
    )
    const outcome = await rig.call('t')
    expect(outcome).toMatchObject({ isError: false, value: 'token=s3cret' })
    expect(textOf(outcome)).not.toContain('s3cret')
    expect(rig.observed[0]?.report.diagnostics).toMatchObject([{ code: 'FINALIZER_FAILED' }])
  })

  test('a finalizer sees a frozen outcome and may change content only', async () => {
    const rig = createRig()
    const seen: Outcome[] = []
    rig.registry.register(
      tool({
        name: 't',
        finalizeContent: (_exec, result) => (seen.push(result), [{ type: 'text', text: 'in my words' }]),
      }),
    )
    const outcome = await rig.call('t')
    expect(Object.isFrozen(seen[0])).toBe(true)
    expect(outcome).toEqual({ ...seen[0], content: [{ type: 'text', text: 'in my words' }] })
  })

  test('a body may put content in place of render, also when it then throws', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        execute(args, exec) {
          exec.attachContent([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])
          if (args.fail === true) throw new Error('half done')
          return 1
        },
      }),
    )
    expect((await rig.call('t')).content).toEqual([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])
    const failed = await rig.call('t', { fail: true })
    expect(failed.content).toEqual([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])
    expect(codeOf(failed)).toBe('TOOL_FAILED')
  })

  test('what a body sends that is no message is its own failure', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({ name: 't', execute: (_args, exec) => exec.deferContext({ role: 'system', content: [] } as never) }),
    )
    const outcome = await rig.call('t')
    expect(codeOf(outcome)).toBe('TOOL_FAILED')
    expect(textOf(outcome)).toContain('role')
  })

  test('a listener for progress that throws does not disturb the body', async () => {
    const rig = createRig()
    const heard: unknown[] = []
    rig.registry.register(
      tool({
        name: 't',
        execute(_args, exec) {
          exec.reportProgress({ message: 'half', fraction: 0.5 })
          exec.reportProgress({ fraction: 7 })
          return 'done'
        },
      }),
    )
    const outcome = await rig.call(
      't',
      {},
      {
        onProgress(progress) {
          heard.push(progress)
          throw new Error('listener down')
        },
      },
    )
    expect(codeOf(outcome)).toBeUndefined()
    expect(heard).toEqual([{ message: 'half', fraction: 0.5 }, {}])
  })

  test('a registry that throws still gives an outcome', async () => {
    const rig = createRig({
      registry: {
        view() {
          throw new Error('registry down')
        },
      },
    })
    const outcome = await rig.call('t')
    expect(outcome).toMatchObject({ isError: true, error: { code: 'POLICY_FAILED', bodyStarted: false } })
    expect(Object.isFrozen(outcome)).toBe(true)
    expect(rig.diagnostics.splice(0)).toMatchObject([{ code: 'INTERNAL_FAULT' }])
  })
})

describe('registrations', () => {
  test('are taken back by their disposers, once, and in no particular order', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    const seen: string[] = []
    const make = (name: string) => rig.runtime.use({ name, pre: () => (seen.push(name), { decision: 'allow' }) })
    const [a, b] = [make('a'), make('b')]
    make('c')
    b()
    b()
    await rig.call('t')
    expect(seen).toEqual(['a', 'c'])
    a[Symbol.dispose]()
    seen.length = 0
    await rig.call('t')
    expect(seen).toEqual(['c'])
  })

  test('policies may be objects of a class', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    class Counter {
      readonly name = 'counter'
      count = 0
      pre() {
        this.count++
        return { decision: 'allow' as const }
      }
    }
    const counter = new Counter()
    rig.runtime.use(counter)
    await rig.call('t')
    expect(counter.count).toBe(1)
  })
})
