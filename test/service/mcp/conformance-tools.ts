import type { ContentBlock } from '../../../src/data/content.ts'
import type { ToolDefinition } from '../../../src/registry/tool.ts'

/** The tools that the public suite calls by name, as tools of an engine. */
export const CONFORMANCE_TOOLS: readonly ToolDefinition[] = [
  showing('test_simple_text', [{ type: 'text', text: 'This is a simple text response for testing.' }]),
  showing('test_image_content', [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }]),
  showing('test_audio_content', [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }]),
  showing('test_embedded_resource', [resource('test://embedded-resource', 'text/plain', 'This is embedded.')]),
  showing('test_multiple_content_types', [
    { type: 'text', text: 'Multiple content types test:' },
    { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]),
  {
    ...showing('test_error_handling', []),
    execute: async () => {
      throw new Error('This tool intentionally returns an error for testing')
    },
  },
  {
    ...showing('test_tool_with_progress', [{ type: 'text', text: 'done' }]),
    execute: async (_args, exec) => {
      for (const fraction of [0, 0.5, 1]) {
        exec.reportProgress({ fraction })
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return null
    },
  },
  {
    ...showing('json_schema_2020_12_tool', [{ type: 'text', text: 'ok' }]),
    description: 'Tool with JSON Schema 2020-12 features',
    parameters: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  },
]

function showing(name: string, content: readonly ContentBlock[]): ToolDefinition {
  return {
    name,
    description: `For the suite: ${name}.`,
    parameters: { type: 'object' },
    validateArguments: 'in-body',
    execute: async () => null,
    output: { render: () => content },
  }
}

function resource(uri: string, mimeType: string, text: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text } }
}
