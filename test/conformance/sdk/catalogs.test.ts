import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { deriveNames } from '../../../src/registry/native-names.ts'
import { catalogView, readCatalog } from '../../../src/sdk/catalog.ts'
import { renderCheckerSdk } from '../../../src/sdk/render-checker.ts'
import { renderSdk, tokensOf } from '../../../src/sdk/render.ts'
import type { SdkLevel } from '../../../src/sdk/render.ts'
import { describeTools, searchTools } from '../../../src/sdk/search.ts'
import { compileTexts } from '../../sdk/compile-texts.ts'
import { describeWithCorpus, jsonFilesIn } from '../../support/shared-corpus.ts'

const LEVELS: readonly SdkLevel[] = ['L0', 'L1', 'L2', 'L3', 'L4']
/** Not JSON Schema at all, but catalogs that people have; they do not count for sizes. */
const OFF_SPEC = new Set(['bfcl-live.json', 'bfcl-multiturn.json', 'api-bank.json'])

describeWithCorpus('real catalogs', 'catalogs', (folder) => {
  const files = jsonFilesIn(folder)
  const load = (file: string) => {
    const catalog = readCatalog(readFileSync(path.join(folder, file), 'utf8'))
    if (!catalog.ok) throw new Error(`${file}: ${catalog.message}`)
    const view = catalogView(catalog.tools, file.replace('.json', ''))
    return { catalog, view, names: deriveNames(view) }
  }

  test('every catalog compiles whole, at every level, and as what programs are checked against', () => {
    const texts: Record<string, string> = {}
    let tools = 0
    for (const file of files) {
      const { view, names } = load(file)
      tools += view.toolsByName.size
      for (const level of LEVELS) texts[`${file}.${level}.ts`] = renderSdk(view, names, { level }).text
      const pinned = new Set([...view.toolsByName.keys()].slice(0, 3))
      texts[`${file}.pinned0.ts`] = renderSdk(view, names, { level: 'L0', pinned }).text
      texts[`${file}.pinned1.ts`] = renderSdk(view, names, { level: 'L1', pinned }).text
      texts[`${file}.checker.ts`] = `export {}\n${renderCheckerSdk(view, names)}`
      texts[`${file}.describe.ts`] = describeTools(view, names, [...view.toolsByName.keys()].slice(0, 20))
    }
    expect(compileTexts(texts)).toEqual([])
    console.log(`${files.length} catalogs, ${tools} tools, ${Object.keys(texts).length} texts compiled`)
  }, 120_000)

  test('no tool is lost, and every path leads to one tool', () => {
    for (const file of files) {
      const { catalog, view, names } = load(file)
      expect(view.rejected, file).toEqual([])
      expect(view.toolsByName.size, file).toBe(catalog.tools.length)
      const { nameMap } = renderSdk(view, names, { level: 'L2' })
      expect(new Set(nameMap.values()), file).toEqual(new Set(view.toolsByName.keys()))
    }
  })

  test('the text is at most three fifths of the raw definitions over all catalogs', () => {
    let raw = 0
    let text = 0
    for (const file of files.filter((name) => !OFF_SPEC.has(name))) {
      const { catalog, view, names } = load(file)
      for (const { name, description, inputSchema, outputSchema } of catalog.tools) {
        raw += JSON.stringify({ name, description, inputSchema, outputSchema }).length
      }
      const rendered = renderSdk(view, names, { level: 'L3' })
      text += rendered.text.length
      console.log(`${file}: ${catalog.tools.length} tools, ${tokensOf(rendered.text)} tokens`)
    }
    console.log(`L3 text: ${Math.round((text / raw) * 1000) / 10} % of the raw JSON`)
    expect(text / raw).toBeLessThanOrEqual(0.6)
  })

  test('the catalogs of the demo are shown whole within the default budget', () => {
    for (const file of ['memory.json', 'filesystem.json', 'everything.json'].filter((name) => files.includes(name))) {
      const { view, names } = load(file)
      expect(renderSdk(view, names), file).toMatchObject({ level: 'L3', warnings: [] })
    }
  })

  test('a search for a tool by its own name finds it first or nearly so', () => {
    const missed: string[] = []
    for (const file of files.filter((name) => !OFF_SPEC.has(name))) {
      const { view, names } = load(file)
      for (const name of view.toolsByName.keys()) {
        const hits = searchTools(view, names, name, { limit: 5 })
        if (!hits.some((hit) => hit.name === name)) missed.push(name)
      }
    }
    expect(missed).toEqual([])
  })
})
