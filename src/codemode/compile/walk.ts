import { isNode, TYPE_WRAPPERS, type AnyNode, type Visit } from './ast.ts'

/**
 * Calls `enter` for every node that leaves something at run time, parents first. Types and `declare` are passed over:
 * `onErased` hears of them. No recursion: the depth of the tree is the program's choice.
 */
export function walk(root: AnyNode, enter: (visit: Visit) => void, onErased: (node: AnyNode) => void): void {
  const waiting: Visit[] = [{ node: root, key: '', up: undefined, isBinding: false, functionDepth: 0 }]
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    const { node } = visit
    if (isErased(node)) {
      onErased(node)
      continue
    }
    enter(visit)
    const functionDepth = visit.functionDepth + (opensFunction(node.type) ? 1 : 0)
    for (const key of Object.keys(node)) {
      const value = node[key]
      if (typeof value !== 'object' || value === null || NOT_CHILDREN.has(key)) continue
      const isBinding = declaresNames(visit, key)
      if (Array.isArray(value)) {
        for (const child of value as readonly unknown[])
          if (isNode(child)) waiting.push({ node: child, key, up: visit, isBinding, functionDepth })
      } else if (isNode(value)) waiting.push({ node: value, key, up: visit, isBinding, functionDepth })
    }
  }
}

const NOT_CHILDREN: ReadonlySet<string> = new Set([
  'loc',
  'extra',
  'leadingComments',
  'innerComments',
  'trailingComments',
  'errors',
  'comments',
  'tokens',
])

/** TypeScript nodes that leave code behind. All others that begin with `TS` are types. */
const TS_WITH_CODE: ReadonlySet<string> = new Set([
  ...TYPE_WRAPPERS,
  'TSEnumDeclaration',
  'TSEnumBody',
  'TSEnumMember',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSExportAssignment',
  'TSImportEqualsDeclaration',
  'TSExternalModuleReference',
  'TSParameterProperty',
])

function isErased(node: AnyNode): boolean {
  if (node['declare'] === true) return true
  if (node['importKind'] === 'type' || node['importKind'] === 'typeof' || node['exportKind'] === 'type') return true
  return node.type.startsWith('TS') && !TS_WITH_CODE.has(node.type)
}

function opensFunction(type: string): boolean {
  return type.includes('Function') || type.endsWith('Method') || type === 'StaticBlock'
}

const NAMED: ReadonlySet<string> = new Set([
  'VariableDeclarator',
  'FunctionDeclaration',
  'FunctionExpression',
  'ClassDeclaration',
  'ClassExpression',
  'TSEnumDeclaration',
  'TSModuleDeclaration',
  'TSImportEqualsDeclaration',
])

/** Whether names under `key` of this node are declarations. Inside a pattern that holds on for the parts of it. */
function declaresNames(visit: Visit, key: string): boolean {
  const { type } = visit.node
  if (key === 'id') return NAMED.has(type)
  if (key === 'params') return opensFunction(type)
  if (key === 'param') return type === 'CatchClause'
  if (key === 'local') return type.startsWith('Import')
  if (key === 'parameter') return type === 'TSParameterProperty'
  if (!visit.isBinding) return false
  return (
    (type === 'ObjectPattern' && key === 'properties') ||
    (type === 'ObjectProperty' && key === 'value') ||
    (type === 'ArrayPattern' && key === 'elements') ||
    (type === 'RestElement' && key === 'argument') ||
    (type === 'AssignmentPattern' && key === 'left')
  )
}
