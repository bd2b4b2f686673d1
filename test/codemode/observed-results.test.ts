import { expect, test } from 'vitest'
import type { EngineOptions } from '../../src/config.ts'
import type { ToolDefinition } from '../../src/registry/tool.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'

const tool = (name: string, value: unknown, schema?: object): ToolDefinition =>
  ({
    name,
    description: `Gives ${name}.`,
    parameters: { type: 'object', properties: { id: { type: 'number' } } },
    validateArguments: 'in-body',
    isConcurrencySafe: () => true,
    output: { ...(schema !== undefined && { schema }), render: () => [{ type: 'text', text: 'done' }] },
    execute: (args) => {
      if (args['id'] === 13) throw new Error('no such thing')
      return value
    },
  }) as ToolDefinition // The schema is JSON.

const OPTIONS: EngineOptions = {
  requireConfinement: 'none',
  tools: [
    tool('untyped', { users: [{ name: 'Ada', address: { city: 'London' } }, { name: 'Bo' }], next: '{"page":2}' }),
    tool('typed', { total: 3 }, { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }),
    tool('unused', 1),
  ],
}
const SHAPE = `type Observed_untyped = {
 next: string /* JSON text */
 users: { address?: { city: string }; name: string }[]
}
`

test('the second program of a session sees what the first one was given by a tool that declares no result', async () => {
  await using engine = await createCheckedEngine(OPTIONS)
  const session = engine.openSession()
  const first = await engine.run(
    `const before = await sdk.describe('untyped')
     await tools.untyped({ id: 1 }); await tools.untyped({ id: 2 }); await tools.typed()
     await tools.untyped({ id: 13 }).catch(() => {})
     return before`,
    { session },
  )
  expect(first.value?.result).not.toContain('bserved')

  const second = await engine.run(`return await sdk.describe(['untyped', 'typed', 'unused'])`, { session })
  const described = second.value?.result as string
  expect(described).toContain('untyped(args?: { id?: number }): Promise<Untyped>')
  expect(described).toContain(
    `// observed in 2 results of tools.untyped in this session, not declared: it may differ\n${SHAPE}`,
  )
  expect(described.match(/type Observed_/g)).toHaveLength(1)
  expect(described).not.toMatch(/Ada|London/)
})

test('no program is refused for what was only observed', async () => {
  await using engine = await createCheckedEngine({ ...OPTIONS, typecheck: 'error' })
  const session = engine.openSession()
  await engine.run('await tools.untyped()', { session })
  const run = await engine.run('const got = await tools.untyped(); return got.users[0].never?.seen ?? "fine"', {
    session,
  })
  expect(run.value?.result).toBe('fine')
})

test('another session and another scope see nothing of it', async () => {
  await using engine = await createCheckedEngine(OPTIONS)
  const session = engine.openSession()
  await engine.run('await tools.untyped()', { session })
  const other = await engine.run('return await sdk.describe("untyped")')
  expect(other.value?.result).not.toContain('bserved')
  engine.registry.declareScope('elsewhere')
  expect(engine.sdk('elsewhere', { session: session.sessionId }).text).toBe(engine.sdk('elsewhere').text)
  expect(engine.sdk(undefined, { session: 'unknown' }).text).toBe(engine.sdk().text)
})

test('the SDK text of a session keeps the tools that it used whole and shows what they gave; the others stay as they are', async () => {
  await using engine = await createCheckedEngine(OPTIONS)
  const session = engine.openSession()
  const [sdk, prompt, description] = [
    engine.sdk(undefined, { level: 'L1' }),
    engine.systemPrompt(),
    engine.runCodeDescription(),
  ]
  expect(engine.sdk(undefined, { level: 'L1', session: session.sessionId }).text).toBe(sdk.text)
  await engine.run('await tools.untyped()', { session })

  const told = engine.sdk(undefined, { level: 'L1', session: session.sessionId }).text
  expect(told).toContain('untyped(args?: { id?: number }): Promise<Untyped>')
  expect(told).toContain('unused: Tool')
  expect(told).toContain(SHAPE)
  expect(engine.systemPrompt(undefined, session.sessionId)).toContain(SHAPE)
  expect(engine.runCodeDescription(undefined, session.sessionId)).toContain(SHAPE)

  expect(engine.sdk(undefined, { level: 'L1' }).text).toBe(sdk.text)
  expect(engine.systemPrompt()).toBe(prompt)
  expect(engine.runCodeDescription()).toBe(description)
})

test('what a policy made of a value is what is observed', async () => {
  await using engine = await createCheckedEngine({
    ...OPTIONS,
    policies: [
      {
        name: 'redact',
        post: (call) =>
          call.toolName === 'untyped' ? { decision: 'replace-value', value: { hidden: true } } : { decision: 'keep' },
      },
    ],
  })
  const session = engine.openSession()
  await engine.run('await tools.untyped()', { session })
  const run = await engine.run('return await sdk.describe("untyped")', { session })
  expect(run.value?.result).toContain('type Observed_untyped = { hidden: boolean }')
})

test('a session that is closed and opened again has forgotten it', async () => {
  await using engine = await createCheckedEngine(OPTIONS)
  const session = engine.openSession({ id: 'again' })
  await engine.run('await tools.untyped()', { session })
  await session.flush()
  engine.closeSession('again')
  const run = await engine.run('return await sdk.describe("untyped")', { session: engine.openSession({ id: 'again' }) })
  expect(run.value?.result).not.toContain('bserved')
})
