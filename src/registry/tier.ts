import type { Mode } from './scope.ts'
import type { ToolDefinition } from './tool.ts'

/**
 * Whether a model is shown this tool and may call it directly. A tier is its owner's own word and goes before the mode:
 * a `native` tool stays native where everything else is called from programs.
 */
export function isOpenToModel(mode: Mode, definition: ToolDefinition): boolean {
  return definition.tier === 'native' || (mode !== 'code' && definition.tier !== 'code')
}

/** Whether programs see this tool in their SDK and may call it. In `native` mode there are no programs. */
export function isOpenToPrograms(mode: Mode, definition: ToolDefinition): boolean {
  return mode !== 'native' && definition.tier !== 'native'
}
