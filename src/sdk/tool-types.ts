import type { SdkTool } from './sdk-view.ts'
import type { TypeRoot } from './survey-types.ts'
import type { Doc } from './type-tree.ts'
import { acceptsEmptyObject } from './type-questions.ts'
import { hasHiddenCharacters } from './safe-text.ts'
import { typeFromSchema } from './types-from-schema.ts'

export interface SdkWarning {
  /** Registered name of the tool. */
  readonly tool: string
  /** JSON Pointer into its definition. */
  readonly pointer: string
  readonly reason: string
}

/** A tool as declarations see it. */
export interface ToolTypes {
  readonly args: TypeRoot
  readonly areArgsOptional: boolean
  /** Absent: the tool does not say what it gives. */
  readonly result?: TypeRoot
  readonly doc: Doc
  readonly warnings: readonly SdkWarning[]
}

// Definitions are frozen when they are registered, so their types never change.
const typesByTool = new WeakMap<SdkTool, ToolTypes>()

export function typesOfTool(tool: SdkTool): ToolTypes {
  let types = typesByTool.get(tool)
  if (types === undefined) {
    types = convert(tool)
    typesByTool.set(tool, types)
  }
  return types
}

function convert(tool: SdkTool): ToolTypes {
  const warnings: SdkWarning[] = []
  const member = tool.namespace === undefined ? tool.name : tool.name.slice(tool.namespace.length + 1)
  const read = (schema: unknown, direction: 'input' | 'output', at: string, hint: string) => {
    const type = typeFromSchema(schema, { direction, hint, isArguments: direction === 'input' })
    for (const { pointer, reason } of type.warnings) warnings.push({ tool: tool.name, pointer: at + pointer, reason })
    return type
  }
  const args = read(tool.parameters, 'input', '/parameters', `${member} args`)
  const { schema } = tool.output
  const result = schema === undefined ? undefined : read(schema, 'output', '/output/schema', `${member} result`)
  if (hasHiddenCharacters(tool.description)) {
    warnings.push({ tool: tool.name, pointer: '/description', reason: 'invisible characters were taken out' })
  }
  const text = [tool.description, args.doc.text, tool.title].find((words) => words !== undefined && words.trim() !== '')
  return {
    args: { node: args.node, hint: `${member} args`, mayBeNamed: false, memo: {} },
    areArgsOptional: acceptsEmptyObject(args.node),
    ...(result !== undefined && {
      result: { node: result.node, hint: `${member} result`, mayBeNamed: true, memo: {} },
    }),
    doc: { ...(text !== undefined && { text }), terms: args.doc.terms },
    warnings,
  }
}
