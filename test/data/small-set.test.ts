import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SmallSet } from '../../src/data/small-set.ts'

test('behaves as a set whatever is added and deleted', () => {
  const change = fc.record({ isAdded: fc.boolean(), member: fc.constantFrom('a', 'b', 'c', 'd') })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const [small, plain] = [new SmallSet<string>(), new Set<string>()]
      for (const { isAdded, member } of changes) {
        for (const set of [small, plain]) {
          if (isAdded) set.add(member)
          else set.delete(member)
        }
        const visited: string[] = []
        small.forEach((one) => visited.push(one))
        expect(visited).toEqual([...plain])
        expect(small.size).toBe(plain.size)
        expect(['a', 'b', 'c', 'd'].map((one) => small.has(one))).toEqual(
          ['a', 'b', 'c', 'd'].map((one) => plain.has(one)),
        )
      }
    }),
  )
})

test('does not visit what is deleted during the visit', () => {
  const set = new SmallSet<string>()
  for (const member of ['a', 'b', 'c']) set.add(member)
  const visited: string[] = []
  set.forEach((member) => {
    visited.push(member)
    set.delete('b')
  })
  expect(visited).toEqual(['a', 'c'])
})
