import { readFileSync } from 'node:fs'

/** Wrappers are few and each has one child. */
const MAX_DEPTH = 4

/** The process and what it started, down a line of only children: a wrapper may stay on as the parent of the real one. */
export function processLine(pid: number): number[] {
  const line = [pid]
  for (let at: number | undefined = pid; line.length < MAX_DEPTH;) {
    at = readOnlyChild(at)
    if (at === undefined) break
    line.push(at)
  }
  return line
}

function readOnlyChild(pid: number): number | undefined {
  try {
    const first = /^\d+/.exec(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    return first === null ? undefined : Number(first[0])
  } catch {
    return undefined
  }
}
