import { describe, expect, test } from 'vitest'
import { callId } from '../../src/data/ids.ts'
import { CallBatch } from '../../src/pipeline/call-batch.ts'
import type { ApprovalRequest } from '../../src/pipeline/call.ts'
import { systemClock } from '../../src/pipeline/system-clock.ts'
import { createEngine, type Engine } from '../../src/engine.ts'
import { defineTool } from '../../src/registry/define-tool.ts'
import { createMemoryStore } from '../../src/session/memory-log.ts'
import { engineOptions } from '../../src/settings/engine-options.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'
import { settingsOf } from './sample-settings.ts'

function sayTool(name: string, say: (text: string) => unknown = (text) => text) {
  return defineTool({
    name,
    description: 'Says.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    isConcurrencySafe: () => true,
    execute: ({ text }) => say(text) as string,
  })
}
const TOOLS = [
  sayTool('say'),
  sayTool('shout'),
  sayTool('leak', () => ({ password: 'hush', note: 'key-1234' })),
  sayTool('big', () => 'b'.repeat(3_000)),
]

const DEPS = { env: {} }
const optionsOf = (content: unknown) => engineOptions(settingsOf(content), DEPS)

async function start(content: unknown, asked: ApprovalRequest[] = []): Promise<Engine> {
  return await createCheckedEngine({
    ...(await optionsOf(content)),
    tools: TOOLS,
    requireConfinement: 'none',
    typecheck: 'off',
    approver: {
      ask(request) {
        asked.push(request)
        return Promise.resolve({ answer: 'reject', reason: 'no' })
      },
    },
  })
}
async function codes(engine: Engine, program: string, scope = 'global'): Promise<unknown> {
  const { outcome, value } = await engine.run(program, { scope })
  return outcome.isError ? outcome.error : value?.result
}
const CALL = (tool: string, text: string) =>
  `await tools.${tool}({ text: ${JSON.stringify(text)} }).then(() => 'ok', (error) => error.code)`

describe('policies of the file', () => {
  test('ask about the calls whose arguments a rule speaks of, and only in its scopes', async () => {
    const asked: ApprovalRequest[] = []
    await using engine = await start(
      {
        scopes: { team: {}, other: {} },
        policies: {
          approval: [
            { tools: 'say', arguments: { pointer: '/text', matches: '^rm ' }, scopes: ['team'], reason: 'it removes' },
          ],
        },
      },
      asked,
    )
    const program = `return [${CALL('say', 'rm x')}, ${CALL('say', 'ls')}, ${CALL('shout', 'rm x')}]`
    expect(await codes(engine, program, 'team')).toEqual(['APPROVAL_REJECTED', 'ok', 'ok'])
    expect(await codes(engine, program, 'other')).toEqual(['ok', 'ok', 'ok'])
    expect(asked.map(({ reasons }) => reasons)).toEqual([['it removes']])
  })

  test('deny by guards, count calls, and let no more than they say run at once', async () => {
    await using engine = await start({
      policies: {
        guards: [{ tools: ['shout'], reason: 'too loud' }],
        rate: [{ tools: 'say', maxCalls: 2, perMs: 60_000, maxConcurrent: 1 }],
      },
    })
    const program = `return [${CALL('shout', '')}, ${CALL('say', '')}, ${CALL('say', '')}, ${CALL('say', '')}]`
    expect(await codes(engine, program)).toEqual(['GUARD_DENIED', 'ok', 'ok', 'POLICY_DENIED'])
  })

  test('hide secrets from programs, by name and by pattern', async () => {
    await using engine = await start({ policies: { redact: [{ patterns: ['key-\\d+'], mask: '***' }] } })
    expect(await codes(engine, `return await tools.leak({ text: '' })`)).toEqual({ password: '***', note: '***' })
  })

  test('keep what is too large where a program can read it', async () => {
    await using engine = await start({
      scopes: { global: { mode: 'both' } },
      policies: { spill: { maxBytes: 512, tools: 'big' } },
    })
    const session = engine.openSession()
    const batch = new CallBatch({ runtime: engine.runtime, session, scope: 'global', clock: systemClock })
    const { results } = await batch.run([{ callId: callId('c1'), name: 'big', arguments: '{"text":""}' }])
    const shown = JSON.stringify(results[0]?.outcome.content)
    const id = /artifact-[\w-]+/.exec(shown)?.[0]
    const { value } = await engine.run(
      `return (await artifacts.read(${JSON.stringify(id)}, { offset: 0, length: 9 })).text`,
      { session },
    )
    expect(value?.result).toBe('bbbbbbbbb')
  })

  test('give tools a time', async () => {
    const settings = settingsOf({ policies: { timeouts: [{ tools: 'slow', timeoutMs: 20 }] } })
    const slow = sayTool('slow', () => new Promise(() => {}))
    await using engine = await createEngine({
      ...(await engineOptions(settings, DEPS)),
      limits: { drainMs: 50 },
      tools: [slow],
      requireConfinement: 'none',
      typecheck: 'off',
    })
    expect(await codes(engine, `return ${CALL('slow', '')}`)).toMatch(/TOOL_TIMEOUT|ABANDONED/)
  })
})

describe('scopes of the file', () => {
  test('see what they are left, and one that is not declared sees nothing', async () => {
    await using engine = await start({
      scopes: {
        child: { parent: 'team', restrictions: { deny: ['shout'] } },
        team: { mode: 'both', restrictions: [{ allow: ['say', 'shout'] }], tiers: { say: 'native' } },
      },
    })
    const names = (scope: string) => [...engine.registry.view(scope).toolsByName.keys()]
    expect(names('team')).toEqual(['say', 'shout'])
    expect(names('child')).toEqual(['say'])
    expect(names('nowhere')).toEqual([])
    expect(engine.registry.view('child')).toMatchObject({ mode: 'both' })
    expect(engine.registry.view('child').toolsByName.get('say')?.tier).toBe('native')
    expect(engine.registry.view('global').toolsByName.get('say')?.tier).toBeUndefined()
  })

  test('may hide tools in "global" itself, and give it a mode that whoever starts the engine can override', async () => {
    const settings = settingsOf({ scopes: { global: { mode: 'native', restrictions: { deny: ['say'] } } } })
    const options = await engineOptions(settings, DEPS)
    expect(options.mode).toBe('native')
    await using engine = await createEngine({ ...options, mode: 'both', tools: TOOLS, requireConfinement: 'none' })
    expect(engine.registry.view('global').mode).toBe('both')
    expect(engine.registry.view('global').toolsByName.has('say')).toBe(false)
  })
})

test('what the file is silent about is left to the engine', async () => {
  const { artifacts, owned, ...options } = await optionsOf({})
  expect(owned).toHaveLength(2)
  expect(artifacts).toBeDefined()
  expect(options).toEqual({ tools: [], problems: [], mcpServers: [], scopes: new Map(), policies: [], guards: [] })
})

test('a store and artifacts that are given go before those of the file, for an engine that takes over', async () => {
  await using store = createMemoryStore({ now: () => 0 })
  const settings = settingsOf({ store: { sqlite: 'never-made.sqlite' } })
  const { store: first, artifacts } = await engineOptions(settings, { ...DEPS, store })
  expect(first).toBe(store)
  const next = await engineOptions(settings, { ...DEPS, store, ...(artifacts !== undefined && { artifacts }) })
  expect(next.artifacts).toBe(artifacts)
})
