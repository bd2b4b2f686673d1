import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, JsonObject } from '../src/data/json.ts'
import { readCatalog } from '../src/sdk/catalog.ts'

/** A tool as all generators are given it. `server_tool` is an identifier and occurs once. */
export interface SampleTool {
  readonly server: string
  readonly tool: string
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
}

export interface Sample {
  readonly tools: readonly SampleTool[]
  /** Where they are from, in words for the report. */
  readonly origin: string
}

/** Catalogs in dialects of their own, which no generator here says it reads. */
const OFF_SPEC = /^(bfcl-|api-bank|tau-bench)/

const BESIDE = join(import.meta.dirname, '../../shared/corpus/catalogs')

/** Tools of the catalogs in a folder, in an order that mixes them and is the same on every machine; or made-up ones. */
export function readSample(folder: string | undefined, beside = BESIDE): Sample {
  const from = folder ?? (existsSync(beside) ? beside : undefined)
  if (from === undefined) {
    return {
      tools: mixed(Array.from({ length: 1_000 }, (_, n) => madeUp(n))),
      origin: 'made-up tools: no catalogs lie beside this checkout',
    }
  }
  const files = readdirSync(from)
    .filter((file) => file.endsWith('.json') && !OFF_SPEC.test(file))
    .toSorted()
  const taken = new Set<string>()
  const tools = files.flatMap((file) => {
    const catalog = readCatalog(readFileSync(join(from, file), 'utf8'))
    if (!catalog.ok) throw new Error(`${file}: ${catalog.message}`)
    const server = file.replace(/\.json$/, '')
    return catalog.tools.flatMap((tool) => {
      const name = `${server}_${tool.name}`.replace(/\W/g, '_').toLowerCase()
      if (taken.has(name)) return []
      taken.add(name)
      const { description, inputSchema, outputSchema } = tool
      return [
        {
          server,
          tool: tool.name,
          name,
          description,
          inputSchema,
          ...(outputSchema !== undefined && { outputSchema }),
        },
      ]
    })
  })
  return { tools: mixed(tools), origin: `${tools.length} tools of ${files.length} catalogs of real MCP servers` }
}

/** What a model without programs is given. */
export function rawJsonOf(tools: readonly SampleTool[]): string {
  return JSON.stringify(
    tools.map(({ name, description, inputSchema, outputSchema }) => ({ name, description, inputSchema, outputSchema })),
  )
}

/** As long and as deep as the middle of real ones. */
export function madeUp(n: number): SampleTool {
  const text = (description: string): Json => ({ type: 'string', description })
  const nouns = ['issue', 'order', 'file', 'person', 'branch', 'invoice', 'metric']
  const noun = nouns[n % nouns.length] ?? 'thing'
  return {
    server: `server${n % 12}`,
    tool: `list_${noun}_${n}`,
    name: `server${n % 12}_list_${noun}_${n}`,
    description: `Lists each ${noun} of group ${n}, newest first. Use it when the ${noun} is not known yet; it gives at most a page.`,
    inputSchema: {
      type: 'object',
      properties: {
        owner: text(`Who owns the ${noun}, as it stands in its address`),
        state: { type: 'string', enum: ['open', 'closed', `kind_${n % 31}`], description: `State of the ${noun}` },
        page: { type: 'integer', minimum: 1, default: 1, description: 'Page of the results' },
        [`with_${noun}_${n % 13}`]: { type: 'array', items: text('One of those that are wanted'), maxItems: 50 },
        range: { type: 'object', properties: { from: text('First day'), to: text('Last day') }, required: ['from'] },
      },
      required: ['owner'],
    },
    ...(n % 5 === 0 && {
      outputSchema: {
        type: 'object',
        properties: {
          items: {
            type: 'array',
            items: {
              type: 'object',
              properties: { id: { type: 'integer' }, title: text('Its title') },
              required: ['id', 'title'],
            },
          },
        },
        required: ['items'],
      } satisfies JsonObject,
    }),
  }
}

function mixed(tools: readonly SampleTool[]): readonly SampleTool[] {
  const keyed = tools.map((tool) => ({ tool, key: createHash('sha256').update(tool.name).digest('hex') }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ tool }) => tool)
}
