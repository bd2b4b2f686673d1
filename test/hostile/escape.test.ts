/** Threat-model rows E01–E13: roads out of the isolate. Walls 1 and 2; nothing here may reach even the child's own Node. */
import { expect, test } from 'vitest'
import { useBench } from '../support/hostile-bench.ts'

const bench = useBench()

/** What a host would have and a guest must not, by whatever `Function` is found. */
const PROBE = `const HOST = 'return [typeof process, typeof require, typeof module, typeof Buffer, typeof fetch, typeof __filename, typeof global].join()'
const probe = (make) => { try { return String(make()) } catch (e) { return e.name } }
`
const NOTHING = Array.from({ length: 7 }, () => 'undefined').join()

test('E01 constructors of every kind of object lead to the guest and no further', async () => {
  const { code, value } = await bench.attack(`${PROBE}
    const error = await tools.fails({}).catch((e) => e)
    const roots = [globalThis, tools, tools.echo, tools.full, console, console.log, sdk, sdk.search, artifacts.read, show, progress, setTimeout,
      queueMicrotask, structuredClone, URL, new URL('a:b'), ToolError, Error.prepareStackTrace, await tools.echo({ a: [1] }), (await tools.echo({ a: [1] })).a,
      error, error.content, crypto, crypto.randomUUID, performance.now, new AbortController().signal, new TextEncoder().encode('a').buffer, Promise.resolve(), tools.echo({})]
    return [...new Set(roots.map((root) => probe(() => {
      const make = root.constructor?.constructor ?? Object.getPrototypeOf(Object.getPrototypeOf(root) ?? (() => {}))?.constructor?.constructor ?? Function
      return make(HOST)()
    })))]`)
  expect([code, value]).toEqual(['OK', [NOTHING]])
})

test('E02 call sites are never seen: Error.prepareStackTrace can neither be set nor asked for them', async () => {
  const { value } = await bench.attack(`
    const seen = []
    const spy = (e, frames) => { for (const f of frames) seen.push(typeof f.getThis?.(), typeof f.getFunction?.()); return frames }
    Error.prepareStackTrace = spy
    try { Object.defineProperty(Error, 'prepareStackTrace', { value: spy }) } catch {}
    try { Object.defineProperty(Object.prototype, 'prepareStackTrace', { value: spy, configurable: true }) } catch {}
    class Mine extends Error { static prepareStackTrace = spy }
    const stacks = [typeof new Error('x').stack, typeof new Mine('x').stack]
    const o = {}; Error.captureStackTrace(o); stacks.push(typeof o.stack)
    const own = Error.prepareStackTrace
    let told; try { told = own?.(new Error('x'), [{ toString: () => 'program.js:1 made up' }]) } catch (e) { told = e.name }
    stacks.push(typeof told, typeof (await tools.fails({}).catch((e) => e)).stack)
    return { seen, stacks: [...new Set(stacks)].filter((t) => t === 'object') }`)
  expect(value).toEqual({ seen: [], stacks: [] })
})

test('E03 a bridge error is of the guest realm, and nothing of the host is in its texts', async () => {
  const { value } = await bench.attack(`${PROBE}
    const e = await tools.fails({}).catch((e) => e)
    return [probe(() => e.constructor.constructor(HOST)()), e instanceof Error, Object.getPrototypeOf(Object.getPrototypeOf(e)) === Error.prototype, e.stack]`)
  const [host, isError, isGuest, stack] = value as [string, boolean, boolean, string]
  expect([host, isError, isGuest]).toEqual([NOTHING, true, true])
  expect(stack).not.toMatch(/node:|node_modules|\.ts:\d+:\d+\)|file:|prelude/)
})

test.each([
  ['import of a module', `const fs = await import('node:fs'); return fs`],
  ['spread of an import', `return { ...(await import('fs')) }`],
  ['a static import', `import fs from 'node:fs'\nreturn fs`],
  ['require', `return require('node:fs')`],
  ['process', `return process.env`],
])('E04 %s is refused before anything runs', async (_name, program) => {
  const { code, calls } = await bench.attack(
    `await tools.echo({}); ${program}`.replace(/^(await .*?; )(import .*)$/s, '$2'),
  )
  expect([code, calls]).toEqual(['COMPILE_ERROR', []])
})

test('E04 import and require by text, which no compiler sees, give no module', async () => {
  const { value } = await bench.attack(`${PROBE}
    const names = ['node:fs', 'fs', './x.js', 'data:text/javascript,1', 'file:///etc/passwd']
    const errors = []
    for (const name of names) errors.push(await (0, eval)('import(' + JSON.stringify(name) + ')').then(() => 'loaded', (e) => e.name))
    const spread = await new Function('return (async () => ({ ...(await import("fs").catch(() => ({}))) }))()')()
    return { errors: [...new Set(errors)], spread, require: probe(() => (0, eval)('require("fs")')), meta: probe(() => (0, eval)('import.meta')) }`)
  expect(value).toEqual({
    errors: [expect.stringMatching(/Error/)],
    spread: {},
    require: 'ReferenceError',
    meta: 'SyntaxError',
  })
})

test('E05 code from strings acts in the guest alone', async () => {
  const { value } = await bench.attack(`${PROBE}
    const kinds = [async () => {}, function* () {}, async function* () {}, () => {}].map((f) => f.constructor)
    const seen = []
    for (const Kind of kinds) {
      const made = Kind(HOST)()
      seen.push(await (made?.next ? made.next().then?.((r) => r.value) ?? made.next().value : made))
    }
    return [probe(() => (0, eval)('(function () {' + HOST + '})()')), ...seen.map(String)]`)
  for (const one of value as string[]) expect([NOTHING, 'undefined']).toContain(one)
})

test('E07 nothing reachable is of isolated-vm (deeper: inventory.test.ts)', async () => {
  const { value } = await bench.attack(`
    const names = new Set(['Reference', 'ExternalCopy', 'Callback', 'Isolate', 'Context', 'Script', 'NativeModule', 'InspectorSession'])
    const found = [], seen = new Set()
    const work = [globalThis, await tools.echo({}), await tools.fails({}).catch((e) => e), tools, tools.echo, sdk, artifacts, console]
    while (work.length > 0) {
      const object = work.pop()
      if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) continue
      seen.add(object)
      if (names.has(object.constructor?.name) || /applySync|applyIgnored|derefInto/.test(Reflect.ownKeys(object).map(String).join())) found.push(String(object.constructor?.name))
      work.push(Reflect.getPrototypeOf(object))
      for (const key of Reflect.ownKeys(object)) {
        const d = Reflect.getOwnPropertyDescriptor(object, key)
        if (d) work.push(d.value, d.get, d.set)
      }
    }
    return { found, enough: seen.size > 500 }`)
  expect(value).toEqual({ found: [], enough: true })
})

test('E08 shared memory, WebAssembly and waiting on memory are not there by any road', async () => {
  const { value } = await bench.attack(`
    const gone = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'ShadowRealm', 'Worker', 'gc', 'inspector']
    const by = (name) => [typeof globalThis[name], (0, eval)('typeof ' + name), new Function('return typeof ' + name)()]
    const species = new (ArrayBuffer[Symbol.species])(8, { maxByteLength: 64 })
    return { gone: [...new Set(gone.flatMap(by))], resizable: [species.resizable ?? null, typeof ArrayBuffer.prototype.resize, typeof ArrayBuffer.prototype.transfer] }`)
  expect(value).toEqual({ gone: ['undefined'], resizable: [null, 'undefined', 'undefined'] })
})

test('E09 an error at the stack limit inside the bridge is of the guest realm', async () => {
  const { code, value } = await bench.attack(`
    const caught = []
    const deep = () => { try { deep() } catch (e) { if (caught.length < 40) for (const f of [() => tools.echo({ a: 1 }), () => console.log({ a: 1 }), () => new URL('a:b'), () => sdk.search('x'), () => setTimeout(() => {}, 1e9)]) try { f() } catch (inner) { caught.push(inner) }; throw e } }
    try { deep() } catch (e) { caught.push(e) }
    return [caught.length > 0, caught.every((e) => e instanceof Error && e.constructor.constructor('return typeof process')() === 'undefined')]`)
  expect(['OK', 'DEADLOCK', 'TIMEOUT']).toContain(code)
  if (code === 'OK') expect(value).toEqual([true, true])
})

test('E10 names like __proto__ in a result are plain data on both sides', async () => {
  const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"then":"text","toString":0}'
  const { code, value } = await bench.attack(`
    const it = await tools.echo(JSON.parse(${JSON.stringify(hostile)}))
    return { own: Object.hasOwn(it, '__proto__'), polluted: ({}).polluted ?? null, keys: Object.keys(it), it }`)
  // The schema of the tool allows any property; the host must keep or refuse it, never swallow it.
  expect(code).toBe('OK')
  expect(value).toMatchObject({ own: true, polluted: null, keys: ['__proto__', 'constructor', 'then', 'toString'] })
  expect(JSON.stringify((value as { it: unknown }).it)).toBe(hostile)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('E11 a run finds the realm as new, whatever the run before did in the same child', async () => {
  const spoiled = await bench.attack(`
    globalThis.left = 1
    Object.prototype.evil = 1
    Array.prototype.push = () => 'no'
    JSON.stringify = () => 'no'
    Promise.prototype.then = () => {}
    Symbol.for('mark')
    return 1`)
  expect(spoiled.code).toBe('OK')
  const { value } = await bench.attack(
    `return [typeof left, ({}).evil ?? null, [].push(1), JSON.stringify({ a: 1 }), await tools.echo({ x: 1 })]`,
  )
  expect(value).toEqual(['undefined', null, 1, '{"a":1}', { x: 1 }])
})

test('E12 callers and arguments of the prelude cannot be read', async () => {
  const { value } = await bench.attack(`
    const seen = new Set()
    const look = new Function('seen', \`
      const look = function () {
        for (const read of [() => arguments.callee.caller, () => look.caller, () => look.arguments?.callee?.caller, () => arguments.callee.caller?.arguments]) {
          try { const found = read(); seen.add(found === null || found === undefined ? 'nothing' : String(found).slice(0, 200)) } catch (e) { seen.add(e.name) }
        }
        return 1
      }
      return look\`)(seen)
    console.log({ toString: look, toJSON: look, get a() { return look() } })
    await tools.echo({ toJSON: look }).catch(() => {})
    await tools.echo({ get a() { return look() } })
    show({ type: 'text', get text() { look(); return 'x' } })
    setTimeout(look, 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    structuredClone({ get a() { return look() } })
    new URL({ toString() { look(); return 'a:b' } })
    return [...seen]`)
  for (const one of value as string[]) expect(['nothing', 'TypeError']).toContain(one)
})

test('E13 zone, locale, stacks and error texts say nothing of the host', async () => {
  const before = process.env['TZ']
  const { value } = await bench.attack(`
    const deep = () => deep()
    const texts = []
    for (const make of [() => null.x, () => deep(), () => JSON.parse('{'), () => new Intl.NumberFormat('x-y-z-1'), () => { throw new Error('e') }, () => (0, eval)('('), () => new RegExp('('), () => structuredClone(() => {}), () => new URL('no')]) {
      try { make() } catch (e) { texts.push(e.message, e.stack, String(e)) }
    }
    for (const e of [await tools.fails({}).catch((e) => e), await tools.full(['no', 'such'].join(' '), {}).catch((e) => e)]) texts.push(e.stack, JSON.stringify(e))
    return {
      zone: [new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone, Temporal.Now.timeZoneId()],
      locale: [Intl.NumberFormat().resolvedOptions().locale, (1234.5).toLocaleString(), Intl.Collator().resolvedOptions().locale],
      text: texts.join('\\n'),
    }`)
  const { zone, locale, text } = value as { zone: unknown; locale: unknown; text: string }
  expect(zone).toEqual([0, 'UTC', 'UTC'])
  expect(locale).toEqual(['en-US', '1,234.5', 'en-US'])
  for (const word of [
    process.cwd(),
    'node:',
    'node_modules',
    'isolated-vm',
    'prelude',
    'root@',
    process.env['HOME'] ?? '/root',
    'codeferry/',
  ])
    expect(text).not.toContain(word)
  expect(process.env['TZ']).toBe(before)
})
