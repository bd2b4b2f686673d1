import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { deriveNames } from '../../src/registry/native-names.ts'
import { catalogView, readCatalog } from '../../src/sdk/catalog.ts'
import { searchTools } from '../../src/sdk/search.ts'
import type { SdkTool, SdkView } from '../../src/sdk/sdk-view.ts'
import { describeWithCorpus, jsonFilesIn, readJson } from '../support/shared-corpus.ts'

interface Phrasing {
  readonly half: 'tune' | 'held-out'
  readonly catalog: string
  readonly task: string
  readonly tools: readonly string[]
}

const phrasings = readJson(path.join(import.meta.dirname, 'search-phrasings.json')) as readonly Phrasing[]
const HALVES = ['tune', 'held-out'] as const
const FIRST = 5

/** Namespaces are identifiers; catalogs are called as their files are. */
const namespaceOf = (catalog: string): string => catalog.replaceAll('-', '_')

/** In how many phrasings of a half a needed tool is among the first `limit`. Single ones of the held-out half are not told. */
function countFound(half: Phrasing['half'], limit: number, viewOf: (catalog: string) => SdkView): number {
  return phrasings.filter(({ half: own, catalog, task, tools }) => {
    if (own !== half) return false
    const view = viewOf(catalog)
    const needed = new Set(tools.map((name) => `${namespaceOf(catalog)}.${name}`))
    return searchTools(view, deriveNames(view), task, { limit }).some(({ name }) => needed.has(name))
  }).length
}

describeWithCorpus('the phrasings, searched in real catalogs', 'catalogs', (directory) => {
  const views = new Map<string, SdkView>()
  const tools = new Map<string, SdkTool>()
  for (const file of jsonFilesIn(directory)) {
    const catalog = file.slice(0, -'.json'.length)
    const read = readCatalog(readFileSync(path.join(directory, file), 'utf8'))
    if (!read.ok) throw new Error(read.message)
    const view = catalogView(read.tools, namespaceOf(catalog))
    views.set(catalog, view)
    for (const [name, tool] of view.toolsByName) tools.set(name, tool)
  }
  const ownView = (catalog: string): SdkView => views.get(catalog) ?? { toolsByName: new Map() }
  const merged: SdkView = { toolsByName: tools }

  const report = (title: string, viewOf: (catalog: string) => SdkView) => {
    const found = HALVES.map((half) => countFound(half, FIRST, viewOf))
    const first = HALVES.map((half) => countFound(half, 1, viewOf))
    const told = HALVES.map((half, at) => `${half} ${found[at]}/50 (first: ${first[at]}/50)`)
    console.log(`${title}, needed tool in the first ${FIRST}: ${told.join(', ')}`)
    return found
  }

  test('a needed tool of its own catalog is among the first five for at least 95 of the 100, held-out half included', () => {
    const [tune = 0, heldOut = 0] = report('own catalog', ownView)
    expect(tune + heldOut).toBeGreaterThanOrEqual(95)
    expect(heldOut).toBeGreaterThanOrEqual(47)
  })

  test(`among all catalogs at once it is for at least 90 of the 100`, () => {
    expect(tools.size).toBeGreaterThan(1_500)
    const [tune = 0, heldOut = 0] = report(`${tools.size} tools of all catalogs`, () => merged)
    expect(tune + heldOut).toBeGreaterThanOrEqual(90)
  })
})
