/**
 * Public reports about isolated-vm, as fixtures named after them. Rows D06–D09, D12, D13, C04, C07, E07 of the threat
 * model: what the engine cannot keep, the child process and the parent’s kill do.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { resolveSandboxNode } from '../../src/executor/sandbox-node.ts'
import { BUDGETS, useBench } from '../support/hostile-bench.ts'
import { sandboxPids } from '../support/sandbox-pids.ts'
import { startHost, startBody } from '../support/scripted-host.ts'

const bench = useBench({ limits: { cpuMs: 1_500, wallMs: 8_000, memoryMb: 32 } })
const source = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')

test.each([
  ['laverdet/isolated-vm#107', 'spread of a huge array', `let list = [1]; for (;;) list = [...list, ...list, ...list]`],
  ['laverdet/isolated-vm#107', 'fill of a huge array', `const a = new Array(2e8); a.fill({}); return a.length`],
  ['laverdet/isolated-vm#186', 'Array.fill past the memory limit', `return Array(3e8).fill().length`],
  [
    'laverdet/isolated-vm#457',
    'a string that grows',
    `let s = 'x'; const kept = []; for (;;) { s = (s + s).slice(0, 1e7); kept.push(s + kept.length) ; kept[kept.length - 1].charCodeAt(5) }`,
  ],
  [
    'laverdet/isolated-vm#460',
    'an array that grows by push',
    `const a = []; for (;;) a.push(new Array(100).fill(Math.random()))`,
  ],
  [
    'laverdet/isolated-vm#499',
    'objects in a map',
    `const m = new Map(); for (let n = 0; ; n++) m.set({}, { n, text: 'x'.repeat(50) + n })`,
  ],
])('%s, %s: the run ends as MEMORY_LIMIT and the process that died is replaced', async (_reference, _name, program) => {
  const { code } = await bench.attack(program)
  expect(code).toBe('MEMORY_LIMIT')
})

test('laverdet/isolated-vm#527: buffers outside the heap are refused or end the run, the host does not notice', async () => {
  const { code } = await bench.attack(
    `const kept = []; for (let n = 0; n < 1e5; n++) kept.push(new Uint8Array(8 << 20)); return kept.length`,
  )
  expect(['MEMORY_LIMIT', 'PROGRAM_ERROR']).toContain(code)
})

test.each([
  [
    'laverdet/isolated-vm#198',
    'stuck in the collector and in code that cannot be interrupted',
    `const a = []; a[2 ** 32 - 2] = 1; a.sort()`,
  ],
  ['laverdet/isolated-vm#202', 'arithmetic on huge integers', `let n = 7n; for (let i = 0; i < 40; i++) n = n * n * n`],
])('%s, %s: killed from outside within the grace', async (_reference, _name, program) => {
  const { code, progress } = await bench.attack(program, { limits: { cpuMs: 500 } })
  expect(['TIMEOUT', 'MEMORY_LIMIT', 'PROGRAM_ERROR']).toContain(code)
  if (code === 'TIMEOUT') expect(progress).toBeGreaterThan(0)
})

test('laverdet/isolated-vm#273: detached promises neither outlive the run nor fail a later one', async () => {
  const { code, calls } = await bench.attack(
    `(async () => { for (;;) { await null; await tools.echo({}) } })().catch(() => {}); Promise.reject(new Error('detached')); await tools.slow({ ms: 30 }); return 1`,
    { limits: { maxCalls: 100 } },
  )
  expect(['OK', 'CALL_LIMIT']).toContain(code)
  const before = calls.length
  for (let n = 0; n < 3; n++) expect((await bench.run(`return ${n}`)).value?.result).toBe(n)
  await pause(50)
  expect(bench.callsOf(calls[0]?.run ?? '')).toHaveLength(before)
})

test('laverdet/isolated-vm#293: a result too big to copy is a limit, not a dead process', async () => {
  const pids = sandboxPids()
  const { code } = await bench.attack(`return 'x'.repeat(2 ** 24)`)
  expect(code).toBe('OUTPUT_LIMIT')
  expect(sandboxPids()).toEqual(expect.arrayContaining(pids))
})

test('laverdet/isolated-vm#302: an isolate that is disposed with host calls pending locks nothing up', async () => {
  const { code } = await bench.attack(`await Promise.all(Array.from({ length: 200 }, () => tools.never({})))`, {
    limits: { wallMs: 400 },
  })
  expect(code).toBe('TIMEOUT')
})

test('laverdet/isolated-vm#314: a host function that fails at once is a rejection in the guest and the same process goes on', async () => {
  await bench.run('return 1')
  const pids = sandboxPids()
  const { value } = await bench.attack(
    `const codes = []; for (let n = 0; n < 50; n++) codes.push(await tools.fails({}).catch((e) => e.code)); return [...new Set(codes)]`,
  )
  expect(value).toEqual(['TOOL_FAILED'])
  expect(sandboxPids()).toEqual(expect.arrayContaining(pids))
})

test('laverdet/isolated-vm#333: calls never block the isolate’s thread, and a run cancelled in a call does not crash its process', async () => {
  expect(source('sandbox/child/isolate.ts') + source('sandbox/child/run.ts')).not.toMatch(
    /applySyncPromise|applyPromise/,
  )
  await bench.run('return 1')
  const pids = sandboxPids()
  for (let n = 0; n < 10; n++) {
    const stop = new AbortController()
    const running = bench.engine.run(`await tools.never({})`, { signal: stop.signal })
    await pause(10)
    stop.abort()
    await running
  }
  expect((await bench.run('return 2')).value?.result).toBe(2)
  expect(sandboxPids()).toEqual(expect.arrayContaining(pids))
})

test('laverdet/isolated-vm#379, GHSA-2jjq-x548-rhpv, CVE-2022-39266: no compiled code comes from outside the child', async () => {
  await using host = await startHost()
  const body = { ...startBody(`return 1`), cachedData: 'AAAA', snapshot: 'AAAA', produceCachedData: true }
  const { state } = await host.start(1, body)
  expect(state).toEqual({ s: 'returned', json: '1' })
  for (const file of ['sandbox/child/run.ts', 'sandbox/child/loop.ts', 'sandbox/wire.ts', 'src/executor/child-link.ts'])
    expect(source(file)).not.toMatch(/cachedData|snapshot:/)
})

test('laverdet/isolated-vm GHSA-mmhj-4w6j-76h7, CVE-2021-21413: no Reference is within reach of a program', async () => {
  const { value } = await bench.attack(`
    const seen = new Set(), bad = []
    const work = [globalThis, tools, tools.echo, console, sdk, artifacts, await tools.echo({}), await tools.fails({}).catch((e) => e)]
    while (work.length > 0) {
      const it = work.pop()
      if ((typeof it !== 'object' && typeof it !== 'function') || it === null || seen.has(it)) continue
      seen.add(it)
      for (const key of ['applySync', 'apply', 'getSync', 'copySync', 'derefInto', 'deref', 'setSync']) if (it !== Function.prototype && it !== Reflect && Object.hasOwn(it, key)) bad.push(key)
      work.push(Reflect.getPrototypeOf(it))
      for (const key of Reflect.ownKeys(it)) { const d = Reflect.getOwnPropertyDescriptor(it, key); if (d) work.push(d.value, d.get, d.set) }
    }
    return bad`)
  expect(value).toEqual([])
})

test('laverdet/isolated-vm#420, #424: every child is started without Node’s snapshot', async () => {
  await bench.run('return 1')
  const pids = sandboxPids()
  expect(pids.length).toBeGreaterThan(0)
  for (const pid of pids) expect(commandOf(pid)).toContain('--no-node-snapshot')
})

test('laverdet/isolated-vm#549: the Node of the children is an even release line, and an old one is refused', async () => {
  const node = resolveSandboxNode({ explicit: undefined, env: {} })
  expect(Number(/^v(\d+)/.exec(node.version)?.[1]) % 2).toBe(0)
  expect(() => resolveSandboxNode({ explicit: '/bin/false', env: {} })).toThrow(/Node for programs/)
})

test('laverdet/isolated-vm#551: an engine whose child is stuck is closed all the same', async () => {
  const engine = await createEngine({ typecheck: 'off', limits: { ...BUDGETS, cpuMs: 60_000, wallMs: 120_000 } })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  const others = new Set(sandboxPids())
  const stuck = engine.run(`const a = []; a[2 ** 32 - 2] = 1; a.sort()`)
  await pause(300)
  await engine[Symbol.asyncDispose]()
  expect((await stuck).outcome.isError).toBe(true)
  expect(sandboxPids().filter((pid) => !others.has(pid)).length).toBeLessThanOrEqual(1)
})
