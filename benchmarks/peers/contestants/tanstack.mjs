import { toolDefinition } from '@tanstack/ai'
import { createCodeModeTool } from '@tanstack/ai-code-mode'
import { createNodeIsolateDriver } from '@tanstack/ai-isolate-node'
import { z } from 'zod'

/** The tool a model would call, with TypeScript stripped and a fresh isolate in the host's process. */
export async function start(tools) {
  const server = Object.entries(tools).map(([name, execute]) =>
    toolDefinition({ name, description: name, inputSchema: z.object({ n: z.number().optional() }) }).server(
      async (args) => execute(args),
    ),
  )
  const codeMode = createCodeModeTool({ driver: createNodeIsolateDriver(), tools: server })
  return {
    call: (name) => `await external_${name}`,
    promise: (name) => `external_${name}`,
    async run(typescriptCode) {
      const { success, result, error } = await codeMode.execute({ typescriptCode })
      if (!success) throw new Error(error.message)
      return result
    },
    async close() {},
  }
}
