import type { Limits } from '../src/index.ts'

/** A program with a known answer. `key` is the run's own: the tools count under it. */
export interface Innocent {
  readonly kind: string
  readonly code: string
  readonly expected: unknown
  /** How often `count` is called: with `i` from 0, each once. */
  readonly calls: number
}

export interface Hostile {
  readonly kind: string
  readonly code: string
  /** How it may end; anything else is a surprise. */
  readonly endings: readonly string[]
  readonly limits?: Partial<Limits>
}

type Make<T> = (key: string, n: number) => T

export const INNOCENTS: readonly Make<Innocent>[] = [
  (_key, n) => ({ kind: 'no call', code: `return ${n} + 1`, expected: n + 1, calls: 0 }),
  (key, n) => ({
    kind: 'calls one after the other',
    code: `let sum = ${n}\nfor (let i = 0; i < 8; i++) sum += (await tools.count({ key: '${key}', i })).i\nreturn sum`,
    expected: n + 28,
    calls: 8,
  }),
  (key) => ({
    kind: 'parallel calls',
    code: `const all = await Promise.all(Array.from({ length: 40 }, (_, i) => tools.count({ key: '${key}', i })))\nreturn all.map(({ i }) => i)`,
    expected: Array.from({ length: 40 }, (_, i) => i),
    calls: 40,
  }),
  (key, n) => ({
    kind: 'timers between calls',
    code: `const seen: number[] = []
for (let i = 0; i < 4; i++) {
  await new Promise((resolve) => setTimeout(resolve, ${1 + (n % 20)}))
  seen.push((await tools.count({ key: '${key}', i })).i)
}
return seen`,
    expected: [0, 1, 2, 3],
    calls: 4,
  }),
  (key) => ({
    kind: 'slow calls in parallel',
    code: `const [a, b] = await Promise.all([tools.slow({ ms: 30 }), tools.slow({ ms: 10 })])
await tools.count({ key: '${key}', i: 0 })
return [a, b]`,
    expected: [30, 10],
    calls: 1,
  }),
  (key, n) => ({
    kind: 'large values',
    code: `const { text } = await tools.large({ bytes: ${50_000 + (n % 7) * 30_000} })\nawait tools.count({ key: '${key}', i: 0 })\nreturn text.length`,
    expected: 50_000 + (n % 7) * 30_000,
    calls: 1,
  }),
  (key) => ({
    kind: 'failures that are caught',
    code: `const codes: string[] = []
for (let i = 0; i < 3; i++) {
  try { await tools.fails({}) } catch (error) { codes.push((error as { code: string }).code) }
  await tools.count({ key: '${key}', i })
}
return codes`,
    expected: ['TOOL_FAILED', 'TOOL_FAILED', 'TOOL_FAILED'],
    calls: 3,
  }),
  (key) => ({
    kind: 'work of some milliseconds',
    code: `let x = 1\nfor (let i = 0; i < 2_000_000; i++) x = (x * 48271) % 2147483647\nawait tools.count({ key: '${key}', i: 0 })\nreturn x`,
    expected: lehmer(2_000_000),
    calls: 1,
  }),
]

function lehmer(steps: number): number {
  let x = 1
  for (let i = 0; i < steps; i++) x = (x * 48_271) % 2_147_483_647
  return x
}

const HOT = { cpuMs: 300 } as const

export const HOSTILES: readonly Make<Hostile>[] = [
  () => ({ kind: 'endless loop', code: 'for (;;);', endings: ['TIMEOUT'], limits: HOT }),
  () => ({
    kind: 'endless loop after a call',
    code: 'await tools.slow({ ms: 1 }); for (;;);',
    endings: ['TIMEOUT'],
    limits: HOT,
  }),
  () => ({
    kind: 'endless microtasks',
    code: 'for (;;) await undefined',
    endings: ['TIMEOUT'],
    limits: HOT,
  }),
  () => ({
    kind: 'built-in that cannot be interrupted',
    code: 'const a = []; a[2 ** 32 - 2] = 1; a.sort()',
    endings: ['TIMEOUT', 'MEMORY_LIMIT'],
    limits: HOT,
  }),
  () => ({
    kind: 'heap that grows',
    code: 'const a = []; for (;;) a.push(new Array(1000).fill(1.5))',
    endings: ['MEMORY_LIMIT', 'TIMEOUT'],
    limits: { cpuMs: 3_000 },
  }),
  () => ({
    kind: 'buffers that grow',
    code: 'const a = []; for (;;) a.push(new Uint8Array(8 << 20).fill(1))',
    endings: ['MEMORY_LIMIT', 'PROGRAM_ERROR', 'TIMEOUT'],
    limits: { cpuMs: 3_000 },
  }),
  () => ({
    kind: 'flood of output',
    code: "for (let i = 0; i < 20_000; i++) console.log('x'.repeat(200)); return 1",
    endings: ['OK', 'TIMEOUT'],
    limits: { cpuMs: 3_000 },
  }),
  () => ({
    kind: 'flood of calls',
    code: 'await Promise.all(Array.from({ length: 3_000 }, () => tools.slow({ ms: 0 })))',
    endings: ['PROGRAM_ERROR', 'CALL_LIMIT', 'TIMEOUT'],
    limits: { cpuMs: 3_000 },
  }),
  () => ({
    kind: 'result without end',
    code: "return 'x'.repeat(2 ** 24)",
    endings: ['OUTPUT_LIMIT'],
  }),
  () => ({
    kind: 'waits for nothing',
    code: 'await new Promise(() => {})',
    endings: ['DEADLOCK'],
  }),
  () => ({
    kind: 'waits for a call without end',
    code: 'await tools.never({})',
    endings: ['TIMEOUT'],
    limits: { wallMs: 400 },
  }),
  () => ({
    kind: 'changed prototypes',
    code: "Array.prototype.push = () => { throw 1 }; Object.prototype.toJSON = () => 'stolen'; Promise.prototype.then = undefined; Object.prototype.i = 7; throw new Error('done')",
    endings: ['PROGRAM_ERROR', 'OK', 'DEADLOCK'],
  }),
  () => ({
    kind: 'calls of nobody, then a throw',
    code: "tools.slow({ ms: 50 }); tools.never({}); throw new Error('left')",
    endings: ['PROGRAM_ERROR'],
    limits: { drainMs: 100 },
  }),
]
