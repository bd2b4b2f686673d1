import type { ToolDefinition } from '../../registry/tool.ts'
import { EXIT } from '../exit-codes.ts'
import { paletteFor, safe, writeJson, type Io } from '../io.ts'
import { watchInterrupt } from '../interrupt.ts'
import { openCatalog, readSources, type Catalog, type SourceOptions } from '../tool-sources.ts'

export interface ToolsCommandOptions extends SourceOptions {
  readonly json?: boolean
}

/** Lists the tools a program could call. */
export async function toolsCommand(options: ToolsCommandOptions, io: Io): Promise<number> {
  using interrupt = watchInterrupt()
  await using catalog = await interrupt.race(openCatalog(readSources(options, io), io))
  if (options.json === true) writeJson(io, toolsDocument(catalog))
  else writeTools(io, catalog)
  return catalog.serversMissing ? EXIT.serversMissing : EXIT.ok
}

function toolsDocument({ view, names, problems }: Catalog): unknown {
  return {
    tools: [...view.toolsByName.values()].map((tool) => ({
      name: tool.name,
      call: callPath(names, tool),
      nativeName: names.nativeByName.get(tool.name),
      title: tool.title,
      description: tool.description,
      parameters: tool.parameters,
      outputSchema: tool.output.schema,
      annotations: tool.annotations,
      validated: tool.validateArguments !== 'in-body',
    })),
    problems,
  }
}

function writeTools(io: Io, { view, names }: Catalog): void {
  const { bold, dim } = paletteFor(io.stdout, io.env)
  const tools = [...view.toolsByName.values()]
  if (tools.length === 0) {
    io.stdout.write('There are no tools. Give --config <mcp.json> or --mock <tools.json>.\n')
    return
  }
  const lines = tools.map((tool) => {
    const hints = hintsOf(tool)
    const description = safe(tool.description).trim().split('\n')[0] ?? ''
    return [
      `${bold(callPath(names, tool))}${hints === '' ? '' : ` ${dim(`[${hints}]`)}`}`,
      ...(description === '' ? [] : [`    ${cut(description)}`]),
    ].join('\n')
  })
  io.stdout.write(`${lines.join('\n')}\n\n${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}\n`)
}

/** As a program writes it. */
function callPath(names: Catalog['names'], tool: ToolDefinition): string {
  const path = names.pathByName.get(tool.name)
  return path === undefined ? `tools[${JSON.stringify(tool.name)}]` : `tools.${path.join('.')}`
}

function hintsOf({ annotations }: ToolDefinition): string {
  if (annotations === undefined) return ''
  const hints = [
    annotations.readOnlyHint === true && 'read-only',
    annotations.destructiveHint === true && annotations.readOnlyHint !== true && 'destructive',
    annotations.idempotentHint === true && 'idempotent',
  ]
  return hints.filter((hint) => hint !== false).join(', ')
}

function cut(text: string): string {
  return text.length <= 110 ? text : `${text.slice(0, 109)}…`
}
