import { observedText, type ObservedResults } from './observed/observed-text.ts'
import { renderSdk, type RenderedSdk, type RenderOptions } from './render.ts'
import { callableTools, type SdkNames, type SdkView } from './sdk-view.ts'

/** What one session has done with the tools of its view. */
export interface SessionUse {
  /** Registered names, the latest first. */
  readonly recent: readonly string[]
  readonly observed: ObservedResults
}

/** Beyond the budget, as results are shown only of tools that were used: about 1,000 tokens. */
const MAX_OBSERVED_CHARS = 4_000

/**
 * The SDK text as one session should see it: tools that it used keep their signature, and what those gave that declare
 * no result stands behind the declarations. Changes as the session goes on; without a use it is `renderSdk`'s own.
 */
export function renderForSession(
  view: SdkView,
  names: SdkNames,
  options: RenderOptions,
  { recent, observed }: SessionUse,
): RenderedSdk {
  const rendered = renderSdk(view, names, recent.length === 0 ? options : { ...options, recent })
  if (observed.size === 0) return rendered
  const rank = new Map(recent.map((name, at) => [name, at]))
  const latestFirst = callableTools(view, names)
    .filter(({ tool }) => rank.has(tool.name))
    .sort((a, b) => (rank.get(a.tool.name) ?? 0) - (rank.get(b.tool.name) ?? 0))
  const text = observedText(latestFirst, observed, MAX_OBSERVED_CHARS)
  return text === '' ? rendered : { ...rendered, text: rendered.text + text }
}
