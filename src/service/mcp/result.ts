import type { CallToolResult } from '@modelcontextprotocol/server'
import { utf8ByteLength } from '../../data/bytes.ts'
import { isRecord, type Json } from '../../data/json.ts'
import type { Outcome } from '../../data/outcome.ts'

export interface ResultFacts {
  readonly isRun: boolean
  /** Whether the tool was listed with an `outputSchema`: then a success without structure is a fault to clients. */
  readonly hasOutputSchema: boolean
  readonly maxBytes: number
  readonly ids: Readonly<Record<string, string>>
}

/** An outcome for an MCP client. The content is what a model is to read, and is complete by itself. */
export function outcomeToResult(outcome: Outcome, facts: ResultFacts): CallToolResult {
  const structured = facts.isRun ? structureOfRun(outcome, facts.maxBytes) : structureOfTool(outcome, facts)
  return {
    content: outcome.content.map((block) => ({ ...block })) as CallToolResult['content'], // The vocabulary is MCP's.
    ...(structured !== undefined && { structuredContent: structured }),
    ...(outcome.isError && { isError: true }),
    _meta: { 'codeferry/ids': facts.ids },
  }
}

/** A failure that no call stands behind. */
export function failedResult(code: string, message: string): CallToolResult {
  return {
    content: [{ type: 'text', text: `${code}: ${message}` }],
    structuredContent: { error: { code, message } },
    isError: true,
  }
}

type Structure = Record<string, unknown>

/**
 * Always there, as `run_code` is listed with a schema, and never more than content may be: some clients show a model
 * the structure alone. What has no place in it is in the content, whose text then stands in the result's place.
 */
function structureOfRun(outcome: Outcome, maxBytes: number): Structure | undefined {
  const whole = outcome.isError ? { error: outcome.error as unknown as Json } : outcome.value // Failures are plain JSON.
  if (!isRecord(whole)) return undefined
  const others = outcome.content.filter(({ type }) => type !== 'text').map((block) => kindOf(block))
  const attachments = others.length === 0 ? {} : { attachments: others }
  if (others.length === 0 && sizeOf(whole) <= maxBytes) return whole
  const text = outcome.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  if (!outcome.isError) return { text, ...attachments }
  const { code, message } = outcome.error
  return { error: { code, message: message.slice(0, maxBytes) }, text, ...attachments }
}

/** Failures have no structure: clients hold it against the schema of the tool's successes. */
function structureOfTool(outcome: Outcome, { hasOutputSchema, maxBytes }: ResultFacts): Structure | undefined {
  if (outcome.isError) return hasOutputSchema ? undefined : { error: outcome.error as unknown as Json }
  const { value, content } = outcome
  if (!isRecord(value)) return undefined
  if (hasOutputSchema) return { ...value }
  // Without a schema nobody waits for it: it is given where it says what the content says, and costs no more.
  return content.every(({ type }) => type === 'text') && sizeOf(value) <= maxBytes ? { ...value } : undefined
}

function kindOf(block: Outcome['content'][number]): Structure {
  return { type: block.type, ...('mimeType' in block && { mimeType: block.mimeType }) }
}

function sizeOf(value: unknown): number {
  return utf8ByteLength(JSON.stringify(value))
}
