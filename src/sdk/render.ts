import { writeSdkText } from './sdk-text.ts'
import type { ToolForm } from './sdk-text.ts'
import { callableTools, hasOwnFull } from './sdk-view.ts'
import type { PlacedTool, SdkNames, SdkTool, SdkView } from './sdk-view.ts'
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
  readonly pinned?: Iterable<string>
  /**
   * Registered names of tools that were used before, the latest first. They keep their full signature as pinned ones
   * do; where nothing else is left to save on, those used longest ago lose theirs first.
   */
  readonly recent?: readonly string[]
}

export interface RenderedSdk {
  /** TypeScript. It compiles under `strict`, together with `prelude.d.ts`. */
  readonly text: string
  readonly level: SdkLevel
  /** Registered names by printed path (`github.issue_read`): every tool a program can call, whatever the level shows. */
  readonly nameMap: ReadonlyMap<string, string>
  readonly warnings: readonly SdkWarning[]
  /** How many tools were printed anew; what was printed before, in whatever view, is used again. */
  readonly printed: number
}

export const DEFAULT_BUDGET_TOKENS = 6_000
const CHARS_PER_TOKEN = 4
const INDEX_DOC_CHARS = 80

const FORMS = {
  L0: { kind: 'counted' },
  L1: { kind: 'line', docChars: INDEX_DOC_CHARS },
  L2: { kind: 'signature', docChars: 0, memberDocChars: 0, hints: false },
  L3: { kind: 'signature', docChars: 200, memberDocChars: 200, hints: false },
  L4: { kind: 'signature', docChars: 8_000, memberDocChars: 2_000, hints: true },
} as const satisfies Record<SdkLevel, ToolForm>

const SHORT_LINES: ToolForm = { kind: 'line', docChars: INDEX_DOC_CHARS / 2 }
const BARE_LINES: ToolForm = { kind: 'line', docChars: 0 }

// A view never changes, and the prompt is asked for at every turn.
const renderedByView = new WeakMap<SdkView, { names: SdkNames; renderedByOptions: Map<string, RenderedSdk> }>()
const MAX_CACHED = 16
/** A session that has used many tools: the ones before these are looked up again. */
const MAX_RECENT = 24

/** The SDK text of a view. Depends on the set of tools, their names and the options alone: same set, same bytes. */
export function renderSdk(view: SdkView, names: SdkNames, options: RenderOptions = {}): RenderedSdk {
  let cached = renderedByView.get(view)
  if (cached === undefined || cached.names !== names) {
    cached = { names, renderedByOptions: new Map() }
    renderedByView.set(view, cached)
  }
  const budgetTokens = options.budgetTokens ?? DEFAULT_BUDGET_TOKENS
  const known = (wanted: Iterable<string>): string[] =>
    [...new Set(wanted)].filter((name) => view.toolsByName.has(name))
  const pinned = known(options.pinned ?? []).sort()
  const recent = known(options.recent ?? [])
    .filter((name) => !pinned.includes(name))
    .slice(0, MAX_RECENT)
  const key = JSON.stringify([options.level, options.level === undefined && budgetTokens, pinned, recent])
  let rendered = cached.renderedByOptions.get(key)
  if (rendered === undefined) {
    rendered = render(callableTools(view, names), names, { level: options.level, budgetTokens, pinned, recent })
    if (cached.renderedByOptions.size >= MAX_CACHED) cached.renderedByOptions.clear()
    cached.renderedByOptions.set(key, rendered)
  }
  return rendered
}

/** What any text costs, by the rule the budget is counted in. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN)
}

interface Wish {
  readonly level: SdkLevel | undefined
  readonly budgetTokens: number
  readonly pinned: readonly string[]
  readonly recent: readonly string[]
}

function render(tools: readonly PlacedTool[], names: SdkNames, wish: Wish): RenderedSdk {
  const printed = new Set<SdkTool>()
  const write = ({ form, whole }: Step): string => {
    const wholeForm = form.kind === 'signature' ? form : FORMS.L3
    return writeSdkText(tools, {
      head: 'declare const tools:',
      ownFull: hasOwnFull(tools),
      formOf: (tool) => (whole.has(tool.name) ? wholeForm : form),
      onPrinted: (tool) => printed.add(tool),
    })
  }
  const { text, level } = wish.level === undefined ? fit(tools, wish, write) : fixed(wish, wish.level, write)
  let warnings: readonly SdkWarning[] | undefined
  return {
    text,
    level,
    nameMap: new Map(tools.map(({ tool, path }) => [path.join('.'), tool.name])),
    printed: printed.size,
    // Made when asked for: an index shows no types, and reading ten thousand schemas for it would be for nothing.
    get warnings() {
      return (warnings ??= warningsOf(tools, names))
    },
  }
}

/** A text: how most tools look, and which are whole all the same. */
interface Step {
  readonly level: SdkLevel
  readonly form: ToolForm
  readonly whole: ReadonlySet<string>
}
interface Written {
  readonly text: string
  readonly level: SdkLevel
}

function fixed({ pinned, recent }: Wish, level: SdkLevel, write: (step: Step) => string): Written {
  return { text: write({ level, form: FORMS[level], whole: new Set([...pinned, ...recent]) }), level }
}

/** The first text that fits; the poorest if none does. */
function fit(tools: readonly PlacedTool[], wish: Wish, write: (step: Step) => string): Written {
  let last: Written | undefined
  for (const step of ladder(wish)) {
    if (step.level !== 'L0' && leastChars(tools, step.form) > wish.budgetTokens * CHARS_PER_TOKEN) continue
    last = { text: write(step), level: step.level }
    if (tokensOf(last.text) <= wish.budgetTokens) break
  }
  return last ?? fixed(wish, 'L0', write)
}

/** No text of this form is shorter, whatever the schemas say: what cannot fit is not even written. */
function leastChars(tools: readonly PlacedTool[], form: ToolForm): number {
  const perTool = form.kind === 'signature' ? '(args: A): Promise<B>'.length : ': Tool'.length
  return tools.reduce((sum, { path }) => sum + (path.at(-1)?.length ?? 0) + perTool, 0)
}

/**
 * From the richest text to the poorest. Each shows no more than the one before it, so a larger budget never shows less.
 * Pinned tools are whole in all of them.
 */
function* ladder({ pinned, recent }: Wish): Generator<Step> {
  const whole = new Set([...pinned, ...recent])
  yield { level: 'L3', form: FORMS.L3, whole }
  yield { level: 'L1', form: FORMS.L1, whole }
  yield { level: 'L1', form: SHORT_LINES, whole }
  yield { level: 'L1', form: BARE_LINES, whole }
  for (let kept = recent.length; kept >= 0; kept -= 1)
    yield { level: 'L0', form: FORMS.L0, whole: new Set([...pinned, ...recent.slice(0, kept)]) }
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
