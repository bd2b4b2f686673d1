import { accessPath, propertyKey, stringLiteral } from '../safe-text.ts'
import type { PlacedTool } from '../sdk-view.ts'
import { typesOfTool } from '../tool-types.ts'
import { isTop, type ObjectNode, type TypeNode } from '../type-tree.ts'

/** What is longer than this says less than the name of the tool does; a program asks for the rest. */
const MAX_CHARS = 600
const MAX_UNION = 12

interface Detail {
  /** Objects inside this many others are only called objects. */
  readonly depth: number
  /** Longer unions of literals are only called by their word. */
  readonly maxUnion: number
  /** Whether optional arguments are named, or only counted. */
  readonly hasOptional: boolean
}
const DETAILS: readonly Detail[] = [
  { depth: 8, maxUnion: 60, hasOptional: true },
  { depth: 3, maxUnion: MAX_UNION, hasOptional: true },
  { depth: 1, maxUnion: MAX_UNION, hasOptional: true },
  { depth: 1, maxUnion: MAX_UNION, hasOptional: false },
]

/**
 * The call of a tool with its types on one line, as fully as its length allows. It is TypeScript, and never narrower
 * than the declaration: what is left out is open.
 */
export function oneLineSignature(placed: PlacedTool): string {
  const types = typesOfTool(placed.tool)
  const call = `tools${accessPath(placed.path)}`
  const args = `args${types.areArgsOptional ? '?' : ''}`
  for (const detail of DETAILS) {
    const result = types.result === undefined ? 'any' : writeType(types.result.node, detail, 0)
    const text = `${call}(${args}: ${writeArguments(types.args.node, detail)}): Promise<${result}>`
    if (text.length <= MAX_CHARS) return text
  }
  return `${call}(${args}: object): Promise<any>`
}

function writeArguments(node: TypeNode, detail: Detail): string {
  if (detail.hasOptional || node.kind !== 'object') return writeType(node, detail, 0)
  const members = node.members.filter((member) => !member.isOptional)
  const left = node.members.length - members.length
  const text = writeType({ ...node, members }, detail, 0)
  return left === 0 ? text : `${text} & { [optional: string]: unknown } /* ${left} optional */`
}

function writeType(node: TypeNode, detail: Detail, depth: number): string {
  switch (node.kind) {
    case 'word':
      return node.word
    case 'literal':
      return typeof node.value === 'string' ? stringLiteral(node.value) : String(node.value)
    case 'array':
      return `${writePart(node.items, detail, depth)}[]`
    case 'tuple': {
      const items = node.items.map((item, at) => `${writePart(item, detail, depth)}${at < node.required ? '' : '?'}`)
      if (node.rest !== undefined) items.push(`...${writePart(node.rest, detail, depth)}[]`)
      return `[${items.join(', ')}]`
    }
    case 'object':
      return writeObject(node, detail, depth)
    case 'union': {
      const words = new Set(node.members.map((member) => (member.kind === 'literal' ? typeof member.value : undefined)))
      const [word] = words
      if (node.members.length > detail.maxUnion && words.size === 1 && word !== undefined) return word
      return [...new Set(node.members.map((member) => writeType(member, detail, depth)))].join(' | ')
    }
    case 'intersection':
      return node.members.map((member) => writePart(member, detail, depth)).join(' & ')
    case 'loose':
      return node.top.word
    case 'named':
      // It contains itself: one level of it would have to name it.
      return node.type.node !== undefined && isTop(node.type.node) ? node.type.node.word : 'any'
  }
}

function writeObject(node: ObjectNode, detail: Detail, depth: number): string {
  const index = node.index ?? (node.members.length === 0 ? node.open : undefined)
  if (node.members.length === 0 && index === undefined) return '{}'
  if (depth >= detail.depth || (node.members.length === 0 && node.index === undefined)) return 'object'
  const parts = node.members.map(
    (member) =>
      `${propertyKey(member.key)}${member.isOptional ? '?' : ''}: ${writeType(member.node, detail, depth + 1)}`,
  )
  if (index !== undefined) parts.push(`[key: string]: ${writeType(index, detail, depth + 1)}`)
  return `{ ${parts.join('; ')} }`
}

/** As an operand: what would fall apart beside `[]` or `&` stands in parentheses. */
function writePart(node: TypeNode, detail: Detail, depth: number): string {
  const text = writeType(node, detail, depth)
  return (node.kind === 'union' || node.kind === 'intersection') && text.includes(' ') ? `(${text})` : text
}
