/** Threat-model rows D01, D02, D03, D08, D11: a program that does not give the processor back. */
import { describe, expect, test } from 'vitest'
import { useBench } from '../support/hostile-bench.ts'

const bench = useBench({ limits: { cpuMs: 500 } })

describe('a loop that can be interrupted ends at its budget, and others go on meanwhile', () => {
  test.each([
    ['D01 while (true)', `while (true) {}`],
    ['D01 a loop in finally', `for (;;) { try { continue } finally { continue } }`],
    ['D01 a loop that catches everything', `for (;;) { try { for (;;) { Math.sqrt(2); null.x } } catch {} }`],
    ['D02 microtasks', `for (;;) await null`],
    ['D02 then after then', `const again = () => Promise.resolve().then(again); again(); await again()`],
    ['D02 queueMicrotask', `const again = () => queueMicrotask(again); again(); await tools.never({})`],
    ['D03 after a call', `await tools.echo({}); while (true) {}`],
    ['D03 in a timer', `setTimeout(() => { for (;;) {} }, 5); await tools.never({})`],
    ['D03 in a reaction to a call', `tools.echo({}).then(() => { for (;;) {} }); await tools.never({})`],
    ['D01 waiting on the clock', `const end = Date.now() + 1e9; while (Date.now() < end) {}`],
    ['D01 a sort comparator', `[3, 1, 2].sort(() => { for (;;) {} })`],
    ['D01 a getter on the way out', `return { get a() { for (;;) {} } }`],
    ['D01 a proxy on the way out', `return new Proxy({}, { ownKeys() { for (;;) {} } })`],
    ['D11 a regular expression', `return /^(a+)+$/.test('a'.repeat(50) + 'b')`],
    ['D11 a regular expression in replace', `return 'a'.repeat(60).replace(/(a*)*b/, '')`],
    ['D01 a generator', `function* all() { for (;;) yield 1 } for (const one of all()) one`],
  ])('%s', async (_name, program) => {
    const { code, message, progress } = await bench.attack(program)
    expect([code, message]).toEqual(['TIMEOUT', expect.stringMatching(/cpuMs|wallMs/)])
    expect(progress).toBeGreaterThan(0)
  })
})
