import {
  anyNode,
  childOf,
  childrenOf,
  endOf,
  nameOf,
  DECLARATIONS,
  type AnyNode,
  type File,
  type Statement,
} from './ast.ts'
import type { Edits } from './edits.ts'
import type { Facts } from './facts.ts'

/** What a default export or an assignment to `module.exports` gives. */
export interface Exported {
  /** The exported expression or declaration. */
  readonly node: AnyNode
  /** Set when it has a name by which it can be used; then nothing of the export itself is left. */
  readonly name?: string
  /** Range that makes way for `const value`; absent when there is a name. */
  readonly head?: readonly [number, number]
  /** Whether the `=` stands behind `head` already. */
  readonly hasEquals?: boolean
  /** Where a `;` is due. */
  readonly end: number
}

/** Takes `export` off every statement and tells what the default export is, if there is one. */
export function takeExportsOff(file: File, text: string, edits: Edits): Exported | undefined {
  let exported: Exported | undefined
  for (const statement of file.program.body) exported = takeExportOff(statement, text, edits) ?? exported
  return exported
}

function takeExportOff(statement: Statement, text: string, edits: Edits): Exported | undefined {
  const node = anyNode(statement)
  const remove = () => edits.replace(node.start, node.end, '')
  if (node.type === 'ExportAllDeclaration' || node.type === 'TSNamespaceExportDeclaration') remove()
  else if (node.type === 'ExportNamedDeclaration') {
    const declaration = childOf(node, 'declaration')
    if (declaration !== undefined) edits.replace(...keywordRange(text, node, declaration), '')
    else remove()
    return declaration === undefined && node['source'] == null ? defaultSpecifier(node) : undefined
  } else if (node.type === 'TSExportAssignment') {
    const value = childOf(node, 'expression') ?? node
    if (value.type === 'Identifier') remove()
    return exportedValue(value, [node.start, text.indexOf('=', node.start) + 1], endOf(text, node))
  } else if (node.type === 'ExportDefaultDeclaration') {
    const value = childOf(node, 'declaration') ?? node
    const keyword = keywordRange(text, node, value)
    const id = childOf(value, 'id')
    // `export default interface X {}` and overload signatures leave nothing behind.
    const isErased = value.type === 'TSInterfaceDeclaration' || value.type === 'TSDeclareFunction'
    if (isErased || (id !== undefined && DECLARATIONS.has(value.type))) {
      edits.replace(...keyword, '')
      return isErased ? undefined : { node: value, name: nameOf(id), end: node.end }
    }
    if (value.type === 'Identifier') remove()
    return exportedValue(value, keyword, endOf(text, node))
  }
  return undefined
}

function exportedValue(value: AnyNode, head: readonly [number, number], end: number): Exported {
  return value.type === 'Identifier' ? { node: value, name: nameOf(value), end } : { node: value, head, end }
}

/** `export { main as default }` */
function defaultSpecifier(statement: AnyNode): Exported | undefined {
  for (const specifier of childrenOf(statement, 'specifiers')) {
    const local = childOf(specifier, 'local')
    if (local?.type === 'Identifier' && nameOf(childOf(specifier, 'exported')) === 'default')
      return { node: local, name: nameOf(local), end: statement.end }
  }
  return undefined
}

/** The range of `export` or `export default`. Parentheses around the value stay. */
function keywordRange(text: string, statement: AnyNode, value: AnyNode): readonly [number, number] {
  // Decorators may stand before `export`.
  const decorators = childrenOf(value, 'decorators').filter(({ end }) => text.indexOf('export', end) < value.end)
  const isBefore = (decorators[0]?.start ?? Infinity) <= statement.start
  const start = isBefore ? text.indexOf('export', decorators.at(-1)?.end) : statement.start
  if (statement.type !== 'ExportDefaultDeclaration') return [start, start + 'export'.length]
  return [start, text.indexOf('default', start) + 'default'.length]
}

/** `module.exports = …`, `exports.default = …`, as far as the program has no such names of its own. */
export function commonJsExport(expression: AnyNode, facts: Facts): Exported | undefined {
  const left = childOf(expression, 'left')
  const right = childOf(expression, 'right')
  if (expression.type !== 'AssignmentExpression' || expression['operator'] !== '=') return undefined
  if (left?.type !== 'MemberExpression' || left['computed'] === true || right === undefined) return undefined
  const object = nameOf(childOf(left, 'object'))
  const property = nameOf(childOf(left, 'property'))
  const isModule = object === 'module' && property === 'exports'
  const isDefault = object === 'exports' && property === 'default'
  if (!(isModule || isDefault) || facts.declarationsByName.has(object)) return undefined
  return { ...exportedValue(right, [left.start, left.end], expression.end), hasEquals: true }
}
