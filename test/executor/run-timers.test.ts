import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RunTimers } from '../../src/executor/run-timers.ts'

describe('timers of a run', () => {
  test('whatever is set and cleared, timers come due in order of time and then of id', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), id: fc.nat(400), ms: fc.integer({ min: -5, max: 50 }) }),
      fc.record({ do: fc.constant('clear' as const), id: fc.nat(400) }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.nat(20) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const timers = new RunTimers()
        const model = new Map<number, number>()
        let now = 0
        for (const action of steps) {
          if (action.do === 'set') {
            expect(timers.set(action.id, now, action.ms)).toBe(!model.has(action.id))
            if (!model.has(action.id)) model.set(action.id, now + Math.max(1, action.ms))
          } else if (action.do === 'clear') {
            timers.clear(action.id)
            model.delete(action.id)
          } else {
            now += action.ms
            const due = [...model].filter(([, dueMs]) => dueMs <= now).toSorted((a, b) => a[1] - b[1] || a[0] - b[0])
            expect(timers.takeDue(now)).toEqual(due.map(([id]) => id))
            for (const [id] of due) model.delete(id)
          }
          expect(timers.size).toBe(model.size)
          const next = model.size === 0 ? undefined : Math.min(...model.values())
          expect(timers.nextDueMs).toBe(next)
        }
      }),
    )
  })
})
