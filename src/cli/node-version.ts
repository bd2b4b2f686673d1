/** The first that has all of the language that is used here; also in `engines` of package.json. */
export const OLDEST_NODE = 24

/** One line for whoever started it with too old a Node. Loaded by that Node itself, so it imports nothing. */
export function nodeFault(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined
  return `error: codeferry needs Node ${OLDEST_NODE} or newer, and this is ${version}; install one and start it with that`
}
