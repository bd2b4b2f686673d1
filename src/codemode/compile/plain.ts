import { isNode, type AnyNode, type File } from './ast.ts'

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
 * Whether V8 can run the program as it stands, so that lowering would only copy it. In doubt it is not plain: then the
 * long way is taken, which gives the same.
 */
export function isPlainJavaScript(file: File, text: string): boolean {
  if (TELLING_TEXT.test(text)) return false
  // What the parser let pass for lowering to decide, such as a name declared twice.
  if ((file.errors ?? []).length > 0) return false
  // No recursion: the depth of the tree is the program's choice.
  const waiting: unknown[] = [file.program]
  const functionBodies = new Set<unknown>()
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (!isNode(node)) continue
    if (!isPlainNode(node)) return false
    if (node.type.includes('Function') || node.type.endsWith('Method')) functionBodies.add(node['body'])
    if (node.type !== 'Program' && !functionBodies.has(node) && holdsFunction(node)) return false
    for (const key of Object.keys(node)) {
      const value = node[key]
      if (typeof value !== 'object' || value === null || key === 'loc') continue
      if (Array.isArray(value)) for (const child of value as readonly unknown[]) waiting.push(child)
      else waiting.push(value)
    }
  }
  return true
}

function isPlainNode(node: AnyNode): boolean {
  const { type } = node
  if (type.startsWith('TS') || type.startsWith('JSX') || LOWERED.has(type)) return false
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
