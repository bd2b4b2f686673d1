import type { CallToolResult } from '@modelcontextprotocol/server'
import { utf8ByteLength } from '../../data/bytes.ts'
import { isRecord, type Json } from '../../data/json.ts'
import type { Outcome } from '../../data/outcome.ts'

/**
 * An outcome for an MCP client. The content is what a model is to read, and is complete by itself. Some clients show a
 * model `structuredContent` alone when there is one, so it is given only where it says the same: not beside images,
 * and not when it is larger than content may be (the content then has the preview and says where the rest is kept).
 */
export function outcomeToResult(
  outcome: Outcome,
  maxBytes: number,
  ids: Readonly<Record<string, string>>,
): CallToolResult {
  const structured = outcome.isError ? { error: outcome.error as unknown as Json } : outcome.value // Failures are plain JSON.
  const content = outcome.content.map((block) => ({ ...block })) as CallToolResult['content'] // The vocabulary is MCP's.
  const fits =
    isRecord(structured) &&
    content.every((block) => block.type === 'text') &&
    utf8ByteLength(JSON.stringify(structured)) <= maxBytes
  return {
    content,
    ...(fits && { structuredContent: structured as Record<string, unknown> }), // `isRecord` was asked.
    ...(outcome.isError && { isError: true }),
    _meta: { 'codeferry/ids': ids },
  }
}
