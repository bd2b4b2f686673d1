import { readFileSync, readdirSync } from 'node:fs'

/** Compiler processes that this very process started. */
export function compilerPids(): readonly number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const [parent] = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) \w /s, '')
        .split(' ')
      const isOurs = Number(parent) === process.pid && readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes('--api')
      return isOurs ? [Number(entry)] : []
    } catch {
      return [] // It ended while it was looked at.
    }
  })
}
