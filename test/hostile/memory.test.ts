/** Threat-model rows D06, D07, D12, D12b, D13, D14: memory, inside the heap and beside it. */
import { describe, expect, test } from 'vitest'
import { useBench } from '../support/hostile-bench.ts'

const bench = useBench({ limits: { cpuMs: 3_000, wallMs: 15_000, memoryMb: 32 } })

describe('a program that fills memory ends with its own code, and others go on', () => {
  test.each([
    ['D07 new Array(5e8).fill', `return new Array(5e8).fill(0).length`],
    ['D07 an array of objects', `const list = []; for (;;) list.push({ a: 1 })`],
    ['D07 arrays of arrays', `const list = []; for (;;) list.push(new Array(1000).fill(list.length))`],
    ['D07 a Map', `const map = new Map(); for (let n = 0; ; n++) map.set(n, { n })`],
    ['D07 a Set of strings', `const set = new Set(); for (let n = 0; ; n++) set.add('key' + n)`],
    ['D07 spread', `let list = [1, 2, 3]; for (;;) list = [...list, ...list]`],
    ['D07 strings', `const list = []; for (let n = 0; ; n++) list.push(('x' + n).repeat(1000).slice(1))`],
    ['D07 closures', `const list = []; for (;;) { const n = list.length; list.push(() => n) }`],
    ['D07 promises', `const list = []; for (;;) list.push(new Promise(() => {}))`],
    ['D07 after a call', `await tools.echo({}); const list = []; for (;;) list.push(new Array(1000).fill(1))`],
    ['D07 errors with stacks', `const list = []; for (;;) list.push(new Error('x'.repeat(100)))`],
    ['D14 property names', `const all = {}; for (let n = 0; ; n++) all['name' + n] = n`],
    ['D14 symbols', `const all = {}; for (let n = 0; ; n++) all[Symbol('s' + n)] = n`],
    ['D14 registered symbols', `for (let n = 0; ; n++) Symbol.for('s' + n)`],
    ['D14 shapes', `const list = []; for (let n = 0; ; n++) list.push({ ['a' + n]: 1, ['b' + n]: 2 })`],
    ['D12 many small buffers', `const list = []; for (;;) list.push(new ArrayBuffer(64))`],
    [
      'D12 Intl objects',
      `const list = []; for (;;) list.push(new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo' }), new Intl.Collator('de'))`,
    ],
    ['D12 Intl segments', `const list = []; for (;;) list.push(new Intl.Segmenter('en').segment('a b'.repeat(1000)))`],
    ['D04 calls that wait', `for (;;) tools.never({ a: 'x'.repeat(1000) })`],
  ])('%s', async (_name, program) => {
    const { code, message } = await bench.attack(program)
    expect([code, message]).toEqual(['MEMORY_LIMIT', expect.stringContaining('memoryMb')])
  })

  // V8 refuses the allocation, and the program could go on; or the collector is too late, and it cannot.
  test.each([
    ['D12 typed arrays', `const list = []; for (;;) list.push(new Uint8Array(1 << 20).fill(1))`],
    ['D12 buffers', `const list = []; for (;;) list.push(new ArrayBuffer(16 << 20))`],
    ['D12 a view per buffer', `const list = []; for (;;) list.push(new DataView(new ArrayBuffer(1 << 16)))`],
    [
      'D12b resizable buffers',
      `const list = []; for (let n = 0; n < 30; n++) { const b = new ArrayBuffer(8, { maxByteLength: 100 << 20 }); list.push(b); b.resize(100 << 20); new Uint8Array(b).fill(1) } return 'resized'`,
    ],
    [
      'D12b resizable by the constructor of an instance',
      `const Native = Object.getPrototypeOf(new Uint8Array(8).buffer).constructor; const b = new Native(8, { maxByteLength: 1 << 30 }); if (b.resizable) return 'resizable'; b.resize(1 << 29)`,
    ],
    [
      'D12b growable shared memory',
      `new SharedArrayBuffer(8, { maxByteLength: 1 << 30 }).grow(1 << 29); return 'grown'`,
    ],
    [
      'D13 a finalizer that never ends',
      `new FinalizationRegistry(() => { for (;;) {} }).register({}, 1); const list = []; for (let n = 0; n < 1e5; n++) list.push({ n }); return 'registered'`,
    ],
    ['D12 huge integers', `const list = []; for (let n = 1n; ; n++) list.push(n << 8000000n)`],
    ['D12 a bomb of timers', `for (;;) setTimeout(() => {}, 1000)`],
  ])('%s: an error or the limit', async (_name, program) => {
    const { code, message } = await bench.attack(program)
    expect(['PROGRAM_ERROR', 'MEMORY_LIMIT']).toContain(code)
    if (code === 'PROGRAM_ERROR') expect(message).toMatch(/RangeError|ReferenceError|TypeError/)
  })

  test.each([
    [
      'D12 encoded text',
      `const list = []; const e = new TextEncoder(); const text = 'x'.repeat(1e5); for (;;) list.push(e.encode(text))`,
    ],
    [
      'D12 code from strings',
      `const list = []; for (let n = 0; ; n++) { const f = new Function('return ' + '['.repeat(50) + n + ']'.repeat(50)); f(); list.push(f) }`,
    ],
    ['D12 copies of copies', `let v = [1]; for (;;) v = [structuredClone(v), structuredClone(v)]`],
    [
      'D12 compiled regular expressions',
      `const list = []; for (let n = 1; ; n++) { const r = new RegExp('(a{1,' + (n % 900 + 1) + '}b)*' + n); r.test('ab'.repeat(9)); list.push(r) }`,
    ],
  ])('%s: time or memory runs out first, or the allocation is refused', async (_name, program) => {
    const { code, progress } = await bench.attack(program)
    expect(['TIMEOUT', 'MEMORY_LIMIT', 'PROGRAM_ERROR']).toContain(code)
    if (code === 'TIMEOUT') expect(progress).toBeGreaterThan(0)
  })

  test('D13 weak references and finalizers are not there at all', async () => {
    const { value } = await bench.attack(`return [typeof WeakRef, typeof FinalizationRegistry]`)
    expect(value).toEqual(['undefined', 'undefined'])
  })
})
