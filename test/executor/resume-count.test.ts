import { expect, test } from 'vitest'
import { ResumeCount } from '../../src/executor/resume-count.ts'

test('what a run may have caused itself is bounded, what others did is only counted', () => {
  const count = new ResumeCount(2)
  for (let n = 0; n < 10; n++) expect(count.take('another')).toBeUndefined()
  expect(count.take('self')).toBeUndefined()
  expect(count.isUsedUp).toBe(false)
  expect(count.take('nobody')).toBeUndefined()
  expect(count.isUsedUp).toBe(true)
  expect(count.take('self')).toContain('2 times')
  expect(count.take('another')).toBeUndefined()
  expect(count.total).toBe(13)
})
