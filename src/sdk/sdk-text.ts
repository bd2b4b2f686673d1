import { createTypePrinter, docText } from './print-types.ts'
import { commentText, propertyKey } from './safe-text.ts'
import type { PlacedTool, SdkTool } from './sdk-view.ts'
import { typesOfTool } from './tool-types.ts'
import type { ToolTypes } from './tool-types.ts'

/** How one tool is written: its whole signature, or one line of an index (`docChars` 0: its name alone). */
export type ToolForm =
  | { readonly kind: 'signature'; readonly docChars: number; readonly memberDocChars: number; readonly hints: boolean }
  | { readonly kind: 'line'; readonly docChars: number }
  | { readonly kind: 'counted' }

export interface SdkTextOptions {
  formOf(tool: SdkTool): ToolForm
  /** What is declared: `declare const tools: …`, or a type for another text to build on. */
  readonly head: string
}

const UNTYPED = 'type Untyped = any // undeclared result: JSON text comes parsed, other text as a string'
const TOOL = 'type Tool = (args?: any) => Promise<any> // signature: await sdk.describe(["name"])'
const FULL =
  ' full(name: string, args?: object): Promise<{ value: any; content: ContentBlock[]; meta?: any }> // any tool by its exact name'

/**
 * Valid TypeScript for any set of tools: shared types first, then one object with a member for each tool, grouped by
 * namespace. `tools` come in the order in which they are to stand.
 */
export function writeSdkText(tools: readonly PlacedTool[], options: SdkTextOptions): string {
  const signatures = tools.filter(({ tool }) => options.formOf(tool).kind === 'signature')
  const memberDocChars = Math.max(0, ...signatures.map(({ tool }) => docCharsOf(options.formOf(tool))))
  const roots = signatures.flatMap(({ tool }) => {
    const { args, result } = typesOfTool(tool)
    return result === undefined ? [args] : [args, result]
  })
  const printer = createTypePrinter(roots, { docChars: memberDocChars })

  const writeTool = ({ tool, path }: PlacedTool, indent: string): readonly string[] => {
    const form = options.formOf(tool)
    const key = propertyKey(path.at(-1) ?? tool.name)
    if (form.kind === 'counted') return []
    if (form.kind === 'line') {
      const words = commentText(tool.description.trim() === '' ? (tool.title ?? '') : tool.description, form.docChars)
      return [`${indent}${key}: Tool${form.docChars === 0 || words === '' ? '' : ` // ${words}`}`]
    }
    const types = typesOfTool(tool)
    const args = isEmpty(types) ? '{}' : printer.print(types.args, indent)
    const result = types.result === undefined ? 'Untyped' : printer.print(types.result, indent)
    const line = `${indent}${key}(args${types.areArgsOptional ? '?' : ''}: ${args}): Promise<${result}>`
    const comment = docText(withHints(types, tool, form.hints), form.docChars)
    return comment === '' ? [line] : [`${indent}// ${comment}`, line]
  }

  const groups = groupByNamespace(tools)
  const isIndex = tools.some(({ tool }) => options.formOf(tool).kind !== 'signature')
  const hasUntyped = signatures.some(({ tool }) => typesOfTool(tool).result === undefined)
  const lines = [...(hasUntyped ? [UNTYPED] : []), ...(isIndex ? [TOOL] : []), ...printer.declarations]
  lines.push(`${options.head} {`, FULL)
  for (const [namespace, members] of groups) {
    const counted = members.filter(({ tool }) => options.formOf(tool).kind === 'counted').length
    const indent = namespace === undefined ? ' ' : '  '
    // A namespace whose tools are only counted still lets each of them be called.
    const rest =
      counted === 0 ? [] : [`${indent}[tool: string]: ${namespace === undefined ? 'any' : 'Tool'} // ${count(counted)}`]
    const body = [...members.flatMap((member) => writeTool(member, indent)), ...rest]
    if (namespace === undefined) lines.push(...body)
    else lines.push(` ${propertyKey(namespace)}: {`, ...body, ' }')
  }
  lines.push('}')
  return `${lines.join('\n')}\n`
}

function docCharsOf(form: ToolForm): number {
  return form.kind === 'signature' ? form.memberDocChars : 0
}

function count(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`
}

/** Both `{}` and "any object" need no argument; `{}` says so in the fewest characters and accepts as much. */
function isEmpty({ args }: ToolTypes): boolean {
  return args.node.kind === 'object' && args.node.members.length === 0 && args.node.index === undefined
}

function withHints({ doc }: ToolTypes, tool: SdkTool, hints: boolean): ToolTypes['doc'] {
  if (!hints) return doc
  const terms = [...doc.terms]
  if (tool.annotations?.readOnlyHint === true) terms.push('read-only')
  else if (tool.annotations?.destructiveHint === true) terms.push('destructive')
  return { ...doc, terms }
}

function groupByNamespace(tools: readonly PlacedTool[]): ReadonlyMap<string | undefined, readonly PlacedTool[]> {
  const groups = new Map<string | undefined, PlacedTool[]>()
  for (const placed of tools) {
    const namespace = placed.path.length > 1 ? placed.path[0] : undefined
    const group = groups.get(namespace)
    if (group === undefined) groups.set(namespace, [placed])
    else group.push(placed)
  }
  return groups
}
