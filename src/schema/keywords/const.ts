import { describeValue } from '../wording.ts'
import { isScalar } from './enum.ts'
import type { Keyword } from './keyword.ts'

export const constKeyword: Keyword = {
  name: 'const',
  compile(value, site, node) {
    if (!isScalar(value)) {
      site.problem(`const must be a scalar; got ${describeValue(value)}`, 'const')
      return undefined
    }
    const expected = describeValue(value)
    node.summary = expected
    return (found, visit) => {
      if (found !== value) visit.fail(expected, `${visit.subject} must be ${expected}; got ${describeValue(found)}`)
    }
  },
}
