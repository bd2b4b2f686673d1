import type { parse } from '@babel/parser'

export type File = ReturnType<typeof parse>
export type Statement = File['program']['body'][number]
export type Expression = Extract<Statement, { type: 'ExpressionStatement' }>['expression']
export type StatementOf<T extends Statement['type']> = Extract<Statement, { type: T }>

/** Any node, as the walk sees it: children are found by shape, so that a new kind of node is never skipped unseen. */
export interface AnyNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A node with the way up to the program. */
export interface Visit {
  readonly node: AnyNode
  /** Property of the parent that holds the node (or the list with it). */
  readonly key: string
  readonly up: Visit | undefined
  /** The node stands where names are declared, not used. */
  readonly isBinding: boolean
  /** How many functions are around it. */
  readonly functionDepth: number
}

export function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** The child under `key`, when there is one. */
export function childOf(node: AnyNode, key: string): AnyNode | undefined {
  const child = node[key]
  return isNode(child) ? child : undefined
}

export function childrenOf(node: AnyNode, key: string): readonly AnyNode[] {
  const list = node[key]
  return Array.isArray(list) ? list.filter(isNode) : []
}

/** The name of an identifier; empty for everything else, which no name equals. */
export function nameOf(node: AnyNode | undefined): string {
  const name = node?.type === 'Identifier' ? node['name'] : undefined
  return typeof name === 'string' ? name : ''
}

/** A typed node as the walk sees it. */
export function anyNode(node: { readonly type: string }): AnyNode {
  return node as AnyNode // Every node of the parser has offsets; the union type does not say so.
}

/** The text of a string literal, also of a template without holes. */
export function stringValue(node: AnyNode | undefined): string | undefined {
  if (node === undefined) return undefined
  if (node.type === 'StringLiteral') return String(node['value'])
  if (node.type !== 'TemplateLiteral' || childrenOf(node, 'expressions').length > 0) return undefined
  const value = childrenOf(node, 'quasis')[0]?.['value'] as { readonly cooked?: unknown } | undefined
  return typeof value?.cooked === 'string' ? value.cooked : undefined
}

/** Takes off what TypeScript puts around an expression: `x as T`, `x!`, `<T>x`, `x satisfies T`. */
export function withoutTypes(node: AnyNode): AnyNode {
  let at = node
  while (TYPE_WRAPPERS.has(at.type)) {
    const inner = childOf(at, 'expression')
    if (inner === undefined) return at
    at = inner
  }
  return at
}

export const TYPE_WRAPPERS: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'ParenthesizedExpression',
])

export interface FunctionNode extends AnyNode {
  readonly type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression'
}
export function isFunction(node: AnyNode | undefined): node is FunctionNode {
  const type = node?.type
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** Declarations that leave something at run time. */
export const DECLARATIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'VariableDeclaration',
  'TSEnumDeclaration',
  'TSModuleDeclaration',
])

/** Where a statement ends: before its semicolon, if it has one. */
export function endOf(text: string, node: AnyNode): number {
  return text[node.end - 1] === ';' ? node.end - 1 : node.end
}
