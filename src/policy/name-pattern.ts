/** A registered name, `ns.*` for every tool of a namespace, or `*` for every tool. */
export type NamePattern = string

/**
 * `run_code` is the transport of other calls, each of which is judged by itself: `*` does not mean it, its own name does.
 */
const TRANSPORT = 'run_code'

/** A predicate over tool names. The patterns are copied. */
export function matchNames(patterns: NamePattern | readonly NamePattern[]): (toolName: string) => boolean {
  const list = typeof patterns === 'string' ? [patterns] : [...patterns]
  const exact = new Set(list)
  const prefixes = list.filter((pattern) => pattern.endsWith('.*')).map((pattern) => pattern.slice(0, -1))
  const isAny = exact.has('*')
  return (toolName) =>
    exact.has(toolName) || (isAny && toolName !== TRANSPORT) || prefixes.some((prefix) => toolName.startsWith(prefix))
}
