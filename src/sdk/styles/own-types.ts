import { createTypePrinter } from '../print-types.ts'
import { typesOfTool } from '../tool-types.ts'
import type { SdkTool } from '../sdk-view.ts'

const MEMBER_DOC_CHARS = 2_000

/** The declarations of one tool from our own type tree, under the names that its interfaces would have had. */
export function ownTypes(tool: SdkTool, stem: string): string {
  const { args, result } = typesOfTool(tool)
  const printer = createTypePrinter(result === undefined ? [args] : [args, result], { docChars: MEMBER_DOC_CHARS })
  const roots = [{ name: `${stem}Args`, text: printer.print(args, '') }]
  if (result !== undefined) roots.push({ name: `${stem}Result`, text: printer.print(result, '') })
  if (printer.declarations.length === 0) {
    return roots.map(({ name, text }) => `export type ${name} = ${text}\n`).join('\n')
  }
  // Names of shared types belong to this tool alone; none of them holds an underscore.
  const inner = [...printer.declarations, ...roots.map(({ name, text }) => `export type ${name}_ = ${text}`)]
  const outer = roots.map(({ name }) => `export type ${name} = ${stem}Types.${name}_\n`)
  return `export declare namespace ${stem}Types {\n${inner.join('\n')}\n}\n\n${outer.join('\n')}`
}
