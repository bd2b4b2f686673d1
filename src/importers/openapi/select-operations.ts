import type { Json } from '../../data/json.ts'
import type { Operation } from './document.ts'

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
  const patterns = [...(include ?? []), ...(exclude ?? [])].map((text) => ({ text, matches: matcher(text) }))
  const used = new Set<string>()
  const isMatched = (operation: Operation, texts: readonly string[]) =>
    patterns.filter(({ text, matches }) => {
      const hit = texts.includes(text) && matches(operation)
      if (hit) used.add(text)
      return hit
    }).length > 0
  const wanted = operations.filter((operation) => {
    const isIn = include === undefined || isMatched(operation, include)
    const isOut = exclude !== undefined && isMatched(operation, exclude)
    return isIn && !isOut
  })
  return {
    operations: wanted,
    unused: [...new Set(patterns.map(({ text }) => text))].filter((text) => !used.has(text)),
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
    return (operation) =>
      (method === undefined || method.toLowerCase() === operation.method) && matchesGlob(path, operation.path, '/')
  }
  return ({ operation }) =>
    isText(operation['operationId']) && matchesGlob(pattern, operation['operationId'], undefined)
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}

/**
 * Matches without a regular expression: patterns and names both come from outside, and this takes at most their product of
 * steps. A `*` does not match `separator`, a `**` matches all.
 */
function matchesGlob(pattern: string, text: string, separator: string | undefined): boolean {
  const tokens = pattern.match(/\*\*|\*|[^*]/gsu) ?? []
  // reached[i]: the tokens so far can match the first i characters.
  let reached = Array.from({ length: text.length + 1 }, (_, i) => i === 0)
  for (const token of tokens) {
    const next = Array.from({ length: text.length + 1 }, () => false)
    if (token === '*' || token === '**') {
      for (let i = 0, open = false; i <= text.length; i++) {
        if (i > 0 && token === '*' && text[i - 1] === separator) open = false
        open ||= reached[i] === true
        next[i] = open
      }
    } else {
      for (let i = 0; i < text.length; i++)
        if (reached[i] === true && text.startsWith(token, i)) next[i + token.length] = true
    }
    reached = next
  }
  return reached[text.length] === true
}
