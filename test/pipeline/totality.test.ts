import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Policy } from '../../src/pipeline/call.ts'
import { settle } from './fake-clock.ts'
import { abortListeners, createRig, tool } from './rig.ts'

const trap = new Proxy(
  {},
  {
    get() {
      throw new Error('trap')
    },
    getPrototypeOf() {
      throw new Error('trap')
    },
    ownKeys() {
      throw new Error('trap')
    },
  },
)
const revoked = (() => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
})()
/** Calls back more than once, and with a throw on top. */
const restlessThenable = {
  then(resolve: (value: unknown) => void, reject: (thrown: unknown) => void) {
    resolve(1)
    reject(new Error('after all'))
    resolve(2)
    throw new Error('and this')
  },
}

/** Anything a hook may do: give it, throw it, resolve to it, reject with it. */
const behaviour = fc.record({
  how: fc.constantFrom<'give' | 'throw' | 'resolve' | 'reject'>('give', 'throw', 'resolve', 'reject'),
  what: fc.oneof(
    // By name: a generator cannot hold what throws when it is looked at.
    fc.constantFrom('trap', 'revoked', 'restless thenable', 'function'),
    fc.constantFrom<unknown[]>(undefined, null, Symbol('s'), -0, 1n),
    fc.constantFrom<unknown[]>(
      { decision: 'allow' },
      { decision: 'ask', reason: 'r' },
      { decision: 'pass' },
      { decision: 'keep' },
      { decision: 'replace-value', value: 'v' },
      { decision: 'replace-content', content: [{ type: 'text', text: 't' }] },
      { decision: 'block', feedback: 'f' },
      { answer: 'approve' },
      { answer: 'reject' },
      [{ type: 'text', text: 'content' }],
    ),
    fc.anything(),
  ),
})
type Behaviour = typeof behaviour extends fc.Arbitrary<infer B> ? B : never

const HOSTILE: Readonly<Record<string, unknown>> = {
  trap,
  revoked,
  'restless thenable': restlessThenable,
  function: () => 1,
}

function act({ how, what: named }: Behaviour): never {
  const what = typeof named === 'string' && Object.hasOwn(HOSTILE, named) ? HOSTILE[named] : named
  switch (how) {
    case 'throw':
      throw what
    case 'resolve':
      return Promise.resolve().then(() => what) as never
    case 'reject':
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- hostile code rejects with anything
      return Promise.reject(what) as never
    case 'give':
      return what as never
  }
}

/** A rejection that nobody hears ends the process: synchronous hooks that were written async must not cause one. */
const unheard: unknown[] = []
const onUnheard = (reason: unknown) => void unheard.push(reason)
beforeAll(() => void process.on('unhandledRejection', onUnheard))
afterAll(() => void process.off('unhandledRejection', onUnheard))

test('whatever hooks and tools do, a call ends with one frozen outcome, keeps the protocol and leaves no listener', async () => {
  const one = fc.option(behaviour, { nil: undefined })
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        args: fc.anything(),
        execute: one,
        validate: one,
        outputValidate: one,
        render: one,
        meta: one,
        finalize: one,
        pre: one,
        around: one,
        post: one,
        guard: one,
        answer: one,
        admit: one,
        abortIn: fc.constantFrom('nowhere', 'pre', 'around', 'body', 'post'),
      }),
      async (plan) => {
        const caller = new AbortController()
        const abortIn = (place: string) => {
          if (plan.abortIn === place) caller.abort()
        }
        const rig = createRig({
          ...(plan.answer !== undefined && { approver: { ask: () => act(plan.answer as Behaviour) } }),
        })
        rig.registry.register(
          tool({
            name: 't',
            execute() {
              abortIn('body')
              return plan.execute === undefined ? 'done' : act(plan.execute)
            },
            ...(plan.validate !== undefined && { validateArguments: () => act(plan.validate as Behaviour) }),
            ...(plan.finalize !== undefined && { finalizeContent: () => act(plan.finalize as Behaviour) }),
            output: {
              render: () => (plan.render === undefined ? [] : act(plan.render)),
              ...(plan.outputValidate !== undefined && { validate: () => act(plan.outputValidate as Behaviour) }),
              ...(plan.meta !== undefined && { presentationMeta: () => act(plan.meta as Behaviour) }),
            },
          }),
        )
        const policy: Policy = {
          name: 'p',
          pre() {
            abortIn('pre')
            return plan.pre === undefined ? { decision: 'allow' } : act(plan.pre)
          },
          async around(_call, next) {
            abortIn('around')
            return plan.around === undefined ? next() : act(plan.around)
          },
          post() {
            abortIn('post')
            return plan.post === undefined ? { decision: 'keep' } : act(plan.post)
          },
        }
        rig.runtime.use(policy)
        if (plan.guard !== undefined) rig.runtime.guard({ name: 'g', check: () => act(plan.guard as Behaviour) })
        const outcome = await rig.call('t', plan.args, {
          signal: caller.signal,
          ...(plan.admit !== undefined && { admit: () => act(plan.admit as Behaviour) }),
        })
        expect(Object.isFrozen(outcome)).toBe(true)
        expect(rig.observed.map((seen) => seen.outcome)).toEqual([outcome])
        expect(rig.diagnostics.filter(({ code }) => code === 'INVARIANT_BROKEN' || code === 'INTERNAL_FAULT')).toEqual(
          [],
        )
        expect(abortListeners(caller.signal)).toBe(0)
        if (!outcome.isError && outcome.synthetic !== true) expect(rig.observed[0]?.report.bodyStarted).toBe(true)
      },
    ),
    { numRuns: 400 },
  )
  await settle()
  expect(unheard).toEqual([])
})
