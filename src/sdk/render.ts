import { writeSdkText } from './sdk-text.ts'
import type { ToolForm } from './sdk-text.ts'
import { callableTools } from './sdk-view.ts'
import type { PlacedTool, SdkNames, SdkView } from './sdk-view.ts'
import { typesOfTool } from './tool-types.ts'
import type { SdkWarning } from './tool-types.ts'

/**
 * How much of each tool the text shows. `L0`: namespaces and counts; `L1`: one line a tool; `L2`: signatures;
 * `L3`: and descriptions of at most 200 characters; `L4`: everything.
 */
export type SdkLevel = 'L0' | 'L1' | 'L2' | 'L3' | 'L4'

export interface RenderOptions {
  /** Absent: the highest of `L3`, `L1`, `L0` that fits the budget. */
  readonly level?: SdkLevel
  /** In tokens of four characters. */
  readonly budgetTokens?: number
  /** Registered names that keep their full signature whatever the level and the budget. */
  readonly pinned?: ReadonlySet<string>
}

export interface RenderedSdk {
  /** TypeScript. It compiles under `strict`, together with `prelude.d.ts`. */
  readonly text: string
  readonly level: SdkLevel
  /** Registered names by printed path (`github.issue_read`): every tool a program can call, whatever the level shows. */
  readonly nameMap: ReadonlyMap<string, string>
  readonly warnings: readonly SdkWarning[]
}

export const DEFAULT_BUDGET_TOKENS = 6_000
const CHARS_PER_TOKEN = 4
const INDEX_DOC_CHARS = 80

const SIGNATURES = {
  L2: { kind: 'signature', docChars: 0, memberDocChars: 0, hints: false },
  L3: { kind: 'signature', docChars: 200, memberDocChars: 200, hints: false },
  L4: { kind: 'signature', docChars: 8_000, memberDocChars: 2_000, hints: true },
} as const satisfies Record<string, ToolForm>

// A view never changes, and the prompt is asked for at every turn.
const renderedByView = new WeakMap<SdkView, { names: SdkNames; renderedByOptions: Map<string, RenderedSdk> }>()
const MAX_CACHED = 16

/** The SDK text of a view. Depends on the set of tools, their names and the options alone: same set, same bytes. */
export function renderSdk(view: SdkView, names: SdkNames, options: RenderOptions = {}): RenderedSdk {
  let cached = renderedByView.get(view)
  if (cached === undefined || cached.names !== names) {
    cached = { names, renderedByOptions: new Map() }
    renderedByView.set(view, cached)
  }
  const budgetTokens = options.budgetTokens ?? DEFAULT_BUDGET_TOKENS
  const pinned = [...(options.pinned ?? [])].filter((name) => view.toolsByName.has(name)).sort()
  const key = JSON.stringify([options.level, options.level === undefined && budgetTokens, pinned])
  let rendered = cached.renderedByOptions.get(key)
  if (rendered === undefined) {
    rendered = render(callableTools(view, names), names, options.level, budgetTokens, new Set(pinned))
    if (cached.renderedByOptions.size >= MAX_CACHED) cached.renderedByOptions.clear()
    cached.renderedByOptions.set(key, rendered)
  }
  return rendered
}

/** What any text costs, by the rule the budget is counted in. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

function render(
  tools: readonly PlacedTool[],
  names: SdkNames,
  level: SdkLevel | undefined,
  budgetTokens: number,
  pinned: ReadonlySet<string>,
): RenderedSdk {
  const { text, level: chosen } =
    level === undefined ? fit(tools, budgetTokens, pinned) : { text: write(tools, formFor(level), pinned), level }
  return {
    text,
    level: chosen,
    nameMap: new Map(tools.map(({ tool, path }) => [path.join('.'), tool.name])),
    warnings: warningsOf(tools, names),
  }
}

/**
 * From the richest form to the poorest, the first that fits; the poorest if none does. Each form shows no more than
 * the one before it, so a larger budget never shows less. Pinned tools are whole in all of them.
 */
function fit(
  tools: readonly PlacedTool[],
  budgetTokens: number,
  pinned: ReadonlySet<string>,
): { readonly text: string; readonly level: SdkLevel } {
  const ladder: readonly { readonly level: SdkLevel; readonly form: ToolForm }[] = [
    { level: 'L3', form: formFor('L3') },
    { level: 'L1', form: formFor('L1') },
    { level: 'L1', form: { kind: 'line', docChars: INDEX_DOC_CHARS / 2 } },
    { level: 'L1', form: { kind: 'line', docChars: 0 } },
  ]
  for (const { level, form } of ladder) {
    const text = write(tools, form, pinned)
    if (tokensOf(text) <= budgetTokens) return { text, level }
  }
  return { text: write(tools, formFor('L0'), pinned), level: 'L0' }
}

function write(tools: readonly PlacedTool[], form: ToolForm, pinned: ReadonlySet<string>): string {
  const whole = form.kind === 'signature' ? form : SIGNATURES.L3
  return writeSdkText(tools, {
    head: 'declare const tools:',
    formOf: (tool) => (pinned.has(tool.name) ? whole : form),
  })
}

function formFor(level: SdkLevel): ToolForm {
  if (level === 'L0') return { kind: 'counted' }
  if (level === 'L1') return { kind: 'line', docChars: INDEX_DOC_CHARS }
  return SIGNATURES[level]
}

function warningsOf(tools: readonly PlacedTool[], names: SdkNames): readonly SdkWarning[] {
  const warnings: SdkWarning[] = tools.flatMap(({ tool }) => typesOfTool(tool).warnings)
  for (const warning of names.warnings ?? []) {
    const end = warning.indexOf(': ')
    warnings.push({
      tool: end === -1 ? '' : warning.slice(0, end),
      pointer: '/name',
      reason: end === -1 ? warning : warning.slice(end + 2),
    })
  }
  return warnings
}
