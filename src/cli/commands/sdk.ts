import { renderSdk, tokensOf, type SdkLevel } from '../../sdk/render.ts'
import { EXIT } from '../exit-codes.ts'
import { safe, warn, writeJson, type Io } from '../io.ts'
import { watchInterrupt } from '../interrupt.ts'
import { openCatalog, readSources, type SourceOptions } from '../tool-sources.ts'

export const SDK_LEVELS = ['L0', 'L1', 'L2', 'L3', 'L4'] as const satisfies readonly SdkLevel[]

export interface SdkCommandOptions extends SourceOptions {
  /** A catalog is read as mocked tools are, which need no behaviour to be described. */
  readonly catalog?: string
  readonly level?: SdkLevel
  readonly budget?: number
  readonly json?: boolean
}

/** Prints the SDK text a model would be given. */
export async function sdkCommand(options: SdkCommandOptions, io: Io): Promise<number> {
  using interrupt = watchInterrupt()
  const mock = options.mock ?? options.catalog
  const sources = readSources(
    { ...(options.config !== undefined && { config: options.config }), ...(mock !== undefined && { mock }) },
    io,
  )
  await using catalog = await interrupt.race(openCatalog(sources, io))
  const sdk = renderSdk(catalog.view, catalog.names, {
    ...(options.level !== undefined && { level: options.level }),
    ...(options.budget !== undefined && { budgetTokens: options.budget }),
  })
  if (options.json === true) {
    writeJson(io, {
      text: sdk.text,
      level: sdk.level,
      tokens: tokensOf(sdk.text),
      tools: Object.fromEntries(sdk.nameMap),
      warnings: sdk.warnings,
      problems: catalog.problems,
    })
  } else {
    for (const { tool, pointer, reason } of sdk.warnings)
      warn(io, `${tool}${pointer === '' ? '' : ` ${pointer}`}: ${reason}`)
    io.stdout.write(`${safe(sdk.text).trimEnd()}\n`)
  }
  return catalog.serversMissing ? EXIT.serversMissing : EXIT.ok
}
