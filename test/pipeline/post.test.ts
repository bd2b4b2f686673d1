import { expect, test } from 'vitest'
import type { Outcome } from '../../src/data/outcome.ts'
import { codeOf, contextTexts, createRig, textOf, tool } from './rig.ts'

test('each post-policy sees what those before it made of the outcome', async () => {
  const rig = createRig()
  rig.registry.register(tool({ name: 't', execute: () => 1 }))
  const seen: unknown[] = []
  for (const name of ['first', 'second']) {
    rig.runtime.use({
      name,
      post(_call, outcome) {
        if (outcome.isError) return { decision: 'keep' }
        seen.push(outcome.value, Object.isFrozen(outcome))
        return { decision: 'replace-value', value: Number(outcome.value) + 1 }
      },
    })
  }
  const outcome = await rig.call('t')
  expect(seen).toEqual([1, true, 2, true])
  expect(outcome).toMatchObject({ value: 3 })
  expect(textOf(outcome)).toBe('3')
})

test('a replaced value is rendered again, and content in the body’s words goes with the old value', async () => {
  const rig = createRig()
  rig.registry.register(
    tool({
      name: 't',
      execute: (_args, exec) => (exec.attachContent([{ type: 'text', text: 'the secret is 42' }]), { secret: 42 }),
      output: {
        render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }],
        presentationMeta: (_args, value) => value,
      },
    }),
  )
  rig.runtime.use({ name: 'redact', post: () => ({ decision: 'replace-value', value: { secret: 'hidden' } }) })
  const outcome = await rig.call('t')
  expect(JSON.stringify(outcome)).not.toContain('42')
  expect(outcome).toMatchObject({ value: { secret: 'hidden' }, meta: { secret: 'hidden' } })
})

test('replaced content leaves the value, the contexts and the wish to end the turn', async () => {
  const rig = createRig()
  rig.registry.register(
    tool({ name: 't', execute: (_args, exec) => (exec.concludeTurn(), exec.deferContext('c'), { big: true }) }),
  )
  rig.runtime.use({
    name: 'preview',
    post: () => ({ decision: 'replace-content', content: [{ type: 'text', text: 'short' }] }),
  })
  const outcome = await rig.call('t')
  expect(outcome).toMatchObject({ value: { big: true }, concludesTurn: true, content: [{ text: 'short' }] })
  expect(contextTexts(outcome)).toEqual(['c'])
})

test('a block ends the round: later policies see nothing, earlier policies’ contexts stay', async () => {
  const rig = createRig()
  rig.registry.register(tool({ name: 't', execute: (_args, exec) => (exec.deferContext('tool'), 'done') }))
  const later: Outcome[] = []
  const says = (text: string) => [{ role: 'user', content: [{ type: 'text', text }], source: 'p' }] as const
  rig.runtime.use({ name: 'a', post: () => ({ decision: 'keep', contexts: says('a') }) })
  rig.runtime.use({ name: 'b', post: () => ({ decision: 'block', feedback: 'not for you', contexts: says('b') }) })
  rig.runtime.use({ name: 'c', post: (_call, outcome) => (later.push(outcome), { decision: 'keep' }) })
  const outcome = await rig.call('t')
  expect(outcome).toMatchObject({ error: { code: 'POST_POLICY_BLOCKED', bodyStarted: true } })
  expect(textOf(outcome)).toContain('not for you')
  expect(contextTexts(outcome)).toEqual(['a', 'b'])
  expect(later).toEqual([])
})

test('a block of a refused call says truthfully that nothing ran', async () => {
  const rig = createRig()
  rig.runtime.use({ name: 'b', post: () => ({ decision: 'block', feedback: 'no' }) })
  expect(await rig.call('missing')).toMatchObject({ error: { code: 'POST_POLICY_BLOCKED', bodyStarted: false } })
})

test('a context that is no message fails the policy', async () => {
  const rig = createRig()
  rig.registry.register(tool({ name: 't' }))
  rig.runtime.use({ name: 'p', post: () => ({ decision: 'keep', contexts: [{ role: 'assistant' } as never] }) })
  expect(codeOf(await rig.call('t'))).toBe('POST_POLICY_FAILED')
})
