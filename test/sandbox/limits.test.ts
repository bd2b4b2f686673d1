import { describe, expect, test } from 'vitest'
import { startHost, tool } from '../support/scripted-host.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
const bindings = [tool('t')]
const answer = () => ({ ok: 1 })

describe('a slice that does not end', () => {
  test.each([
    ['a loop', 'for (;;) {}'],
    ['a microtask loop', 'for (;;) await null'],
    ['a loop after a delivery', 'await tools.t(); for (;;) {}'],
    ['a microtask loop after a delivery', 'await tools.t(); for (;;) await null'],
    ['a loop in a timer', 'setTimeout(() => { for (;;) {} }, 1); await new Promise(() => {})'],
    ['a hungry regular expression', '/(a+)+$/.test("a".repeat(40) + "b")'],
    ['a sort that never ends', '[3, 2, 1].sort(() => { for (;;) {} })'],
    ['a getter of the result', 'return { get x() { for (;;) {} } }'],
    ['a toJSON of an argument', 'await tools.t({ toJSON() { for (;;) {} } })'],
    [
      'a getter of a thrown error',
      'const e = new Error("x"); Object.defineProperty(e, "message", { get() { for (;;) {} } }); throw e',
    ],
    [
      'a name of a thrown error',
      'throw Object.assign(new Error("x"), { name: { toString() { for (;;) {} } }, get cause() { for (;;) {} } })',
    ],
    ['a thrown proxy', 'throw new Proxy({}, { getPrototypeOf() { for (;;) {} } })'],
    ['a thenable', 'return { a: 1, then() { for (;;) {} } }'],
  ])('%s is stopped at sliceMs, and what was printed before survives', async (_name, source) => {
    const done = await sandbox.run(`console.log('before'); ${source}`, { bindings, answer, sliceMs: 80 })
    expect(done.state).toMatchObject({ s: 'stopped', why: 'slice-timeout' })
    expect(done.logs).toEqual(['before'])
  })

  test('does not keep the next run from a fresh start', async () => {
    await sandbox.run('for (;;) {}', { sliceMs: 50 })
    expect((await sandbox.run('return 1')).value).toBe(1)
  })

  test('is told from a rejection that carries the words of a time-out', async () => {
    const done = await sandbox.run(
      `Promise.reject(new Error('Script execution timed out.')); await tools.t(); return 'alive'`,
      { bindings, answer },
    )
    expect(done.value).toBe('alive')
  })
})

describe('memory', () => {
  test.each([
    ['objects', 'const a = []; for (;;) a.push({ x: 1 })'],
    ['arrays of one size, in an optimized loop', 'const a = []; for (;;) a.push(new Array(1000).fill({}))'],
    ['a map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })'],
    ['strings', 'const a = []; for (;;) a.push("x".repeat(1000) + a.length)'],
    ['distinct property names', 'const o = {}; for (let i = 0; ; i++) o["k" + i] = { i }'],
    ['waiting calls', 'for (;;) tools.t({ a: "x".repeat(1000) })'],
    ['timers and promises', 'const all = []; for (;;) all.push(new Promise(() => {}))'],
  ])('%s without end stop the run, not the child', async (_name, source) => {
    await using host = await startHost()
    const done = await host.run(`await tools.t(); ${source}`, {
      bindings,
      answer,
      limits: { memoryMb: 32 },
      sliceMs: 20_000,
    })
    expect(done.state).toMatchObject({ s: 'stopped', why: 'memory' })
    expect((await host.run('return 1')).value).toBe(1)
  })

  test('buffers are counted, resizable ones cannot be made', async () => {
    const done = await sandbox.run(
      `const a = []; for (let i = 0; i < 100; i++) a.push(new ArrayBuffer(8, { maxByteLength: 100e6 })); for (;;) a.push(new Uint8Array(1e6))`,
      { limits: { memoryMb: 32 }, sliceMs: 5000 },
    )
    expect(done.state).toMatchObject({ s: 'threw', name: 'RangeError', message: 'Array buffer allocation failed' })
  })

  test('recursion without end is an error of the program', async () => {
    const done = await sandbox.run('const f = () => f(); f()')
    expect(done.state).toMatchObject({ s: 'threw', name: 'RangeError' })
  })
})

describe('output', () => {
  test('a result at the limit passes; one byte more stops the run', async () => {
    const limits = { maxResultBytes: 102 }
    expect((await sandbox.run(`return 'é'.repeat(50)`, { limits })).value).toBe('é'.repeat(50))
    const over = await sandbox.run(`console.log('kept'); return 'é'.repeat(50) + 'x'`, { limits })
    expect(over.state).toEqual({ s: 'stopped', why: 'output', message: 'The program returned more than 102 bytes.' })
    expect(over.logs).toEqual(['kept'])
  })

  test('a string of half a gigabyte is not carried out', async () => {
    const done = await sandbox.run(`return 'x'.repeat(2 ** 29 - 25)`, { sliceMs: 20_000 })
    expect(done.state).toMatchObject({ s: 'stopped', why: 'output' })
  })

  test('a huge error message is cut inside the guest', async () => {
    const done = await sandbox.run(`throw new Error('x'.repeat(2 ** 24))`, { sliceMs: 20_000 })
    expect(done.state.s).toBe('threw')
    if (done.state.s === 'threw') expect(done.state.message.length).toBeLessThanOrEqual(16 * 1024)
  })

  test('logs over the limit are cut with one marker, and the program goes on', async () => {
    const done = await sandbox.run(
      `for (let i = 0; i < 1000; i++) console.log('line ' + i + ' é'.repeat(10)); return 'done'`,
      {
        limits: { maxLogBytes: 1000 },
      },
    )
    expect(done.value).toBe('done')
    expect(done.logs.at(-1)).toBe('[log cut: more than 1000 bytes were printed]')
    expect(done.logs.filter((line) => line.startsWith('[log cut'))).toHaveLength(1)
    expect(Buffer.byteLength(done.logs.slice(0, -1).join(''))).toBeLessThanOrEqual(1000)
  })

  test('one giant line is cut between characters', async () => {
    const done = await sandbox.run(`console.log('😀'.repeat(100000))`, { limits: { maxLogBytes: 1001 } })
    expect(done.logs).toEqual(['😀'.repeat(250), '[log cut: more than 1001 bytes were printed]'])
  })

  test('many events leave in parts, in order', async () => {
    const done = await sandbox.run(`for (let i = 0; i < 3000; i++) console.log(i + 'x'.repeat(100)); return 1`)
    expect(done.logs).toHaveLength(3000)
    expect(done.logs.map((line) => Number.parseInt(line, 10))).toEqual(
      Array.from({ length: 3000 }, (_, index) => index),
    )
  })

  test('an argument over maxValueBytes is refused before it is sent', async () => {
    const done = await sandbox.run(`return await tools.t({ a: 'x'.repeat(200) }).catch((e) => [e.code, e.message])`, {
      bindings,
      answer,
      limits: { maxValueBytes: 100 },
    })
    expect(done.value).toEqual(['INVALID_ARGS', 'tools.t: argument is larger than 100 bytes'])
    expect(done.calls).toEqual([])
  })
})

describe('pending calls', () => {
  test('over maxPendingCalls wait in the guest and none is refused', async () => {
    let open = 0
    let most = 0
    const done = await sandbox.run(
      `const all = await Promise.all(Array.from({ length: 50 }, (_, i) => tools.t({ i }))); return all.length`,
      {
        bindings,
        limits: { maxPendingCalls: 4 },
        answer: (call) => {
          open = call.n
          most = Math.max(most, open)
          return { ok: call.n }
        },
      },
    )
    expect(done.value).toBe(50)
    expect(done.calls.map((call) => [call.n, call.args])).toEqual(
      Array.from({ length: 50 }, (_, index) => [index + 1, `{"i":${index}}`]),
    )
  })

  test('only so many are on the host at a time', async () => {
    const host = sandbox.host()
    const { startBody } = await import('../support/scripted-host.ts')
    const body = startBody('await Promise.all([1, 2, 3, 4, 5].map((i) => tools.t({ i })))', {
      bindings,
      limits: { maxPendingCalls: 2 },
    })
    const first = await host.start(9001, body)
    expect(first.events).toHaveLength(2)
    const second = await host.deliver(9001, body.startTimeMs, [{ t: 'ok', n: 2, json: '1' }])
    expect(second.events).toMatchObject([{ e: 'call', n: 3 }])
    host.discard(9001)
  })

  test('that reject and are not awaited break nothing', async () => {
    const err = { tool: 't', code: 'X', message: 'm', phase: 'body', bodyStarted: true, retryable: false }
    const done = await sandbox.run(
      `tools.t(); tools.t().then(() => {}); const late = tools.t(); await new Promise((r) => setTimeout(r, 5)); await late.catch(() => {}); return 'fine'`,
      { bindings, answer: () => ({ err }) },
    )
    expect(done.value).toBe('fine')
  })
})
