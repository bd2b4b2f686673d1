import { anyNode, childOf, childrenOf, isFunction, nameOf, withoutTypes, type AnyNode, type Statement } from './ast.ts'
import type { Facts } from './facts.ts'

/** A function that the program declares at its top. */
export interface NamedFunction {
  readonly name: string
  readonly node: AnyNode
}

/** Names by which models call the function that is the program; `main` also counts beside other statements. */
const ENTRY_NAMES: readonly string[] = ['main', 'run', 'execute', 'handler', 'program', 'start', 'task', 'solve']

/** The declaration inside `export …`; the statement itself otherwise. */
export function declarationOf(statement: Statement): AnyNode {
  const node = anyNode(statement)
  const isExport = node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration'
  return (isExport ? childOf(node, 'declaration') : undefined) ?? node
}

export function namedFunctions(statements: readonly Statement[]): readonly NamedFunction[] {
  return statements.flatMap((statement): readonly NamedFunction[] => {
    const declaration = declarationOf(statement)
    if (declaration.type === 'FunctionDeclaration') {
      const name = nameOf(childOf(declaration, 'id'))
      return name !== '' ? [{ name, node: declaration }] : []
    }
    if (declaration.type !== 'VariableDeclaration') return []
    return childrenOf(declaration, 'declarations').flatMap((one) => {
      const id = childOf(one, 'id')
      const init = childOf(one, 'init')
      const value = init === undefined ? undefined : withoutTypes(init)
      return id?.type === 'Identifier' && isFunction(value) ? [{ name: nameOf(id), node: value }] : []
    })
  })
}

/** Whether the name is used anywhere but in the function's own body; being exported is no use. */
export function isReferenced({ name, node }: NamedFunction, facts: Facts): boolean {
  return (facts.usesByName.get(name) ?? []).some((use) => {
    const isOwn = use.node.start >= node.start && use.node.end <= node.end
    return !isOwn && use.up?.node.type !== 'ExportSpecifier'
  })
}

/** Whether the program itself, outside its functions, calls `name`. */
export function isCalledAtTop(name: string, facts: Facts): boolean {
  return (facts.usesByName.get(name) ?? []).some(({ key, functionDepth }) => key === 'callee' && functionDepth === 0)
}

/**
 * The function that a program of declarations means to be called: the one that no other uses, or the one with a name
 * that says so. Undefined when that is not certain.
 */
export function chooseEntry(functions: readonly NamedFunction[], facts: Facts): NamedFunction | undefined {
  const roots = functions.filter((one) => !isReferenced(one, facts))
  if (roots.length === 1) return roots[0]
  for (const name of ENTRY_NAMES) {
    const found = roots.find((one) => one.name === name)
    if (found !== undefined) return found
  }
  return undefined
}

/** The method of an object literal that is the program: `export default { async run() { … } }`. */
export function entryMethod(object: AnyNode): { readonly name: string; readonly node: AnyNode } | undefined {
  if (object.type !== 'ObjectExpression') return undefined
  for (const name of ENTRY_NAMES) {
    for (const property of childrenOf(object, 'properties')) {
      if (property['computed'] === true || nameOf(childOf(property, 'key')) !== name) continue
      const node = property.type === 'ObjectMethod' ? property : childOf(property, 'value')
      if (node === undefined) continue
      if (node.type === 'ObjectMethod' || isFunction(node) || node.type === 'Identifier') return { name, node }
    }
  }
  return undefined
}
