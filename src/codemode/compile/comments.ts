import type { File } from './ast.ts'

interface Comment {
  readonly type: string
  readonly value: string
  readonly start?: number
  readonly end?: number
}

/** Words for tools, not for people. */
const PRAGMAS: readonly string[] = [
  '@ts-',
  'eslint',
  'prettier',
  'oxlint',
  'biome',
  '#',
  '!',
  'global ',
  '@jsx',
  'deno-',
]

/** The first comment of a program that says something; line comments that follow each other are one. */
export function firstComment(file: File, text: string): string | undefined {
  const comments = (file.comments ?? []) as readonly Comment[]
  const parts: string[] = []
  let end = 0
  for (const comment of comments) {
    const isLine = comment.type === 'CommentLine'
    if (parts.length > 0 && !(isLine && isNextLine(text.slice(end, comment.start)))) break
    const said = isLine ? comment.value.trim() : withoutStars(comment.value)
    if (said === '' || PRAGMAS.some((pragma) => said.startsWith(pragma))) {
      if (parts.length > 0) break
      continue
    }
    parts.push(said)
    end = comment.end ?? 0
    if (!isLine || parts.length >= 5) break
  }
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** Nothing between two comments but the end of the line. */
function isNextLine(between: string): boolean {
  return between.trim() === '' && between.split('\n').length <= 2
}

function withoutStars(block: string): string {
  return block
    .split('\n')
    .map((line) => {
      const trimmed = line.trim()
      return trimmed.startsWith('*') ? trimmed.slice(1).trim() : trimmed
    })
    .filter((line) => line !== '')
    .join(' ')
}
