import { CodedError } from '../../data/failure.ts'
import { readConfigFile } from '../../importers/config-file.ts'
import type { ServerProblem } from '../../importers/server-entry.ts'
import { deriveNames } from '../../registry/native-names.ts'
import { catalogView, readCatalog } from '../../sdk/catalog.ts'
import { renderSdk, type SdkLevel } from '../../sdk/render.ts'
import { callableTools, type SdkNames, type SdkTool, type SdkView } from '../../sdk/sdk-view.ts'
import { searchTools, type SearchHit } from '../../sdk/search.ts'
import { modelJson } from '../../sdk/styles/model-json.ts'
import { searchText } from '../../sdk/styles/search-text.ts'
import { typesOfTool, type SdkWarning } from '../../sdk/tool-types.ts'
import { EXIT } from '../exit-codes.ts'
import { sdkDocument, writeSdk } from '../format/sdk.ts'
import { writeJson, type Io } from '../io.ts'
import { watchInterrupt } from '../interrupt.ts'
import { openCatalog, readSources, warnProblem, type SourceOptions } from '../tool-sources.ts'

export const SDK_STYLES = ['model', 'interfaces', 'json'] as const
export type SdkStyle = (typeof SDK_STYLES)[number]

export interface SdkCommandOptions extends SourceOptions {
  readonly catalog?: string
  readonly level?: SdkLevel
  readonly budget?: number
  readonly style?: SdkStyle
  readonly search?: string
  readonly stats?: boolean
  readonly json?: boolean
}

/** What is printed, before anybody decided how. */
export interface SdkResult {
  readonly text: string
  readonly style: SdkStyle
  /** Absent where the style or a search leaves no choice of it. */
  readonly level?: SdkLevel
  /** Registered names by the path under which a program calls them. */
  readonly nameMap: ReadonlyMap<string, string>
  readonly warnings: readonly SdkWarning[]
  readonly hits?: readonly SearchHit[]
}

/** Prints the tools as text for a model, for people and editors, or as JSON; or what such a text costs. */
export async function sdkCommand(options: SdkCommandOptions, io: Io): Promise<number> {
  checkOptions(options)
  using interrupt = watchInterrupt()
  const listed = options.catalog === undefined ? NO_TOOLS : readListed(options.catalog)
  for (const problem of listed.problems) warnProblem(io, problem)
  await using connected = await interrupt.race(openCatalog(readSources(options, io), io))
  const view = merged(connected.view, listed, io)
  const names = deriveNames(view)
  const hits = options.search === undefined ? undefined : searchTools(view, names, options.search, { limit: MAX_HITS })
  const shown = hits === undefined ? view : viewOfHits(view, hits)
  const result = await interrupt.race(render(shown, names, options, hits))
  const stats =
    options.stats === true
      ? await interrupt.race((await import('../../sdk/styles/token-stats.ts')).tokenStats(result.text, shown, names))
      : undefined
  if (options.json === true) writeJson(io, sdkDocument(result, [...listed.problems, ...connected.problems], stats))
  else writeSdk(io, result, stats)
  return connected.serversMissing ? EXIT.serversMissing : EXIT.ok
}

/** Beyond these a reader asks again with better words. */
const MAX_HITS = 10

function checkOptions({ style = 'model', level, budget, search }: SdkCommandOptions): void {
  const sized = level !== undefined ? '--level' : budget !== undefined ? '--budget' : undefined
  const because = style !== 'model' ? `--style ${style}` : search !== undefined ? '--search' : undefined
  if (sized !== undefined && because !== undefined) {
    throw new CodedError(
      'CONFIG_INVALID',
      `${sized} is for the whole text of the model style; leave it out, or ${because}`,
    )
  }
}

async function render(
  view: SdkView,
  names: SdkNames,
  { style = 'model', level, budget, search }: SdkCommandOptions,
  hits: readonly SearchHit[] | undefined,
): Promise<SdkResult> {
  const tools = callableTools(view, names)
  const nameMap = new Map(tools.map(({ tool, path }) => [path.join('.'), tool.name]))
  const found = hits !== undefined && { hits }
  if (style === 'interfaces') {
    // The library writes its debugging to stdout when this is set, by whomever and for whatever.
    delete process.env['VERBOSE']
    const { renderInterfaces } = await import('../../sdk/styles/interfaces.ts')
    return { style, nameMap, ...(await renderInterfaces(view, names)), ...found }
  }
  if (style === 'json' || hits !== undefined) {
    const order = new Map(hits?.map(({ name }, at) => [name, at]))
    const ranked = tools.toSorted((a, b) => (order.get(a.tool.name) ?? 0) - (order.get(b.tool.name) ?? 0))
    const text = style === 'json' ? modelJson(ranked) : searchText(search ?? '', hits ?? [])
    const warnings = style === 'json' ? [] : tools.flatMap(({ tool }) => typesOfTool(tool).warnings)
    return { style, nameMap, text, warnings, ...found }
  }
  const sdk = renderSdk(view, names, {
    ...(level !== undefined && { level }),
    ...(budget !== undefined && { budgetTokens: budget }),
  })
  return { style, nameMap, text: sdk.text, level: sdk.level, warnings: sdk.warnings }
}

interface Listed {
  readonly toolsByName: ReadonlyMap<string, SdkTool>
  readonly problems: readonly ServerProblem[]
}
const NO_TOOLS: Listed = { toolsByName: new Map(), problems: [] }

/** A catalog is only read: its tools have names, types and texts, and nothing to call. */
function readListed(path: string): Listed {
  const catalog = readCatalog(readConfigFile(path, MAX_CATALOG_BYTES))
  if (!catalog.ok) throw new CodedError('CONFIG_INVALID', `${path}: ${catalog.message}`)
  const { toolsByName, rejected } = catalogView(catalog.tools)
  return {
    toolsByName,
    problems: [...catalog.warnings, ...rejected].map(({ tool, reason }) => ({ message: `tool "${tool}": ${reason}` })),
  }
}

const MAX_CATALOG_BYTES = 32 * 1024 * 1024

function merged(connected: SdkView, listed: Listed, io: Io): SdkView {
  if (listed.toolsByName.size === 0) return connected
  for (const name of listed.toolsByName.keys()) {
    if (connected.toolsByName.has(name))
      warnProblem(io, { message: `tool "${name}" of the catalog is left out: a server has one` })
  }
  return { toolsByName: new Map([...listed.toolsByName, ...connected.toolsByName]) }
}

function viewOfHits({ toolsByName }: SdkView, hits: readonly SearchHit[]): SdkView {
  const found = new Set(hits.map(({ name }) => name))
  return { toolsByName: new Map([...toolsByName].filter(([name]) => found.has(name))) }
}
