import type { Json, JsonObject } from '../data/json.ts'
import { isRecord } from '../data/json.ts'
import { RUN_CODE } from '../registry/scope.ts'
import { nameFault, namespaceFault } from '../registry/tool-name.ts'
import type { SdkTool, SdkView } from './sdk-view.ts'

/** A tool as a server lists it. */
export interface CatalogTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
}

export interface CatalogWarning {
  /** The tool's name, or its place in the list. */
  readonly tool: string
  readonly reason: string
}

export type ReadCatalog =
  | {
      readonly ok: true
      readonly tools: readonly CatalogTool[]
      /** Who the list is from, when it says so. */
      readonly source?: string
      readonly warnings: readonly CatalogWarning[]
    }
  | { readonly ok: false; readonly message: string }

const MAX_CATALOG_CHARS = 32 * 1024 * 1024
const MAX_TOOLS = 10_000

/**
 * Reads a list of tools: the result of MCP's `tools/list`, `{ source, tools }`, a bare array, or a whole JSON-RPC
 * answer. Total. One bad entry costs that entry and a warning, never the catalog.
 */
export function readCatalog(text: string): ReadCatalog {
  if (text.length > MAX_CATALOG_CHARS) {
    return bad(`the catalog must be at most ${MAX_CATALOG_CHARS} characters; got ${text.length}. Split it`)
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    return bad(
      `the catalog must be JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it does not parse'}`,
    )
  }
  const holder =
    isRecord(parsed) && isRecord(parsed['result']) && parsed['tools'] === undefined ? parsed['result'] : parsed
  const list = isRecord(holder) ? holder['tools'] : holder
  if (!Array.isArray(list)) {
    const found = isRecord(holder)
      ? `an object with keys ${Object.keys(holder).slice(0, 8).join(', ') || '(none)'}`
      : kindOf(holder)
    return bad(
      `the catalog must be an array of tools or an object with "tools"; got ${found}. Save what tools/list answers`,
    )
  }
  if (list.length > MAX_TOOLS)
    return bad(`the catalog must hold at most ${MAX_TOOLS} tools; got ${list.length}. Split it`)

  const warnings: CatalogWarning[] = []
  const tools = withUniqueNames(
    list.flatMap((entry, at) => readTool(entry, at, warnings)),
    warnings,
  )
  const source = isRecord(holder) && typeof holder['source'] === 'string' ? holder['source'] : undefined
  return { ok: true, tools, ...(source !== undefined && { source }), warnings }
}

/**
 * A view of tools that were only read: good for names, types and texts. It has no bodies, so no pipeline takes it.
 * Tools whose name no registry would accept are left out and named in `rejected`.
 */
export function catalogView(
  tools: readonly CatalogTool[],
  namespace?: string,
): SdkView & { readonly rejected: readonly CatalogWarning[] } {
  const toolsByName = new Map<string, SdkTool>()
  const rejected: CatalogWarning[] = []
  for (const tool of tools) {
    const name = namespace === undefined ? tool.name : `${namespace}.${tool.name}`
    const fault =
      nameFault(name) ??
      (namespace === undefined ? undefined : namespaceFault(namespace, name)) ??
      (name === RUN_CODE ? 'is reserved: programs run under it' : undefined)
    if (fault !== undefined) {
      rejected.push({ tool: tool.name.slice(0, 128), reason: `left out: the name ${fault}` })
      continue
    }
    toolsByName.set(name, {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(tool.title !== undefined && { title: tool.title }),
      description: tool.description,
      parameters: tool.inputSchema,
      output: tool.outputSchema === undefined ? {} : { schema: tool.outputSchema },
      ...(tool.annotations !== undefined && { annotations: hintsOf(tool.annotations) }),
    })
  }
  return { toolsByName: new Map([...toolsByName].sort(([a], [b]) => (a < b ? -1 : 1))), rejected }
}

function readTool(entry: unknown, at: number, warnings: CatalogWarning[]): readonly CatalogTool[] {
  const place = `tools[${at}]`
  if (!isRecord(entry)) {
    warnings.push({
      tool: place,
      reason: `left out: a tool must be an object; got ${kindOf(entry)}`,
    })
    return []
  }
  const { name, title, description, annotations } = entry
  if (typeof name !== 'string' || name === '') {
    warnings.push({
      tool: place,
      reason: `left out: "name" must be a non-empty string; got ${name === '' ? 'an empty one' : kindOf(name)}`,
    })
    return []
  }
  const tool = name.slice(0, 128)
  if (description !== undefined && typeof description !== 'string') {
    warnings.push({ tool, reason: `"description" must be a string; got ${kindOf(description)}; taken as empty` })
  }
  // Function-calling lists say `parameters` for what MCP calls `inputSchema`.
  const input = entry['inputSchema'] ?? entry['parameters']
  const output = entry['outputSchema']
  if (!isRecord(input)) {
    warnings.push({ tool, reason: '"inputSchema" must be an object; any arguments are taken' })
  }
  if (output !== undefined && output !== null && !isRecord(output)) {
    warnings.push({ tool, reason: '"outputSchema" must be an object; the result is untyped' })
  }
  return [
    {
      name,
      ...(typeof title === 'string' && { title }),
      description: typeof description === 'string' ? description : '',
      inputSchema: isRecord(input) ? asJson(input) : { type: 'object' },
      ...(isRecord(output) && { outputSchema: asJson(output) }),
      ...(isRecord(annotations) && { annotations: asJson(annotations) }),
    },
  ]
}

/** The second tool of a name becomes `name_2`, and so on: in the order of the list, past names that are taken. */
function withUniqueNames(tools: readonly CatalogTool[], warnings: CatalogWarning[]): readonly CatalogTool[] {
  const taken = new Set(tools.map((tool) => tool.name))
  const lastNumberByName = new Map<string, number>()
  return tools.map((tool) => {
    let n = lastNumberByName.get(tool.name)
    if (n === undefined) {
      lastNumberByName.set(tool.name, 1)
      return tool
    }
    do n += 1
    while (taken.has(`${tool.name}_${n}`))
    const name = `${tool.name}_${n}`
    lastNumberByName.set(tool.name, n)
    taken.add(name)
    warnings.push({
      tool: tool.name.slice(0, 128),
      reason: `listed more than once; this one is called ${name.slice(0, 140)}`,
    })
    return { ...tool, name }
  })
}

function hintsOf(annotations: JsonObject): NonNullable<SdkTool['annotations']> {
  return {
    ...(typeof annotations['readOnlyHint'] === 'boolean' && { readOnlyHint: annotations['readOnlyHint'] }),
    ...(typeof annotations['destructiveHint'] === 'boolean' && { destructiveHint: annotations['destructiveHint'] }),
  }
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}

/** `JSON.parse` made it, so every value below is JSON. */
function asJson(record: Record<string, unknown>): JsonObject {
  return record as Record<string, Json>
}

function bad(message: string): ReadCatalog {
  return { ok: false, message }
}
