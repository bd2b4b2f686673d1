/**
 * An agent of the AI SDK whose model has the tools and `run_code`: `codeferryTools()` is its `ToolSet`, `passContexts`
 * brings what tools tell the model into the next step, `turnConcluded` ends the loop when a tool asks for it. The model
 * is scripted; put one of your provider in its place. Run: `node examples/ai-sdk-agent.ts`.
 */
import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import {
  codeferryTools,
  isCodeferryOutput,
  passContexts,
  turnConcluded,
  type CodeferryOutput,
} from '../src/adapters/ai-sdk.ts'
import { createEngine } from '../src/index.ts'
import { createShopTools } from './support-tools.ts'

const COUNT = `
const orders = await tools.orders.list()
return orders.filter(({ state }) => state === 'lost').map(({ id }) => id)`

const steps = [
  [call('look', 'orders_list', {}), call('count', 'run_code', { code: COUNT })],
  [call('end', 'run_code', { code: `return await tools.ticket.close({ summary: 'A-17 and A-19 are lost' })` })],
  [call('never', 'orders_list', {})],
]

await using engine = await createEngine({ mode: 'both', tools: createShopTools() })
const session = engine.openSession()
const model = scriptedModel()

const { steps: taken } = await generateText({
  model,
  instructions: 'You are careful with other people’s money.',
  prompt: 'Which orders are lost? Close the ticket with them.',
  tools: codeferryTools(engine, { session }),
  prepareStep: passContexts,
  stopWhen: [turnConcluded, isStepCount(10)],
})

for (const [index, step] of taken.entries()) {
  console.log(`step ${index + 1}`)
  for (const { toolName, output } of step.toolResults)
    if (isCodeferryOutput(output))
      console.log(`  ${toolName}: ${output.isError ? 'failed' : 'ok'}, ${firstLine(output)}`)
}
const last = model.doGenerateCalls.at(-1)?.prompt.at(-1)
console.log(`the last step read, after its results: ${JSON.stringify(last?.content)}`)
console.log(`asked ${model.doGenerateCalls.length} times; in the log: ${session.events().length} events`)

function firstLine({ content }: CodeferryOutput): string {
  const [text = ''] = content.map((block) => (block.type === 'text' ? block.text : block.type))
  return text.replaceAll(/\s+/g, ' ').slice(0, 80)
}

function call(toolCallId: string, toolName: string, input: object) {
  return { type: 'tool-call' as const, toolCallId, toolName, input: JSON.stringify(input) }
}

function scriptedModel() {
  return new MockLanguageModelV4({
    doGenerate: steps.map((content) => ({
      content,
      finishReason: { unified: 'tool-calls' as const, raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    })),
  })
}
