import {
  childOf,
  childrenOf,
  isNode,
  nameOf,
  stringValue,
  TYPE_WRAPPERS,
  withoutTypes,
  type AnyNode,
  type Visit,
} from './ast.ts'
import type { Facts } from './facts.ts'

/** A place where the program names a tool (or a group of tools) in a way that can be read without running it. */
export interface ToolUseAt {
  /** `github.issue_read`, or the exact name in `tools["exact-name"]`. */
  readonly path: string
  /** Of the last name in the path. */
  readonly offset: number
  readonly isCall: boolean
  /** The program asks somewhere whether this exists (`if (tools.x)`, `tools.x?.()`, `'x' in tools`). */
  readonly isProbed: boolean
  /** A failure here is caught: the call stands in a `try` that has a `catch`, or before a `.catch`. */
  readonly isHandled: boolean
}

/** Names that stand for a tool, a group or `tools` itself (path `''`). */
export type Aliases = ReadonlyMap<string, string>

/**
 * All uses of `tools` and of names bound to parts of it. Names that are declared more than once, or assigned from
 * anything else, are left out: what is reported is certain.
 */
export function findToolUses(facts: Facts, imported: Aliases): readonly ToolUseAt[] {
  const pathByAlias = new Map(imported)
  if (!facts.declarationsByName.has('tools')) pathByAlias.set('tools', '')
  const found: ToolUseAt[] = []
  const waiting = [...pathByAlias.keys()]

  const addAlias = (id: AnyNode | undefined, path: string) => {
    if (id?.type !== 'Identifier') return
    const name = nameOf(id)
    if (path.length > MAX_PATH || pathByAlias.has(name) || facts.declarationsByName.get(name) !== 1) return
    pathByAlias.set(name, path)
    waiting.push(name)
  }

  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const visit of facts.usesByName.get(name) ?? []) {
      const chain = followChain(visit, pathByAlias.get(name) ?? '')
      if (chain.full !== undefined) found.push(chain.full)
      else if (chain.path !== '') {
        const isCall = isCallee(chain.end)
        found.push({
          path: chain.path,
          offset: chain.offset,
          isCall,
          isProbed: isProbe(chain.end),
          isHandled: isHandled(chain.end),
        })
      }
      const declarator = chain.end.up?.node
      if (declarator?.type !== 'VariableDeclarator' || chain.end.key !== 'init' || !isConst(chain.end.up?.up)) continue
      const id = childOf(declarator, 'id')
      if (id?.type === 'ObjectPattern') found.push(...destructured(id, chain.path, addAlias))
      else addAlias(id, chain.path)
    }
  }
  return withProbes(found, facts, pathByAlias)
}

interface Chain {
  readonly path: string
  readonly offset: number
  /** The outermost node of the chain. */
  readonly end: Visit
  /** Set for `tools.full("name", …)`. */
  readonly full?: ToolUseAt
}

/** No tool's name is longer, so what is longer names none. Bounds the work for chains and aliases of any length. */
const MAX_PATH = 300

/** From `tools` outwards over `.name` and `["name"]`, through casts, as long as names are literal. */
function followChain(from: Visit, prefix: string): Chain {
  let end = skipTypes(from)
  let path = prefix
  let offset = from.node.start
  let depth = prefix === '' ? 0 : 1
  while (path.length <= MAX_PATH) {
    const member = end.up
    if (member === undefined || end.key !== 'object' || !isMember(member.node)) break
    const property = childOf(member.node, 'property')
    const name = member.node['computed'] === true ? stringValue(property) : nameOf(property) || undefined
    if (name === undefined || property === undefined) break
    const next = skipTypes(member)
    if (depth > 0 && FUNCTION_MEMBERS.has(name)) break
    if (path === '' && name === 'full' && isCallee(next)) {
      const exact = stringValue(childrenOf(next.up?.node ?? property, 'arguments')[0])
      if (exact === undefined) break
      const use = { path: exact, offset: property.start, isCall: true, isProbed: false, isHandled: isHandled(next) }
      return { path, offset, end: next, full: use }
    }
    path = path === '' ? name : `${path}.${name}`
    offset = property.start
    depth++
    end = next
  }
  return { path, offset, end }
}

/** Members of every function: `tools.x.bind(tools)` names the tool `x`. */
const FUNCTION_MEMBERS: ReadonlySet<string> = new Set(['call', 'apply', 'bind', 'name', 'length', 'then', 'toString'])

function skipTypes(visit: Visit): Visit {
  let at = visit
  while (at.up !== undefined && TYPE_WRAPPERS.has(at.up.node.type) && at.key === 'expression') at = at.up
  return at
}

function isMember(node: AnyNode): boolean {
  return node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression'
}

function isCallee(visit: Visit): boolean {
  const type = visit.up?.node.type
  return visit.key === 'callee' && (type === 'CallExpression' || type === 'OptionalCallExpression')
}

function isConst(declaration: Visit | undefined): boolean {
  return declaration?.node['kind'] === 'const'
}

function isHandled(use: Visit): boolean {
  for (let at = use; at.up !== undefined; at = at.up) {
    const parent = at.up.node
    if (parent.type === 'TryStatement' && at.key === 'block' && isNode(parent['handler'])) return true
    if (isMember(parent) && at.key === 'object' && nameOf(childOf(parent, 'property')) === 'catch') return true
  }
  return false
}

const PROBES: ReadonlySet<string> = new Set(['IfStatement', 'ConditionalExpression', 'LogicalExpression'])

function isProbe({ key, up }: Visit): boolean {
  const parent = up?.node
  if (parent === undefined) return false
  if (PROBES.has(parent.type)) return key === 'test' || key === 'left'
  if (parent.type === 'UnaryExpression' || parent.type === 'BinaryExpression') return true
  return parent['optional'] === true && (key === 'callee' || key === 'object')
}

/** `const { a, b: c } = tools`: each key is a use, each plain local name another alias. */
function destructured(
  pattern: AnyNode,
  prefix: string,
  addAlias: (id: AnyNode | undefined, path: string) => void,
): readonly ToolUseAt[] {
  return childrenOf(pattern, 'properties').flatMap((property) => {
    const key = childOf(property, 'key')
    const name = property['computed'] === true ? undefined : nameOf(key) || stringValue(key)
    if (property.type !== 'ObjectProperty' || name === undefined || key === undefined) return []
    const path = prefix === '' ? name : `${prefix}.${name}`
    const value = childOf(property, 'value')
    addAlias(value, path)
    // A default value says that the tool may be missing.
    return [{ path, offset: key.start, isCall: false, isProbed: value?.type === 'AssignmentPattern', isHandled: false }]
  })
}

function withProbes(found: readonly ToolUseAt[], facts: Facts, aliases: Aliases): readonly ToolUseAt[] {
  const probed = new Set(found.filter(({ isProbed }) => isProbed).map(({ path }) => path))
  for (const test of facts.inTests) {
    const name = stringValue(childOf(test, 'left'))
    const right = childOf(test, 'right')
    const prefix = aliases.get(nameOf(right === undefined ? undefined : withoutTypes(right)))
    if (name !== undefined && prefix !== undefined) probed.add(prefix === '' ? name : `${prefix}.${name}`)
  }
  return found
    .map((use) => (probed.has(use.path) && !use.isProbed ? { ...use, isProbed: true } : use))
    .toSorted((left, right) => left.offset - right.offset)
}
