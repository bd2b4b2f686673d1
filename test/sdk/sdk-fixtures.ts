import type { Json, JsonObject } from '../../src/data/json.ts'
import { deriveNames } from '../../src/registry/native-names.ts'
import { catalogView, readCatalog } from '../../src/sdk/catalog.ts'
import { createTypePrinter } from '../../src/sdk/print-types.ts'
import { renderSdk } from '../../src/sdk/render.ts'
import type { RenderedSdk, RenderOptions } from '../../src/sdk/render.ts'
import { typeFromSchema } from '../../src/sdk/types-from-schema.ts'
import type { SchemaType } from '../../src/sdk/types-from-schema.ts'

export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: JsonObject
}

export function viewOf(tools: readonly ListedTool[], namespace?: string) {
  const catalog = readCatalog(JSON.stringify({ tools }))
  if (!catalog.ok) throw new Error(catalog.message)
  const view = catalogView(catalog.tools, namespace)
  return { view, names: deriveNames(view) }
}

export function render(tools: readonly ListedTool[], options?: RenderOptions, namespace = 'srv'): RenderedSdk {
  const { view, names } = viewOf(tools, namespace)
  return renderSdk(view, names, options)
}

/** The printed type of one schema and what stands before it, without descriptions unless asked for. */
export function printSchema(schema: unknown, direction: 'input' | 'output' | 'arguments' = 'output', docChars = 0) {
  const type: SchemaType = typeFromSchema(schema, {
    direction: direction === 'output' ? 'output' : 'input',
    isArguments: direction === 'arguments',
    hint: 'value',
  })
  const root = { node: type.node, hint: 'value', mayBeNamed: false, memo: {} }
  const printer = createTypePrinter([root], { docChars })
  return { text: printer.print(root, ''), declarations: printer.declarations, doc: type.doc, warnings: type.warnings }
}

/** One property in an argument object: how a schema usually stands. */
export function printProperty(schema: Json, direction: 'input' | 'output' = 'input'): string {
  const { text, declarations } = printSchema({ type: 'object', properties: { x: schema }, required: ['x'] }, direction)
  return [...declarations, text.replace(/^\{ x\??: (.*) \}$/s, '$1')].join('\n')
}
