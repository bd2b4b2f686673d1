import { describe, expect, test } from 'vitest'
import { createAnnotationPolicy } from '../../src/policy/annotations.ts'
import { createApprovalPolicy } from '../../src/policy/approval.ts'
import { createHeadlessApprover } from '../../src/policy/headless-approver.ts'
import { matchNames } from '../../src/policy/name-pattern.ts'
import { createTimeoutPolicy } from '../../src/policy/timeout.ts'
import { RUN_CODE } from '../../src/registry/scope.ts'
import type { ToolAnnotations } from '../../src/registry/tool.ts'
import { settle } from '../pipeline/fake-clock.ts'
import { abortListeners, codeOf, createRig, scriptedApprover, textOf, tool } from '../pipeline/rig.ts'

describe('name patterns', () => {
  test.each([
    ['git.log', 'git.log', true],
    ['git.log', 'git.logs', false],
    ['git.*', 'git.log', true],
    ['git.*', 'github.log', false],
    ['git.*', 'git', false],
    ['*', 'anything', true],
    ['*', RUN_CODE, false],
    [RUN_CODE, RUN_CODE, true],
    ['*', '__proto__', true],
    ['constructor', 'toString', false],
  ])('%s and %s: %s', (pattern, name, expected) => expect(matchNames(pattern)(name)).toBe(expected))
})

describe('timeouts', () => {
  const sleeper = (timeoutMs?: number) =>
    tool({
      name: 't',
      ...(timeoutMs !== undefined && { timeoutMs }),
      execute: (_args, exec) =>
        new Promise((_resolve, reject) =>
          exec.signal.addEventListener('abort', () => reject(exec.signal.reason as Error)),
        ),
    })

  test.each([
    { own: 50, policy: 80, firesAt: 50, says: 'its 50 ms' },
    { own: 80, policy: 50, firesAt: 50, says: 'the 50 ms it is given here' },
    { own: undefined, policy: 50, firesAt: 50, says: 'the 50 ms it is given here' },
  ])('own $own and policy $policy: the smaller wins', async ({ own, policy, firesAt, says }) => {
    const rig = createRig()
    rig.registry.register(sleeper(own))
    rig.runtime.use(createTimeoutPolicy({ clock: rig.clock, rules: [{ tools: 't', timeoutMs: policy }] }))
    const pending = rig.call('t')
    await rig.clock.advance(firesAt - 1)
    expect(rig.observed).toEqual([])
    await rig.clock.advance(1)
    const outcome = await pending
    expect(codeOf(outcome)).toBe('TOOL_TIMEOUT')
    expect(textOf(outcome)).toContain(says)
  })

  test('a retry outside of it gives each try the whole time', async () => {
    const rig = createRig()
    rig.registry.register(sleeper())
    let tries = 0
    rig.runtime.use({
      name: 'retry',
      async around(_call, next) {
        tries++
        const first = await next()
        tries++
        return first.outcome.isError ? next() : first
      },
    })
    rig.runtime.use(createTimeoutPolicy({ clock: rig.clock, rules: [{ tools: '*', timeoutMs: 50 }] }))
    const pending = rig.call('t')
    await rig.clock.advance(50)
    await rig.clock.advance(49)
    expect(rig.observed).toEqual([])
    await rig.clock.advance(1)
    expect(codeOf(await pending)).toBe('TOOL_TIMEOUT')
    expect(tries).toBe(2)
  })

  test('the first rule that speaks of a tool counts, and a tool of no rule has no limit', async () => {
    const rig = createRig()
    rig.registry.registerAll([sleeper(), tool({ name: 'quick' })])
    const policy = createTimeoutPolicy({
      clock: rig.clock,
      rules: [
        { tools: ['t'], timeoutMs: 70 },
        { tools: 't', timeoutMs: 10 },
      ],
    })
    rig.runtime.use(policy)
    expect(codeOf(await rig.call('quick'))).toBeUndefined()
    const pending = rig.call('t')
    await rig.clock.advance(69)
    expect(rig.observed).toHaveLength(1)
    await rig.clock.advance(1)
    expect(codeOf(await pending)).toBe('TOOL_TIMEOUT')
  })

  test('the caller’s abort is still the caller’s', async () => {
    const rig = createRig()
    const caller = new AbortController()
    rig.registry.register(sleeper())
    rig.runtime.use(createTimeoutPolicy({ clock: rig.clock, rules: [{ tools: '*', timeoutMs: 50 }] }))
    const pending = rig.call('t', {}, { signal: caller.signal })
    await settle()
    caller.abort()
    expect(codeOf(await pending)).toBe('ABORTED')
    expect(abortListeners(caller.signal)).toBe(0)
  })

  test('a limit that is no limit is a mistake of the configuration', () => {
    const { clock } = createRig()
    for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => createTimeoutPolicy({ clock, rules: [{ tools: '*', timeoutMs }] })).toThrow('timeoutMs')
    }
  })
})

describe('approval rules', () => {
  test('ask when all that a rule names is true, with the reasons of every rule that applies', async () => {
    const approver = scriptedApprover({ answer: 'approve' }, { answer: 'approve' })
    const rig = createRig({ approver })
    rig.registry.registerAll([
      tool({ name: 'fs.write', annotations: { destructiveHint: true } }),
      tool({ name: 'fs.read', annotations: { readOnlyHint: true } }),
    ])
    rig.runtime.use(
      createApprovalPolicy({
        rules: [
          { tools: 'fs.*', when: 'destructive', reason: 'it overwrites files' },
          { arguments: (args) => JSON.stringify(args.path).startsWith('"/etc'), reason: 'it touches the system' },
          { tools: 'net.*', reason: 'never here' },
        ],
      }),
    )
    await rig.call('fs.write', { path: '/etc/hosts' })
    await rig.call('fs.write', { path: '/tmp/x' })
    await rig.call('fs.read', { path: '/tmp/x' })
    expect(approver.questions.map(({ request }) => request.reasons)).toEqual([
      ['it overwrites files; it touches the system'],
      ['it overwrites files'],
    ])
  })

  test('a predicate that throws fails the call closed', async () => {
    const rig = createRig({ approver: scriptedApprover() })
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(
      createApprovalPolicy({
        rules: [
          {
            reason: 'x',
            arguments: () => {
              throw new Error('bad rule')
            },
          },
        ],
      }),
    )
    expect(await rig.call('t')).toMatchObject({ error: { code: 'POLICY_FAILED', bodyStarted: false } })
  })

  test('without an approver the call is refused, and the refusal says why', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't' }))
    rig.runtime.use(createApprovalPolicy({ rules: [{ reason: 'it costs money' }] }))
    const outcome = await rig.call('t')
    expect(codeOf(outcome)).toBe('APPROVAL_UNAVAILABLE')
    expect(textOf(outcome)).toMatch(/it costs money.*no approver/)
  })

  test('a headless approver approves what was named beforehand, and says that nobody saw the rest', async () => {
    const rig = createRig({ approver: createHeadlessApprover({ approve: ['git.*'] }) })
    rig.registry.registerAll([tool({ name: 'git.push' }), tool({ name: 'rm' })])
    rig.runtime.use(createApprovalPolicy({ rules: [{ reason: 'risky' }] }))
    expect(codeOf(await rig.call('git.push'))).toBeUndefined()
    const refused = await rig.call('rm')
    expect(codeOf(refused)).toBe('APPROVAL_REJECTED')
    expect(textOf(refused)).toContain('nobody watches this process')
  })
})

describe('annotations', () => {
  const cases: [ToolAnnotations | undefined, string | undefined][] = [
    [{ readOnlyHint: true }, undefined],
    [{ readOnlyHint: true, destructiveHint: true }, undefined],
    [{ destructiveHint: false }, undefined],
    [{ readOnlyHint: false }, 'APPROVAL_UNAVAILABLE'],
    [{ destructiveHint: true }, 'APPROVAL_UNAVAILABLE'],
    [{ title: 'says nothing' }, 'APPROVAL_UNAVAILABLE'],
    [undefined, 'APPROVAL_UNAVAILABLE'],
  ]
  test.each(cases)('%j: %s', async (annotations, expected) => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', ...(annotations !== undefined && { annotations }) }))
    rig.runtime.use(createAnnotationPolicy())
    expect(codeOf(await rig.call('t'))).toBe(expected)
  })

  test('every verdict can be set, and claims can be distrusted', async () => {
    const rig = createRig()
    rig.registry.registerAll([
      tool({ name: 'ours.read', annotations: { readOnlyHint: true } }),
      tool({ name: 'theirs.read', annotations: { readOnlyHint: true } }),
      tool({ name: 'ours.plain' }),
    ])
    rig.runtime.use(createAnnotationPolicy({ readOnly: 'allow', unannotated: 'deny', distrust: 'theirs.*' }))
    expect(codeOf(await rig.call('ours.read'))).toBeUndefined()
    expect(codeOf(await rig.call('theirs.read'))).toBe('POLICY_DENIED')
    expect(codeOf(await rig.call('ours.plain'))).toBe('POLICY_DENIED')
  })

  test('run_code itself is not judged, as each of its calls is', async () => {
    const rig = createRig({ mode: 'code' })
    rig.registry.installRunCode(tool({ name: RUN_CODE }))
    rig.runtime.use(createAnnotationPolicy({ unannotated: 'deny' }))
    expect(codeOf(await rig.call(RUN_CODE))).toBeUndefined()
  })
})
