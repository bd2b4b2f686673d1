import type { BatchedResult, BatchResult, ContentBlock, Engine, SessionLog } from '../index.ts'
import { offeredTools, type OfferOptions } from './offered-tools.ts'
import { rawArguments, runStep, type ProviderCall, type StepOptions } from './run-step.ts'
import { shownBlock } from './shown-block.ts'

/** Fits `tools` of `client.messages.create()`. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: 'object'; [keyword: string]: unknown }
}

export type AnthropicPart =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } }
export type AnthropicImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content: AnthropicPart[]
  is_error?: true
}

export interface AnthropicStep extends BatchResult {
  /**
   * The message that answers the calls: their results in order, and after them what tools want to tell the model.
   * Undefined when there was no call.
   */
  readonly message: { role: 'user'; content: (AnthropicToolResult | AnthropicPart)[] } | undefined
}

/** The tools of an engine for the Messages API: `run_code`, the tools themselves, or both, as the mode says. */
export function toAnthropicTools(engine: Engine, options: OfferOptions = {}): AnthropicTool[] {
  return offeredTools(engine, options).map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { ...parameters, type: 'object' },
  }))
}

/**
 * Makes the calls of a message (`message.content`, its `tool_use` blocks) as one step. Other blocks are passed over.
 * Failures are results with `is_error`; it rejects only when the session's log does.
 */
export async function runAnthropicToolCalls(
  engine: Engine,
  session: SessionLog,
  content: readonly unknown[],
  options: StepOptions = {},
): Promise<AnthropicStep> {
  const calls = content.flatMap(readCall).filter(({ name }) => options.skip?.(name) !== true)
  const step = await runStep(engine, session, calls, options)
  const results = step.results.map((result, index) => toResult(result, calls[index]?.id ?? ''))
  const told = step.contexts.flatMap((context) => partsOf(context.content, toPart))
  return { ...step, message: results.length === 0 ? undefined : { role: 'user', content: [...results, ...told] } }
}

/**
 * A block that is no call is none; a call without an id or a name has an empty one. `input` is parsed by the client package, but
 * not by those who collect the raw text of a stream: a string is the arguments as they came.
 */
function readCall(block: unknown): readonly ProviderCall[] {
  if (typeof block !== 'object' || block === null || !('type' in block) || block.type !== 'tool_use') return []
  const id: unknown = Reflect.get(block, 'id')
  const name: unknown = Reflect.get(block, 'name')
  const input: unknown = Reflect.get(block, 'input')
  return [
    {
      id: typeof id === 'string' ? id : '',
      name: typeof name === 'string' ? name : '',
      arguments: rawArguments(input),
    },
  ]
}

function toResult({ durable: { content, isError } }: BatchedResult, id: string): AnthropicToolResult {
  if (!isError) return { type: 'tool_result', tool_use_id: id, content: partsOf(content, toPart) }
  // The API refuses anything but text in an error, and an error without content.
  const parts = partsOf(content, toText)
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: parts.length > 0 ? parts : [{ type: 'text', text: 'the call failed' }],
    is_error: true,
  }
}

/** Without empty texts, which the API refuses. */
function partsOf(content: readonly ContentBlock[], toPart: (block: ContentBlock) => AnthropicPart): AnthropicPart[] {
  return content.map(toPart).filter((part) => part.type !== 'text' || part.text.trim() !== '')
}

function toText(block: ContentBlock): AnthropicPart {
  const shown = shownBlock(block, () => false)
  return { type: 'text', text: shown.kind === 'text' ? shown.text : shown.mimeType }
}

function toPart(block: ContentBlock): AnthropicPart {
  const shown = shownBlock(block, (mimeType) => isImageType(mimeType) || mimeType === PDF)
  if (shown.kind === 'text') return { type: 'text', text: shown.text }
  const { mimeType, data } = shown
  return isImageType(mimeType)
    ? { type: 'image', source: { type: 'base64', media_type: mimeType, data } }
    : { type: 'document', source: { type: 'base64', media_type: PDF, data } }
}

const PDF = 'application/pdf'
const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

function isImageType(mimeType: string): mimeType is AnthropicImageType {
  return IMAGE_TYPES.includes(mimeType)
}

export type { OfferOptions } from './offered-tools.ts'
export type { StepOptions } from './run-step.ts'
