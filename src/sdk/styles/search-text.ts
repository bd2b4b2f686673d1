import type { SearchHit } from '../search.ts'

/** Found tools for a reader, best first: what `sdk.search` shows a program. */
export function searchText(query: string, hits: readonly SearchHit[]): string {
  if (hits.length === 0) return `// No tool fits ${JSON.stringify(query.slice(0, 80))}. Try fewer or other words.\n`
  const texts = hits.map(
    ({ description, signature }) => `${description === '' ? '' : `// ${description}\n`}${signature}\n`,
  )
  return texts.join('\n')
}
