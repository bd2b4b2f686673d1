import { describeValue, isList } from '../wording.ts'
import type { Keyword } from './keyword.ts'

/** Keywords that tell a reader something and allow or forbid nothing. */
export const annotations: readonly Keyword[] = [
  textAnnotation('title'),
  textAnnotation('description'),
  { name: 'default', compile: () => undefined },
  {
    name: 'examples',
    compile(value, site) {
      if (!isList(value)) site.problem(`examples must be an array; got ${describeValue(value)}`, 'examples')
      return undefined
    },
  },
]

function textAnnotation(name: string): Keyword {
  return {
    name,
    compile(value, site) {
      if (typeof value !== 'string') site.problem(`${name} must be a string; got ${describeValue(value)}`, name)
      return undefined
    },
  }
}
