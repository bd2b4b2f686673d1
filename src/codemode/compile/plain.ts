import { anyNode, isNode, type AnyNode, type File } from './ast.ts'
import { blankOut, eraseNode, optionalMark, type Placed } from './erase-types.ts'

/** Node types that lowering does something about, or that mean something else in a module than in a function. */
const LOWERED: ReadonlySet<string> = new Set([
  'Decorator',
  'ClassAccessorProperty',
  'ThisExpression',
  'MetaProperty',
  'ImportExpression',
  'Import',
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportDefaultDeclaration',
  'ExportAllDeclaration',
])

/** Modifiers of TypeScript that are marks on ordinary nodes. */
const MODIFIERS = [
  'declare',
  'definite',
  'accessibility',
  'readonly',
  'abstract',
  'override',
  'importKind',
  'exportKind',
]

/** `-->` and `<!--` are operators in a module; `//#` and `//@` could tell V8 another name for the script. */
const TELLING_TEXT = /<!--|-->|\/\/[#@]/

/**
 * The program as V8 can run it as it stands, its types blanked, so that every offset stays what it was; lowering would
 * only copy it. In doubt there is none: then the long way is taken, which gives the same.
 */
export function plainText(file: File, text: string): string | undefined {
  if (TELLING_TEXT.test(text)) return undefined
  // What the parser let pass for lowering to decide, such as a name declared twice.
  if ((file.errors ?? []).length > 0) return undefined
  const ranges: (readonly [start: number, end: number, first: string])[] = []
  const blanks = {
    text,
    add: (start: number, end: number, endsStatement?: boolean) =>
      void ranges.push([start, end, endsStatement === true ? ';' : ' ']),
  }
  // No recursion: the depth of the tree is the program's choice.
  const waiting: Placed[] = [{ node: anyNode(file.program), parent: undefined, key: '' }]
  const functionBodies = new Set<unknown>()
  for (let placed = waiting.pop(); placed !== undefined; placed = waiting.pop()) {
    const { node } = placed
    const erasure = eraseNode(placed, blanks)
    if (erasure === 'refused') return undefined
    if (erasure === 'erased') continue
    if (node['optional'] === true && node.type === 'Identifier') {
      const mark = optionalMark(node, text)
      if (mark === undefined) return undefined
      blanks.add(...mark)
    } else if (erasure === 'kept' && !isPlainNode(node)) return undefined
    if (node.type.includes('Function') || node.type.endsWith('Method')) functionBodies.add(node['body'])
    if (node.type !== 'Program' && !functionBodies.has(node) && holdsFunction(node)) return undefined
    for (const key of Object.keys(node)) {
      const value = node[key]
      if (typeof value !== 'object' || value === null || key === 'loc' || key === 'extra') continue
      // What a wrapper says of types has gone with it.
      if (erasure === 'inner' && key === 'typeAnnotation') continue
      if (!Array.isArray(value)) push(value, node, key)
      else for (const child of value as readonly unknown[]) push(child, node, key)
    }
  }
  return ranges.length === 0 ? text : blankOut(text, ranges)

  function push(child: unknown, parent: AnyNode, key: string): void {
    if (isNode(child)) waiting.push({ node: child, parent, key })
  }
}

function isPlainNode(node: AnyNode): boolean {
  const { type } = node
  if (type.startsWith('JSX') || LOWERED.has(type)) return false
  // `x?` as a parameter or a field; `a?.b` has the same mark.
  if (node['optional'] === true && !type.startsWith('Optional')) return false
  return MODIFIERS.every((name) => node[name] === undefined || node[name] === null || node[name] === false)
}

/** A function declared in a block: lowering makes it visible around the block, as sloppy code has it. */
function holdsFunction(node: AnyNode): boolean {
  return ['body', 'consequent', 'alternate'].some((key) => {
    const held = node[key]
    const list: readonly unknown[] = Array.isArray(held) ? held : [held]
    return list.some((child) => isNode(child) && child.type === 'FunctionDeclaration')
  })
}
