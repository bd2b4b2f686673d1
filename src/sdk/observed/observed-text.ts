import { accessPath, commentText } from '../safe-text.ts'
import type { PlacedTool } from '../sdk-view.ts'
import { printShape } from './print-shape.ts'
import type { ValueShape } from './value-shape.ts'

/** What a tool that declares no result has given so far. */
export interface ObservedResult {
  readonly shape: ValueShape
  /** How many results the shape was made from. */
  readonly results: number
}
/** By registered name. */
export type ObservedResults = ReadonlyMap<string, ObservedResult>

/**
 * Declarations of what undeclared results looked like, for a reader: no tool is declared to give them, so no program
 * is refused for what was never promised. Empty when nothing is known of these tools.
 */
export function observedText(tools: readonly PlacedTool[], observed: ObservedResults, maxChars = Infinity): string {
  const taken = new Set<string>()
  const lines: string[] = []
  let chars = 0
  for (const placed of tools) {
    const known = observed.get(placed.tool.name)
    if (known === undefined || placed.tool.output.schema !== undefined) continue
    const text = declare(placed, known, taken)
    chars += text.length
    if (chars > maxChars) continue
    lines.push(text)
  }
  return lines.join('')
}

function declare({ path }: PlacedTool, { shape, results }: ObservedResult, taken: Set<string>): string {
  const seen = results === 1 ? '1 result' : `${results} results`
  const comment = commentText(
    `observed in ${seen} of tools${accessPath(path)} in this session, not declared: it may differ`,
    400,
  )
  return `// ${comment}\ntype ${claim(path, taken)} = ${printShape(shape)}\n`
}

/** Names of other types have no underscore, so none is taken by them. */
function claim(path: readonly string[], taken: Set<string>): string {
  const base = `Observed_${path
    .join('_')
    .replace(/[^A-Za-z0-9_]/g, '_')
    .slice(0, 80)}`
  let name = base
  for (let n = 2; taken.has(name); n += 1) name = `${base}_${n}`
  taken.add(name)
  return name
}
