import { describe, expect, test } from 'vitest'
import { startHost, tool } from '../support/scripted-host.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
const bindings = [tool('t'), tool('fails')]
const answer = (call: { name: string }) =>
  call.name === 'fails'
    ? { err: { tool: 'fails', code: 'TOOL_FAILED', message: 'no', phase: 'body', bodyStarted: true, retryable: false } }
    : { ok: { x: 1 } }
const run = (source: string) => sandbox.run(source, { bindings, answer })

/** Host things that must not be found, by whatever constructor. */
const PROBE = `const probe = (make) => { try { return String(make()) } catch (e) { return e.name } };
const HOST = 'return [typeof process, typeof require, typeof module, typeof Buffer, typeof fetch, typeof setUnref].join()';`
const NOTHING = 'undefined,undefined,undefined,undefined,undefined,undefined'

describe('escape', () => {
  test('E01 constructors lead to the guest realm and no further', async () => {
    const { value } = await run(`${PROBE}
      const roots = [globalThis, tools.t, console.log, sdk.search, show, setTimeout, URL, new URL('a:b'), ToolError, Error.prepareStackTrace, await tools.t()]
      return roots.map((root) => probe(() => root.constructor.constructor(HOST)()))`)
    expect(value).toEqual(Array.from({ length: 11 }, () => NOTHING))
  })

  test('E02 Error.prepareStackTrace cannot be set, so no call site of the prelude is ever seen', async () => {
    const { value } = await run(`
      let seen = 'nothing'
      Error.prepareStackTrace = (e, frames) => { seen = frames; return frames }
      try { Object.defineProperty(Error, 'prepareStackTrace', { value: (e, f) => { seen = f; return f } }) } catch {}
      class Mine extends Error {}
      const stacks = []
      for (const make of [() => new Error('x').stack, () => new Mine('x').stack, () => { const o = {}; Error.captureStackTrace(o); return o.stack }]) stacks.push(typeof make())
      try { await tools.fails() } catch (e) { stacks.push(typeof e.stack) }
      return { seen, stacks }`)
    expect(value).toEqual({ seen: 'nothing', stacks: ['string', 'string', 'string', 'string'] })
  })

  test('E03 a bridge error is of the guest realm and its stack holds program lines only', async () => {
    const { value } = await run(`${PROBE}
      try {
        await tools.fails()
      } catch (e) {
        return [probe(() => e.constructor.constructor(HOST)()), e instanceof Error, e instanceof ToolError, e.stack]
      }`)
    const [host, isError, isToolError, stack] = value as [string, boolean, boolean, string]
    expect([host, isError, isToolError]).toEqual([NOTHING, true, true])
    expect(stack).toBe('ToolError: no\n    at program.js:5:21')
  })

  test('E04 import and require give no module', async () => {
    const { value } = await run(`${PROBE}
      const errors = []
      for (const name of ['node:fs', 'fs', './x.js']) await import(name).then(() => errors.push('loaded'), (e) => errors.push(e.name))
      const spread = { ...import('fs').catch(() => {}) }
      return { errors, spread, require: typeof require, inner: probe(() => eval('require("fs")')) }`)
    expect(value).toEqual({
      errors: ['Error', 'Error', 'Error'],
      spread: {},
      require: 'undefined',
      inner: 'ReferenceError',
    })
  })

  test('E05 code from strings acts in the guest alone', async () => {
    const { value } = await run(`${PROBE}
      const Async = (async () => {}).constructor
      const Gen = (function* () {}).constructor
      return [probe(() => new Function(HOST)()), probe(() => (0, eval)('(function () {' + HOST + '})()')), await Async(HOST)(), probe(() => Gen(HOST)().next().value)]`)
    expect(value).toEqual([NOTHING, NOTHING, NOTHING, NOTHING])
  })

  test('E07 nothing reachable is of isolated-vm', async () => {
    const { value } = await run(`
      const names = new Set(['Reference', 'ExternalCopy', 'Callback', 'Isolate', 'Context', 'Script', 'NativeModule', 'Session'])
      const found = []
      const seen = new Set()
      const work = [globalThis, await tools.t(), await tools.fails().catch((e) => e), tools, sdk, artifacts, console]
      while (work.length > 0) {
        const object = work.pop()
        if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) continue
        seen.add(object)
        if (names.has(object.constructor?.name)) found.push(object.constructor.name)
        work.push(Reflect.getPrototypeOf(object))
        for (const key of Reflect.ownKeys(object)) {
          const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
          if (descriptor === undefined) continue
          work.push(descriptor.value, descriptor.get, descriptor.set)
        }
      }
      return { found, enough: seen.size > 500 }`)
    expect(value).toEqual({ found: [], enough: true })
  })

  test('E08 shared memory, WebAssembly and weak references are gone, by every road', async () => {
    const { value } = await run(`
      const buffer = new ArrayBuffer(8, { maxByteLength: 1 << 30 })
      const other = new (new Uint8Array(1).buffer.constructor)(8, { maxByteLength: 64 })
      const species = new (ArrayBuffer[Symbol.species])(8, { maxByteLength: 64 })
      class Mine extends ArrayBuffer {}
      const mine = new Mine(8, { maxByteLength: 64 })
      return {
        globals: ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'ShadowRealm'].filter((name) => name in globalThis),
        members: [buffer, other, species, mine].map((b) => [b.byteLength, b.resizable, b.maxByteLength, typeof b.resize, typeof b.transfer]),
        same: ArrayBuffer === ArrayBuffer.prototype.constructor && ArrayBuffer === new Uint8Array(1).buffer.constructor,
        isInstance: buffer instanceof ArrayBuffer && mine instanceof Mine,
      }`)
    const fixed = [8, null, null, 'undefined', 'undefined']
    expect(value).toEqual({ globals: [], members: [fixed, fixed, fixed, fixed], same: true, isInstance: true })
  })

  test('E09 an error at the stack limit inside the bridge is of the guest realm', async () => {
    const { value } = await run(`
      let caught
      const deep = () => { try { deep() } catch (e) { caught ??= e; try { tools.t({ a: 1 }); console.log(1); new URL('a:b') } catch (inner) { caught = inner } } }
      deep()
      return [caught.constructor === RangeError || caught instanceof Error, caught.constructor.constructor('return typeof process')()]`)
    expect(value).toEqual([true, 'undefined'])
  })

  test('E10 names like __proto__ in a result are plain data', async () => {
    const { value } = await sandbox.run(
      `const it = await tools.t()
       return { own: Object.hasOwn(it, '__proto__'), polluted: ({}).polluted ?? null, then: await it, keys: Object.keys(it) }`,
      {
        bindings,
        answer: () => ({
          ok: JSON.parse('{"__proto__":{"polluted":1},"constructor":{"x":1},"then":"text"}') as unknown,
        }),
      },
    )
    expect(value).toEqual({
      own: true,
      polluted: null,
      then: JSON.parse('{"__proto__":{"polluted":1},"constructor":{"x":1},"then":"text"}'),
      keys: ['__proto__', 'constructor', 'then'],
    })
  })

  test('E11 a run finds the realm as new, whatever the run before did to it', async () => {
    const spoil = await run(`
      globalThis.left = 1
      Object.prototype.evil = 1
      Array.prototype.push = () => 'no'
      JSON.stringify = () => 'no'
      Promise.prototype.then = () => {}
      return 1`)
    expect(spoil.state.s).toBe('returned')
    const { value } = await run(
      `return [typeof left, ({}).evil ?? null, [].push(1), JSON.stringify({ a: 1 }), await tools.t()]`,
    )
    expect(value).toEqual(['undefined', null, 1, '{"a":1}', { x: 1 }])
  })

  test('E12 callers and arguments of the prelude cannot be read', async () => {
    const { value } = await run(`
      const seen = []
      const look = function () {
        for (const read of [() => arguments.callee.caller, () => look.caller, () => look.arguments?.callee?.caller]) {
          try { seen.push(read() === null || read() === undefined ? 'null' : 'a function') } catch (e) { seen.push(e.name) }
        }
        return 1
      }
      console.log({ toString: look, get a() { return look() } })
      await tools.t({ toJSON: look })
      setTimeout(look, 1)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return [...new Set(seen)]`)
    expect(value).not.toContain('a function')
  })

  test('E13 time zone, locale, stacks and error texts say nothing of the host', async () => {
    await using host = await startHost({
      env: { TZ: 'America/New_York', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', SECRET: 'hunter2' },
    })
    const { value } = await host.run(`
      const deep = () => deep()
      const texts = []
      for (const make of [() => null.x, () => deep(), () => JSON.parse('{'), () => new Intl.NumberFormat('x-y-z-1'), () => { throw new Error('e') }]) {
        try { make() } catch (e) { texts.push(e.message, e.stack) }
      }
      return {
        zone: [new Date(0).getTimezoneOffset(), new Date(2026, 6, 1).toISOString(), Intl.DateTimeFormat().resolvedOptions().timeZone, Temporal.Now.timeZoneId(), new Date(0).toString()],
        locale: [Intl.NumberFormat().resolvedOptions().locale, (1234.5).toLocaleString(), new Date(0).toLocaleString(), 'ä'.localeCompare('z'), Temporal.PlainDate.from('2026-01-02').toLocaleString(), [1.5].toLocaleString()],
        text: texts.join(' '),
      }`)
    const { zone, locale, text } = value as { zone: unknown; locale: unknown; text: string }
    expect(zone).toEqual([
      0,
      '2026-07-01T00:00:00.000Z',
      'UTC',
      'UTC',
      'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)',
    ])
    expect(locale).toEqual(['en-US', '1,234.5', '1/1/1970, 12:00:00 AM', -1, '1/2/2026', '1.5'])
    for (const word of ['/', 'prelude', 'node', 'isolated', 'hunter2', 'codeferry']) {
      expect(text.toLowerCase().replaceAll("expected property name or '}'", '')).not.toContain(word)
    }
  })
})
