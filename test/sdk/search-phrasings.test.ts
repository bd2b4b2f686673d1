import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

interface Phrasing {
  readonly id: string
  readonly half: string
  readonly catalog: string
  readonly task: string
  readonly tools: readonly string[]
}

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const phrasings = JSON.parse(readFileSync(at('search-phrasings.json'), 'utf8')) as readonly Phrasing[]
const corpus = at('../../../shared/corpus/catalogs')

/** The words of a text or a name, lowercase: split on everything that is no letter or digit, and on camelCase. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z]{2,})/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

const suffixes =
  'ations ation ments ment ities ity ances ance ions ion ings ing ies ers ors er or ed es al ly s y e'.split(' ')

/** Strips the first listed suffix that leaves three letters or more, and then undoubles a last consonant. */
const stem = (word: string): string => {
  const suffix = suffixes.find((end) => word.endsWith(end) && word.length - end.length >= 3)
  if (suffix === undefined) return word
  return word.slice(0, -suffix.length).replace(/([bdfgmnprt])\1$/, '$1')
}

/** Deliberately too strict: equal words or stems, one word the beginning of the other, or a stem within the name. */
const alike = (word: string, named: string): boolean => {
  if (word === named) return true
  if (word.length < 3 || named.length < 3) return false
  const [a, b] = [stem(word), stem(named)]
  return a === b || word.startsWith(b) || named.startsWith(a) || (a.length >= 4 && named.includes(a))
}

const sharedWith = (task: string, name: string): string[] =>
  wordsOf(task).filter((word) => wordsOf(name).some((named) => alike(word, named)))

/** How many phrasings each catalog has in one half. */
const spread = (half: string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { catalog } of phrasings.filter((phrasing) => phrasing.half === half)) {
    counts[catalog] = (counts[catalog] ?? 0) + 1
  }
  return counts
}

describe('the measure of shared words', () => {
  test.each([
    ['creating it', 'create_issue', ['creating']],
    ['the creation', 'create_issue', ['creation']],
    ['her issues', 'create_issue', ['issues']],
    ['our pull requests', 'getPendingReviewPRs', []],
    ['a reviewer', 'getPendingReviewPRs', ['reviewer']],
    ['two entities', 'memory.entity', ['entities']],
    ['the simulator', 'boot_sim', ['simulator']],
    ['node pools', 'aks_nodepool_get', ['node', 'pools']],
    ['stopped early', 'stop-app', ['stopped']],
    ['wait for it', 'browser_wait_for', ['wait', 'for']],
    ['which lines of development does this repository have', 'list_branches', []],
  ])('finds in "%s" what it shares with %s', (task, name, shared) => {
    expect(sharedWith(task, name)).toEqual(shared)
  })
})

describe('the phrasings', () => {
  test('are a hundred, each with its own id and task', () => {
    expect(phrasings).toHaveLength(100)
    expect(new Set(phrasings.map(({ id }) => id)).size).toBe(100)
    expect(new Set(phrasings.map(({ task }) => task)).size).toBe(100)
    for (const { id } of phrasings) expect(id).toMatch(/^p\d{3}$/)
  })

  test('are halved, each half spread alike over at least 20 catalogs, at most 8 per catalog', () => {
    const [tune, heldOut] = [spread('tune'), spread('held-out')]
    expect(Object.values(tune).reduce((sum, count) => sum + count, 0)).toBe(50)
    expect(Object.values(heldOut).reduce((sum, count) => sum + count, 0)).toBe(50)
    expect(tune).toEqual(heldOut)
    expect(Object.keys(tune).length).toBeGreaterThanOrEqual(20)
    expect(Math.max(...Object.values(tune))).toBeLessThanOrEqual(4)
  })

  test.each(phrasings)('$id: "$task" has 5 to 15 words, none of them of $tools', ({ task, tools }) => {
    const length = task.split(/\s+/).length
    expect(length).toBeGreaterThanOrEqual(5)
    expect(length).toBeLessThanOrEqual(15)
    expect(tools.length).toBeGreaterThanOrEqual(1)
    expect(tools.length).toBeLessThanOrEqual(3)
    expect(new Set(tools).size).toBe(tools.length)
    for (const name of tools) expect({ name, shared: sharedWith(task, name) }).toEqual({ name, shared: [] })
  })

  const catalogs = [...new Set(phrasings.map(({ catalog }) => catalog))]
  test.skipIf(!existsSync(corpus)).each(catalogs)('name tools of %s which say something of themselves', (catalog) => {
    const { tools } = JSON.parse(readFileSync(`${corpus}/${catalog}.json`, 'utf8')) as {
      readonly tools: readonly { readonly name: string; readonly description?: string }[]
    }
    for (const { id, tools: names } of phrasings.filter((phrasing) => phrasing.catalog === catalog)) {
      for (const name of names) {
        const found = tools.filter((tool) => tool.name === name)
        expect({ id, name, found: found.length }).toEqual({ id, name, found: 1 })
        expect(found[0]?.description ?? '').not.toBe('')
      }
    }
  })
})
