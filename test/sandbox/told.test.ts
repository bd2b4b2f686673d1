import { describe, expect, test } from 'vitest'
import { tool } from '../support/scripted-host.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
const bindings = [tool('echo'), tool('read_file'), tool('deep.read', ['deep', 'read'])]
const answer = (call: { name: string }) =>
  call.name === 'read_file' ? { err: { code: 'TOOL_FAILED', message: 'no file' } } : { ok: { a: 1 } }
const run = (source: string) => sandbox.run(source, { bindings, answer })
const threw = async (source: string) => {
  const { state } = await run(source)
  return state.s === 'threw' ? state : { s: state.s, name: '', message: '', stack: '' }
}

describe('a then on Object.prototype', () => {
  test.each([
    ['a number', 'return 5', 5],
    ['a text', 'return "x"', 'x'],
    ['nothing', '', undefined],
    ['an object, which the language itself hands over', 'return [1]', 'hijack'],
  ])('takes over nothing of the prelude: %s is returned', async (_, source, value) => {
    const done = await run(`Object.prototype.then = function (resolve) { resolve('hijack') }; ${source}`)
    expect([done.state.s, done.value]).toEqual(['returned', value])
  })
})

describe('what was thrown is told', () => {
  test.each([
    ['a proxy that refuses', `throw new Proxy(new Error('p'), { get() { throw 1 } })`],
    ['a proxy that refuses everything', `throw new Proxy(new Error('p'), { get() { throw 1 }, getPrototypeOf() { throw 2 } })`],
    ['an error with a hostile message', `const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e`],
  ])('%s has a message that says so', async (_, source) => {
    expect((await threw(source)).message).toMatch(/cannot be read/)
  }) // prettier-ignore

  test('an error without a message is told by its name', async () => {
    expect(await threw(`throw new RangeError()`)).toMatchObject({ name: 'RangeError', message: '' })
  })
})

describe('what a result loses is said', () => {
  test.each([
    ['a generator', 'function* g() { yield 1 } return { a: g() }', { a: {} }, /^result\.a was a Generator.*\[\.\.\.it\]/],
    ['an async generator', 'async function* g() { yield 1 } return g()', {}, /^result was an AsyncGenerator.*for await/],
    ['an iterator of a map', 'return new Map([[1, 2]]).keys()', {}, /^result was a Map Iterator.*\[\.\.\.it\]/],
    ['an iterator helper', 'return [1].values().map((x) => x)', {}, /^result was an Iterator Helper/],
    ['an object with private fields', 'class A { #x = 1 } return new A()', {}, /^result was an A without.*became \{\}/],
    ['the cause of an error', `return new Error('a', { cause: new Error('b') })`, { name: 'Error', message: 'a' }, /^result was an Error; left out: cause/],
    ['fields of an error', `return [Object.assign(new Error('a'), { status: 404, url: 'u' })]`, [{ name: 'Error', message: 'a' }], /^result\[0\] was an Error; left out: status, url/],
    ['the errors of an AggregateError', `return new AggregateError([new Error('a')], 'm')`, { name: 'AggregateError', message: 'm' }, /^result was an Error; left out: errors/],
  ])('%s', async (_, source, value, notice) => {
    const done = await run(source)
    expect(done.value).toEqual(value)
    expect(done.notices).toHaveLength(1)
    expect(done.notices[0]).toMatch(notice)
  }) // prettier-ignore

  test('nothing is said of an error that is whole, of plain objects, nor of a failed call', async () => {
    const done = await run(`
      const failed = await tools.read_file({}).catch((error) => error)
      class Point { x = 1 }
      return [new Error('a'), {}, Object.create(null), failed.code, new Point(), { e: Object.assign(new Error('c'), { code: 'E' }) }]`)
    expect(done.notices).toEqual([])
  })

  test('an iterator as an argument is refused, as a call would get an empty object', async () => {
    const done = await run(`function* g() { yield 1 } return await tools.echo({ list: g() }).catch((e) => e.message)`)
    expect(done.value).toMatch(/argument\.list is a Generator; use \[\.\.\.it\]/)
  })
})

describe('a missing tool is named', () => {
  test.each([
    ['a computed name', 'const n = "ecko"; await tools[n]({})', /tools has no "ecko"; nearest: echo/],
    ['a computed member of a group', 'const n = "reed"; await tools.deep[n]({})', /tools\.deep has no "reed"; nearest: read/],
    ['a computed name behind another name', 'const t = tools; const n = "ecko"; await t[n]({})', /tools has no "ecko"/],
  ])('%s', async (_, source, message) => {
    expect((await threw(source)).message).toMatch(message)
  }) // prettier-ignore

  test('a computed member of something else is not blamed on a tool', async () => {
    expect((await threw('const o = {}; const n = "x"; tools.nothing; const v = o[n]; v()')).message).toBe(
      'v is not a function',
    )
  })
})

test.each([
  ['String(tools)', '[tools: echo, read_file, deep.read]'],
  ['`${tools}`', '[tools: echo, read_file, deep.read]'],
  ['"" + tools.deep', '[tools.deep: read]'],
])('tools have a text: %s', async (expression, text) => {
  expect((await run(`return ${expression}`)).value).toBe(text)
})

describe('a scalar argument is refused', () => {
  const optional = { name: 'slow', path: ['slow'], required: [] }
  test('with calls that a tool without required properties takes', async () => {
    const done = await sandbox.run(`return await tools.slow(5).catch((e) => e.message)`, { bindings: [optional] })
    expect(done.value).toBe(
      'tools.slow takes one object of arguments; got 5. Write tools.slow(), or tools.slow({ … }) with its properties by name',
    )
  })
})

describe('a rejection that nothing handles', () => {
  const lost = (source: string) => run(`${source}; await tools.echo({}); return 1`)

  test.each([
    ['an async function', `async function go() { throw new Error('lost') }; go()`, /Error: lost/],
    ['after a call', `(async () => { await tools.echo({}); throw new TypeError('lost') })()`, /TypeError: lost/],
    ['forEach with an async callback', `[1].forEach(async () => { throw new Error('lost') })`, /Error: lost/],
    ['a timer with an async callback', `setTimeout(async () => { throw new Error('lost') }, 0); await new Promise((r) => setTimeout(r, 5))`, /Error: lost/],
    ['Promise.reject', `Promise.reject(new Error('lost'))`, /Error: lost/],
    ['a text', `Promise.reject('lost')`, /"lost"/],
    ['a value that is no error', `Promise.reject({ a: 1 })`, /a value that is no Error/],
    ['a proxy', `Promise.reject(new Proxy(new Error('p'), { get() { throw 1 } }))`, /cannot be read|no Error/],
  ])('%s: the run goes on and a notice names it', async (_, source, text) => {
    const done = await lost(source)
    expect([done.state.s, done.value]).toEqual(['returned', 1])
    expect(done.notices).toHaveLength(1)
    expect(done.notices[0]).toMatch(text)
  }) // prettier-ignore

  test.each([
    `const p = Promise.reject(new Error('x')); await p.catch(() => {})`,
    `await Promise.allSettled([Promise.reject(new Error('x'))])`,
    `tools.read_file({})`,
    `try { await tools.read_file({}) } catch {}`,
    `await Promise.race([tools.echo({}), tools.read_file({})])`,
  ])('is not made of one that is handled: %s', async (source) => {
    expect((await lost(source)).notices).toEqual([])
  })

  test('is told once, however often it happens', async () => {
    const done = await lost(`for (let n = 0; n < 5; n++) { Promise.reject(new Error('lost')); await tools.echo({}) }`)
    expect(done.notices).toHaveLength(1)
  })

  test('names its place', async () => {
    expect((await lost(`\nPromise.reject(new Error('lost'))`)).notices[0]).toMatch(/program\.js:3:16/)
  })

  test('has a text of any size cut', async () => {
    const done = await lost(`Promise.reject(new Error('x'.repeat(100_000)))`)
    expect(done.notices[0]?.length).toBeLessThan(2_000)
  })
})

test('a rejection takes nothing along of what a program that does not yield has said', async () => {
  const done = await sandbox.run(
    `Promise.reject(new Error('x')); console.log('before'); await null; console.log('there'); for (;;) {}`,
    { sliceMs: 200 },
  )
  expect(done.state).toMatchObject({ s: 'stopped', why: 'slice-timeout' })
  expect(done.logs).toEqual(['before', 'there'])
})
