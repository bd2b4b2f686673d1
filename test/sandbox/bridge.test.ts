import { describe, expect, test } from 'vitest'
import { tool } from '../support/scripted-host.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
const bindings = [tool('safe.read', ['safe', 'read']), tool('echo')]
const answer = (call: { args: string; n: number }) => ({ ok: { n: call.n, args: JSON.parse(call.args) as unknown } })
const run = (source: string) => sandbox.run(source, { bindings, answer })
const ended = (run: { state: { s: string } }) => run.state.s

describe('bridge corruption', () => {
  test('B01 a planted toJSON changes no call', async () => {
    const done = await run(`
      Object.prototype.toJSON = function () { return { n: 999, name: 'admin.delete', op: 'call' } }
      String.prototype.toJSON = () => 'admin.delete'
      return await tools.safe.read({ path: 'a' })`)
    expect(done.calls).toEqual([{ e: 'call', n: 1, op: 'call', name: 'safe.read', args: '{"path":"a"}' }])
    expect(done.value).toEqual({ n: 1, args: { path: 'a' } })
  })

  test('B02 replaced built-ins change neither calls nor results nor logs', async () => {
    const done = await run(`
      const bad = () => { throw new Error('tampered') }
      const { ownKeys, defineProperty, getOwnPropertyDescriptor } = Reflect
      const spoil = (target) => {
        const keys = ownKeys(target)
        for (let i = 0; i < keys.length; i++) {
          if (keys[i] === 'constructor' || keys[i] === 'prototype') continue
          if (typeof getOwnPropertyDescriptor(target, keys[i]).value === 'function') try { defineProperty(target, keys[i], { value: bad, configurable: true, writable: true }) } catch {}
        }
      }
      const classes = [Map, Set, String, RegExp, Promise, Number, WeakMap, Error, TypeError, Date, Array, Function, Object]
      for (let i = 0; i < classes.length; i++) spoil(classes[i].prototype)
      const statics = [JSON, Math, Object, Array, Number, Promise, String, Intl, Reflect]
      for (let i = 0; i < statics.length; i++) spoil(statics[i])
      console.log('still', { here: [1, 'a'] }, 12)
      show({ type: 'text', text: 'x' })
      const first = tools.echo({ a: [1, { b: 'é' }] })
      const second = tools.safe.read({ z: 1 })
      return { first: await first, second: await second }`)
    expect(done.calls.map((call) => [call.n, call.name, call.args])).toEqual([
      [1, 'echo', '{"a":[1,{"b":"é"}]}'],
      [2, 'safe.read', '{"z":1}'],
    ])
    expect(done.logs).toEqual(['still {"here":[1,"a"]} 12'])
    expect(done.value).toEqual({ first: { n: 1, args: { a: [1, { b: 'é' }] } }, second: { n: 2, args: { z: 1 } } })
  })

  test('B03 an overridden then sees only what the program may see', async () => {
    const done = await run(`
      const seen = []
      const then = Promise.prototype.then
      Promise.prototype.then = function (ok, no) { return then.call(this, (v) => { seen.push(v); return ok ? ok(v) : v }, no) }
      const value = await tools.echo({ a: 1 })
      await tools.echo({ a: 2 }).then((v) => v)
      return { value, seen }`)
    expect(done.value).toEqual({ value: { n: 1, args: { a: 1 } }, seen: [{ n: 2, args: { a: 2 } }] })
  })

  test('B04 a then on Object.prototype ends with the run and misroutes nothing', async () => {
    const done = await run(`
      let taken = 0
      Object.defineProperty(Object.prototype, 'then', { get() { taken++; return undefined }, configurable: true })
      const value = await tools.echo({ a: 1 })
      return { value, isCounted: taken > 0 }`)
    expect(done.value).toEqual({ value: { n: 1, args: { a: 1 } }, isCounted: true })
  })

  test('B05 option names on Object.prototype do not reach the isolate boundary', async () => {
    const done = await run(`
      for (const key of ['reference', 'copy', 'externalCopy', 'timeout', 'arguments', 'result', 'promise', 'value', 'writable', 'get', 'set']) {
        Object.defineProperty(Object.prototype, key, { __proto__: null, value: key === 'get' || key === 'set' ? undefined : true, configurable: true, writable: true })
      }
      const error = await tools['no such']?.()
      return [await tools.echo({}), error ?? null]`)
    expect(done.value).toEqual([{ n: 1, args: {} }, null])
  })

  test('B06 call, apply and bind of Function.prototype are not asked', async () => {
    const done = await run(`
      Function.prototype.call = Function.prototype.apply = Function.prototype.bind = function () { return 'hijacked' }
      Function.prototype[Symbol.hasInstance]
      console.log({ a: 1 }, 'b')
      return await tools.echo({ a: 1 })`)
    expect([done.logs, done.value]).toEqual([['{"a":1} b'], { n: 1, args: { a: 1 } }])
  })

  test('B07 a promise subclass and a changed species are awaited as one value', async () => {
    const done = await run(`
      let made = 0
      class Mine extends Promise { constructor(f) { made++; super(f) } }
      Object.defineProperty(Promise, Symbol.species, { get: () => Mine })
      return { a: Mine.resolve({ x: 1 }), b: await Mine.resolve(2), c: await tools.echo({}) }`)
    expect(done.value).toEqual({ a: { x: 1 }, b: 2, c: { n: 1, args: {} } })
  })

  test('B08 tools, console and their members cannot be replaced', async () => {
    const done = await run(`
      'use strict'
      const refused = []
      const attempt = (name, change) => { try { change(); refused.push([name, 'done']) } catch (e) { refused.push([name, e.name]) } }
      attempt('tools', () => { globalThis.tools = {} })
      attempt('delete', () => { delete globalThis.tools })
      attempt('member', () => { tools.echo = () => 1 })
      attempt('new member', () => { tools.other = () => 1 })
      attempt('define', () => Object.defineProperty(tools, 'echo', { value: 1 }))
      attempt('freeze', () => Object.freeze(tools))
      attempt('prototype', () => Object.setPrototypeOf(tools, {}))
      attempt('nested', () => { tools.safe.read = () => 1 })
      attempt('function', () => { tools.echo.x = 1 })
      attempt('console', () => { globalThis.console = {} })
      attempt('sdk', () => { sdk.search = 1 })
      return [refused, await tools.echo({})]`)
    const names = [
      'tools',
      'delete',
      'member',
      'new member',
      'define',
      'freeze',
      'prototype',
      'nested',
      'function',
      'console',
      'sdk',
    ]
    expect(done.value).toEqual([names.map((name) => [name, 'TypeError']), { n: 1, args: {} }])
  })

  test('B08 a program may declare its own tools and console', async () => {
    const done = await run(`const tools = 1; let console = { log: (x) => x }; return [tools, console.log(2)]`)
    expect([done.value, done.logs]).toEqual([[1, 2], []])
  })

  test('B09 a proxy that changes its answers is one snapshot on the host', async () => {
    const done = await run(`
      let turn = 0
      const lying = new Proxy({}, {
        ownKeys: () => (turn++ % 2 === 0 ? ['path'] : ['path', 'admin']),
        getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
        get: (t, key) => (key === 'path' ? 'read ' + turn++ : undefined),
      })
      return (await tools.safe.read(lying)).args`)
    expect(done.calls[0]?.args).toBe('{"path":"read 1"}')
    expect(done.value).toEqual({ path: 'read 1' })
  })

  test('B10 getters and toJSON are asked once; later changes of the arguments change nothing', async () => {
    const done = await run(`
      let reads = 0
      const args = { get id() { return ++reads }, nested: { toJSON: () => ++reads }, list: [1] }
      const call = tools.echo(args)
      args.list.push(2)
      return [(await call).args, reads]`)
    expect(done.value).toEqual([{ id: 1, nested: 2, list: [1] }, 2])
  })

  test('B11 what JSON cannot hold is refused before anything is sent', async () => {
    const done = await run(`
      const cycle = {}; cycle.me = cycle
      const given = [{ a: 1n }, { a: Symbol('s') }, { a() {} }, { a: NaN }, { a: [undefined] }, { a: new Map() }, { a: Promise.resolve() }, cycle, 'text', 5]
      const errors = []
      for (const args of given) await tools.echo(args).then(() => errors.push('sent'), (e) => errors.push(e.code + ' ' + e.bodyStarted))
      return errors`)
    expect(done.calls).toEqual([])
    expect(done.value).toEqual(Array.from({ length: 10 }, () => 'INVALID_ARGS false'))
  })

  test('B12 odd text round-trips', async () => {
    const done = await run(`
      const text = '\\u0000 \\u2028 \\u2029 \\ud83d\\ude00 " \\\\ \\x1b[31m'
      console.log(text)
      return (await tools.echo({ text, ['k\\u0000']: 1 })).args`)
    const text = '\u0000 \u2028 \u2029 \u{1f600} " \\ \u001b[31m'
    expect([done.value, done.logs]).toEqual([{ text, 'k\u0000': 1 }, [text]])
  })

  test('B13 numbers arrive as JSON has them', async () => {
    const done = await run(`return (await tools.echo({ big: 2 ** 60, tiny: 5e-324, zero: -0, exp: 1e21 })).args`)
    expect(done.calls[0]?.args).toBe('{"big":1152921504606847000,"tiny":5e-324,"zero":0,"exp":1e+21}')
  })

  test('B15 a hundred thousand levels are refused by a rule, not by a stack overflow', async () => {
    const done = await run(`
      let deep = {}
      for (let i = 0; i < 100000; i++) deep = { deep }
      return await tools.echo(deep).catch((e) => [e.code, e.message.includes('nested deeper than')])`)
    expect(done.value).toEqual(['INVALID_ARGS', true])
  })

  test('B16 a result that looks like a promise is data', async () => {
    const done = await sandbox.run(`const it = await tools.echo({}); return [it, await Promise.resolve(it)]`, {
      bindings,
      answer: () => ({ ok: { then: 'now', catch: 1 } }),
    })
    expect(ended(done)).toBe('returned')
    expect(done.value).toEqual([
      { then: 'now', catch: 1 },
      { then: 'now', catch: 1 },
    ])
  })

  test('setters planted on Array.prototype see nothing of the prelude', async () => {
    const done = await run(`
      const seen = []
      for (let i = 0; i < 50; i++) Object.defineProperty(Array.prototype, i, { set(v) { seen.push(typeof v) }, get: () => undefined, configurable: true })
      const calls = [...'ab'].length
      for (const level of ['log', 'warn']) console[level]('x', { a: [] })
      const value = await tools.echo({ a: 1 })
      await tools.safe.read().catch(() => {})
      return { count: seen.length, value }`)
    expect(done.value).toEqual({ count: 0, value: { n: 1, args: { a: 1 } } })
  })
})
