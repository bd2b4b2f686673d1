/**
 * The loop of an agent over OpenAI's Responses API, with the client package: `toOpenAiTools()` says what the model has,
 * `runOpenAiToolCalls()` makes the calls of a response. A script on loopback is in the provider's place; leave `baseURL`
 * away for the real one. Run: `node examples/openai-agent.ts`.
 */
import OpenAI from 'openai'
import { runOpenAiToolCalls, toOpenAiTools } from '../src/adapters/openai.ts'
import { createEngine } from '../src/index.ts'
import { startScriptedProvider } from './scripted-provider.ts'
import { createShopTools } from './support-tools.ts'

const COUNT = `
const orders = await tools.orders.list()
return orders.filter(({ state }) => state === 'lost').map(({ id }) => id)`

await using provider = await startScriptedProvider([
  response([call('call_1', 'orders_list', '{}'), call('call_2', 'run_code', JSON.stringify({ code: COUNT }))]),
  response([call('call_3', 'orders_refund', '{"id": "A-17", "amount": 40')]), // The model forgot a brace.
  response([call('call_4', 'orders_refund', '{"id": "A-17", "amount": 40}')]),
  response([
    { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [said('A-17 is refunded.')] },
  ]),
])
const client = new OpenAI({ apiKey: 'scripted', baseURL: provider.url })
await using engine = await createEngine({ mode: 'both', tools: createShopTools() })
const session = engine.openSession()

const tools = toOpenAiTools(engine, { session })
console.log(`The model has ${tools.map(({ name }) => name).join(', ')}.`)
const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Refund the first lost order.' }]
for (;;) {
  const { output, output_text } = await client.responses.create({ model: 'scripted', input, tools })
  const { items, results, concludesTurn } = await runOpenAiToolCalls(engine, session, output)
  for (const { name, outcome } of results) console.log(`${name}: ${outcome.isError ? outcome.error.code : 'ok'}`)
  // The API takes what it gave; the types of the package tell the two apart.
  input.push(...(output as OpenAI.Responses.ResponseInputItem[]), ...items)
  if (results.length === 0 || concludesTurn) {
    console.log(`model: ${output_text}`)
    break
  }
}

console.log('The conversation, as the provider saw it last:')
for (const item of input) console.log(`  ${JSON.stringify(item).slice(0, 110)}`)

function response(output: readonly object[]) {
  return { id: 'r', object: 'response', status: 'completed', model: 'scripted', output }
}

function call(callId: string, name: string, args: string) {
  return { type: 'function_call', id: `fc_${callId}`, call_id: callId, name, arguments: args, status: 'completed' }
}

function said(text: string) {
  return { type: 'output_text', text, annotations: [] }
}
