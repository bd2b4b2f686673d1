import { isRecord } from '../../data/json.ts'
import { describeValue, isList, quote } from '../wording.ts'
import { declaredNames, refuseForeignType } from './properties.ts'
import type { Keyword } from './keyword.ts'

export const required: Keyword = {
  name: 'required',
  compile(value, site) {
    refuseForeignType(site, 'required', 'object')
    if (!isList(value)) {
      site.problem(`required must be an array of property names; got ${describeValue(value)}`, 'required')
      return undefined
    }
    const declared = new Set(declaredNames(site.schema))
    const { schema } = site
    const isClosed = Object.hasOwn(schema, 'additionalProperties') && schema['additionalProperties'] === false
    const names = new Set<string>()
    for (const [index, name] of value.entries()) {
      if (typeof name !== 'string') {
        site.problem(`required takes property names; got ${describeValue(name)}`, 'required', index)
        continue
      }
      if (names.has(name)) site.problem(`${quote(name)} is required twice`, 'required', index)
      if (isClosed && !declared.has(name)) {
        site.problem(
          `${quote(name)} is required, but not a property, and the object allows no others`,
          'required',
          index,
        )
      }
      names.add(name)
    }
    return (found, visit) => {
      if (!isRecord(found)) return
      for (const name of names) {
        if (Object.hasOwn(found, name)) continue
        // A misspelt name in an open object is no error of its own, so it is told here.
        const strangers = Object.keys(found).filter((key) => !declared.has(key))
        const near = strangers.length === 0 ? undefined : visit.nearest(name, strangers)
        const hint = near === undefined ? '' : `; got ${quote(near)} instead`
        visit.failKey(name, 'a value', 'missing', (subject) => `missing required property ${subject}${hint}`)
      }
    }
  },
}
