import { describeValue, isList } from '../wording.ts'
import type { Keyword } from './keyword.ts'

export const oneOf: Keyword = {
  name: 'oneOf',
  compile(value, site) {
    if (!isList(value) || value.length < 2) {
      site.problem(`oneOf must be an array of at least two schemas; got ${describeValue(value)}`, 'oneOf')
      return undefined
    }
    const branches = value.map((branch, index) => site.child(branch, 'oneOf', index))
    return (_found, visit) => visit.chooseOne(branches)
  },
}
