import type { BatchResult, ContentBlock, Engine, SessionLog, UserMessage } from '../index.ts'
import { offeredTools, type OfferOptions } from './offered-tools.ts'
import { rawArguments, runStep, type ProviderCall, type StepOptions } from './run-step.ts'
import { shownBlock } from './shown-block.ts'

/** Fits `tools` of `client.responses.create()`. */
export interface OpenAiTool {
  type: 'function'
  name: string
  description: string
  parameters: Record<string, unknown>
  strict: false
}

/** Fits `input` of the next request. */
export type OpenAiItem = OpenAiCallOutput | OpenAiUserMessage
export interface OpenAiCallOutput {
  type: 'function_call_output'
  call_id: string
  output: string | OpenAiPart[]
}
export interface OpenAiUserMessage {
  type: 'message'
  role: 'user'
  content: OpenAiPart[]
}
export type OpenAiPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }

export interface OpenAiStep extends BatchResult {
  /** One output for each call, in the order of the calls, and after them what tools want to tell the model. */
  readonly items: OpenAiItem[]
}

/** The tools of an engine for the Responses API: `run_code`, the tools themselves, or both, as the mode says. */
export function toOpenAiTools(engine: Engine, options: OfferOptions = {}): OpenAiTool[] {
  return offeredTools(engine, options).map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters: { ...parameters },
    // Strict schemas are a small subset; arguments are checked by the pipeline, whatever the schema.
    strict: false,
  }))
}

/**
 * Makes the function calls of a response (`response.output`) as one step. Other items are passed over. Failures are
 * outputs that say their code; it rejects only when the session's log does.
 */
export async function runOpenAiToolCalls(
  engine: Engine,
  session: SessionLog,
  output: readonly unknown[],
  options: StepOptions = {},
): Promise<OpenAiStep> {
  const calls = output.flatMap(readCall).filter(({ name }) => options.skip?.(name) !== true)
  const step = await runStep(engine, session, calls, options)
  const outputs = step.results.map(({ durable }, index): OpenAiCallOutput => ({
    type: 'function_call_output',
    // The provider's own: in the log an id that was used before is another one.
    call_id: calls[index]?.id ?? '',
    output: outputOf(durable.content),
  }))
  return { ...step, items: [...outputs, ...step.contexts.map(toMessage)] }
}

/** What a response holds came over a network: an item that is not a call is none, and a call without an id or a name has an empty one. */
function readCall(item: unknown): readonly ProviderCall[] {
  if (typeof item !== 'object' || item === null || !('type' in item) || item.type !== 'function_call') return []
  const text = (key: 'call_id' | 'name'): string => {
    const value: unknown = Reflect.get(item, key)
    return typeof value === 'string' ? value : ''
  }
  return [{ id: text('call_id'), name: text('name'), arguments: rawArguments(Reflect.get(item, 'arguments')) }]
}

function outputOf(content: readonly ContentBlock[]): string | OpenAiPart[] {
  const parts = content.map(toPart)
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}

function toPart(block: ContentBlock): OpenAiPart {
  const shown = shownBlock(block, (mimeType) => IMAGES.has(mimeType) || mimeType === 'application/pdf')
  if (shown.kind === 'text') return { type: 'input_text', text: shown.text }
  const url = `data:${shown.mimeType};base64,${shown.data}`
  return shown.mimeType === 'application/pdf'
    ? { type: 'input_file', filename: shown.name, file_data: url }
    : { type: 'input_image', image_url: url, detail: 'auto' }
}

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

function toMessage({ content }: UserMessage): OpenAiUserMessage {
  return { type: 'message', role: 'user', content: content.map(toPart) }
}

export type { OfferOptions } from './offered-tools.ts'
export type { StepOptions } from './run-step.ts'
