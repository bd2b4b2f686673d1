import type OpenAI from 'openai'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOpenAiToolCalls, toOpenAiTools, type OpenAiItem, type OpenAiTool } from '../../src/adapters/openai.ts'
import type { Engine } from '../../src/index.ts'
import { adapterEngine, type Watch } from './adapter-tools.ts'

const watch: Watch = { open: 0, most: 0, ended: [] }
let engine: Engine
beforeAll(async () => {
  engine = await adapterEngine(watch)
})
afterAll(() => engine[Symbol.asyncDispose]())

const call = (id: string, name: string, args = '{}') => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
  status: 'completed',
})

test('tools and items are what the client package takes', () => {
  const tools: OpenAI.Responses.Tool[] = toOpenAiTools(engine) satisfies OpenAiTool[]
  const items: OpenAI.Responses.ResponseInputItem[] = [] as OpenAiItem[]
  expect(tools.map((tool) => tool.type === 'function' && tool.name)).toContain('note_tell')
  expect(items).toEqual([])
})

test('run_code is described with the SDK, or with one sentence where the system prompt has it', () => {
  const described = (sdkIn: 'description' | 'system-prompt') =>
    toOpenAiTools(engine, { sdkIn }).find(({ name }) => name === 'run_code')?.description
  expect(described('description')).toBe(engine.runCodeDescription())
  expect(described('description')).toContain('tell(')
  expect(described('system-prompt')?.length).toBeLessThan(200)
})

test('mode sets what the scope shows, and what it lets in', async () => {
  await using own = await adapterEngine()
  expect(toOpenAiTools(own, { mode: 'code' }).map(({ name }) => name)).toEqual(['run_code'])
  const { results } = await runOpenAiToolCalls(own, own.openSession(), [call('a', 'done')])
  expect(results[0]?.outcome).toMatchObject({ isError: true, error: { code: 'CALL_VIA_RUN_CODE' } })
  expect(toOpenAiTools(own, { mode: 'native' }).map(({ name }) => name)).not.toContain('run_code')
})

test('a session shows its own scope, and no other by another name', () => {
  engine.registry.declareScope('elsewhere')
  const session = engine.openSession()
  expect(() => toOpenAiTools(engine, { session, scope: 'elsewhere' })).toThrow(/belongs to scope "global"/)
})

test('each call has its output, in order, under the id of the provider; other items are passed over', async () => {
  const { items, concludesTurn } = await runOpenAiToolCalls(engine, engine.openSession(), [
    { type: 'reasoning', id: 'r', summary: [] },
    call('call_1', 'note_tell', '{"text":"first"}'),
    { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [] },
    call('call_2', 'run_code', JSON.stringify({ code: 'return await tools.note.tell({ text: "in a program" })' })),
    call('call_3', 'note_tell', '{"text":"last"}'),
  ])
  expect(items).toEqual([
    { type: 'function_call_output', call_id: 'call_1', output: '5' },
    { type: 'function_call_output', call_id: 'call_2', output: '12' },
    { type: 'function_call_output', call_id: 'call_3', output: '4' },
    ...['first', 'in a program', 'last'].map((text) => ({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text }],
    })),
  ])
  expect(concludesTurn).toBe(false)
})

test('what a provider has a place for comes as it is, the rest in words', async () => {
  const { items } = await runOpenAiToolCalls(engine, engine.openSession(), [call('a', 'pixel')])
  expect(items).toEqual([
    {
      type: 'function_call_output',
      call_id: 'a',
      output: [
        { type: 'input_text', text: 'a pixel' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
        { type: 'input_text', text: '[audio audio/wav, 4 characters of base64]' },
        { type: 'input_file', filename: 'b.pdf', file_data: 'data:application/pdf;base64,CCCC' },
        { type: 'input_text', text: '[link https://x.test]' },
      ],
    },
  ])
})

test('failures are outputs that say their code: unknown tools, bad JSON, duplicate keys, bodies that throw', async () => {
  const session = engine.openSession()
  const { items, results } = await runOpenAiToolCalls(engine, session, [
    call('a', 'note_tel', '{"text":"x"}'),
    call('b', 'note_tell', '{"text": "x"'),
    call('c', 'note_tell', '{"text":"x","text":"y"}'),
    call('d', 'broken'),
    call('e', 'note_tell', '{}'),
  ])
  expect(results.map(({ outcome }) => outcome.isError && outcome.error.code)).toEqual([
    'UNKNOWN_TOOL',
    'INVALID_ARGS',
    'INVALID_ARGS',
    'TOOL_FAILED',
    'INVALID_ARGS',
  ])
  expect(items).toHaveLength(5)
  expect(items[0]).toMatchObject({ output: expect.stringMatching(/^UNKNOWN_TOOL: .*note/s) })
  // The log has what the model wrote, byte for byte.
  const logged = session.events().flatMap((event) => (event.type === 'tool/call' ? [event.arguments] : []))
  expect(logged[1]).toBe('{"text": "x"')
})

test('arguments that somebody has parsed are written out again, and those that are no object run nothing', async () => {
  const session = engine.openSession()
  const values = [{ text: 'x' }, null, ['x'], 7, undefined]
  const { results } = await runOpenAiToolCalls(
    engine,
    session,
    values.map((value, n) => ({ type: 'function_call', call_id: `${n}`, name: 'note_tell', arguments: value })),
  )
  const without = await runOpenAiToolCalls(engine, session, [{ type: 'function_call', call_id: 'n', name: 'safe' }])
  expect([...results, ...without.results].map(({ outcome }) => (outcome.isError ? outcome.error.code : 'ran'))).toEqual(
    ['ran', ...Array<string>(5).fill('INVALID_ARGS')],
  )
})

test('calls that may overlap do, others run alone, and the wish to end the turn arrives', async () => {
  watch.most = 0
  await runOpenAiToolCalls(
    engine,
    engine.openSession(),
    ['a', 'b', 'c'].map((id) => call(id, 'safe')),
  )
  expect(watch.most).toBe(3)
  watch.most = 0
  const step = await runOpenAiToolCalls(engine, engine.openSession(), [
    call('a', 'safe'),
    call('b', 'alone'),
    call('c', 'safe'),
    call('d', 'done'),
  ])
  expect(watch.most).toBe(1)
  expect(step.concludesTurn).toBe(true)
})

test('an abort ends what runs and starts nothing more; each call still has its output', async () => {
  const stop = new AbortController()
  const hangs = Promise.withResolvers<void>()
  watch.onHang = hangs.resolve
  const running = runOpenAiToolCalls(engine, engine.openSession(), [call('a', 'hang'), call('b', 'alone')], {
    signal: stop.signal,
  })
  await hangs.promise
  stop.abort()
  const { items, results } = await running
  expect(results.map(({ outcome }) => outcome.isError && outcome.error.code)).toEqual([
    'ABORTED',
    'ABORTED_BEFORE_DISPATCH',
  ])
  expect(items).toHaveLength(2)
})

test('an id that the provider repeats is unique in the log and the provider’s own in the output', async () => {
  const session = engine.openSession()
  for (let turn = 0; turn < 2; turn++) {
    const { items } = await runOpenAiToolCalls(engine, session, [call('call_0', 'done')])
    expect(items).toMatchObject([{ call_id: 'call_0' }])
  }
  const ids = session.events().flatMap((event) => (event.type === 'tool/call' ? [event.callId] : []))
  expect(ids).toEqual(['call_0', 'call_0-2'])
})

test('calls of tools that are somebody else’s are left to them', async () => {
  const session = engine.openSession()
  const { items } = await runOpenAiToolCalls(engine, session, [call('a', 'weather'), call('b', 'done')], {
    skip: (name) => name === 'weather',
  })
  expect(items).toMatchObject([{ call_id: 'b' }])
  expect(session.events().filter(({ type }) => type === 'tool/call')).toHaveLength(1)
})

test('whatever stands in a response, each of its calls has one output and nothing throws', async () => {
  const item = fc.oneof(
    fc.anything(),
    fc.record(
      { type: fc.constant('function_call'), call_id: fc.anything(), name: fc.anything(), arguments: fc.anything() },
      { requiredKeys: ['type'] },
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 4 }), async (output) => {
      const { items } = await runOpenAiToolCalls(engine, engine.openSession(), output)
      const calls = output.filter((one) => (one as { type?: unknown } | null)?.type === 'function_call')
      expect(items).toHaveLength(calls.length)
    }),
    { numRuns: 60 },
  )
})
