import { shortJson } from './short-json.ts'
import type { TypeNode } from './type-tree.ts'

/** What alternatives say of themselves: each value with its words, or the words of the only one that has any. */
export function choiceText(
  readings: readonly { readonly node: TypeNode; readonly text?: string }[],
): string | undefined {
  const described = readings.filter(({ text }) => text !== undefined)
  const values = described.flatMap(({ node, text }) =>
    node.kind === 'literal' ? [`${shortJson(node.value, 40)}: ${text}`] : [],
  )
  if (values.length > 1) return values.join('; ')
  return described.length === 1 ? described[0]?.text : undefined
}
