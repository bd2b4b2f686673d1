import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MAX_SPARE_ISOLATES, SpareOrders } from '../../src/executor/spare-orders.ts'

const holder = { isReady: true, isIdle: true, slicesDone: 0, load: 0, orders: [] as number[], prepare }
function prepare(spares: number): void {
  holder.orders.push(spares)
}
let orders: SpareOrders

beforeEach(() => {
  vi.useFakeTimers()
  Object.assign(holder, { isReady: true, isIdle: true, slicesDone: 0, load: 0, orders: [] })
  orders = new SpareOrders(holder)
})
afterEach(() => {
  orders.stop()
  vi.useRealTimers()
})

test('an idle child is given a few spares, one at a time, and then left alone', () => {
  vi.advanceTimersByTime(1_000)
  expect(holder.orders).toEqual([1, 2, 3, 4])
})

test('after a burst of starts it is given as many as were used, and later fewer again', () => {
  for (let n = 0; n < 12; n++) orders.used()
  vi.advanceTimersByTime(1_000)
  expect(holder.orders.at(-1)).toBe(12)
  vi.advanceTimersByTime(60_000)
  expect(holder.orders.at(-1)).toBe(4)
})

test('there is a most, however many are started', () => {
  for (let n = 0; n < 500; n++) orders.used()
  vi.advanceTimersByTime(5_000)
  expect(Math.max(...holder.orders)).toBe(MAX_SPARE_ISOLATES)
})

test('while runs make calls none is made in their pauses, but now and then one all the same', () => {
  const busy = setInterval(() => holder.slicesDone++, 5)
  vi.advanceTimersByTime(180)
  expect(holder.orders).toEqual([])
  vi.advanceTimersByTime(400)
  expect(holder.orders.length).toBeGreaterThan(0)
  expect(holder.orders.length).toBeLessThan(4)
  clearInterval(busy)
})

test('a child that is in an isolate, or not ready, is never asked', () => {
  holder.isIdle = false
  vi.advanceTimersByTime(1_000)
  Object.assign(holder, { isIdle: true, isReady: false })
  vi.advanceTimersByTime(1_000)
  expect(holder.orders).toEqual([])
})

test('the more runs a child holds, the fewer spares it is given beyond those at rest', () => {
  for (let n = 0; n < MAX_SPARE_ISOLATES; n++) orders.used()
  holder.load = 30
  vi.advanceTimersByTime(1_500)
  expect(holder.orders.at(-1)).toBe(10)
  holder.load = 100
  vi.advanceTimersByTime(100)
  expect(holder.orders.at(-1)).toBe(4)
})

test('for a run that is about to come one is made at once, if there is none and nothing stands in the way', () => {
  orders.expect()
  orders.expect()
  expect(holder.orders).toEqual([1])
  orders.used()
  holder.isIdle = false
  orders.expect()
  expect(holder.orders).toEqual([1])
  holder.isIdle = true
  orders.expect()
  expect(holder.orders).toEqual([1, 1])
})
