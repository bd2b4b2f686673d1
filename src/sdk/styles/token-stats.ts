import { renderSdk } from '../render.ts'
import type { SdkLevel } from '../render.ts'
import { callableTools } from '../sdk-view.ts'
import type { PlacedTool, SdkNames, SdkView } from '../sdk-view.ts'
import { loadTokenCounter, TOKEN_ENCODING } from './count-tokens.ts'
import type { TokenCounter } from './count-tokens.ts'
import { modelJson } from './model-json.ts'

/** All figures are tokens of `encoding`, but for `tools` and `characters`. */
export interface TokenStats {
  readonly encoding: string
  readonly tools: number
  /** The text that was asked for. */
  readonly text: { readonly characters: number; readonly tokens: number }
  /** The JSON of the same tools, as a model without programs would be given them. */
  readonly rawJson: number
  readonly levels: Readonly<Record<SdkLevel, number>>
  /** In order of the name; tools of no server come first. Each stands alone: types shared between servers count in both. */
  readonly servers: readonly ServerTokens[]
}
export interface ServerTokens {
  /** Absent: tools that hang under `tools` directly. */
  readonly server?: string
  readonly tools: number
  readonly rawJson: number
  readonly levels: Readonly<Record<SdkLevel, number>>
}

/** What `text` costs a model, beside other ways to show it the tools of the view. */
export async function tokenStats(text: string, view: SdkView, names: SdkNames): Promise<TokenStats> {
  const count = await loadTokenCounter()
  const tools = callableTools(view, names)
  const whole = tokensOfTools(tools, view, names, count)
  const groups = Map.groupBy(tools, ({ path }) => (path.length > 1 ? path[0] : undefined))
  return {
    encoding: TOKEN_ENCODING,
    tools: tools.length,
    text: { characters: text.length, tokens: count(text) },
    ...whole,
    servers: [...groups].map(([server, members]) => ({
      ...(server !== undefined && { server }),
      tools: members.length,
      ...(members.length === tools.length ? whole : tokensOfTools(members, viewOf(members), names, count)),
    })),
  }
}

function tokensOfTools(tools: readonly PlacedTool[], view: SdkView, names: SdkNames, count: TokenCounter) {
  const at = (level: SdkLevel): number => count(renderSdk(view, names, { level }).text)
  const [L0, L1, L2, L3, L4] = [at('L0'), at('L1'), at('L2'), at('L3'), at('L4')]
  return { rawJson: count(modelJson(tools)), levels: { L0, L1, L2, L3, L4 } satisfies Record<SdkLevel, number> }
}

function viewOf(tools: readonly PlacedTool[]): SdkView {
  return { toolsByName: new Map(tools.map(({ tool }) => [tool.name, tool])) }
}
