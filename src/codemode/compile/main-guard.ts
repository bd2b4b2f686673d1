import { anyNode, childOf, nameOf, type AnyNode, type File } from './ast.ts'
import type { Facts } from './facts.ts'

/** `if (require.main === module) { … }` and its relatives: "am I the program?". A program here always is. */
export interface MainGuard {
  readonly statement: AnyNode
  readonly test: AnyNode
}

/** Guards among the statements of the program itself. */
export function findMainGuards(file: File, facts: Facts): readonly MainGuard[] {
  const guards: MainGuard[] = []
  for (const typed of file.program.body) {
    if (typed.type !== 'IfStatement') continue
    const statement = anyNode(typed)
    const test = childOf(statement, 'test')
    if (test === undefined) continue
    const asksMeta = facts.importMetas.some(({ node }) => isInside(node, test))
    if (asksMeta || (asksRequireMain(facts, test) && !facts.declarationsByName.has('require')))
      guards.push({ statement, test })
  }
  return guards
}

export function isGuarded(node: AnyNode, guards: readonly MainGuard[]): boolean {
  return guards.some(({ test }) => isInside(node, test))
}

function isInside(node: AnyNode, outer: AnyNode): boolean {
  return node.start >= outer.start && node.end <= outer.end
}

function asksRequireMain(facts: Facts, test: AnyNode): boolean {
  return (facts.usesByName.get('require') ?? []).some(({ node, key, up }) => {
    const isMain = key === 'object' && up !== undefined && nameOf(childOf(up.node, 'property')) === 'main'
    return isMain && isInside(node, test)
  })
}
