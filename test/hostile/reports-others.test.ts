/**
 * Public reports about other sandboxes, bridges and generators, as fixtures named after them. Rows E01–E10, B03, D04–D13,
 * I04, L04, S01, S02 of the threat model.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEngine } from '../../src/index.ts'
import type { ToolDefinition } from '../../src/index.ts'
import { compileTexts } from '../sdk/compile-texts.ts'
import { useBench } from '../support/hostile-bench.ts'
import { sandboxPids } from '../support/sandbox-pids.ts'

const bench = useBench({ limits: { cpuMs: 1_000, memoryMb: 32 } })
const root = join(import.meta.dirname, '../..')
const PROBE = `const HOST = 'return [typeof process, typeof require, typeof module].join()';
const probe = (make) => { try { return String(make()) } catch (e) { return e.name } }
`
const NOTHING = 'undefined,undefined,undefined'

test.each([
  [
    'patriksimek/vm2#32',
    `const e = await tools.fails({}).catch((e) => e); return probe(() => e.constructor.constructor(HOST)())`,
  ],
  [
    'patriksimek/vm2#138',
    `let e; try { show(1) } catch (caught) { e = caught }; return probe(() => e.constructor.constructor(HOST)())`,
  ],
  [
    'patriksimek/vm2#138 at the stack limit',
    `let e; const f = () => { try { f() } catch (c) { try { tools.echo({}) } catch (inner) { e ??= inner }; e ??= c } }; f(); return probe(() => e.constructor.constructor(HOST)())`,
  ],
])('%s: an error of the host’s side has no road to the host', async (_reference, program) => {
  const { value } = await bench.attack(PROBE + program)
  expect(value).toBe(NOTHING)
})

test('vm2 PR #547, GHSA-99p7-6v5w-7xg8, CVE-2026-22709: what Promise callbacks are given is of the guest', async () => {
  const { value } = await bench.attack(`${PROBE}
    const found = []
    const look = (v) => { if (typeof v === 'object' && v !== null) found.push(probe(() => v.constructor.constructor(HOST)())); return v }
    const { then } = Promise.prototype
    Promise.prototype.then = function (ok, no) { return then.call(this, (v) => ok?.(look(v)), (e) => { look(e); return no?.(e) }) }
    await (async () => tools.echo({ a: 1 }))().then((v) => v)
    await tools.fails({}).then(undefined, () => {})
    const failing = (async () => { await tools.fails({}) })()
    await failing.then(undefined, () => {})
    return [found.length >= 3, [...new Set(found)]]`)
  expect(value).toEqual([true, [NOTHING]])
})

test('vm2 GHSA-ffh4-j6h5-pg66, CVE-2026-26956, CVE-2026-92956: there is no WebAssembly to be reached', async () => {
  const { value } = await bench.attack(
    `return [typeof WebAssembly, (0, eval)('typeof WebAssembly'), 'WebAssembly' in globalThis, Reflect.ownKeys(globalThis).filter((k) => /wasm|webassembly/i.test(String(k)))]`,
  )
  expect(value).toEqual(['undefined', 'undefined', false, []])
})

test('vm2 GHSA-r4fx-v8hh-22mv: no finalizer runs after the time limit', async () => {
  const { code, message } = await bench.attack(`
    const registry = new FinalizationRegistry(() => { for (;;) {} })
    for (let n = 0; n < 1e4; n++) registry.register({ n }, n)
    return 'registered'`)
  expect([code, message]).toEqual([
    expect.stringMatching(/COMPILE_ERROR|PROGRAM_ERROR/),
    expect.stringContaining('FinalizationRegistry'),
  ])
})

test('vm2 GHSA-9qj6-qjgg-37qq: setters planted on Array.prototype are given nothing by the bridge', async () => {
  const { value } = await bench.attack(`
    const seen = []
    for (let i = 0; i < 64; i++) Object.defineProperty(Array.prototype, i, { configurable: true, get: () => undefined, set(v) { seen.push(typeof v) } })
    console.log('a', { b: [] }, new Map())
    const calls = tools.echo({ a: 1 })
    const value = await calls
    await tools.fails({}).catch(() => {})
    return { seen: seen.length, value }`)
  expect(value).toEqual({ seen: 0, value: { a: 1 } })
})

test('vm2 GHSA-2cm2-m3w5-gp2f: no key of the global object leads to internals', async () => {
  const { value } = await bench.attack(`
    const keys = Reflect.ownKeys(globalThis)
    return [keys.filter((k) => typeof k === 'symbol' && k !== Symbol.toStringTag).length, keys.map(String).filter((k) => /^_|ivm|bridge|host|internal|codeferry|prelude/i.test(k))]`)
  expect(value).toEqual([0, []])
})

test('vm2 GHSA-m283-3h24-438v, CVE-2026-47686, GHSA-x965-fc75-jpqh: causes and aggregated errors carry no host object', async () => {
  const { value } = await bench.attack(`${PROBE}
    const all = await Promise.any([tools.fails({}), tools.fails({})]).catch((e) => e)
    const wrapped = new Error('outer', { cause: await tools.fails({}).catch((e) => e) })
    const found = []
    for (const e of [all, ...all.errors, wrapped.cause]) {
      for (let at = e; at; at = Reflect.getPrototypeOf(at)) for (const key of Reflect.ownKeys(at)) {
        const d = Reflect.getOwnPropertyDescriptor(at, key)
        for (const part of [d.value, d.get, d.set]) if (typeof part === 'function' || (typeof part === 'object' && part !== null)) found.push(probe(() => part.constructor.constructor(HOST)()))
      }
    }
    return [...new Set(found)]`)
  expect(value).toEqual([NOTHING])
})

test('gf3/sandbox#65: prepareStackTrace is given no frame of the bridge', async () => {
  const { value } = await bench.attack(`
    const seen = []
    Error.prepareStackTrace = (e, frames) => { seen.push(...frames.map((f) => typeof f.getThis())); return 'mine' }
    const e = await tools.fails({}).catch((e) => e)
    return [seen, typeof e.stack, e.stack === 'mine', typeof new Error('x').stack]`)
  expect(value).toEqual([[], 'string', false, 'string'])
})

test.each(['nyariv/SandboxJS#31, CVE-2025-34146', 'vercel/edge-runtime#1147'])(
  '%s: prototypes that a program pollutes are its own',
  async () => {
    const { value } = await bench.attack(`
      const it = await tools.echo(JSON.parse('{"a":{"__proto__":{"admin":true}},"constructor":{"prototype":{"admin":true}}}'))
      Object.prototype.admin = true; Function.prototype.admin = true; it.constructor.prototype.admin = true
      return (await tools.echo({ x: 1 })).admin`)
    expect(value).toBe(true)
    expect([({} as Record<string, unknown>)['admin'], (() => {}).constructor.prototype['admin']]).toEqual([
      undefined,
      undefined,
    ])
    const next = await bench.attack(`return [({}).admin ?? null, (() => {}).admin ?? null]`)
    expect(next.value).toEqual([null, null])
  },
)

test('endojs GHSA-9c4h-3f7h-322r, CVE-2023-39532: an import within a spread gives nothing', async () => {
  const plain = await bench.attack(`return { ...import('fs') }`)
  expect(plain.code).toBe('COMPILE_ERROR')
  const hidden = await bench.attack(
    `return (0, eval)('(async () => ({ ...(await import("fs").catch((e) => ({ caught: e.name }))) }))()')`,
  )
  expect(Object.keys(hidden.value as object)).toEqual(['caught'])
})

test('TanStack/ai#948: a program that fills memory with a tool in flight takes no engine down', async () => {
  const { code, calls } = await bench.attack(
    `const call = tools.never({}); await tools.echo({}); const kept = []; for (;;) kept.push(new Array(1e4).fill(kept.length))`,
  )
  expect(code).toBe('MEMORY_LIMIT')
  expect(calls.map(({ name }) => name)).toEqual(['never', 'echo'])
  // The one in flight is told; the other had its answer long before.
  expect(calls[0]?.signal.aborted).toBe(true)
})

test('open-mercato/open-mercato#1127, corsairdev/corsair#1657: the host has no place where text becomes code', () => {
  const files = globSync('src/**/*.ts', { cwd: root })
  expect(files.length).toBeGreaterThan(100)
  const found = files.filter((file) =>
    /node:vm|from 'vm'|new Function\(|[^.\w]eval\(|runInThisContext|runInNewContext|(?:from|import\(|require\() ?['"]isolated-vm/m.test(
      readFileSync(join(root, file), 'utf8').replace(/^\s*(\*|\/\/|\/\*).*$/gm, ''),
    ),
  )
  expect(found).toEqual([])
})

test('rivet-dev/secure-exec, output that grows without end: cut with a marker', async () => {
  const { code, texts, notices } = await bench.attack(
    `for (let n = 0; n < 5e4; n++) console.log('x'.repeat(1000)); return 1`,
  )
  expect(code).toBe('OK')
  expect(texts.join('').length).toBeLessThanOrEqual(256 * 1024 + 64 * 1024)
  expect([...texts.slice(-1), ...notices].join()).toMatch(/cut|dropped|more|left out|truncated/i)
})

test('rivet-dev/secure-exec, floods of calls: bounded, and the host answers others meanwhile', async () => {
  const { code, calls, progress } = await bench.attack(
    `for (;;) { await Promise.all(Array.from({ length: 50 }, () => tools.slow({ ms: 5 }))) }`,
  )
  expect([code, calls.length]).toEqual(['CALL_LIMIT', 500])
  expect(progress).toBeGreaterThan(0)
})

test('rivet-dev/secure-exec, JSON bombs for the host: refused before they are parsed, or by depth', async () => {
  const { value, calls } = await bench.attack(
    `
    let deep = {}; for (let n = 0; n < 20000; n++) deep = { a: deep }
    return [await tools.echo(deep).catch((e) => e.code), await tools.echo({ a: Array(3e6).fill(0) }).catch((e) => e.code)]`,
    { limits: { memoryMb: 128, cpuMs: 6_000 } },
  )
  expect([value, calls]).toEqual([['INVALID_ARGS', 'INVALID_ARGS'], []])
})

test('rivet-dev/secure-exec, stacks of the host: a tool’s error reaches the program as code and message', async () => {
  const { value } = await bench.attack(
    `const e = await tools.fails({}).catch((e) => e); return [e.stack, Object.keys(e).sort()]`,
  )
  const [stack, keys] = value as [string, string[]]
  expect(stack).not.toMatch(/node_modules|node:internal|hostile-bench|file:\/\//)
  expect(keys).not.toContain('stack')
})

// Generators that let text of a schema out of its place. The SDK of such a catalog must compile to its declarations alone.
const SMUGGLED = [
  '*/ export const stolen = 1 /*',
  '`${process.exit()}`',
  "'; export const stolen = 1; '",
  '\u2028export const stolen = 1',
  '</script><script>stolen()</script>',
  '"]: 1 }; export const stolen = 1; type X = { ["',
]

/** A tool for each text, with the text wherever `place` puts it. */
async function sdkOf(place: (text: string) => Pick<ToolDefinition, 'description' | 'parameters' | 'output'>) {
  const tools = SMUGGLED.map((text, index): ToolDefinition => ({
    name: `tool_${index}`,
    validateArguments: 'in-body',
    execute: () => null,
    ...place(text),
  }))
  await using engine = await createEngine({ tools, typecheck: 'off' })
  return engine.sdk().text
}

test('bcherny/json-schema-to-typescript#166, #171, acacode/swagger-typescript-api#1611, glideapps/quicktype#2870: no text of a description ends its comment', async () => {
  const text = await sdkOf((smuggled) => ({
    description: smuggled,
    parameters: {
      type: 'object',
      description: smuggled,
      properties: { a: { type: 'string', title: smuggled, description: smuggled, examples: [smuggled] } },
    },
    output: { schema: { type: 'object', title: smuggled, description: smuggled }, render: () => [] },
  }))
  expect(text).toContain('tool_0')
  expect(compileTexts({ 'sdk.d.ts': text, 'use.ts': `stolen` }).map(({ file, code }) => [file, code])).toEqual([
    ['use.ts', 2304],
  ])
})

test('ferdikoomen/openapi-typescript-codegen#2809, OpenAPITools/openapi-generator#9809, orval-labs/orval#4005: no name or value of a schema becomes code', async () => {
  const text = await sdkOf((smuggled) => ({
    description: 'x',
    parameters: {
      type: 'object',
      properties: { [smuggled]: { enum: [smuggled], default: smuggled }, constructor: { const: smuggled } },
      required: [smuggled],
    },
    output: { schema: { type: 'object', properties: { [smuggled]: { const: smuggled } } }, render: () => [] },
  }))
  expect(text).toContain('tool_0')
  expect(compileTexts({ 'sdk.d.ts': text, 'use.ts': `stolen` }).map(({ file, code }) => [file, code])).toEqual([
    ['use.ts', 2304],
  ])
})

test('no child is left over from all of this', () => {
  expect(sandboxPids().length).toBeLessThanOrEqual(4)
})
