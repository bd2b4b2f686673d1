import type { Json, JsonScalar } from '../../data/json.ts'
import { describeValue, isList, listOf, quote } from '../wording.ts'
import type { Keyword } from './keyword.ts'

export const enumKeyword: Keyword = {
  name: 'enum',
  compile(value, site, node) {
    if (!isList(value) || value.length === 0) {
      site.problem(`enum must be an array of at least one scalar; got ${describeValue(value)}`, 'enum')
      return undefined
    }
    const allowed = new Set<Json>()
    for (const [index, option] of value.entries()) {
      if (!isScalar(option)) site.problem(`enum takes scalars only; got ${describeValue(option)}`, 'enum', index)
      else if (allowed.has(option)) site.problem(`${describeValue(option)} is in the enum twice`, 'enum', index)
      allowed.add(option)
    }
    const expected = `one of ${listOf([...allowed].map(describeValue), 30)}`
    node.summary = expected
    return (found, visit) => {
      if (allowed.has(found)) return
      const near = typeof found === 'string' ? visit.nearest(found, stringsOf(allowed)) : undefined
      const hint = near === undefined ? '' : `; did you mean ${quote(near)}?`
      visit.fail(expected, `${visit.subject} must be ${expected}; got ${describeValue(found)}${hint}`)
    }
  },
}

export function isScalar(value: Json): value is JsonScalar {
  return typeof value !== 'object' || value === null
}
function* stringsOf(values: Iterable<Json>): Iterable<string> {
  for (const value of values) if (typeof value === 'string') yield value
}
