import { docText } from './doc-text.ts'
import { createTypePrinter } from './print-types.ts'
import type { TypePrinter } from './print-types.ts'
import { commentText, propertyKey } from './safe-text.ts'
import type { PlacedTool, SdkTool } from './sdk-view.ts'
import type { TypeRoot } from './survey-types.ts'
import { typesOfTool } from './tool-types.ts'
import type { ToolTypes } from './tool-types.ts'

/** How one tool is written: its whole signature, or one line of an index (`docChars` 0: its name alone). */
export type ToolForm =
  | { readonly kind: 'signature'; readonly docChars: number; readonly memberDocChars: number; readonly hints: boolean }
  | { readonly kind: 'line'; readonly docChars: number }
  | { readonly kind: 'counted' }

export interface SdkTextOptions {
  formOf(tool: SdkTool): ToolForm
  /** Told of each tool whose text was made anew; the others' was at hand. */
  onPrinted?(tool: SdkTool): void
  /** Whether `tools.full` is the SDK's own here: see `hasOwnFull`. */
  readonly ownFull: boolean
  /** What is declared: `declare const tools: …`, or a type for another text to build on. */
  readonly head: string
}

const COUNTED: ToolForm = { kind: 'counted' }
const UNTYPED = 'type Untyped = any // undeclared result: JSON text comes parsed, other text as a string'
const TOOL = 'type Tool = (args?: any) => Promise<any> // signature: await sdk.describe(["name"])'
const FULL =
  ' full(name: string, args?: object): Promise<{ value: any; content: ContentBlock[]; meta?: any }> // any tool by its exact name'

/**
 * Valid TypeScript for any set of tools: shared types first, then one object with a member for each tool, grouped by
 * namespace. `tools` come in the order in which they are to stand.
 */
export function writeSdkText(tools: readonly PlacedTool[], options: SdkTextOptions): string {
  const roots: TypeRoot[] = []
  const forms: ToolForm[] = []
  let memberDocChars = 0
  let isIndex = false
  let hasUntyped = false
  for (const { tool } of tools) {
    const form = options.formOf(tool)
    forms.push(form)
    if (form.kind !== 'signature') {
      isIndex = true
      continue
    }
    memberDocChars = Math.max(memberDocChars, form.memberDocChars)
    const { args, result } = typesOfTool(tool)
    roots.push(args)
    if (result === undefined) hasUntyped = true
    else roots.push(result)
  }
  const printer = createTypePrinter(roots, { docChars: memberDocChars })

  const lines = [...(hasUntyped ? [UNTYPED] : []), ...(isIndex ? [TOOL] : []), ...printer.declarations]
  lines.push(`${options.head} {`, ...(options.ownFull ? [FULL] : []))
  // Tools come in order of their paths, those of one namespace together.
  let namespace: string | undefined
  let counted = 0
  const endNamespace = (): void => {
    const indent = namespace === undefined ? ' ' : '  '
    // A namespace whose tools are only counted still lets each of them be called.
    if (counted > 0)
      lines.push(`${indent}[tool: string]: ${namespace === undefined ? 'any' : 'Tool'} // ${count(counted)}`)
    if (namespace !== undefined) lines.push(' }')
    counted = 0
  }
  for (const [at, placed] of tools.entries()) {
    const own = placed.path.length > 1 ? placed.path[0] : undefined
    if (own !== namespace) {
      endNamespace()
      namespace = own
      if (own !== undefined) lines.push(` ${propertyKey(own)}: {`)
    }
    const form = forms[at] ?? COUNTED
    if (form.kind === 'counted') counted += 1
    else lines.push(textOf(placed, form, { printer, memberDocChars, options }))
  }
  endNamespace()
  lines.push('}', '')
  return lines.join('\n')
}

interface Writing {
  readonly printer: TypePrinter
  readonly memberDocChars: number
  readonly options: SdkTextOptions
}
type ShownForm = Exclude<ToolForm, { readonly kind: 'counted' }>

/** The lines of one tool; those of an earlier text if they would be the same. */
function textOf({ tool, path }: PlacedTool, form: ShownForm, writing: Writing): string {
  const { printer, memberDocChars, options } = writing
  const names = form.kind === 'line' ? '' : namesOf(tool, printer)
  const member = path.at(-1) ?? tool.name
  const indent = path.length > 1 ? '  ' : ' '
  const written = writtenByTool.get(tool) ?? []
  for (const known of written) {
    if (known.names !== names || known.member !== member || known.indent !== indent) continue
    if (known.memberDocChars === memberDocChars && sameForm(known.form, form)) return known.text
  }
  const key = propertyKey(member)
  const text =
    form.kind === 'line' ? lineOf(tool, key, form, indent) : signatureOf(tool, key, form, indent, writing.printer)
  if (written.length >= MAX_WRITTEN) written.length = 0
  written.push({ names, member, indent, memberDocChars, form, text })
  writtenByTool.set(tool, written)
  options.onPrinted?.(tool)
  return text
}

function sameForm(a: ShownForm, b: ShownForm): boolean {
  if (a === b) return true
  if (a.docChars !== b.docChars || a.kind !== b.kind) return false
  return a.kind === 'line' || (b.kind === 'signature' && a.hints === b.hints && a.memberDocChars === b.memberDocChars)
}

interface WrittenTool {
  /** Names of shared types in it: under the same names it is the same text. */
  readonly names: string
  readonly member: string
  readonly indent: string
  readonly memberDocChars: number
  readonly form: ShownForm
  readonly text: string
}
// Definitions never change. A text of a thousand tools of which one was replaced prints that one.
const writtenByTool = new WeakMap<SdkTool, WrittenTool[]>()
const MAX_WRITTEN = 8

function lineOf(tool: SdkTool, key: string, form: ShownForm, indent: string): string {
  const words = commentText(tool.description.trim() === '' ? (tool.title ?? '') : tool.description, form.docChars)
  return `${indent}${key}: Tool${form.docChars === 0 || words === '' ? '' : ` // ${words}`}`
}

function signatureOf(
  tool: SdkTool,
  key: string,
  form: ToolForm & { readonly kind: 'signature' },
  indent: string,
  printer: TypePrinter,
): string {
  const types = typesOfTool(tool)
  const args = isEmpty(types) ? '{}' : printer.print(types.args, indent)
  const result = types.result === undefined ? 'Untyped' : printer.print(types.result, indent)
  const line = `${indent}${key}(args${types.areArgsOptional ? '?' : ''}: ${args}): Promise<${result}>`
  const comment = docText(withHints(types, tool, form.hints), form.docChars)
  return comment === '' ? line : `${indent}// ${comment}\n${line}`
}

function namesOf(tool: SdkTool, printer: TypePrinter): string {
  const { args, result } = typesOfTool(tool)
  return `${printer.namesIn(args)};${result === undefined ? '' : printer.namesIn(result)}`
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
