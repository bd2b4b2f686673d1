import { isRecord } from '../../data/json.ts'
import { describeValue, listOf, quote } from '../wording.ts'
import { declaredNames, refuseForeignType } from './properties.ts'
import type { Keyword } from './keyword.ts'

export const additionalProperties: Keyword = {
  name: 'additionalProperties',
  compile(value, site) {
    refuseForeignType(site, 'additionalProperties', 'object')
    if (typeof value !== 'boolean') {
      const found = describeValue(value)
      site.problem(`additionalProperties must be true or false; got ${found}`, 'additionalProperties')
      return undefined
    }
    if (value) return undefined
    const declared = new Set(declaredNames(site.schema))
    const expected = declared.size === 0 ? 'no properties' : `only ${listOf([...declared].map(quote), 20)}`
    return (found, visit) => {
      if (!isRecord(found)) return
      for (const key of Object.keys(found)) {
        if (declared.has(key)) continue
        const near = visit.nearest(key, declared)
        const hint = near === undefined ? `allowed: ${expected}` : `did you mean ${quote(near)}?`
        visit.failKey(key, expected, quote(key), (name) => `unknown property ${name}; ${hint}`)
      }
    }
  },
}
