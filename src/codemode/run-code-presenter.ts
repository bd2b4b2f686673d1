import { contentText } from '../data/block-text.ts'
import type { JsonObject } from '../data/json.ts'
import type { DurableResult } from '../data/outcome.ts'
import type { RenderIntent, ToolDefinition } from '../registry/tool.ts'
import { deriveDescription } from './compile/description.ts'

/** How a run looks: apart from the tool itself, as a replay has a log and no executor. */
export const runCodePresenter = {
  presentCall: (args: JsonObject): RenderIntent => ({ kind: 'terminal', command: commandOf(args) }),
  presentResult: (args: JsonObject, durable: DurableResult): RenderIntent => ({
    kind: 'terminal',
    command: commandOf(args),
    output: contentText(durable.content),
    exitCode: durable.isError ? 1 : 0,
  }),
} satisfies Pick<ToolDefinition, 'presentCall' | 'presentResult'>

function commandOf(args: JsonObject): string {
  return typeof args.description === 'string'
    ? args.description
    : deriveDescription(typeof args.code === 'string' ? args.code : '')
}
