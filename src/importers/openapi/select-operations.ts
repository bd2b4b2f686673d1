import type { Operation } from './document.ts'
import { compileGlob } from './glob.ts'

export interface Selection {
  readonly operations: readonly Operation[]
  /** Patterns that matched nothing: most likely misspelt. */
  readonly unused: readonly string[]
}

/**
 * The operations that are wanted. A pattern is `tag:name`, a path (`/pets/**`, or with its method `GET /pets/*`), or an
 * `operationId`; `*` stands for anything (in a path: within a segment), `**` for anything at all.
 */
export function selectOperations(
  operations: readonly Operation[],
  include: readonly string[] | undefined,
  exclude: readonly string[] | undefined,
): Selection {
  const used = new Set<string>()
  const compile = (texts: readonly string[] = []) =>
    [...new Set(texts)].map((text) => ({ text, matches: matcher(text) }))
  const [included, excluded] = [compile(include), compile(exclude)]
  // All are asked, so that each that matches anything is known.
  const isMatched = (operation: Operation, patterns: ReturnType<typeof compile>) =>
    patterns.filter(({ text, matches }) => matches(operation) && used.add(text)).length > 0
  const wanted = operations.filter((operation) => {
    const isIn = include === undefined || isMatched(operation, included)
    const isOut = isMatched(operation, excluded)
    return isIn && !isOut
  })
  return {
    operations: wanted,
    unused: [...new Set([...(include ?? []), ...(exclude ?? [])])].filter((text) => !used.has(text)),
  }
}

function matcher(pattern: string): (operation: Operation) => boolean {
  if (pattern.startsWith('tag:')) {
    const tag = pattern.slice(4)
    return ({ operation }) => Array.isArray(operation['tags']) && operation['tags'].includes(tag)
  }
  const byPath = /^(?:([A-Za-z]+)\s+)?(\/.*)$/s.exec(pattern)
  if (byPath !== null) {
    const [, method, path = ''] = byPath
    const matches = compileGlob(path, '/')
    return (operation) => (method === undefined || method.toLowerCase() === operation.method) && matches(operation.path)
  }
  const matches = compileGlob(pattern)
  return ({ operation: { operationId } }) => typeof operationId === 'string' && matches(operationId)
}
