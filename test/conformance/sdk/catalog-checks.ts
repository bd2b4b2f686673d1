import { readFileSync } from 'node:fs'
import path from 'node:path'
import { deriveNames } from '../../../src/registry/native-names.ts'
import { catalogView, readCatalog } from '../../../src/sdk/catalog.ts'
import { renderCheckerSdk } from '../../../src/sdk/render-checker.ts'
import { renderSdk, tokensOf } from '../../../src/sdk/render.ts'
import type { SdkLevel } from '../../../src/sdk/render.ts'
import { compileTexts } from '../../sdk/compile-texts.ts'
import { jsonFilesIn } from '../../support/corpus-files.ts'
import type { NamedCatalog } from './faithfulness.ts'
import { randomFrom } from './instances.ts'

export interface LoadedCatalog extends NamedCatalog {
  readonly tools: number
  /** Compact JSON of the definitions that the text replaces. */
  readonly rawChars: number
}

export interface CatalogChecks {
  readonly catalogs: number
  readonly tools: number
  readonly textsCompiled: number
  /** One sentence for each thing that is not as it must be. */
  readonly breaches: readonly string[]
  readonly warnings: number
  readonly sizes: readonly {
    readonly catalog: string
    readonly tools: number
    readonly tokens: number
    readonly share: number
  }[]
}

const LEVELS: readonly SdkLevel[] = ['L0', 'L1', 'L2', 'L3', 'L4']
const SHUFFLES = 3

/** Catalogs of a folder, by file name. A file that is no catalog throws with its name. */
export function loadCatalogs(folder: string): readonly LoadedCatalog[] {
  return jsonFilesIn(folder).map((file) => {
    const catalog = readCatalog(readFileSync(path.join(folder, file), 'utf8'))
    if (!catalog.ok) throw new Error(`${file}: ${catalog.message}`)
    const name = file.replace(/\.json$/, '')
    const view = catalogView(catalog.tools, name.replace(/[^A-Za-z0-9_-]/g, '_'))
    const rawChars = catalog.tools.reduce(
      (sum, { name, description, inputSchema, outputSchema }) =>
        sum + JSON.stringify({ name, description, inputSchema, outputSchema }).length,
      0,
    )
    return { name, view, names: deriveNames(view), tools: catalog.tools.length, rawChars }
  })
}

/**
 * Each catalog whole, at every level and as what programs are checked against, and each of its tools alone: all valid
 * TypeScript. The same bytes in whatever order the tools come; every tool under one path, and every path one tool.
 */
export function checkCatalogs(catalogs: readonly LoadedCatalog[]): CatalogChecks {
  const breaches: string[] = []
  const texts: Record<string, string> = {}
  const sizes: CatalogChecks['sizes'][number][] = []
  let tools = 0
  let warnings = 0

  for (const { name, view, names, tools: listed, rawChars } of catalogs) {
    const attempt = (what: string, make: () => void): void => {
      try {
        make()
      } catch (error) {
        breaches.push(`${name}: ${what} throws: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    tools += view.toolsByName.size
    if (view.toolsByName.size !== listed)
      breaches.push(`${name}: ${listed} tools are listed, ${view.toolsByName.size} are there`)
    attempt('the whole text', () => {
      for (const level of LEVELS) texts[`${name}.${level}.ts`] = renderSdk(view, names, { level }).text
      const some = [...view.toolsByName.keys()].slice(0, 3)
      texts[`${name}.pinned.ts`] = renderSdk(view, names, { level: 'L0', pinned: some }).text
      texts[`${name}.recent.ts`] = renderSdk(view, names, { level: 'L1', recent: some }).text
      texts[`${name}.checker.ts`] = `export {}\n${renderCheckerSdk(view, names)}`
      const whole = renderSdk(view, names, { level: 'L3' })
      warnings += whole.warnings.length
      sizes.push({ catalog: name, tools: listed, tokens: tokensOf(whole.text), share: whole.text.length / rawChars })
      breaches.push(...nameBreaches(name, view, whole.nameMap), ...orderBreaches(name, view, whole.text))
    })
    for (const [at, tool] of [...view.toolsByName.values()].entries()) {
      attempt(tool.name, () => {
        const alone = { toolsByName: new Map([[tool.name, tool]]) }
        texts[`${name}.tool${at}.ts`] = renderSdk(alone, deriveNames(alone), { level: 'L3' }).text
      })
    }
  }
  for (const { file, line, code, message } of compileTexts(texts))
    breaches.push(`${file}:${line}: TS${code}: ${message.slice(0, 200)}`)
  return { catalogs: catalogs.length, tools, textsCompiled: Object.keys(texts).length, breaches, warnings, sizes }
}

function nameBreaches(
  catalog: string,
  view: LoadedCatalog['view'],
  nameMap: ReadonlyMap<string, string>,
): readonly string[] {
  const reached = new Set(nameMap.values())
  const lost = [...view.toolsByName.keys()].filter((name) => !reached.has(name))
  return [
    ...lost.map((name) => `${catalog}: ${name} has no path`),
    ...(reached.size === nameMap.size ? [] : [`${catalog}: two paths lead to one tool`]),
  ]
}

function orderBreaches(catalog: string, view: LoadedCatalog['view'], text: string): readonly string[] {
  const random = randomFrom(catalog.length)
  for (let round = 0; round < SHUFFLES; round += 1) {
    // Copies: what is known of a definition by identity must not be what makes the texts equal.
    const copies = [...view.toolsByName].map(([name, tool]) => ({
      order: random(),
      entry: [name, round === 0 ? structuredClone(tool) : { ...tool }] as const,
    }))
    const shuffled = {
      toolsByName: new Map(copies.toSorted((a, b) => a.order - b.order).map(({ entry }) => entry)),
    }
    if (renderSdk(shuffled, deriveNames(shuffled), { level: 'L3' }).text !== text)
      return [`${catalog}: the text depends on the order of registration`]
  }
  return []
}
