/**
 * The loop of an agent over Anthropic's Messages API, with the client package: `toAnthropicTools()` says what the model
 * has, `runAnthropicToolCalls()` answers the calls of a message. A script on loopback is in the provider's place; leave
 * `baseURL` away for the real one. Run: `node examples/anthropic-agent.ts`.
 */
import Anthropic from '@anthropic-ai/sdk'
import { runAnthropicToolCalls, toAnthropicTools } from '../src/adapters/anthropic.ts'
import { createEngine } from '../src/index.ts'
import { startScriptedProvider } from './scripted-provider.ts'
import { createShopTools } from './support-tools.ts'

const REFUND = `
const [order] = (await tools.orders.list()).filter(({ state }) => state === 'lost')
const { refunded } = await tools.orders.refund({ id: order.id, amount: order.amount })
await tools.ticket.close({ summary: \`\${order.id}: \${refunded} given back\` })
return refunded`

await using provider = await startScriptedProvider([
  message([call('toolu_1', 'orders_list', {}), call('toolu_2', 'orders_find', { state: 'lost' })]),
  message([{ type: 'text', text: 'One program for the rest.' }, call('toolu_3', 'run_code', { code: REFUND })]),
])
const client = new Anthropic({ apiKey: 'scripted', baseURL: provider.url })
await using engine = await createEngine({ mode: 'both', tools: createShopTools() })
const session = engine.openSession()

const tools = toAnthropicTools(engine, { session, sdkIn: 'system-prompt' })
const system = engine.systemPrompt(session.scope, session.sessionId)
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Refund the first lost order.' }]
for (;;) {
  const { content } = await client.messages.create({ model: 'scripted', max_tokens: 1_000, system, messages, tools })
  messages.push({ role: 'assistant', content })
  const { message, results, concludesTurn } = await runAnthropicToolCalls(engine, session, content)
  for (const { name, outcome } of results) console.log(`${name}: ${outcome.isError ? outcome.error.code : 'ok'}`)
  if (message === undefined) break
  messages.push(message)
  if (concludesTurn) {
    console.log('The turn ends: a tool asked for it.')
    break
  }
}

console.log('What answered the calls:')
for (const { role, content } of messages.slice(1))
  if (role === 'user') for (const block of content) console.log(`  ${JSON.stringify(block).slice(0, 120)}`)

function message(content: readonly object[]) {
  const usage = { input_tokens: 1, output_tokens: 1 }
  return { id: 'msg', type: 'message', role: 'assistant', model: 'scripted', stop_reason: 'tool_use', content, usage }
}

function call(id: string, name: string, input: object) {
  return { type: 'tool_use', id, name, input }
}
