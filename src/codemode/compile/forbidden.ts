import { childOf, type Visit } from './ast.ts'
import type { Facts } from './facts.ts'
import { isGuarded, type MainGuard } from './main-guard.ts'
import type { Refusal } from './imports.ts'
import { refusedNames } from './unavailable.ts'

/**
 * Uses of names a program can never have. Help, not a wall: the guest has no such names anyway. So a correct program is
 * never refused: a name that is declared anywhere, even by `declare`, or probed with `typeof`, is left to the run.
 */
export function findForbidden(facts: Facts, guards: readonly MainGuard[]): readonly Refusal[] {
  const refusals: Refusal[] = []
  for (const name of refusedNames()) {
    const uses = facts.usesByName.get(name)?.filter(({ node }) => !isGuarded(node, guards))
    if (uses === undefined || uses.length === 0 || facts.declarationsByName.has(name) || facts.ambientNames.has(name))
      continue
    if (uses.some(isHarmless)) continue
    const offset = Math.min(...uses.map(({ node }) => node.start))
    refusals.push({ offset, subject: `\`${name}\``, cause: { kind: 'name', name } })
  }
  return refusals
}

/** `import.meta` outside the guards that ask "am I the program?". */
export function findImportMeta(facts: Facts, settled: ReadonlySet<Visit>): readonly Refusal[] {
  return facts.importMetas
    .filter((visit) => !settled.has(visit))
    .map(({ node }) => ({
      offset: node.start,
      subject: '`import.meta`',
      cause: { kind: 'other', instead: 'a program is no module and has no address; leave it out' },
    }))
}

/** `typeof name` asks first; `name = …` makes it the program's own (and fails in its own way). */
function isHarmless({ key, up }: Visit): boolean {
  const parent = up?.node
  if (parent?.type === 'UnaryExpression') return parent['operator'] === 'typeof'
  return parent?.type === 'AssignmentExpression' && key === 'left' && childOf(parent, 'left')?.type === 'Identifier'
}
