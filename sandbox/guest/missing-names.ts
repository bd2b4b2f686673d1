import { nearestNames } from './nearest.ts'
import { append, createList, join, quote, regExpExec, stringEndsWith, stringIndexOf, type List } from './primordials.ts'
import { shorten } from './text-size.ts'

interface Miss {
  readonly label: string
  readonly key: string
  readonly names: () => List<string>
}
const MAX_MISSES = 50
const CALLED = /^(.+) is not a (?:function|constructor)/
const READ = /^Cannot (?:read|destructure) propert/

/** Names that were asked for and are not there: reading one is no error, and matters only if the program dies of it. */
const misses: List<Miss> = createList()

export function rememberMiss(label: string, key: string, names: () => List<string>): void {
  if (misses.length < MAX_MISSES) append(misses, { label, key, names })
}

/** The message of an uncaught TypeError that a missing tool name explains, in words that name the tool. */
export function rewordMissing(name: string, message: string, allNames: () => List<string>): string {
  if (name !== 'TypeError' || misses.length === 0) return message
  const call = regExpExec(CALLED, message)
  const isRead = regExpExec(READ, message) !== null
  for (let index = misses.length - 1; index >= 0; index--) {
    const miss = misses[index] as Miss
    const isLast = index === misses.length - 1
    const fits = call !== null ? mentions(call[1] as string, miss.key, isLast) : isRead && isLast
    if (!fits) continue
    const near = nearestNames(miss.key, miss.names())
    const best = near.length > 0 ? near : nearestNames(miss.key, allNames())
    const advice = best.length > 0 ? `; nearest: ${join(best, ', ')}` : ''
    return `${miss.label} has no ${quote(shorten(miss.key, 80))}${advice} (${message})`
  }
  return message
}

/**
 * Whether the callee's text holds that name: `tools.getWeather`, `getWeather`, `tools["get-weather"]`. The text of a
 * computed one (`tools[name]`) does not tell: then it is the name that was asked for last.
 */
function mentions(callee: string, key: string, isLast: boolean): boolean {
  if (stringIndexOf(callee, key) >= 0 || stringIndexOf(callee, '(intermediate value)') >= 0) return true
  return isLast && stringEndsWith(callee, ']')
}
