import { blockText, type ContentBlock } from '../index.ts'

/** A block as providers can take one. */
export type ShownBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'media'; readonly mimeType: string; readonly data: string; readonly name: string }

/**
 * A block as media where `takes` says that the provider has a place for the type, and in words everywhere else: nothing
 * is left out without a trace.
 */
export function shownBlock(block: ContentBlock, takes: (mimeType: string) => boolean): ShownBlock {
  const media = mediaOf(block)
  if (media !== undefined && takes(media.mimeType)) return { kind: 'media', ...media }
  return { kind: 'text', text: blockText(block) }
}

function mediaOf(block: ContentBlock) {
  if (block.type === 'image' || block.type === 'audio')
    return { mimeType: block.mimeType, data: block.data, name: block.type }
  if (block.type !== 'resource' || block.resource.blob === undefined) return undefined
  const { uri, mimeType = 'application/octet-stream', blob } = block.resource
  return { mimeType, data: blob, name: uri.split('/').at(-1)?.slice(0, 100) || 'file' }
}
