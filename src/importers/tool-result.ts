import type { ContentBlock } from '../data/content.ts'
import { textBlock } from '../data/content.ts'
import { CodedError } from '../data/failure.ts'
import { isRecord, type Json } from '../data/json.ts'
import { parseContentBlock } from '../data/parse-content.ts'
import type { Execution } from '../registry/tool.ts'

/**
 * From a `CallToolResult` to what a program gets. The server's own blocks stay as they came and become the durable
 * content of the call; the program gets a plain value:
 *
 * 1. `structuredContent`, as it is, when there is one;
 * 2. else, for exactly one text block: a JSON object or array in it, parsed (not with `textResults: 'text'`);
 *    text whose integers a double cannot hold stays text, so that no digit is lost in silence;
 * 3. else, for exactly one text block: its text;
 * 4. else the blocks.
 */
export type TextResults = 'auto' | 'text'

/** Settles a call with a peer's result: gives the canonical value and keeps the blocks; throws for `isError`. */
export function settleToolResult(toolName: string, raw: unknown, textResults: TextResults, exec: Execution): Json {
  const result = readToolResult(toolName, raw)
  exec.attachContent(result.content)
  if (result.isError) {
    throw new CodedError('TOOL_FAILED', errorText(toolName, result.content), {
      ...(result.structuredContent !== undefined && { details: { structuredContent: result.structuredContent } }),
    })
  }
  return programValue(result, textResults)
}

export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  readonly isError: boolean
}

/** Checks the shape of a peer's result. Members of blocks that nobody here knows are kept. */
export function readToolResult(toolName: string, raw: unknown): ToolResult {
  if (!isRecord(raw)) throw badResult(toolName, 'is not an object')
  // Protocol revision 2024-10-07 answered `{ toolResult }`.
  if (raw.content === undefined && raw.structuredContent === undefined && raw.toolResult !== undefined) {
    return {
      content: [textBlock(JSON.stringify(raw.toolResult))],
      structuredContent: json(raw.toolResult),
      isError: false,
    }
  }
  const content = raw.content ?? []
  if (!Array.isArray(content)) throw badResult(toolName, '"content" is not an array')
  const blocks = content.map((block: unknown) => readBlock(block))
  // Null is how some servers write "absent"; one that means the value null can say it in text.
  const structuredContent = raw.structuredContent ?? undefined
  if (structuredContent === undefined) return { content: blocks, isError: raw.isError === true }
  const value = json(structuredContent)
  // Without a block a model would be shown nothing at all.
  return {
    content: blocks.length > 0 ? blocks : valueContent(value),
    structuredContent: value,
    isError: raw.isError === true,
  }
}

/** The value rule above. */
export function programValue(result: ToolResult, textResults: TextResults): Json {
  if (result.structuredContent !== undefined) return result.structuredContent
  const [first, ...others] = result.content
  if (first === undefined || others.length > 0 || first.type !== 'text') return json(result.content)
  return (textResults === 'auto' ? parseJsonText(first.text) : undefined) ?? first.text
}

/** Content of a success whose owner sent a bare value and no blocks. */
export function valueContent(value: Json): readonly ContentBlock[] {
  return [textBlock(typeof value === 'string' ? value : JSON.stringify(value))]
}

/** A JSON object or array that a double-based parser keeps exactly; undefined for anything else. */
export function parseJsonText(text: string): Json | undefined {
  const start = text.trimStart()[0]
  if (start !== '{' && start !== '[') return undefined
  // Only text with a long run of digits or an exponent can hold a number that parsing would change.
  const mayLose = /\d{16}|\d[eE]/.test(text)
  let lossy = false
  try {
    const parsed: unknown = mayLose
      ? JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
          if (typeof value === 'number' && losesDigits(value, context?.source)) lossy = true
          return value
        })
      : JSON.parse(text)
    return lossy ? undefined : json(parsed)
  } catch {
    return undefined
  }
}

function losesDigits(value: number, source: string | undefined): boolean {
  if (!Number.isFinite(value)) return true
  return source !== undefined && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
}

/** The tool's own words, which is what a program that catches the error needs. */
function errorText(toolName: string, content: readonly ContentBlock[]): string {
  const text = content
    .map((block) => (block.type === 'text' ? block.text : block.type === 'resource' ? (block.resource.text ?? '') : ''))
    .filter((part) => part !== '')
    .join('\n')
  return text === '' ? `${toolName} reported an error and gave no text with it` : text
}

/**
 * A block as it came. One that our vocabulary does not know, or that is malformed, becomes text that shows it: the call
 * has had its effect, and a result that cannot be read whole is better than a failure that invites a second call.
 */
function readBlock(block: unknown): ContentBlock {
  const parsed = parseContentBlock(withoutNulls(json(block)))
  return parsed.ok ? parsed.block : textBlock(JSON.stringify(block).slice(0, MAX_SHOWN_BLOCK))
}

const MAX_SHOWN_BLOCK = 10_000

/** Some servers write absent members as null. */
function withoutNulls(block: Json): Json {
  if (!isRecord(block) || !Object.values(block).includes(null)) return block
  return Object.fromEntries(Object.entries(block).filter(([, member]) => member !== null)) as Json // Members of JSON.
}

/**
 * A wire value as JSON data. It was made by `JSON.parse`, so only one thing can be wrong: a `-0`, which lossless JSON
 * refuses and which no owner means. It becomes 0. Walks without recursion: depth is the peer's choice.
 */
function json(value: unknown): Json {
  if (Object.is(value, -0)) return 0
  const open: unknown[] = [value]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null) continue
    const holder = node as Record<string, unknown> // Arrays too: their indices are own keys.
    for (const key of Object.keys(holder)) {
      const child = holder[key]
      if (Object.is(child, -0))
        Object.defineProperty(holder, key, { value: 0, enumerable: true, writable: true, configurable: true })
      else if (typeof child === 'object' && child !== null) open.push(child)
    }
  }
  return value as Json // Parsed from JSON text; the pipeline snapshots (and so proves) it again.
}

function badResult(toolName: string, what: string): CodedError {
  return new CodedError(
    'INVALID_TOOL_OUTPUT',
    `${toolName}: the server's result ${what}; this is a fault of the server`,
  )
}
