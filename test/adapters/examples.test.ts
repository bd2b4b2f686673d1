import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const exec = promisify(execFile)

async function outputOf(name: string): Promise<string> {
  const { stdout, stderr } = await exec(process.execPath, [join(import.meta.dirname, '../../examples', name)])
  expect(stderr).toBe('')
  return stdout
}

test('the agent of the AI SDK mixes tools and a program in one step, hears from its tools, and ends when one asks', async () => {
  expect(await outputOf('ai-sdk-agent.ts')).toBe(`step 1
  orders_list: ok, [ {"id":"A-17","customer":"Ada","amount":40,"state":"lost"}, {"id":"A-18","custo
  run_code: ok, ["A-17","A-19"]
step 2
  run_code: ok, closed: A-17 and A-19 are lost
the last step read, after its results: [{"type":"text","text":"The list is cached; it is 10 minutes old."}]
asked 2 times; in the log: 13 events
`)
})

test('the agent of the Responses API has an output for each call, in order, and survives bad JSON', async () => {
  const output = await outputOf('openai-agent.ts')
  expect(output).toContain(`The model has orders_list, orders_refund, ticket_close, run_code.
orders.list: ok
run_code: ok
orders.refund: INVALID_ARGS
orders.refund: ok
model: A-17 is refunded.
`)
  const items = output
    .slice(output.indexOf('saw it last:\n'))
    .split('\n')
    .map((line) => /"type":"(\w+)"(?:.*?"call_id":"(\w+)")?/.exec(line)?.slice(1, 3).filter(Boolean).join(' '))
    .filter(Boolean)
  expect(items).toEqual([
    'function_call call_1',
    'function_call call_2',
    'function_call_output call_1',
    'function_call_output call_2',
    'message',
    'message',
    'function_call call_3',
    'function_call_output call_3',
    'function_call call_4',
    'function_call_output call_4',
    'message',
  ])
})

test('the agent of the Messages API answers calls in one message, errors among them, and ends when a tool asks', async () => {
  const output = await outputOf('anthropic-agent.ts')
  expect(output).toContain(`orders.list: ok
orders_find: UNKNOWN_TOOL
run_code: ok
The turn ends: a tool asked for it.
`)
  expect(
    output.match(/"type":"(tool_result|text)"(,"tool_use_id":"\w+")?/g)?.filter((part) => part.includes('tool_use')),
  ).toEqual([
    '"type":"tool_result","tool_use_id":"toolu_1"',
    '"type":"tool_result","tool_use_id":"toolu_2"',
    '"type":"tool_result","tool_use_id":"toolu_3"',
  ])
  expect(output).toContain('{"type":"text","text":"The list is cached; it is 10 minutes old."}')
})
