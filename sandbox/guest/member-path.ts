import { quote, regExpExec } from './primordials.ts'
import { shorten } from './text-size.ts'

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** One step of the path to a value: `.a` or `["a b"]`. */
export function memberPath(key: string): string {
  return regExpExec(PLAIN_NAME, key) === null ? `[${quote(shorten(key, 60))}]` : '.' + shorten(key, 60)
}
