/** Threat-model rows D08, D09: what V8 itself does not interrupt, and errors whose reading never ends. The kill is the wall. */
import { describe, expect, test } from 'vitest'
import { useBench } from '../support/hostile-bench.ts'

const bench = useBench({ limits: { cpuMs: 500 } })

describe('a built-in that no time-out reaches is killed from outside, and others go on meanwhile', () => {
  test.each([
    ['D08 a sparse sort', `const a = []; a[2 ** 32 - 2] = 1; a.sort()`, ['TIMEOUT', 'MEMORY_LIMIT']],
    [
      'D08 a huge integer to text',
      `return (2n ** (2n ** 29n)).toString().length`,
      ['TIMEOUT', 'MEMORY_LIMIT', 'PROGRAM_ERROR'],
    ],
    ['D08 squaring integers', `let n = 3n; for (;;) n *= n`, ['TIMEOUT', 'MEMORY_LIMIT', 'PROGRAM_ERROR']],
    ['D08 ten million brackets', `return JSON.parse('['.repeat(1e7))`, ['TIMEOUT', 'MEMORY_LIMIT', 'PROGRAM_ERROR']],
    ['D08 normalize', `return 'ﷺ'.repeat(2e7).normalize('NFKD').length`, ['TIMEOUT', 'MEMORY_LIMIT', 'PROGRAM_ERROR']],
    [
      'D08 padEnd and upper case',
      `return 'a'.padEnd(2 ** 28, 'ß').toUpperCase().length`,
      ['TIMEOUT', 'MEMORY_LIMIT', 'PROGRAM_ERROR'],
    ],
    [
      'D08 after a call',
      `await tools.echo({}); const a = []; a[2 ** 32 - 2] = 1; a.sort()`,
      ['TIMEOUT', 'MEMORY_LIMIT'],
    ],
    ['D08 reverse on an array-like', `return [].reverse.call({ length: 2 ** 53 - 1 })`, ['TIMEOUT', 'MEMORY_LIMIT']],
  ])('%s', async (_name, program, codes) => {
    const { code, message, calls, progress } = await bench.attack(program)
    expect(codes).toContain(code)
    expect(message.length).toBeGreaterThan(20)
    expect(calls.length).toBeLessThanOrEqual(1)
    // What takes memory at once is over with its first child; what takes time is moved away from the others.
    if (code === 'TIMEOUT') expect(progress).toBeGreaterThan(0)
  })
})

const LOOP = '{ for (;;) {} }'
describe('an error that cannot be read does not hold up whoever must read it', () => {
  test.each([
    ['message', `throw Object.defineProperty(new Error('x'), 'message', { get() ${LOOP} })`],
    ['name', `throw Object.defineProperty(new Error('x'), 'name', { get() ${LOOP} })`],
    ['name with a toString', `const e = new Error('x'); e.name = { toString() ${LOOP} }; throw e`],
    ['stack', `throw Object.defineProperty(new Error('x'), 'stack', { get() ${LOOP} })`],
    ['cause', `throw Object.defineProperty(new Error('x'), 'cause', { get() ${LOOP} })`],
    ['code', `throw Object.defineProperty(new Error('x'), 'code', { get() ${LOOP} })`],
    [
      'errors of an aggregate',
      `const e = new AggregateError([]); e.errors = new Proxy([], { get() ${LOOP} }); throw e`,
    ],
    ['toJSON', `throw { toJSON() ${LOOP} }`],
    ['getPrototypeOf', `throw new Proxy(new Error('x'), { getPrototypeOf() ${LOOP} })`],
    ['a constructor', `throw { get constructor() ${LOOP} }`],
    [
      'an error within an error',
      `const e = new Error('x'); e.cause = Object.defineProperty(new Error('y'), 'message', { get() ${LOOP} }); throw e`,
    ],
    [
      'a rejection nobody handles',
      `Promise.reject(Object.defineProperty(new Error('x'), 'message', { get() ${LOOP} })); await tools.slow({ ms: 20 }); return 1`,
    ],
    [
      'a thrown error in a timer',
      `setTimeout(() => { throw Object.defineProperty(new Error('x'), 'message', { get() ${LOOP} }) }, 1); await tools.slow({ ms: 50 }); return 1`,
    ],
    ['a printed error', `console.log(Object.defineProperty(new Error('x'), 'stack', { get() ${LOOP} })); return 1`],
    ['a returned error', `return Object.defineProperty(new Error('x'), 'message', { get() ${LOOP} })`],
    ['an error given to a tool', `await tools.echo({ e: { get message() ${LOOP} } })`],
  ])('D09 %s', async (_name, program) => {
    const { code, progress } = await bench.attack(program)
    expect(code).toBe('TIMEOUT')
    expect(progress).toBeGreaterThan(0)
  })

  // Nothing asks these: a thrown object is told by its JSON.
  test.each([
    ['toString', `throw { toString() ${LOOP}, is: 'told' }`],
    ['Symbol.toPrimitive', `throw { [Symbol.toPrimitive]() ${LOOP}, is: 'told' }`],
  ])('D09 %s is not even called', async (_name, program) => {
    const { code, message } = await bench.attack(program)
    expect([code, message]).toEqual(['PROGRAM_ERROR', expect.stringContaining('{"is":"told"}')])
  })
})
