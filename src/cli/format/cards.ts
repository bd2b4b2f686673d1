import type { Card } from '../../cards.ts'
import type { RenderIntent } from '../../registry/tool.ts'
import { paletteFor, safe, type Io } from '../io.ts'
import { approvalText } from './approval.ts'
import { formatMs } from './run.ts'

const MAX_LINES = 12
const MAX_LINE = 160

/** Cards as an indented tree. Everything in them came from a program, a tool or a server. */
export function writeCards(io: Io, cards: readonly Card[]): void {
  const { bold, dim, green, red, yellow } = paletteFor(io.stdout, io.env)
  const lines = ['', bold('Cards')]
  // Depth is the log's choice, not ours: no recursion.
  const open = cards.toReversed().map((card) => ({ card, depth: 1 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { card, depth } = next
    const mark = card.state === 'done' ? green('✓') : card.state === 'failed' ? red('✗') : yellow('…')
    const indent = '  '.repeat(depth)
    const time = card.durationMs === undefined ? 'not ended' : formatMs(card.durationMs)
    const code = card.code === undefined ? '' : ` ${safe(card.code)}`
    lines.push(`${indent}${mark} ${safe(card.name)}  ${time}${code}${approvalText(card.approval)}`)
    for (const line of bounded(intentLines(card.result ?? card.call, card.call)))
      lines.push(`${indent}    ${dim(line)}`)
    for (const child of card.children.toReversed()) open.push({ card: child, depth: depth + 1 })
  }
  io.stdout.write(`${lines.join('\n')}\n`)
}

/** The result's own look when there is one; a generic result adds to the look of the call instead of replacing it. */
function intentLines(shown: RenderIntent, call: RenderIntent): readonly string[] {
  const before = shown !== call && shown.kind === 'generic' ? linesOf(call) : []
  return [...before, ...linesOf(shown)]
}

function linesOf(intent: RenderIntent): readonly string[] {
  switch (intent.kind) {
    case 'generic':
      return textLines(intent.detail)
    case 'terminal':
      return [
        `$ ${intent.command}`,
        ...textLines(intent.output),
        ...(intent.exitCode === undefined || intent.exitCode === 0 ? [] : [`exit code ${intent.exitCode}`]),
      ]
    case 'diff':
      return [
        intent.path,
        ...textLines(intent.patch),
        ...textLines(intent.before).map((line) => `- ${line}`),
        ...textLines(intent.after).map((line) => `+ ${line}`),
      ]
    case 'search':
      return [`search: ${intent.query}`, ...(intent.hits ?? []).map(({ title, ref }) => `${title}  ${ref}`)]
    case 'read':
      return [`read: ${intent.path}${intent.range === undefined ? '' : ` ${intent.range}`}`, ...textLines(intent.text)]
    case 'web':
      return [intent.url, ...textLines(intent.title), ...textLines(intent.text)]
  }
}

function textLines(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split('\n')
}

function bounded(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => {
    const clean = safe(line.slice(0, MAX_LINE * 2)).replaceAll(/\s+/g, ' ')
    return clean.length <= MAX_LINE ? clean : `${clean.slice(0, MAX_LINE - 1)}…`
  })
  return lines.length > MAX_LINES ? [...shown, `… ${lines.length - MAX_LINES} more lines`] : shown
}
