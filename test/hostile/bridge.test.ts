/** Threat-model rows B01–B16: a realm turned against the bridge. Wall 2 answers; identity and policy are the host's anyhow. */
import { expect, test } from 'vitest'
import { looseTool, useBench } from '../support/hostile-bench.ts'

const denied: string[] = []
const bench = useBench((record) => ({
  tools: [
    looseTool(record, 'safe.read', ({ path }) => `read ${String(path)}`),
    looseTool(record, 'admin.delete', () => 'deleted'),
    looseTool(record, 'thenable', () => ({ then: 'now', catch: 1, nested: { then: { then: 1 } } })),
    looseTool(record, 'hostile', () => JSON.parse('{"__proto__":{"polluted":1},"then":"x","toJSON":"y"}') as unknown),
  ],
  policies: [
    {
      name: 'no deletes',
      pre(call) {
        if (call.toolName !== 'admin.delete') return { decision: 'allow' }
        denied.push(call.callId)
        return { decision: 'deny', reason: 'nobody deletes' }
      },
    },
  ],
}))

/** What the log says was called, with the bytes that were sent. */
const startsOf = (events: readonly { type: string }[]) =>
  events.flatMap((event) =>
    event.type === 'tool/code-dispatch-start' ? [event as unknown as { name: string; arguments: string }] : [],
  )

test('B01 a planted toJSON changes neither the tool nor its arguments', async () => {
  const { value, calls, events } = await bench.attack(`
    Object.prototype.toJSON = function () { return { n: 999, id: 999, name: 'admin.delete', op: 'call', args: '{}' } }
    String.prototype.toJSON = () => 'admin.delete'
    Array.prototype.toJSON = () => ['admin.delete']
    return await tools['safe.read']({ path: 'a' })`)
  expect(value).toBe('read a')
  expect(calls.map(({ name, args }) => [name, args])).toEqual([['safe.read', { path: 'a' }]])
  expect(startsOf(events)).toMatchObject([{ name: 'safe.read', arguments: '{"path":"a"}' }])
})

test('B02 replaced built-ins change neither calls nor results nor logs', async () => {
  const { code, value, texts, calls } = await bench.attack(`
    const bad = () => { throw new Error('tampered') }
    const { ownKeys, defineProperty } = Reflect
    const spoil = (target) => {
      const keys = ownKeys(target)
      for (let i = 0; i < keys.length; i++) {
        if (keys[i] === 'constructor' || keys[i] === 'prototype') continue
        try { if (typeof target[keys[i]] !== 'function') continue } catch { continue }
        try { defineProperty(target, keys[i], { value: bad, configurable: true, writable: true }) } catch {}
      }
    }
    const all = [Map, Set, String, RegExp, Promise, Number, WeakMap, WeakSet, Error, TypeError, Date, Array, Function, Object, Symbol, ArrayBuffer, Uint8Array, Iterator, Boolean, BigInt]
    for (let i = 0; i < all.length; i++) spoil(all[i].prototype)
    const statics = [JSON, Math, Object, Array, Number, Promise, String, Intl, Reflect, Symbol, Date, Error]
    for (let i = 0; i < statics.length; i++) spoil(statics[i])
    console.log('still', { here: [1, 'a'] }, 12)
    const first = tools['safe.read']({ path: 'é' })
    const second = tools.echo({ z: [1, { b: 2 }] })
    return { first: await first, second: await second }`)
  expect(code).toBe('OK')
  expect(value).toEqual({ first: 'read é', second: { z: [1, { b: 2 }] } })
  expect(texts).toEqual(['still {"here":[1,"a"]} 12'])
  expect(calls.map(({ name }) => name)).toEqual(['safe.read', 'echo'])
})

test('B03 an overridden then sees only what the program is given anyhow', async () => {
  const { value } = await bench.attack(`
    const seen = []
    const then = Promise.prototype.then
    Promise.prototype.then = function (ok, no) { return then.call(this, (v) => { seen.push(v); return ok ? ok(v) : v }, (e) => { seen.push(String(e)); if (no) return no(e); throw e }) }
    Promise.prototype.catch = function (no) { return this.then(undefined, no) }
    await tools.echo({ a: 1 })
    await tools.echo({ a: 2 }).then((v) => v)
    await tools.fails({}).catch(() => {})
    return seen.filter((one) => typeof one === 'string' ? /"ok"|json|"n":/.test(one) : one && ('json' in one || 'ok' in one))`)
  expect(value).toEqual([])
})

test('B04 a then on Object.prototype takes over nothing of the bridge', async () => {
  const { code, value } = await bench.attack(`
    const taken = []
    Object.defineProperty(Object.prototype, 'then', { get() { taken.push(Object.keys(this).join()); return undefined }, configurable: true })
    const value = await tools.echo({ a: 1 })
    delete Object.prototype.then
    return { value, leaked: taken.filter((keys) => /resolve|reject|site|json/.test(keys)) }`)
  expect([code, value]).toEqual(['OK', { value: { a: 1 }, leaked: [] }])
  const hijack = await bench.attack(`
    Object.prototype.then = function (resolve) { resolve('hijacked') }
    return await tools.echo({ a: 1 })`)
  expect(hijack.calls.map(({ name }) => name)).toEqual(['echo'])
  expect(['OK', 'DEADLOCK', 'TIMEOUT', 'PROGRAM_ERROR']).toContain(hijack.code)
})

test('B05 names of options on Object.prototype do not reach the border of the isolate', async () => {
  const { code, value } = await bench.attack(`
    const asked = []
    for (const key of ['reference', 'copy', 'externalCopy', 'timeout', 'arguments', 'result', 'promise', 'transferList', 'release', 'filename', 'cachedData', 'value', 'writable', 'get', 'set', 'configurable', 'enumerable']) {
      const descriptor = { __proto__: null, configurable: true }
      if (key === 'get' || key === 'set' || key === 'value' || key === 'writable') Object.assign(descriptor, { value: undefined, writable: true })
      else { descriptor.get = function () { asked.push(key); return true }; descriptor.set = undefined }
      Object.defineProperty(Object.prototype, key, descriptor)
    }
    console.log({ a: 1 })
    setTimeout(() => {}, 1)
    return [await tools.echo({ b: 1 }), asked]`)
  expect([code, value]).toEqual(['OK', [{ b: 1 }, []]])
})

test('B06 call, apply and bind of Function.prototype are not asked', async () => {
  const { value, texts } = await bench.attack(`
    let asked = 0
    Function.prototype.call = Function.prototype.apply = Function.prototype.bind = function () { asked++; return 'hijacked' }
    console.log({ a: 1 }, 'b')
    const error = await tools.full(['no', 'such'].join(' '), {}).then(() => null, (e) => e.code)
    return [await tools.echo({ a: 1 }), error, asked]`)
  expect([texts, value]).toEqual([['{"a":1} b'], [{ a: 1 }, 'UNKNOWN_TOOL', 0]])
})

test('B07 a promise subclass and a changed species are awaited as one value', async () => {
  const { value, calls } = await bench.attack(`
    class Mine extends Promise {}
    Object.defineProperty(Promise, Symbol.species, { get: () => Mine })
    return { a: Mine.resolve({ x: 1 }), b: await Mine.resolve(2), c: await tools.echo({ c: 3 }) }`)
  expect(value).toEqual({ a: { x: 1 }, b: 2, c: { c: 3 } })
  expect(calls).toHaveLength(1)
})

test('B08 tools, console and their members cannot be replaced, and no call goes uncounted', async () => {
  const { value, result } = await bench.attack(`
    'use strict'
    const kept = []
    const attempt = (name, change) => { try { change(); kept.push(name) } catch {} }
    attempt('tools', () => { globalThis.tools = {} })
    attempt('delete', () => { delete globalThis.tools })
    attempt('define', () => Object.defineProperty(globalThis, 'tools', { value: 1 }))
    attempt('member', () => { tools.echo = () => 1 })
    attempt('freeze', () => Object.freeze(tools))
    attempt('prototype', () => Object.setPrototypeOf(tools, {}))
    attempt('function', () => { tools.echo.x = 1 })
    attempt('console', () => { globalThis.console = {} })
    attempt('sdk', () => { sdk.search = 1 })
    attempt('artifacts', () => { artifacts.read = 1 })
    attempt('ToolError name', () => { Object.defineProperty(globalThis, 'show', { value: 1 }) })
    await tools.echo({ n: 1 })
    return kept`)
  expect(value).toEqual([])
  expect(result.value?.calls).toMatchObject([{ name: 'echo', isError: false }])
})

test.each([
  [
    'B09 a proxy that answers differently each time',
    `let turn = 0; const lying = new Proxy({}, { ownKeys: () => (turn++ % 2 === 0 ? ['path'] : ['path', 'admin']), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (t, key) => (key === 'path' ? 'p' + turn++ : undefined) })`,
  ],
  [
    'B10 a getter that answers differently each time',
    `let turn = 0; const lying = { get path() { return 'p' + ++turn } }`,
  ],
  ['B10 a toJSON that toggles', `let turn = 0; const lying = { path: { toJSON: () => 'p' + ++turn } }`],
])('%s is read once: log, policy and tool have the same bytes', async (_name, setup) => {
  const { value, calls, events } = await bench.attack(`${setup}; return await tools['safe.read'](lying)`)
  const [call] = calls
  expect(calls).toHaveLength(1)
  expect(startsOf(events).map(({ arguments: text }) => JSON.parse(text) as unknown)).toEqual([call?.args])
  expect([value]).toEqual(calls.map(({ args }) => `read ${(args as { path: string }).path}`))
  expect(value).toMatch(/^read p\d$/)
})

test('B10 what is changed after the call was made changes nothing', async () => {
  const { calls } = await bench.attack(
    `const args = { path: 'a', list: [1] }; const call = tools['safe.read'](args); args.path = 'b'; args.list.push(2); return await call`,
  )
  expect(calls.map(({ args }) => args)).toEqual([{ path: 'a', list: [1] }])
})

test('B11 what JSON cannot hold is refused before anything is sent, never dropped in silence', async () => {
  const { value, calls } = await bench.attack(`
    const cycle = {}; cycle.me = cycle
    const given = [{ path: 1n }, { path: Symbol('s') }, { path() {} }, { path: NaN }, { path: Infinity }, { a: [undefined] }, { a: new Map() }, { a: new Set() }, { a: Promise.resolve() }, cycle, 'text', 5, [1]]
    const codes = []
    for (const args of given) codes.push(await tools['safe.read'](args).then(() => 'sent', (e) => e.code))
    return codes`)
  expect(value).toEqual(Array.from({ length: 13 }, () => 'INVALID_ARGS'))
  expect(calls).toEqual([])
})

test('B12 odd text in arguments, names and lines comes through whole or is refused, and breaks no frame and no log', async () => {
  const { code, value, texts, events } = await bench.attack(String.raw`
    const text = '\u0000 \u2028 \u2029 \ud83d\ude00 " \\ \x1b[31m \r\n {"e":"call","n":2}'
    console.log(text)
    const lone = await tools.echo({ a: '\ud800' }).then((v) => v.a === '\ud800', (e) => e.code)
    const named = await tools.full('na\u0000me\u2028\ud800', {}).catch((e) => e.code)
    return [await tools.echo({ text, ['k\u0000\u2028']: 1 }), lone, named]`)
  const text = '\u0000 \u2028 \u2029 \u{1f600} " \\ \u001b[31m \r\n {"e":"call","n":2}'
  expect(code).toBe('OK')
  expect(texts).toEqual([text])
  const [echoed, lone, named] = value as [unknown, unknown, unknown]
  expect(echoed).toEqual({ text, 'k\u0000\u2028': 1 })
  expect(['INVALID_ARGS', true]).toContain(lone)
  expect(named).toBe('UNKNOWN_TOOL')
  for (const { arguments: sent } of startsOf(events)) expect(sent.isWellFormed()).toBe(true)
})

test('B13 numbers arrive as JSON has them', async () => {
  const { value, calls } = await bench.attack(
    `return await tools.echo({ big: 2 ** 60, tiny: 5e-324, zero: -0, exp: 1e21, max: Number.MAX_VALUE }).then((v) => [v, Object.is(v.zero, -0)])`,
  )
  const [echoed] = value as [Record<string, number>]
  expect(echoed).toEqual({ big: 2 ** 60, tiny: 5e-324, zero: expect.any(Number), exp: 1e21, max: Number.MAX_VALUE })
  expect(calls).toHaveLength(1)
})

test('B15 a hundred thousand levels are refused by a rule, not by a stack that overflows in the host', async () => {
  const { value, calls } = await bench.attack(`
    let deep = {}
    for (let i = 0; i < 100000; i++) deep = { deep }
    let list = []
    for (let i = 0; i < 100000; i++) list = [list]
    return [await tools.echo(deep).catch((e) => e.code), await tools.echo({ list }).catch((e) => e.code)]`)
  expect([value, calls]).toEqual([['INVALID_ARGS', 'INVALID_ARGS'], []])
})

test('B16 results that look like promises are data in the host and in the guest', async () => {
  const { value } = await bench.attack(
    `const it = await tools.thenable({}); const odd = await tools.hostile({}); return [it, await Promise.resolve(it), Object.keys(odd), ({}).polluted ?? null]`,
  )
  const thenable = { then: 'now', catch: 1, nested: { then: { then: 1 } } }
  expect(value).toEqual([thenable, thenable, ['__proto__', 'then', 'toJSON'], null])
})

test('a forged name goes through policy as that name: corruption buys nothing', async () => {
  const before = denied.length
  const { value, calls, events } = await bench.attack(
    `return await Promise.all([tools['admin.delete']({}), tools.full('admin.delete', {})].map((p) => p.catch((e) => e.code)))`,
  )
  expect(value).toEqual(['POLICY_DENIED', 'POLICY_DENIED'])
  expect([calls, denied.length - before]).toEqual([[], 2])
  expect(startsOf(events).map(({ name }) => name)).toEqual(['admin.delete', 'admin.delete'])
})

test('setters planted on Array.prototype and Object.prototype see nothing of the prelude', async () => {
  const { value } = await bench.attack(`
    const seen = []
    for (let i = 0; i < 50; i++) Object.defineProperty(Array.prototype, i, { set(v) { seen.push(String(v)) }, get: () => undefined, configurable: true })
    for (const name of ['n', 'op', 'name', 'args', 'call', 'resolve', 'reject', 'label', 'site', 'json', 'events', 'more', 'stack', 'id', 'ms']) Object.defineProperty(Object.prototype, name, { set(v) { seen.push(name) }, get: () => undefined, configurable: true })
    console.log('x', { a: [] })
    const value = await tools.echo({ a: 1 })
    await tools[['no', 'such'].join(' ')]?.({})?.catch?.(() => {})
    await tools.full(['no', 'such'].join(' '), {}).catch(() => {})
    return { seen: seen.length, value }`)
  expect(value).toEqual({ seen: 0, value: { a: 1 } })
})
