import { previewText, utf8ByteLength } from '../data/bytes.ts'
import { textBlock, type ContentBlock } from '../data/content.ts'
import { isRecord, type Json } from '../data/json.ts'
import type { LogLine, Notice } from '../executor/executor.ts'
import type { CallSummary } from './bridge.ts'

/** What the model reads of a run, in this order: what it returned (or why it failed), what it printed, notices, other blocks. */
export interface RunFacts {
  readonly hasResult: boolean
  readonly result?: Json
  readonly logs: readonly LogLine[]
  readonly notices: readonly Notice[]
  readonly calls: readonly CallSummary[]
  readonly shown: readonly ContentBlock[]
}

export interface PresentationLimits {
  readonly maxContentBytes: number
  /** Keeps the whole text and gives its id, or `undefined` when it cannot be kept. */
  keep(text: string): string | undefined
}

/** How many images of a returned value are passed on; more are named in a notice. */
const MAX_LIFTED_BLOCKS = 20

export function presentSuccess(facts: RunFacts, limits: PresentationLimits): readonly ContentBlock[] {
  const lifted: ContentBlock[] = []
  const result = facts.hasResult ? liftBlocks(facts.result ?? null, lifted) : undefined
  const notices = [...facts.notices]
  if (lifted.length > MAX_LIFTED_BLOCKS)
    notices.push({
      code: 'blocks-left-out',
      message: `${lifted.length - MAX_LIFTED_BLOCKS} of ${lifted.length} images in the returned value are left out here; pass the ones that matter to show().`,
    })
  const text = [resultText(facts.hasResult, result), logText(facts.logs), noticeText(notices)]
  return [...textParts(text, limits), ...facts.shown, ...unlike(lifted.slice(0, MAX_LIFTED_BLOCKS), facts.shown)]
}

export function presentFailure(reason: string, facts: RunFacts, limits: PresentationLimits): readonly ContentBlock[] {
  const text = [reason, doneText(facts.calls), logText(facts.logs), noticeText(facts.notices)]
  return [...textParts(text, limits), ...facts.shown]
}

/** One block a part, so that a client can show them apart; previewed together when they are too much. */
function textParts(parts: readonly string[], limits: PresentationLimits): readonly ContentBlock[] {
  const present = parts.filter((part) => part !== '')
  const total = present.reduce((sum, part) => sum + utf8ByteLength(part), 0)
  if (total <= limits.maxContentBytes) return present.map(textBlock)
  // Each part may use an equal share, and what short ones leave over goes to the long ones.
  const budgets = shares(
    present.map((part) => utf8ByteLength(part)),
    limits.maxContentBytes,
  )
  const id = limits.keep(present.join('\n\n'))
  const where =
    id === undefined
      ? 'The whole could not be kept: return less.'
      : `The whole (${total} bytes) is kept: a program can read it with await artifacts.read(${JSON.stringify(id)}, { offset: 0, length: 20000 }).`
  return [
    ...present.map((part, index) => textBlock(previewText(part, budgets[index] ?? 0))),
    textBlock(`[truncated to ${limits.maxContentBytes} bytes] ${where}`),
  ]
}

function shares(sizes: readonly number[], total: number): readonly number[] {
  const budgets = sizes.map(() => 0)
  let left = total
  let waiting = sizes.map((size, index) => ({ size, index })).toSorted((a, b) => a.size - b.size)
  for (const { size, index } of waiting) {
    const fair = Math.floor(left / waiting.length)
    budgets[index] = Math.min(size, fair)
    left -= budgets[index] ?? 0
    waiting = waiting.slice(1)
  }
  return budgets
}

function resultText(hasResult: boolean, result: Json | undefined): string {
  if (!hasResult) return 'The program ran to its end and returned nothing. (To give a result: return it.)'
  return typeof result === 'string' ? result : JSON.stringify(result)
}

function logText(logs: readonly LogLine[]): string {
  if (logs.length === 0) return ''
  const lines = logs.map((line) =>
    line.level === 'log' || line.level === 'info' ? line.text : `[${line.level}] ${line.text}`,
  )
  return `Console:\n${lines.join('\n')}`
}

function noticeText(notices: readonly Notice[]): string {
  if (notices.length === 0) return ''
  return `Notices:\n${notices.map((notice) => `- ${notice.message}`).join('\n')}`
}

/** What had already happened outside: a model that tries again must not do it twice. */
function doneText(calls: readonly CallSummary[]): string {
  if (calls.length === 0) return 'No tool was called.'
  const lines: string[] = []
  for (const [label, belongs] of CALL_KINDS) {
    const counts = new Map<string, number>()
    for (const call of calls.filter(belongs)) {
      const what = call.code === undefined ? call.name : `${call.name} (${call.code})`
      counts.set(what, (counts.get(what) ?? 0) + 1)
    }
    if (counts.size > 0)
      lines.push(`- ${label}: ${[...counts].map(([what, n]) => (n === 1 ? what : `${what} × ${n}`)).join(', ')}`)
  }
  return `Calls this program made:\n${lines.join('\n')}`
}

const CALL_KINDS: readonly (readonly [string, (call: CallSummary) => boolean])[] = [
  ['done', (call) => !call.isError],
  ['failed', (call) => call.isError && call.state === 'settled'],
  ['cut off while running, outcome unknown', (call) => call.state === 'abandoned'],
  ['not started', (call) => call.state === 'unstarted'],
]

/** Deeper down, values stay as they are: a hostile result must not use up the host's stack. */
const MAX_LIFT_DEPTH = 64

/** Base64 is for eyes, not for text: blocks inside a returned value travel once, as blocks, and leave a mark behind. */
function liftBlocks(value: Json, lifted: ContentBlock[], depth = 0): Json {
  if (depth > MAX_LIFT_DEPTH) return value
  if (Array.isArray(value)) return value.map((item: Json) => liftBlocks(item, lifted, depth + 1))
  if (!isRecord(value)) return value
  const block = asBinaryBlock(value)
  if (block !== undefined) {
    lifted.push(block)
    return `[${block.type} ${block.mimeType}, shown below]`
  }
  const copy: Record<string, Json> = {}
  for (const [key, item] of Object.entries(value))
    Object.defineProperty(copy, key, {
      value: liftBlocks(item as Json, lifted, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    }) // `__proto__` is data.
  return copy
}

function asBinaryBlock(value: Record<string, unknown>) {
  const { type, data, mimeType } = value
  if ((type !== 'image' && type !== 'audio') || typeof data !== 'string' || typeof mimeType !== 'string')
    return undefined
  return { type, data, mimeType } as const
}

function unlike(blocks: readonly ContentBlock[], shown: readonly ContentBlock[]): readonly ContentBlock[] {
  const seen = new Set(shown.map((block) => ('data' in block ? block.data : undefined)))
  return blocks.filter((block) => !('data' in block) || !seen.has(block.data))
}
