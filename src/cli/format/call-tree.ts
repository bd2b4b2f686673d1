import type { CallNode } from '../../session/call-tree.ts'
import { paletteFor, safe, type Io } from '../io.ts'
import { approvalText } from './approval.ts'
import { formatMs } from './run.ts'

const MAX_ARGUMENTS = 100

/** Calls as an indented tree: name, outcome, duration, and the beginning of the arguments. */
export function callTreeLines(io: Io, roots: readonly CallNode[]): readonly string[] {
  const { dim, green, red, yellow } = paletteFor(io.stdout, io.env)
  const lines: string[] = []
  // Depth is the log's choice, not ours: no recursion.
  const open = roots.map((node) => ({ node, depth: 1 })).reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    const mark = node.state === 'ok' ? green('✓') : node.state === 'failed' ? red('✗') : yellow('…')
    const duration = node.durationMs === undefined ? 'not ended' : formatMs(node.durationMs)
    const code = node.error === undefined ? '' : ` ${safe(node.error.code)}`
    lines.push(
      `${'  '.repeat(depth)}${mark} ${safe(node.name)}  ${duration}${code}${approvalText(node.approval)}  ${dim(argumentsText(node.arguments))}`,
    )
    for (const child of node.children.toReversed()) open.push({ node: child, depth: depth + 1 })
  }
  return lines
}

function argumentsText(raw: string): string {
  const line = safe(raw.slice(0, MAX_ARGUMENTS * 2)).replaceAll(/\s+/g, ' ')
  return line.length <= MAX_ARGUMENTS ? line : `${line.slice(0, MAX_ARGUMENTS - 1)}…`
}
