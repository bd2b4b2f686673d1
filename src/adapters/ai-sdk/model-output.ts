import type { ModelMessage, Tool } from 'ai'
import type { BatchedResult, ContentBlock, Failure, UserMessage } from '../../index.ts'
import { shownBlock } from '../shown-block.ts'

/** What a call gives to the SDK: plain JSON, as it travels in steps, messages and to user interfaces. */
export interface CodeferryOutput {
  /** As in the log of the session. */
  readonly callId: string
  readonly isError: boolean
  readonly content: readonly ContentBlock[]
  readonly error?: Failure
  readonly contexts?: readonly UserMessage[]
  readonly concludesTurn?: boolean
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>
type UserParts = Exclude<Extract<ModelMessage, { role: 'user' }>['content'], string>

export function toOutput({ callId, outcome }: BatchedResult): CodeferryOutput {
  return {
    callId,
    isError: outcome.isError,
    content: outcome.content,
    ...(outcome.isError && { error: outcome.error }),
    ...(outcome.contexts !== undefined && { contexts: outcome.contexts }),
    ...(!outcome.isError && outcome.concludesTurn === true && { concludesTurn: true }),
  }
}

/** Total, as an output may come back from a client that kept the messages: what is not ours is given on as JSON. */
export function toModelOutput(output: unknown): ModelOutput {
  if (!isCodeferryOutput(output)) return { type: 'json', value: JSON.parse(JSON.stringify(output ?? null)) }
  const { content, isError } = output
  if (isError) return { type: 'error-text', value: content.map((block) => wordsOf(block)).join('\n') }
  const shown = content.map((block) => shownBlock(block, isMedia))
  const texts = shown.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  if (texts.length === shown.length) return { type: 'text', value: texts.join('\n') }
  return {
    type: 'content',
    value: shown.map((block) =>
      block.kind === 'text'
        ? { type: 'text', text: block.text }
        : { type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } },
    ),
  }
}

/** A message of a tool, for the next step. */
export function toUserMessage({ content }: UserMessage): ModelMessage {
  const parts = content.map((block): UserParts[number] => {
    const shown = shownBlock(block, isMedia)
    return shown.kind === 'text'
      ? { type: 'text', text: shown.text }
      : { type: 'file', mediaType: shown.mimeType, data: shown.data }
  })
  return { role: 'user', content: parts }
}

export function isCodeferryOutput(output: unknown): output is CodeferryOutput {
  if (!isObject(output) || typeof output.isError !== 'boolean') return false
  return areBlocks(output.content) && (output.contexts === undefined || areMessages(output.contexts))
}

function areMessages(value: unknown): boolean {
  return Array.isArray(value) && value.every((one: unknown) => isObject(one) && areBlocks(one.content))
}

function areBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every(isBlock)
}

/** As much of a block as is read here. */
function isBlock(block: unknown): boolean {
  if (!isObject(block)) return false
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string'
    case 'image':
    case 'audio':
      return typeof block.data === 'string' && typeof block.mimeType === 'string'
    case 'resource_link':
      return typeof block.uri === 'string'
    case 'resource': {
      const { resource } = block
      if (!isObject(resource) || typeof resource.uri !== 'string') return false
      return [resource.text, resource.blob, resource.mimeType].every((part) =>
        ['string', 'undefined'].includes(typeof part),
      )
    }
    default:
      return false
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Which of these a model takes is for its provider in the SDK to say. */
function isMedia(mimeType: string): boolean {
  return /^(image|audio)\/|^application\/pdf$/.test(mimeType)
}

function wordsOf(block: ContentBlock): string {
  const shown = shownBlock(block, () => false)
  return shown.kind === 'text' ? shown.text : shown.mimeType
}
