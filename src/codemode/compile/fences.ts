/** One way to read the submitted text: what is no program is blanked, so that offsets and lines stay those of the text. */
export interface Reading {
  readonly text: string
  /** Something was taken off that is neither program nor blank: prose, other blocks. */
  readonly dropped: 'nothing' | 'fence' | 'prose'
  /** The reading holds only if this text does not look like fences to the parser, see `Facts.hasTaggedByTemplate`. */
  readonly isUnfenced: boolean
}

interface Line {
  readonly start: number
  readonly end: number
  readonly fence: Fence | undefined
}
interface Fence {
  readonly mark: string
  readonly length: number
  readonly tag: string
}
/** Lines `first`..`last` between two fence lines (or up to the end, when the answer was cut off). */
interface Block {
  readonly first: number
  readonly last: number
  readonly tag: string
}

const PROGRAM_TAGS: ReadonlySet<string> = new Set([
  'ts',
  'typescript',
  'js',
  'javascript',
  'mjs',
  'mts',
  'tsx',
  'jsx',
  'node',
  'code',
  'run_code',
])

/** A text with more fence lines than this is a document; only its outermost reading is tried. */
const MAX_FENCES = 64

/**
 * The readings of a text, best first; the caller takes the first that parses. A text without a fence line has one.
 * Works on lines, before any parse: a fence line is three or more backticks or tildes at the start of a line.
 */
export function readingsOf(text: string): readonly Reading[] {
  const whole: Reading = { text, dropped: 'nothing', isUnfenced: true }
  if (!text.includes('```') && !text.includes('~~~')) return [whole]
  const lines = splitLines(text)
  const fences = lines.flatMap((line, index) => (line.fence === undefined ? [] : [index]))
  const [opener] = fences
  if (opener === undefined) return [whole]

  const blocks: Block[] = [outermost(lines, opener)]
  if (fences.length <= MAX_FENCES) {
    const single = programBlock(commonMarkBlocks(lines))
    if (single !== undefined) blocks.push(single)
  }
  const readings = blocks.map((block) => keepOnly(text, lines, block))
  const startsFenced = isBlank(text.slice(0, lines[opener]?.start))
  return startsFenced ? readings : [whole, ...readings]
}

/** From the first fence line to the last one of its kind: a program may hold fence lines of its own. */
function outermost(lines: readonly Line[], opener: number): Block {
  const open = lines[opener]?.fence
  let last = lines.length
  for (let index = lines.length - 1; index > opener; index--) {
    if (open !== undefined && closes(lines[index]?.fence, open)) {
      last = index
      break
    }
  }
  return { first: opener + 1, last, tag: open?.tag ?? '' }
}

/** Blocks as a Markdown reader sees them: each fence is closed by the next bare one of its kind. */
function commonMarkBlocks(lines: readonly Line[]): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly at: number; readonly fence: Fence } | undefined
  for (const [index, { fence }] of lines.entries()) {
    if (fence === undefined) continue
    if (open === undefined) open = { at: index, fence }
    else if (closes(fence, open.fence)) {
      blocks.push({ first: open.at + 1, last: index, tag: open.fence.tag })
      open = undefined
    }
  }
  if (open !== undefined) blocks.push({ first: open.at + 1, last: lines.length, tag: open.fence.tag })
  return blocks
}

/** The block that is meant, when only one can be: the sole one, or the sole one marked as TypeScript or JavaScript. */
function programBlock(blocks: readonly Block[]): Block | undefined {
  if (blocks.length === 1) return blocks[0]
  const programs = blocks.filter(({ tag }) => PROGRAM_TAGS.has(tag))
  return programs.length === 1 ? programs[0] : undefined
}

function closes(fence: Fence | undefined, open: Fence): boolean {
  return fence !== undefined && fence.tag === '' && fence.mark === open.mark && fence.length >= open.length
}

function keepOnly(text: string, lines: readonly Line[], block: Block): Reading {
  const start = lines[block.first]?.start ?? text.length
  const end = lines[block.last]?.start ?? text.length
  const outside = lines.filter(
    (line, index) => (index < block.first || index >= block.last) && line.fence === undefined,
  )
  const isProse = outside.some((line) => !isBlank(text.slice(line.start, line.end)))
  const isOtherFence = lines.some(
    (line, index) => line.fence !== undefined && (index < block.first - 1 || index > block.last),
  )
  return {
    text: blank(text.slice(0, start)) + text.slice(start, end) + blank(text.slice(end)),
    dropped: isProse || isOtherFence ? 'prose' : 'fence',
    isUnfenced: false,
  }
}

function blank(text: string): string {
  let blanked = ''
  let at = 0
  for (let index = 0; index <= text.length; index++) {
    const unit = text[index]
    if (unit !== '\n' && unit !== '\r' && index < text.length) continue
    blanked += ' '.repeat(index - at) + (unit ?? '')
    at = index + 1
  }
  return blanked
}

function isBlank(text: string): boolean {
  return text.trim() === '' // trim() knows the byte order mark as white space.
}

function splitLines(text: string): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  for (;;) {
    const at = text.indexOf('\n', start)
    const end = at < 0 ? text.length : at
    lines.push({ start, end, fence: fenceOf(text.slice(start, end)) })
    if (at < 0) return lines
    start = at + 1
  }
}

function fenceOf(line: string): Fence | undefined {
  const trimmed = line.trim()
  const mark = trimmed[0]
  if (mark !== '`' && mark !== '~') return undefined
  let length = 0
  while (trimmed[length] === mark) length++
  const info = trimmed.slice(length).trim()
  // A backtick behind the fence is a template literal or inline code, not a fence.
  if (length < 3 || (mark === '`' && info.includes('`'))) return undefined
  return { mark, length, tag: info.split(' ')[0]?.toLowerCase() ?? '' }
}
