import { canonicalJson } from '../../data/canonical.ts'
import type { Json } from '../../data/json.ts'
import type { PlacedTool, SdkTool } from '../sdk-view.ts'
import { escapeHidden } from './escape-hidden.ts'

/**
 * The tools as a model without programs would be given them: a JSON array with one tool on each line. The keys of a
 * tool stand in a fixed order, those of its schemas in the order of their characters: a server that writes the same
 * schema in another order changes no byte.
 */
export function modelJson(tools: readonly PlacedTool[]): string {
  if (tools.length === 0) return '[]\n'
  return `[\n${tools.map(({ tool }) => escapeHidden(toolJson(tool))).join(',\n')}\n]\n`
}

function toolJson(tool: SdkTool): string {
  const fields: (readonly [string, Json])[] = [
    ['name', tool.name],
    ['description', tool.description],
    ['inputSchema', tool.parameters],
  ]
  if (tool.output.schema !== undefined) fields.push(['outputSchema', tool.output.schema])
  return `{${fields.map(([key, value]) => `"${key}":${canonicalJson(value)}`).join(',')}}`
}
