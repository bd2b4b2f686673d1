import { canonicalJson } from '../../data/canonical.ts'
import type { Json } from '../../data/json.ts'
import { isList } from '../wording.ts'
import { MAX_PAIRED_ITEMS } from './prepared.ts'

/** What about a value could make checking it slow. */
export interface Survey {
  readonly nodes: number
  /** Length of the longest string or key. */
  readonly longestText: number
  readonly longArrays: readonly (readonly Json[])[]
}

/** Looks a value over in one pass. Does not recurse. */
export function surveyValue(value: Json): Survey {
  let nodes = 0
  let longestText = 0
  const longArrays: (readonly Json[])[] = []
  const pending: Json[] = [value]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    nodes++
    if (typeof at === 'string') longestText = Math.max(longestText, at.length)
    else if (typeof at === 'object' && at !== null) {
      if (isList(at)) {
        if (at.length > MAX_PAIRED_ITEMS) longArrays.push(at)
        for (const item of at) pending.push(item)
      } else {
        for (const [key, part] of Object.entries(at)) {
          longestText = Math.max(longestText, key.length)
          pending.push(part)
        }
      }
    }
  }
  return { nodes, longestText, longArrays }
}

/** Whether two items are equal as JSON, whatever the order of their keys. */
export function hasDuplicates(items: readonly Json[]): boolean {
  const seen = new Set<string>()
  for (const item of items) {
    const text = canonicalJson(item)
    if (seen.has(text)) return true
    seen.add(text)
  }
  return false
}
