import { childOf, isNode, nameOf, type AnyNode, type File, type Visit } from './ast.ts'
import { walk } from './walk.ts'

/** What one walk over the program learns; every later decision reads this. */
export interface Facts {
  /** How often each name is declared, in any scope. Scopes are not told apart: all uses of this err towards accepting. */
  readonly declarationsByName: ReadonlyMap<string, number>
  /** Names that only `declare` speaks of. */
  readonly ambientNames: ReadonlySet<string>
  /** Uses of names as values. */
  readonly usesByName: ReadonlyMap<string, readonly Visit[]>
  /** `return` statements outside any function. */
  readonly returns: readonly AnyNode[]
  /** `import(…)` expressions. */
  readonly importCalls: readonly AnyNode[]
  /** `import.meta`, with the way up. */
  readonly importMetas: readonly Visit[]
  /** `'name' in object` tests. */
  readonly inTests: readonly AnyNode[]
  /** Blocks of `try` statements that have a `catch`. */
  readonly handledBlocks: readonly AnyNode[]
  /** Deepest nest of `a ? (b) : c => …`, see `MAX_AMBIGUOUS_DEPTH` in lower.ts. */
  readonly ambiguousDepth: number
  /** A template tagged by a template: what a Markdown fence looks like to a parser. */
  readonly hasTaggedByTemplate: boolean
}

export function collectFacts(file: File): Facts {
  const declarationsByName = new Map<string, number>()
  const ambientNames = new Set<string>()
  const usesByName = new Map<string, Visit[]>()
  const returns: AnyNode[] = []
  const importCalls: AnyNode[] = []
  const importMetas: Visit[] = []
  const inTests: AnyNode[] = []
  const handledBlocks: AnyNode[] = []
  let ambiguousDepth = 0
  let hasTaggedByTemplate = false

  const declare = (name: string) => declarationsByName.set(name, (declarationsByName.get(name) ?? 0) + 1)

  walk(
    file.program as unknown as AnyNode, // Offsets are there; the union type does not say so.
    (visit) => {
      const { node } = visit
      switch (node.type) {
        case 'Identifier': {
          const name = nameOf(node)
          if (visit.isBinding) declare(name)
          else if (isUse(visit)) {
            const uses = usesByName.get(name)
            if (uses === undefined) usesByName.set(name, [visit])
            else uses.push(visit)
          }
          break
        }
        case 'TSModuleDeclaration': {
          const id = childOf(node, 'id')
          if (id !== undefined && id.type !== 'Identifier') declare(leftmostName(id))
          break
        }
        case 'ReturnStatement':
          if (visit.functionDepth === 0) returns.push(node)
          break
        case 'ImportExpression':
          importCalls.push(node)
          break
        case 'MetaProperty':
          if (nameOf(childOf(node, 'meta')) === 'import') importMetas.push(visit)
          break
        case 'TryStatement': {
          const block = childOf(node, 'block')
          if (block !== undefined && isNode(node['handler'])) handledBlocks.push(block)
          break
        }
        case 'BinaryExpression':
          if (node['operator'] === 'in') inTests.push(node)
          break
        case 'ConditionalExpression':
          if (isAmbiguous(node)) ambiguousDepth = Math.max(ambiguousDepth, depthOfAmbiguity(visit))
          break
        case 'TaggedTemplateExpression':
          if (endsInTemplate(childOf(node, 'tag'))) hasTaggedByTemplate = true
          break
      }
    },
    (erased) => collectAmbient(erased, ambientNames),
  )
  return {
    declarationsByName,
    ambientNames,
    usesByName,
    returns,
    importCalls,
    importMetas,
    inTests,
    handledBlocks,
    ambiguousDepth,
    hasTaggedByTemplate,
  }
}

/** An identifier in value position, as opposed to a property key or a label. */
function isUse({ key, up }: Visit): boolean {
  if (up === undefined) return true
  const { node: parent } = up
  if (parent['computed'] === true) return true
  switch (parent.type) {
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return key !== 'property'
    case 'MetaProperty':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return key === 'body'
    case 'ImportSpecifier':
    case 'ImportAttribute':
      return false
    case 'ExportSpecifier':
      // `export { a } from 'm'` uses nothing of the program.
      return key === 'local' && up.up?.node['source'] == null
    case 'ExportNamespaceSpecifier':
      return false
    case 'TSEnumMember':
      return key !== 'id'
    default:
      return key !== 'key'
  }
}

function isAmbiguous(node: AnyNode): boolean {
  const consequent = childOf(node, 'consequent')
  const extra = consequent?.['extra'] as { readonly parenthesized?: boolean } | undefined
  return extra?.parenthesized === true && childOf(node, 'alternate')?.type === 'ArrowFunctionExpression'
}

function depthOfAmbiguity(visit: Visit): number {
  let depth = 0
  for (let at: Visit | undefined = visit; at !== undefined; at = at.up)
    if (at.node.type === 'ConditionalExpression' && isAmbiguous(at.node)) depth++
  return depth
}

function endsInTemplate(tag: AnyNode | undefined): boolean {
  return tag?.type === 'TemplateLiteral' || tag?.type === 'TaggedTemplateExpression'
}

function leftmostName(id: AnyNode): string {
  let at = id
  for (let left = childOf(at, 'left'); left !== undefined; left = childOf(at, 'left')) at = left
  return nameOf(at)
}

/** Names of `declare const a, b`, `declare function f()`, overload signatures and the like; nothing deeper matters. */
function collectAmbient(node: AnyNode, names: Set<string>): void {
  const declared: unknown[] = [childOf(node, 'id')]
  if (Array.isArray(node['declarations']))
    for (const one of node['declarations'] as readonly unknown[]) if (isNode(one)) declared.push(childOf(one, 'id'))
  for (const id of declared) if (isNode(id) && id.type === 'Identifier') names.add(nameOf(id))
}
