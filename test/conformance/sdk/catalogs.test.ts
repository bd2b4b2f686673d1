import { expect, test } from 'vitest'
import { deriveNames } from '../../../src/registry/native-names.ts'
import { renderSdk } from '../../../src/sdk/render.ts'
import { describeTools, searchTools } from '../../../src/sdk/search.ts'
import { compileTexts } from '../../sdk/compile-texts.ts'
import { describeWithCorpus } from '../../support/shared-corpus.ts'
import { checkCatalogs, loadCatalogs } from './catalog-checks.ts'
import { faithfulnessOf } from './faithfulness.ts'

/** Not JSON Schema at all, but catalogs that people have; they do not count for sizes. */
const OFF_SPEC = new Set(['bfcl-live', 'bfcl-multiturn', 'api-bank'])

describeWithCorpus('real catalogs', 'catalogs', (folder) => {
  const catalogs = loadCatalogs(folder)

  test('every catalog compiles whole and tool by tool, keeps its bytes in any order, and loses no tool', () => {
    const { breaches, ...figures } = checkCatalogs(catalogs)
    expect(breaches).toEqual([])
    expect(figures.tools).toBeGreaterThan(1_000)
    console.log(`${figures.catalogs} catalogs, ${figures.tools} tools, ${figures.textsCompiled} texts compiled`)
  }, 180_000)

  test('what describe prints compiles', () => {
    const texts = catalogs.map(({ name, view, names }) => {
      return [`${name}.ts`, describeTools(view, names, [...view.toolsByName.keys()].slice(0, 20))] as const
    })
    expect(compileTexts(Object.fromEntries(texts))).toEqual([])
  }, 60_000)

  test('the types say what the schemas say, on values made from each of them', () => {
    const { missed, validRefused, doNotCompile, withoutInstance, ...figures } = faithfulnessOf(catalogs, {
      validPerSchema: 4,
      faultsPerValue: 20,
    })
    expect(doNotCompile).toEqual([])
    expect(validRefused).toEqual([])
    expect(missed).toEqual([])
    expect(withoutInstance.length).toBeLessThan(figures.schemas / 50)
    console.log(JSON.stringify({ ...figures, admittedBySchema: figures.admittedBySchema.length }))
  }, 180_000)

  test('the text is at most three fifths of the raw definitions, over all catalogs and over the first 500 tools', () => {
    const real = catalogs.filter(({ name }) => !OFF_SPEC.has(name))
    const text = real.reduce((sum, { view, names }) => sum + renderSdk(view, names, { level: 'L3' }).text.length, 0)
    const raw = real.reduce((sum, { rawChars }) => sum + rawChars, 0)
    console.log(`L3 text: ${Math.round((text / raw) * 1000) / 10} % of the raw JSON`)
    expect(text / raw).toBeLessThanOrEqual(0.6)

    const tools = real.flatMap(({ view }) => [...view.toolsByName.values()]).slice(0, 500)
    const view = { toolsByName: new Map(tools.map((tool) => [tool.name, tool])) }
    const rawOfSome = tools.reduce((sum, { name, description, parameters, output }) => {
      return sum + JSON.stringify({ name, description, inputSchema: parameters, outputSchema: output.schema }).length
    }, 0)
    const share = renderSdk(view, deriveNames(view), { level: 'L3' }).text.length / rawOfSome
    console.log(`the first 500 tools: ${Math.round(share * 1000) / 10} %`)
    expect(share).toBeLessThanOrEqual(0.6)
  })

  test('the catalogs of the demo are shown whole within the default budget', () => {
    for (const { name, view, names } of catalogs) {
      if (!['memory', 'filesystem', 'everything'].includes(name)) continue
      expect(renderSdk(view, names), name).toMatchObject({ level: 'L3', warnings: [] })
    }
  })

  test('a search for a tool by its own name finds it first or nearly so', () => {
    const missed: string[] = []
    for (const { view, names } of catalogs.filter(({ name }) => !OFF_SPEC.has(name))) {
      for (const name of view.toolsByName.keys()) {
        const hits = searchTools(view, names, name, { limit: 5 })
        if (!hits.some((hit) => hit.name === name)) missed.push(name)
      }
    }
    expect(missed).toEqual([])
  })
})
