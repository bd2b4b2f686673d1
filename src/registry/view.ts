import type { ToolDefinition } from './tool.ts'
import type { Mode } from './scope.ts'

/** What one scope sees, resolved once per generation of the registry. `get`, schemas, SDK and dispatch all read it. */
export interface ToolView {
  readonly scope: string
  readonly mode: Mode
  /** Changes whenever anything this view depends on changed; equal generation means the same object. */
  readonly generation: number
  /** Every visible tool but `run_code`, by registered name, in byte order of the name. */
  readonly toolsByName: ReadonlyMap<string, ToolDefinition>
  /** `run_code`, when the mode needs it. */
  readonly runCode?: ToolDefinition
  /** Names registered or inherited here that a restriction hides: for honest messages, never for dispatch. */
  readonly hiddenNames: ReadonlySet<string>
}
