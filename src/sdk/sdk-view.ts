import type { JsonObject } from '../data/json.ts'

/** What the SDK text needs of a tool: the model's side of a `ToolDefinition`, which is one of these. */
export interface SdkTool {
  readonly name: string
  readonly namespace?: string
  readonly title?: string
  readonly description: string
  readonly parameters: JsonObject
  readonly output: { readonly schema?: JsonObject }
  readonly tier?: 'native' | 'code' | 'both'
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean }
}

/** What the SDK text is made from. A resolved `ToolView` is one of these; so is a catalog that was only read. */
export interface SdkView {
  readonly toolsByName: ReadonlyMap<string, SdkTool>
}

/** The part of `deriveNames` that programs see. */
export interface SdkNames {
  /** `[member]` or `[namespace, member]`, by registered name. */
  readonly pathByName: ReadonlyMap<string, readonly string[]>
  /** One sentence for each name that had to be changed. */
  readonly warnings?: readonly string[]
}

/** Tools that a program can call, in order of the path under which it finds them. */
export function callableTools(view: SdkView, names: SdkNames): readonly PlacedTool[] {
  const placed: PlacedTool[] = []
  for (const tool of view.toolsByName.values()) {
    if (tool.tier !== 'native') placed.push({ tool, path: names.pathByName.get(tool.name) ?? [tool.name] })
  }
  return placed.sort((a, b) => a.path.length - b.path.length || comparePaths(a.path, b.path))
}

/** Whether `tools.full(name, args)` is the SDK's own among all `tools` of a view. One of that name goes before it. */
export function hasOwnFull(tools: readonly PlacedTool[]): boolean {
  return !tools.some(({ path }) => path[0] === 'full')
}

export interface PlacedTool {
  readonly tool: SdkTool
  readonly path: readonly string[]
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (const [at, part] of a.entries()) {
    const other = b[at] ?? ''
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}
