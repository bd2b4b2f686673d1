import { isList } from '../wording.ts'
import { refuseForeignType } from './properties.ts'
import type { Keyword } from './keyword.ts'

export const items: Keyword = {
  name: 'items',
  compile(value, site) {
    refuseForeignType(site, 'items', 'array')
    if (isList(value)) {
      site.problem('items must be one schema for every item; got an array of schemas', 'items')
      return undefined
    }
    const node = site.child(value, 'items')
    return (found, visit) => {
      if (!isList(found)) return
      for (const [index, item] of found.entries()) visit.descend(node, item, index)
    }
  },
}
