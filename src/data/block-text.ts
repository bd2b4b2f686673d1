import type { ContentBlock } from './content.ts'

/** Content in words, for people: texts as they are, everything else by what it is. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join('\n')
}

export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource':
      return block.resource.text ?? `[resource ${block.resource.uri}]`
    case 'resource_link':
      return `[link ${block.uri}]`
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${block.data.length} characters of base64]`
  }
}
