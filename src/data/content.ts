import type { JsonObject } from './json.ts'

/**
 * What a model (or a person) reads. The vocabulary is MCP's, field for field, so that nothing is lost on the way
 * from or to an MCP peer.
 */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceBlock | ResourceLinkBlock

interface BlockExtras {
  readonly annotations?: JsonObject
  readonly _meta?: JsonObject
}
export interface TextBlock extends BlockExtras {
  readonly type: 'text'
  readonly text: string
}
/** `data` is base64. */
export interface ImageBlock extends BlockExtras {
  readonly type: 'image'
  readonly data: string
  readonly mimeType: string
}
/** `data` is base64. */
export interface AudioBlock extends BlockExtras {
  readonly type: 'audio'
  readonly data: string
  readonly mimeType: string
}
export interface ResourceBlock extends BlockExtras {
  readonly type: 'resource'
  readonly resource: {
    readonly uri: string
    readonly mimeType?: string
    readonly text?: string
    readonly blob?: string
    readonly _meta?: JsonObject
  }
}
export interface ResourceLinkBlock extends BlockExtras {
  readonly type: 'resource_link'
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
}

export function textBlock(text: string): TextBlock {
  return { type: 'text', text }
}

/** A message in the user role that a tool or a policy sends along with a result (never instead of one). */
export interface UserMessage {
  readonly role: 'user'
  readonly content: readonly ContentBlock[]
  /** Who wrote it: a tool name, a policy name, … Kept when the loop commits the message. */
  readonly source: string
  readonly metadata?: JsonObject
}
