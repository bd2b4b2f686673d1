import type { Tool } from '@modelcontextprotocol/server'
import { deriveNames } from '../../registry/native-names.ts'
import { modelToolsOf } from '../../registry/model-tools.ts'
import { RUN_CODE } from '../../registry/scope.ts'
import type { ToolView } from '../../registry/view.ts'
import { RUN_OUTPUT_SCHEMA } from './run-output-schema.ts'

/** What the scope's mode shows a model, in the registry's order: the same view gives the same bytes. */
export function listTools(view: ToolView, describeRunCode: () => string): Tool[] {
  const { nameByNative } = deriveNames(view)
  return modelToolsOf(view).map((tool): Tool => {
    const definition = view.toolsByName.get(nameByNative.get(tool.name) ?? '')
    const outputSchema = definition?.output.schema
    return {
      name: tool.name,
      ...(tool.title !== undefined && { title: tool.title }),
      // There is no system prompt in MCP: the SDK travels in the description.
      description: tool.name === RUN_CODE ? describeRunCode() : tool.description,
      inputSchema: tool.parameters as Tool['inputSchema'], // `modelToolsOf` makes every root an object.
      // Values of another root would have to be wrapped for older clients; those tools answer in text alone.
      ...(tool.name === RUN_CODE && { outputSchema: RUN_OUTPUT_SCHEMA }),
      ...(outputSchema?.type === 'object' && { outputSchema: outputSchema as Tool['outputSchema'] }),
      ...(tool.annotations !== undefined && { annotations: { ...tool.annotations } }),
    }
  })
}
