import type { Notice } from '../../executor/executor.ts'
import { childOf, childrenOf, nameOf, type Statement } from './ast.ts'
import { printable } from './code-frame.ts'
import { declarationOf, namedFunctions } from './entry.ts'
import type { Facts } from './facts.ts'

/** What to say when a program ends without a value by mistake, more likely than not. */
export function noticesOfSilence(statements: readonly Statement[], facts: Facts): readonly Notice[] {
  const onlyCallables = statements.every((statement) => {
    const { type } = declarationOf(statement)
    return type === 'FunctionDeclaration' || type === 'ClassDeclaration' || namedFunctions([statement]).length > 0
  })
  if (onlyCallables) {
    const names = statements.flatMap((statement) => {
      const functions = namedFunctions([statement]).map(({ name }) => `${name}()`)
      return functions.length > 0 ? functions : [`class ${nameOf(childOf(declarationOf(statement), 'id'))}`]
    })
    return [notCalled(names)]
  }
  const last = statements.at(-1)
  const declaration = last === undefined ? undefined : declarationOf(last)
  if (declaration?.type !== 'VariableDeclaration') return []
  const unused = childrenOf(declaration, 'declarations')
    .map((one) => nameOf(childOf(one, 'id')))
    .find((name) => name !== '' && !facts.usesByName.has(name))
  if (unused === undefined) return []
  const name = printable(unused, 60)
  const message = `the last statement computes "${name}" and nothing returns it. Write: return ${name}`
  return [{ code: 'not-returned', message }]
}

const MAX_NAMES = 5

export function notCalled(names: readonly string[]): Notice {
  const listed =
    names
      .slice(0, MAX_NAMES)
      .map((name) => printable(name, 60))
      .join(', ') + (names.length > MAX_NAMES ? ', …' : '')
  const message = `the program declares ${listed} and calls nothing, so nothing ran. End it with the call that is meant, for example: return await main()`
  return { code: 'not-called', message }
}
