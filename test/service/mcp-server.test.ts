import { Client, InMemoryTransport, type Progress } from '@modelcontextprotocol/client'
import { expect, test, vi } from 'vitest'
import type { Engine } from '../../src/engine.ts'
import type { EngineOptions } from '../../src/config.ts'
import { readMockTools } from '../../src/importers/mock-tools.ts'
import type { Mode } from '../../src/registry/scope.ts'
import type { ToolDefinition } from '../../src/registry/tool.ts'
import { serveMcp } from '../../src/service/mcp/server.ts'
import { createCheckedEngine } from '../support/checked-engine.ts'

const MOCKS = readMockTools(
  JSON.stringify([
    {
      name: 'city.weather',
      description: 'Weather of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      mock: { returns: { degrees: 7 } },
      annotations: { readOnlyHint: true },
    },
    { name: 'pixel', mock: { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] } },
    { name: 'locked', mock: { content: [{ type: 'text', text: 'row 7 is locked' }], isError: true } },
    { name: 'hang', mock: { never: true } },
    { name: 'long', mock: { returnsText: 'x', repeat: 100_000 } },
  ]),
).tools

interface Session extends AsyncDisposable {
  readonly client: Client
  readonly engine: Engine
}

async function serve(mode: Mode, options: EngineOptions = {}): Promise<Session> {
  await using parts = new AsyncDisposableStack()
  const engine = parts.use(await createCheckedEngine({ tools: MOCKS, requireConfinement: 'none', ...options }))
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  parts.use(serveMcp(engine, theirs, { mode }))
  const client = new Client({ name: 'test', version: '1' })
  parts.defer(() => client.close())
  await client.connect(ours)
  const owned = parts.move()
  return { client, engine, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
const run = (client: Client, code: string, options = {}) =>
  client.callTool({ name: 'run_code', arguments: { code } }, options)
const textOf = (result: { content: readonly { type: string; text?: string }[] }) =>
  result.content.map((block) => block.text ?? `<${block.type}>`).join('\n')

test.each<[Mode, string[]]>([
  ['code', ['run_code']],
  ['native', ['city_weather', 'hang', 'locked', 'long', 'pixel']],
  ['both', ['city_weather', 'hang', 'locked', 'long', 'pixel', 'run_code']],
])('in mode %s a client is shown %j', async (mode, names) => {
  await using session = await serve(mode)
  const { tools } = await session.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(names)
})

test('run_code carries the SDK in its description, and native tools their schemas and hints', async () => {
  await using session = await serve('both')
  const { tools } = await session.client.listTools()
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  expect(byName.get('run_code')?.description).toContain('weather(args: { city: string }): Promise<{ degrees: number }>')
  expect(byName.get('run_code')?.inputSchema.required).toEqual(['code'])
  expect(byName.get('city_weather')).toMatchObject({
    description: 'Weather of a city.',
    inputSchema: { required: ['city'] },
    outputSchema: { required: ['degrees'] },
    annotations: { readOnlyHint: true },
  })
})

test('a program runs, and its result is in the structure and in the text', async () => {
  await using session = await serve('code')
  const result = await run(session.client, "console.log('hi'); return await tools.city.weather({ city: 'Oslo' })")
  expect(result.isError).toBeFalsy()
  expect(result.structuredContent).toMatchObject({
    result: { degrees: 7 },
    logs: [{ text: 'hi' }],
    calls: [{ name: 'city.weather', isError: false }],
  })
  expect(textOf(result)).toContain('{"degrees":7}')
  expect(textOf(result)).toContain('hi')
})

test('a failed program is an error result with readable text that says what had been done', async () => {
  await using session = await serve('code')
  const result = await run(session.client, "await tools.city.weather({ city: 'Oslo' }); throw new Error('no luck')")
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('no luck')
  expect(textOf(result)).toContain('city.weather')
  expect(result.structuredContent).toMatchObject({ error: { code: 'PROGRAM_ERROR' } })
})

test('images pass through as blocks, and the structure of a program says that they are there', async () => {
  await using session = await serve('both')
  const native = await session.client.callTool({ name: 'pixel', arguments: {} })
  expect(native.content).toEqual([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])
  const program = await run(session.client, 'return await tools.pixel()')
  expect(native.structuredContent).toBeUndefined()
  expect(program.content).toContainEqual({ type: 'image', data: 'AAAA', mimeType: 'image/png' })
  expect(program.structuredContent).toMatchObject({ attachments: [{ type: 'image', mimeType: 'image/png' }] })
})

test('a result that is larger than content may be comes as a preview, in the structure too', async () => {
  await using session = await serve('code')
  const result = await run(session.client, 'return await tools.long()')
  expect(result.structuredContent).toEqual({ text: expect.stringContaining('artifacts.read(') as string })
  expect(JSON.stringify(result.structuredContent).length).toBeLessThan(40_000)
  expect(textOf(result).length).toBeLessThan(40_000)
  expect(textOf(result)).toContain('artifacts.read(')
})

test('a native call answers with the tool’s content, and its errors in the tool’s words', async () => {
  await using session = await serve('native')
  const weather = await session.client.callTool({ name: 'city_weather', arguments: { city: 'Oslo' } })
  expect(weather).toMatchObject({
    structuredContent: { degrees: 7 },
    content: [{ type: 'text', text: '{"degrees":7}' }],
  })
  expect(await session.client.callTool({ name: 'locked', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: 'row 7 is locked' }],
  })
  const invalid = await session.client.callTool({ name: 'city_weather', arguments: { city: 7 } })
  expect(invalid.isError).toBe(true)
  expect(textOf(invalid)).toContain('INVALID_ARGS')
})

test('a direct call in code mode is refused with the program to write instead, an unknown one with near names', async () => {
  await using session = await serve('code')
  const direct = await session.client.callTool({ name: 'city_weather', arguments: { city: 'Oslo' } })
  expect(direct.isError).toBe(true)
  expect(textOf(direct)).toContain('run_code')
  await using native = await serve('native')
  const unknown = await native.client.callTool({ name: 'pixle', arguments: {} })
  expect(unknown.isError).toBe(true)
  expect(textOf(unknown)).toContain('pixel')
})

test('each call of a connection is in one session’s log, the nested ones too', async () => {
  await using session = await serve('both')
  await run(session.client, 'return await tools.pixel()')
  await session.client.callTool({ name: 'city_weather', arguments: { city: 'Oslo' } })
  const [summary, ...others] = await session.engine.store.list()
  expect(others).toEqual([])
  if (summary === undefined) throw new Error('no session')
  const events = await session.engine.store.read(summary.sessionId)
  expect(events.map(({ type }) => type)).toEqual([
    'session/opened',
    'tool/call',
    'tool/code-dispatch-start',
    'tool/code-dispatch',
    'tool/result',
    'tool/call',
    'tool/result',
  ])
})

test('progress of nested calls reaches a client that asked for it', async () => {
  await using session = await serve('code')
  const steps: Progress[] = []
  await run(session.client, 'await tools.pixel(); await new Promise((r) => setTimeout(r, 50)); return 1', {
    onprogress: (step: Progress) => steps.push(step),
  })
  expect(steps.map(({ progress, message }) => `${progress} ${message?.replace(/\d+ ms/, 'n ms')}`)).toEqual([
    '1 pixel …',
    '2 pixel done in n ms',
  ])
})

test('a cancelled request cancels the run and the call that is open in it', async () => {
  const aborted = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const slow: ToolDefinition = {
    name: 'slow',
    description: '',
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: (_args, exec) =>
      new Promise((_, reject) => {
        exec.signal.addEventListener('abort', () => {
          aborted.resolve()
          reject(exec.signal.reason as Error)
        })
        waiting.resolve()
      }),
    output: { render: () => [] },
  }
  await using session = await serve('code', { tools: [slow] })
  const controller = new AbortController()
  const pending = run(session.client, 'return await tools.slow()', { signal: controller.signal })
  pending.catch(() => {})
  await waiting.promise
  controller.abort(new Error('enough'))
  await expect(pending).rejects.toThrow()
  await aborted.promise
})

test('a change of the registry is announced, and the next list has it', async () => {
  await using session = await serve('native')
  const changed = vi.fn<() => void>()
  session.client.setNotificationHandler('notifications/tools/list_changed', changed)
  const [tool] = readMockTools('[{"name": "late", "mock": {"returns": 1}}]').tools
  if (tool !== undefined) session.engine.registry.register(tool)
  await vi.waitFor(() => expect(changed).toHaveBeenCalled())
  expect((await session.client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name)).toContain(
    'late',
  )
})
