import type { ContentBlock } from '../data/content.ts'
import { isRecord, type Json } from '../data/json.ts'
import { textContent } from '../data/parse-content.ts'

const ONE_LINE = 120

/** Content of a value whose author says nothing about it: text as it is, all else as JSON. */
export function defaultRender(value: Json): readonly ContentBlock[] {
  return textContent(typeof value === 'string' ? value : readableJson(value))
}

/**
 * Short values on one line, longer ones with one line for each member of the root. Deeper indentation would help a
 * reader little, cost tokens, and let a deeply nested value grow by the square of its depth.
 */
function readableJson(value: Json): string {
  const line = JSON.stringify(value)
  if (line.length <= ONE_LINE) return line
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((item: Json) => JSON.stringify(item)),
      ']',
    )
  if (!isRecord(value)) return line
  return lines(
    '{',
    Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${JSON.stringify(item)}`),
    '}',
  )
}

function lines(open: string, members: readonly string[], close: string): string {
  return `${open}\n${members.map((member) => `  ${member}`).join(',\n')}\n${close}`
}
