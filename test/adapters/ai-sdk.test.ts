import { generateText, isStepCount, simulateReadableStream, streamText, type ToolSet } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { codeferryTools, isCodeferryOutput, passContexts, turnConcluded } from '../../src/adapters/ai-sdk.ts'
import { toModelOutput } from '../../src/adapters/ai-sdk/model-output.ts'
import { defineTool, type Engine, type SessionLog } from '../../src/index.ts'
import { adapterEngine, type Watch } from './adapter-tools.ts'

const watch: Watch = { open: 0, most: 0, ended: [] }
let engine: Engine
let session: SessionLog
beforeAll(async () => {
  engine = await adapterEngine(watch)
})
afterAll(() => engine[Symbol.asyncDispose]())
beforeEach(() => {
  session = engine.openSession()
  watch.most = 0
  watch.ended.length = 0
})

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const use = (toolCallId: string, toolName: string, input: unknown = {}) => ({
  type: 'tool-call' as const,
  toolCallId,
  toolName,
  input: typeof input === 'string' ? input : JSON.stringify(input),
})
type Call = ReturnType<typeof use>

/** Makes these calls, one array a step, and then says "end". */
function model(...steps: readonly (readonly Call[])[]) {
  const answers = [...steps, [{ type: 'text' as const, text: 'end' }]]
  return new MockLanguageModelV4({
    doGenerate: answers.map((content) => ({
      content: [...content],
      finishReason: { unified: 'tool-calls' as const, raw: undefined },
      usage: USAGE,
      warnings: [],
    })),
  })
}

function generate(scripted: MockLanguageModelV4, more: { abortSignal?: AbortSignal; tools?: ToolSet } = {}) {
  return generateText({
    model: scripted,
    prompt: 'go',
    tools: codeferryTools(engine, { session }),
    stopWhen: [turnConcluded, isStepCount(5)],
    prepareStep: passContexts,
    ...more,
  })
}

/** What the model read as results of its step before the last. */
function read(scripted: MockLanguageModelV4) {
  const prompt = scripted.doGenerateCalls.at(-1)?.prompt ?? []
  return prompt.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => part.type === 'tool-result' && part.output) : [],
  )
}

test('the model is told names, descriptions and schemas as the registry has them', async () => {
  const scripted = model()
  await generate(scripted)
  const told = scripted.doGenerateCalls[0]?.tools ?? []
  expect(told.map(({ name }) => name)).toEqual(engine.registry.modelTools('global').map(({ name }) => name))
  expect(told.find(({ name }) => name === 'note_tell')).toMatchObject({
    type: 'function',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  })
  expect(told.find(({ name }) => name === 'run_code')).toMatchObject({ description: engine.runCodeDescription() })
})

test('calls of one step are one batch: logged in the model’s order, results committed in it, safe ones together', async () => {
  await generate(model([use('a', 'safe'), use('b', 'safe'), use('c', 'run_code', { code: 'return 1' })]))
  expect(watch.most).toBe(2)
  const events = session.events().flatMap((event) => ('callId' in event ? [`${event.type} ${event.callId}`] : []))
  expect(events.filter((event) => event.startsWith('tool/result'))).toEqual([
    'tool/result a',
    'tool/result b',
    'tool/result c',
  ])
})

test('a call that must run alone does, whatever else the step has', async () => {
  await generate(model([use('a', 'safe'), use('b', 'alone'), use('c', 'safe'), use('d', 'alone')]))
  expect(watch.most).toBe(1)
  expect(watch.ended).toEqual(['safe', 'alone', 'safe', 'alone'])
})

test('images come as files, everything else in words, and failures as errors', async () => {
  const scripted = model([use('a', 'pixel'), use('b', 'broken'), use('c', 'note_tell', { text: 7 })])
  await generate(scripted)
  expect(read(scripted)).toEqual([
    {
      type: 'content',
      value: [
        { type: 'text', text: 'a pixel' },
        expect.objectContaining({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }),
        expect.objectContaining({ type: 'file', mediaType: 'audio/wav' }),
        expect.objectContaining({ type: 'file', mediaType: 'application/pdf' }),
        { type: 'text', text: '[link https://x.test]' },
      ],
    },
    { type: 'error-text', value: 'broken: see\n[image image/png, 4 characters of base64]' },
    { type: 'error-text', value: expect.stringMatching(/^INVALID_ARGS: note\.tell/) },
  ])
})

test('what tools tell the model stands behind their results, in the next step and those after it', async () => {
  const scripted = model([use('a', 'note_tell', { text: 'listen' })], [use('b', 'note_tell', { text: 'again' })])
  await generate(scripted)
  const last = scripted.doGenerateCalls.at(-1)?.prompt ?? []
  expect(last.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool', 'user'])
  expect([last[3], last[6]]).toMatchObject([
    { content: [{ type: 'text', text: 'listen' }] },
    { content: [{ type: 'text', text: 'again' }] },
  ])
})

test('the loop ends when a call asks for it, from inside a program too', async () => {
  const scripted = model([use('a', 'run_code', { code: 'await tools.done({})' })], [use('b', 'safe')])
  const { steps } = await generate(scripted)
  expect(steps).toHaveLength(1)
  expect(watch.ended).toEqual([])
})

test('arguments that are no JSON, and tools that do not exist, never reach the engine: the SDK answers the model', async () => {
  const scripted = model([use('a', 'note_tell', '{"text": '), use('b', 'nope')])
  await generate(scripted)
  expect(read(scripted)).toMatchObject([{ type: 'error-text' }, { type: 'error-text' }])
  expect(session.events().filter(({ type }) => type === 'tool/call')).toEqual([])
})

test('the SDK’s signal aborts the calls', async () => {
  const stop = new AbortController()
  const hangs = Promise.withResolvers<void>()
  watch.onHang = hangs.resolve
  const running = generate(model([use('a', 'hang')]), { abortSignal: stop.signal }).catch((thrown: unknown) => thrown)
  await hangs.promise
  stop.abort()
  await running
  const result = session.events().find((event) => event.type === 'tool/result')
  expect(result).toMatchObject({ isError: true, errorInfo: { code: 'ABORTED' } })
})

test('a call may hold a conversation of its own with the same tools', async () => {
  const tools: ToolSet = {}
  const delegate = defineTool({
    name: 'delegate',
    description: '',
    parameters: { type: 'object', properties: {} },
    async execute() {
      const { steps } = await generate(model([use('inner', 'alone')]), { tools })
      return steps.length
    },
  })
  await using own = await adapterEngine(watch)
  own.registry.register(delegate)
  Object.assign(tools, codeferryTools(own, { session: own.openSession() }))
  const scripted = model([use('outer', 'delegate')])
  await generate(scripted, { tools })
  expect(read(scripted)).toEqual([{ type: 'text', value: '2' }])
})

test('tools of the caller stand beside ours', async () => {
  const tools = { ...codeferryTools(engine, { session }), own: { inputSchema: codeferryTools(engine).done!.inputSchema, execute: () => 'mine' } } // prettier-ignore
  const scripted = model([use('a', 'own'), use('b', 'safe')])
  await generate(scripted, { tools })
  expect(read(scripted)).toEqual([
    { type: 'text', value: 'mine' },
    { type: 'text', value: 'safe' },
  ])
})

test('calls that come one by one out of a stream keep the rules of a batch', async () => {
  const chunks = [
    { type: 'stream-start' as const, warnings: [] },
    use('a', 'safe'),
    use('b', 'alone'),
    use('c', 'safe'),
    { type: 'finish' as const, finishReason: { unified: 'tool-calls' as const, raw: undefined }, usage: USAGE },
  ]
  const result = streamText({
    model: new MockLanguageModelV4({
      doStream: { stream: simulateReadableStream({ chunks, chunkDelayInMs: 5, initialDelayInMs: 0 }) },
    }),
    prompt: 'go',
    tools: codeferryTools(engine, { session }),
  })
  await result.consumeStream()
  expect(watch.most).toBe(1)
  expect(watch.ended).toEqual(['safe', 'alone', 'safe'])
  const [step] = await result.steps
  expect(step?.toolResults.map(({ output }) => isCodeferryOutput(output) && output.isError)).toEqual([
    false,
    false,
    false,
  ])
})

test('safe calls of a stream overlap although they come one by one', async () => {
  const chunks = [
    { type: 'stream-start' as const, warnings: [] },
    use('a', 'hang'),
    use('b', 'safe'),
    { type: 'finish' as const, finishReason: { unified: 'tool-calls' as const, raw: undefined }, usage: USAGE },
  ]
  const stop = new AbortController()
  const result = streamText({
    model: new MockLanguageModelV4({
      doStream: { stream: simulateReadableStream({ chunks, chunkDelayInMs: 5, initialDelayInMs: 0 }) },
    }),
    prompt: 'go',
    tools: codeferryTools(engine, { session }),
    abortSignal: stop.signal,
    onError: () => {},
  })
  const consuming = result.consumeStream()
  while (watch.ended.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  stop.abort()
  await consuming
  expect(watch.ended).toEqual(['safe'])
})

test('without a session one is opened in the scope, and the mode is set', async () => {
  await using own = await adapterEngine()
  expect(Object.keys(codeferryTools(own, { mode: 'code' }))).toEqual(['run_code'])
})

test('a client that kept the messages may send back anything: it is given on, and nothing throws', () => {
  expect(toModelOutput({ isError: false, content: [{ type: 'text', text: 'ours' }] })).toEqual({
    type: 'text',
    value: 'ours',
  })
  const shape = fc.record({ isError: fc.anything(), content: fc.array(fc.record({ type: fc.constantFrom('text', 'image', 'resource'), text: fc.anything(), data: fc.anything(), resource: fc.anything() })), contexts: fc.anything() }) // prettier-ignore
  fc.assert(
    fc.property(fc.oneof(shape, fc.jsonValue()), (output) => {
      expect(toModelOutput(output).type).toMatch(/^(json|text|content|error-text)$/)
    }),
  )
})
