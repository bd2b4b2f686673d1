import { previewText, utf8ByteLength } from '../data/bytes.ts'
import { textBlock, type ContentBlock } from '../data/content.ts'
import { CodedError } from '../data/failure.ts'
import type { CallView, Policy } from '../pipeline/call.ts'
import { matchNames, type NamePattern } from './name-pattern.ts'

export interface SpillOptions {
  /** Content of one result, all blocks together. */
  readonly maxBytes: number
  /** Keeps a whole text and gives the id under which it can be read; undefined when it cannot be kept. */
  readonly keep: (text: string, call: CallView) => string | undefined | Promise<string | undefined>
  /** How the model is told to read on. Default: names the artifact. */
  readonly readOn?: (id: string) => string
  /** Default `*`. */
  readonly tools?: NamePattern | readonly NamePattern[]
}

/**
 * Replaces content that is too large for a model by a preview and keeps the whole elsewhere. The value stays as it is:
 * programs are not affected. The largest blocks go first, until the rest fits.
 */
export function createSpillPolicy(options: SpillOptions): Policy {
  const { maxBytes, keep } = options
  if (!(Number.isInteger(maxBytes) && maxBytes >= 256)) {
    throw new CodedError('CONFIG_INVALID', `spill policy: maxBytes must be an integer from 256; got ${maxBytes}`)
  }
  const matches = matchNames(options.tools ?? '*')
  const readOn = options.readOn ?? ((id) => `The whole is kept as artifact ${id}.`)
  return {
    name: 'spill',
    async post(call, outcome) {
      if (!matches(call.toolName)) return { decision: 'keep' }
      const sizes = outcome.content.map(sizeOf)
      let total = sizes.reduce((sum, size) => sum + size, 0)
      if (total <= maxBytes) return { decision: 'keep' }
      const content = [...outcome.content]
      const bySize = sizes.map((size, index) => ({ size, index })).sort((a, b) => b.size - a.size)
      // Even many small blocks end within the limit: each gets an equal share of it.
      const share = Math.floor(maxBytes / content.length)
      for (const { size, index } of bySize) {
        const block = content[index]
        if (total <= maxBytes || block === undefined) break
        const id = await keep(textOf(block), call)
        const note = id === undefined ? 'The whole could not be kept; ask for less.' : readOn(id)
        const preview = shorten(block, size, note, Math.max(share, maxBytes - (total - size)))
        content[index] = preview
        total += sizeOf(preview) - size
      }
      return { decision: 'replace-content', content }
    },
  }
}

/** At most `room` bytes, but never without the note that says where the rest is. */
function shorten(block: ContentBlock, size: number, note: string, room: number): ContentBlock {
  if (block.type === 'text') {
    return textBlock(`${previewText(block.text, Math.max(0, room - utf8ByteLength(note) - 1))}\n${note}`)
  }
  return textBlock(`[${block.type} of ${size} bytes left out] ${note}`)
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : JSON.stringify(block)
}

/** Text as it is, other blocks as JSON: what a client is sent. */
function sizeOf(block: ContentBlock): number {
  return utf8ByteLength(textOf(block))
}
