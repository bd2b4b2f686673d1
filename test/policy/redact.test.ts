import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import { snapshot } from '../../src/data/snapshot.ts'
import { createRedactPolicies, createRedactPolicy } from '../../src/policy/redact.ts'
import { redactJson } from '../../src/policy/redact-json.ts'
import { CodedError } from '../../src/data/failure.ts'
import { codeOf, createRig, textOf, tool } from '../pipeline/rig.ts'

const SECRET = 'sk-123456'
const patterns = [/sk-\d+/]

describe('values', () => {
  test('lose what is under a secret name or looks like a secret, and content and meta are made again', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        execute: () => ({
          api_key: { nested: true },
          note: `use ${SECRET} twice: ${SECRET}`,
          list: [{ Password: 7, ok: 1 }],
          [SECRET]: 'a name is data too',
          token: null,
        }),
        output: {
          render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }],
          presentationMeta: (_args, value) => value,
        },
      }),
    )
    rig.runtime.use(createRedactPolicy({ target: 'value', patterns }))
    const outcome = await rig.call('t')
    const clean = {
      api_key: '[redacted]',
      note: 'use [redacted] twice: [redacted]',
      list: [{ Password: '[redacted]', ok: 1 }],
      '[redacted]': 'a name is data too',
      token: null,
    }
    expect(outcome).toMatchObject({ isError: false, value: clean, meta: clean })
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
  })

  test('without a secret stay the very same object', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', execute: () => ({ fine: ['x'] }) }))
    const before: unknown[] = []
    rig.runtime.use({ name: 'look', post: (_call, outcome) => (before.push(outcome), { decision: 'keep' }) })
    rig.runtime.use(createRedactPolicy({ target: 'value', patterns }))
    expect(await rig.call('t')).toBe(before[0])
  })

  test('whose schema forbids the mask are refused rather than shown', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        execute: () => ({ token: 7 }),
        output: {
          validate: (value) =>
            JSON.stringify(value).includes('redacted')
              ? [{ path: '/token', expected: 'number', received: 'string', message: '"token" must be a number' }]
              : [],
          render: () => [],
        },
      }),
    )
    rig.runtime.use(createRedactPolicy({ target: 'value' }))
    expect(await rig.call('t')).toMatchObject({ error: { code: 'INVALID_TOOL_OUTPUT', phase: 'post' } })
  })
})

describe('failures', () => {
  test.each([
    ['message', new Error(`login with ${SECRET} failed`)],
    ['details', new CodedError('LOGIN', 'failed', { details: { tried: SECRET } })],
  ])('that hold a secret in their %s are withheld', async (_where, thrown) => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', execute: () => Promise.reject(thrown) }))
    rig.runtime.use(createRedactPolicy({ target: 'value', patterns }))
    const outcome = await rig.call('t')
    expect(codeOf(outcome)).toBe('POST_POLICY_BLOCKED')
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
  })

  test('without a secret stay as they are', async () => {
    const rig = createRig()
    rig.registry.register(tool({ name: 't', execute: () => Promise.reject(new Error('disk full')) }))
    for (const policy of createRedactPolicies({ patterns })) rig.runtime.use(policy)
    expect(textOf(await rig.call('t'))).toContain('disk full')
  })
})

describe('content', () => {
  test('loses secrets in every kind of text while the value keeps them, as the target says', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        execute: (_args, exec) => {
          exec.attachContent([
            { type: 'text', text: `see ${SECRET}` },
            { type: 'resource', resource: { uri: `file:///${SECRET}`, text: SECRET } },
            { type: 'resource_link', uri: 'x:', name: SECRET },
            { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          ])
          return SECRET
        },
      }),
    )
    rig.runtime.use(createRedactPolicy({ target: 'content', patterns }))
    const outcome = await rig.call('t')
    expect(JSON.stringify(outcome.content)).not.toContain(SECRET)
    expect(outcome.content).toHaveLength(4)
    expect(outcome).toMatchObject({ value: SECRET })
  })

  test('made from arguments is cleaned after the value, when both policies stand in order', async () => {
    const rig = createRig()
    rig.registry.register(
      tool({
        name: 't',
        execute: () => ({ token: 'x' }),
        output: {
          render: (args, value) => [{ type: 'text', text: `${JSON.stringify(args)} ${JSON.stringify(value)}` }],
        },
      }),
    )
    for (const policy of createRedactPolicies({ patterns })) rig.runtime.use(policy)
    const outcome = await rig.call('t', { auth: SECRET })
    expect(textOf(outcome)).toBe('{"auth":"[redacted]"} {"token":"[redacted]"}')
  })
})

test('a pattern that matches the empty text is a mistake of the configuration', () => {
  expect(() => createRedactPolicy({ target: 'value', patterns: [/a*/] })).toThrow('matches the empty text')
})

test('a pattern with state finds every occurrence in every text', async () => {
  const rig = createRig()
  rig.registry.register(tool({ name: 't', execute: () => [`${SECRET} ${SECRET}`, SECRET, SECRET] }))
  rig.runtime.use(createRedactPolicy({ target: 'value', patterns: [/sk-\d+/g] }))
  expect(await rig.call('t')).toMatchObject({ value: ['[redacted] [redacted]', '[redacted]', '[redacted]'] })
})

test('no secret survives anywhere in any value, and nothing else changes', () => {
  const redaction = {
    isSecretKey: (key: string) => key === 'secret',
    text: (text: string) => text.replaceAll('S!', '-'),
    mask: '#',
  }
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: fc.constantFrom('S', '!', 'a', 'secret', '__proto__') }), (given) => {
      const taken = snapshot(given)
      if (!taken.ok) return
      const clean = redactJson(taken.value, redaction)
      const text = JSON.stringify(clean)
      expect(text).not.toContain('S!')
      if (!JSON.stringify(given).includes('S!') && !JSON.stringify(given).includes('secret')) {
        expect(clean).toBe(taken.value)
      }
      expect(snapshot(clean).ok).toBe(true)
    }),
  )
})

test('depth costs no stack', () => {
  let deep: Json = 'S!'
  for (let i = 0; i < 5_000; i++) deep = [deep]
  const clean = redactJson(deep, { isSecretKey: () => false, text: (text) => text.replace('S!', ''), mask: '' })
  let inner: Json = clean
  while (Array.isArray(inner)) inner = (inner as readonly Json[])[0] ?? ''
  expect(inner).toBe('')
})

describe('names of secret members', () => {
  const hidden = (keys: readonly string[], value: Record<string, Json>) => {
    const policy = createRedactPolicy({ target: 'value', keys })
    const call = { toolName: 't' } as Parameters<NonNullable<typeof policy.post>>[0] // All that the policy looks at.
    const decision = policy.post?.(call, { isError: false, value, content: [] })
    const clean = decision !== undefined && 'value' in decision ? (decision.value as typeof value) : value
    return Object.keys(value).filter((key) => clean[key] === '[redacted]')
  }

  test('are compared by their letters and digits in every script', () => {
    const value = {
      пароль: 's',
      ПА_РОЛЬ: 's',
      имя: 'n',
      密码: 's',
      名: 'n',
      '!!': 'x',
      'mot-de-passé': 's',
      पासवर्ड: 's',
    }
    expect(hidden(['пароль', '密码', 'motDePasse\u0301', 'पासवर्ड'], value)).toEqual([
      'пароль',
      'ПА_РОЛЬ',
      '密码',
      'mot-de-passé',
      'पासवर्ड',
    ])
  })

  test('without letters and digits are themselves alone', () => {
    expect(hidden(['!!', '_'], { '!!': 1, '!': 1, _: 1, __: 1, '': 1, a: 1 })).toEqual(['!!', '_'])
  })

  test('must be some where no pattern is given: a policy that hides nothing is a fault', () => {
    expect(() => createRedactPolicy({ target: 'value', keys: [] })).toThrow(/no keys and no patterns hide nothing/)
    expect(() => createRedactPolicy({ target: 'value', keys: [], patterns })).not.toThrow()
  })
})
