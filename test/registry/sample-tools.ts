import type { ToolDefinition } from '../../src/registry/tool.ts'

/** A raw definition that does nothing; `fields` overrides. */
export function tool(name: string, fields: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: `does ${name}`,
    parameters: { type: 'object', properties: {} },
    validateArguments: 'in-body',
    execute: () => null,
    output: { render: () => [] },
    ...fields,
  }
}

export function member(namespace: string, name: string): ToolDefinition {
  return tool(`${namespace}.${name}`, { namespace })
}
