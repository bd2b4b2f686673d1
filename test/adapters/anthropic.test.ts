import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAnthropicToolCalls, toAnthropicTools } from '../../src/adapters/anthropic.ts'
import type { Engine } from '../../src/index.ts'
import { adapterEngine, type Watch } from './adapter-tools.ts'

const watch: Watch = { open: 0, most: 0, ended: [] }
let engine: Engine
beforeAll(async () => {
  engine = await adapterEngine(watch)
})
afterAll(() => engine[Symbol.asyncDispose]())

const use = (id: string, name: string, input: unknown = {}) => ({ type: 'tool_use', id, name, input })

test('tools and the message are what the client package takes', async () => {
  const tools: Anthropic.Tool[] = toAnthropicTools(engine)
  const { message } = await runAnthropicToolCalls(engine, engine.openSession(), [use('a', 'done')])
  const params: Anthropic.MessageParam[] = message === undefined ? [] : [message]
  expect(tools.every(({ input_schema: { type } }) => type === 'object')).toBe(true)
  expect(params).toHaveLength(1)
})

test('results are in order and come first; what tools tell the model stands behind them', async () => {
  const { message } = await runAnthropicToolCalls(engine, engine.openSession(), [
    { type: 'text', text: 'Let me see.' },
    use('a', 'note_tell', { text: 'one' }),
    { type: 'thinking', thinking: '…', signature: '' },
    use('b', 'note_tell', { text: 'three' }),
  ])
  expect(message).toEqual({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '3' }] },
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: '5' }] },
      { type: 'text', text: 'one' },
      { type: 'text', text: 'three' },
    ],
  })
})

test('a message without calls needs no answer', async () => {
  const { message, results } = await runAnthropicToolCalls(engine, engine.openSession(), [
    { type: 'text', text: 'Done.' },
  ])
  expect(message).toBeUndefined()
  expect(results).toEqual([])
})

test('images and PDFs come as they are, what has no place in words, and empty texts not at all', async () => {
  const { message } = await runAnthropicToolCalls(engine, engine.openSession(), [use('a', 'pixel'), use('b', 'done')])
  expect(message?.content).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'a',
      content: [
        { type: 'text', text: 'a pixel' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'text', text: '[audio audio/wav, 4 characters of base64]' },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'CCCC' } },
        { type: 'text', text: '[link https://x.test]' },
      ],
    },
    { type: 'tool_result', tool_use_id: 'b', content: [] },
  ])
})

test('a failure is an error with text alone, as the API asks', async () => {
  const { message } = await runAnthropicToolCalls(engine, engine.openSession(), [use('a', 'broken'), use('b', 'nope')])
  expect(message?.content).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'a',
      is_error: true,
      content: [
        { type: 'text', text: 'broken: see' },
        { type: 'text', text: '[image image/png, 4 characters of base64]' },
      ],
    },
    {
      type: 'tool_result',
      tool_use_id: 'b',
      is_error: true,
      content: [{ type: 'text', text: expect.stringMatching(/^UNKNOWN_TOOL/) }],
    },
  ])
})

test('the raw text of a stream stays raw, so that the log has what the model wrote', async () => {
  const session = engine.openSession()
  const { results } = await runAnthropicToolCalls(engine, session, [
    use('a', 'note_tell', '{"text": "cut'),
    { type: 'tool_use', id: 'b', name: 'note_tell' },
    use('c', 'note_tell', ['text']),
  ])
  expect(results.map(({ outcome }) => outcome.isError && outcome.error.code)).toEqual(Array(3).fill('INVALID_ARGS'))
  const logged = session.events().flatMap((event) => (event.type === 'tool/call' ? [event.arguments] : []))
  expect(logged).toEqual(['{"text": "cut', 'null', '["text"]'])
})

test('parallel calls overlap, and an abort answers each of them', async () => {
  watch.most = 0
  await runAnthropicToolCalls(engine, engine.openSession(), [use('a', 'safe'), use('b', 'safe')])
  expect(watch.most).toBe(2)
  const { message } = await runAnthropicToolCalls(engine, engine.openSession(), [use('a', 'safe'), use('b', 'hang')], {
    signal: AbortSignal.abort(),
  })
  expect(message?.content).toMatchObject([
    { tool_use_id: 'a', is_error: true },
    { tool_use_id: 'b', is_error: true },
  ])
})

test('an error has content even when the tool gave none, as the API refuses it otherwise', async () => {
  const { message } = await runAnthropicToolCalls(engine, engine.openSession(), [use('a', 'silent')])
  expect(message?.content).toMatchObject([{ is_error: true, content: [{ type: 'text', text: 'the call failed' }] }])
})
