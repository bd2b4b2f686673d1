import { existsSync, globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JsonObject } from '../../src/data/json.ts'
import type { SampleTool } from '../_sdk-sample.ts'

/** One generator of SDK texts. It is loaded, and given the tools as often as a sample is taken. */
export interface SdkContestant {
  readonly name: string
  /** The package that has to be there; ours and those we depend on always are. */
  readonly peer?: string
  /** Larger samples take it minutes. */
  readonly maxTools?: number
  /** The type of a tool's arguments in its text. */
  argsType(tool: SampleTool): string
  /** `library`: the folder of our built code. */
  load(library: string): Promise<Generator>
}

export interface Generator {
  /** Before time is taken: what the generator has to be spared. */
  prepare?(tools: readonly SampleTool[]): Promise<void>
  generate(tools: readonly SampleTool[]): string | Promise<string>
}

type Sources = {
  readonly catalog: typeof import('../../src/sdk/catalog.ts')
  readonly render: typeof import('../../src/sdk/render.ts')
  readonly names: typeof import('../../src/registry/native-names.ts')
  readonly interfaces: typeof import('../../src/sdk/styles/interfaces.ts')
}

/** The first one is what a model is given: ratios are against it. */
export const SDK_CONTESTANTS: readonly SdkContestant[] = [
  ours('codeferry, ≤ 200 chars (L3)', 'L3'),
  ours('codeferry, full (L4)', 'L4'),
  ours('codeferry, no descriptions (L2)', 'L2'),
  {
    name: 'codeferry, interfaces',
    argsType: ({ server, tool }) =>
      `NonNullable<Parameters<Tools[${JSON.stringify(member(server))}][${JSON.stringify(member(tool))}]>[0]>`,
    async load(library) {
      const { catalog, names } = await loadOurs(library)
      const { renderInterfaces } = await part(library, 'sdk/styles/interfaces', 'interfaces')
      return {
        async generate(tools) {
          const view = viewOf(tools, catalog)
          return (await renderInterfaces(view, names.deriveNames(view))).text
        },
      }
    },
  },
  jst('json-schema-to-typescript', false),
  jst('json-schema-to-typescript, formatted', true),
  {
    name: '@cloudflare/codemode',
    peer: '@cloudflare/codemode',
    argsType: ({ name }) => `Parameters<typeof codemode.${name}>[0]`,
    async load() {
      // The package itself loads in Cloudflare's runtime only; the part that makes types loads anywhere.
      const [chunk = ''] = globSync(join(PEERS, '@cloudflare/codemode/dist/json-schema-types-*.js'))
      const exported: Record<string, unknown> = await import(pathToFileURL(chunk).href)
      const generate = Object.values(exported).find(
        (value): value is (tools: unknown) => string =>
          typeof value === 'function' && value.name === 'generateTypesFromJsonSchema',
      )
      if (generate === undefined) throw new Error('@cloudflare/codemode has no generateTypesFromJsonSchema')
      return { generate: (tools) => generate(Object.fromEntries(tools.map((tool) => [tool.name, tool]))) }
    },
  },
  {
    name: '@tanstack/ai-code-mode',
    peer: '@tanstack/ai-code-mode',
    argsType: ({ name }) => `Parameters<typeof external_${name}>[0]`,
    async load() {
      const file = join(PEERS, '@tanstack/ai-code-mode/dist/esm/type-generator/json-schema-to-ts.js')
      const { generateTypeStubs }: { generateTypeStubs: (tools: unknown) => string } = await import(
        pathToFileURL(file).href
      )
      const bindingOf = (tool: SampleTool) => ({ ...tool, name: `external_${tool.name}` })
      return {
        generate: (tools) =>
          generateTypeStubs(Object.fromEntries(tools.map(bindingOf).map((tool) => [tool.name, tool]))),
      }
    },
  },
  {
    name: 'quicktype',
    peer: 'quicktype-core',
    maxTools: 100,
    argsType: argsName,
    async load() {
      const file = createRequire(join(PEERS, 'x.js')).resolve('quicktype-core')
      const { quicktype, InputData, JSONSchemaInput }: Quicktype = await import(pathToFileURL(file).href)
      const generate = async (named: readonly NamedSchema[]): Promise<string> => {
        const schemas = new JSONSchemaInput(undefined)
        for (const { name, schema } of named) await schemas.addSource({ name, schema: JSON.stringify(schema) })
        const inputData = new InputData()
        inputData.addInput(schemas)
        const { lines } = await quicktype({ inputData, lang: 'typescript', rendererOptions: { 'just-types': 'true' } })
        return lines.join('\n')
      }
      const unfit = new Set<string>()
      return {
        // One schema that it cannot take would cost it the whole text.
        async prepare(tools) {
          for (const one of tools.flatMap(namedSchemas)) {
            await generate([one]).catch(() => unfit.add(one.name))
          }
        },
        generate: (tools) => generate(tools.flatMap(namedSchemas).filter(({ name }) => !unfit.has(name))),
      }
    },
  },
]

/** Those that can take part here. */
export function installedContestants(folder = PEERS): readonly SdkContestant[] {
  return SDK_CONTESTANTS.filter(({ peer }) => peer === undefined || existsSync(join(folder, peer)))
}

const PEERS = join(import.meta.dirname, 'node_modules')

interface Quicktype {
  readonly quicktype: (options: unknown) => Promise<{ readonly lines: readonly string[] }>
  readonly InputData: new () => { addInput(input: unknown): void }
  readonly JSONSchemaInput: new (store: undefined) => {
    addSource(source: { readonly name: string; readonly schema: string }): Promise<void>
  }
}

function ours(name: string, level: 'L2' | 'L3' | 'L4'): SdkContestant {
  return {
    name,
    argsType: ({ server, tool }) =>
      `NonNullable<Parameters<typeof tools[${JSON.stringify(member(server))}][${JSON.stringify(member(tool))}]>[0]>`,
    async load(library) {
      const { catalog, render, names } = await loadOurs(library)
      return {
        generate(tools) {
          const view = viewOf(tools, catalog)
          return render.renderSdk(view, names.deriveNames(view), { level }).text
        },
      }
    },
  }
}

/** One compilation for each schema, as its users do it; with the tool's description where the schema has none. */
function jst(name: string, format: boolean): SdkContestant {
  return {
    name,
    argsType: argsName,
    async load() {
      const { compile } = await import('json-schema-to-typescript')
      return {
        async generate(tools) {
          const texts: string[] = []
          for (const tool of tools) {
            for (const { name: type, schema } of namedSchemas(tool)) {
              try {
                texts.push(
                  await compile(schema, type, {
                    bannerComment: '',
                    format,
                    $refOptions: { resolve: { external: false } },
                  }),
                )
              } catch {
                texts.push('') // A schema that it cannot take has no type.
              }
            }
          }
          return texts.join('\n')
        },
      }
    },
  }
}

interface NamedSchema {
  readonly name: string
  readonly schema: JsonObject
}

function namedSchemas(tool: SampleTool): readonly NamedSchema[] {
  const args = { name: argsName(tool), schema: { description: tool.description, ...tool.inputSchema } }
  if (tool.outputSchema === undefined) return [args]
  return [args, { name: `${pascal(tool.name)}Result`, schema: tool.outputSchema }]
}

function argsName({ name }: SampleTool): string {
  return `${pascal(name)}Args`
}

/** Letters behind digits are capitals, as both libraries that are given names would make them. */
function pascal(name: string): string {
  const joined = name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
  return joined.replace(/[0-9][a-z]/g, (pair) => pair.toUpperCase())
}

function member(name: string): string {
  const joined = name.replace(/[^A-Za-z0-9_$]/g, '_')
  return /^[0-9]/.test(joined) ? `_${joined}` : joined
}

async function loadOurs(library: string) {
  return {
    catalog: await part(library, 'sdk/catalog', 'catalog'),
    render: await part(library, 'sdk/render', 'render'),
    names: await part(library, 'registry/native-names', 'names'),
  }
}

async function part<K extends keyof Sources>(library: string, file: string, _kind: K): Promise<Sources[K]> {
  return (await import(pathToFileURL(join(library, `src/${file}.js`)).href)) as Sources[K] // Built from that source.
}

function viewOf(
  tools: readonly SampleTool[],
  { catalogView }: Sources['catalog'],
): ReturnType<Sources['catalog']['catalogView']> {
  const toolsByName: ReturnType<Sources['catalog']['catalogView']>['toolsByName'][] = []
  for (const [server, members] of Map.groupBy(tools, (tool) => tool.server)) {
    toolsByName.push(
      catalogView(
        members.map((tool) => ({ ...tool, name: tool.tool })),
        server,
      ).toolsByName,
    )
  }
  return { toolsByName: new Map(toolsByName.flatMap((byName) => [...byName])), rejected: [] }
}
