import { CodeModeUtcpClient } from '@utcp/code-mode'
import { addFunctionToUtcpDirectCall } from '@utcp/direct-call'

/** A fresh isolate in the host's process. A call blocks the program: there is nothing to await, nothing in parallel. */
export async function start(tools) {
  console.log = () => {}
  const names = Object.keys(tools)
  addFunctionToUtcpDirectCall('manual', async () => ({
    utcp_version: '1.0.0',
    manual_version: '1.0.0',
    tools: names.map((name) => ({
      name,
      description: name,
      inputs: { type: 'object', properties: { n: { type: 'number' } }, required: [] },
      outputs: { type: 'object', properties: {}, required: [] },
      tags: [],
      tool_call_template: { name: `peer_${name}`, call_template_type: 'direct-call', callable_name: name },
    })),
  }))
  for (const name of names)
    addFunctionToUtcpDirectCall(name, async (args) => tools[name](args?.n === undefined ? { n: args } : args))
  const client = await CodeModeUtcpClient.create()
  await client.registerManual({ name: 'peer', call_template_type: 'direct-call', callable_name: 'manual' })
  const [listed] = await client.getTools()
  if (listed === undefined) throw new Error('no tool was registered')
  return {
    call: (name) => `peer.${name}`,
    promise: (name) => `peer.${name}`,
    async run(code) {
      const { result } = await client.callToolChain(code, 60_000)
      return result
    },
    close: () => client.close(),
  }
}
