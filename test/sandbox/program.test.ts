import { describe, expect, test } from 'vitest'
import { useHost } from '../support/shared-host.ts'
import { tool } from '../support/scripted-host.ts'

const sandbox = useHost()

describe('how a program ends', () => {
  test('nothing returned is no result', async () => {
    expect((await sandbox.run('1 + 1')).state).toEqual({ s: 'returned' })
  })

  test.each<[string, string, object]>([
    ['an error', `throw new RangeError('r')`, { name: 'RangeError', message: 'r', stack: '    at program.js:2:7' }],
    [
      'a class of its own',
      `class MyError extends Error { name = 'MyError' }; throw new MyError('m')`,
      { name: 'MyError', message: 'm' },
    ],
    [
      'an error with causes',
      `throw new Error('a', { cause: new Error('b', { cause: 'c' }) })`,
      { message: 'a\n  [cause: Error: b]\n  [cause: the string "c"]' },
    ],
    [
      'an AggregateError',
      `await Promise.any([Promise.reject(new Error('x')), Promise.reject(new Error('y'))])`,
      { name: 'AggregateError', message: 'All promises were rejected\n  [error 1: Error: x]\n  [error 2: Error: y]' },
    ],
    [
      'an object',
      `throw { status: 404, body: { why: 'gone' } }`,
      { name: 'Error', message: 'The program threw {"status":404,"body":{"why":"gone"}}' },
    ],
    ['a string', `throw 'text'`, { message: 'The program threw the string "text"' }],
    ['undefined', `throw undefined`, { message: 'The program threw undefined' }],
    ['null', `await Promise.reject(null)`, { message: 'The program threw null' }],
    ['a symbol', `throw Symbol('s')`, { message: 'The program threw Symbol(s)' }],
    ['a code', `throw Object.assign(new Error('x'), { code: 'E_X' })`, { code: 'E_X' }],
    [
      'an error in a timer',
      `setTimeout(() => { throw new Error('late') }, 1); await new Promise(() => {})`,
      { message: 'late' },
    ],
    [
      'an error in a microtask',
      `queueMicrotask(() => { throw new Error('soon') }); await new Promise(() => {})`,
      { message: 'soon' },
    ],
    [
      'an error whose message throws',
      `const e = new Error(); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e`,
      { name: 'Error', message: 'the program threw an error that cannot be read' },
    ],
    ['a revoked proxy', `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy`, { name: 'Error' }],
  ])('thrown: %s', async (_name, source, expected) => {
    expect((await sandbox.run(source)).state).toMatchObject({ s: 'threw', ...expected })
  })

  test('the stack of an uncaught error holds the program’s frames and no others', async () => {
    const { state } = await sandbox.run(
      `function inner() { throw new Error('x') }\nconst outer = () => [1].map(() => inner())\nconsole.log('a')\nouter()`,
    )
    if (state.s !== 'threw') throw new Error('did not throw')
    expect(state.stack.split('\n')).toEqual([
      '    at inner (program.js:2:26)',
      '    at program.js:3:35',
      '    at outer (program.js:3:25)',
      '    at program.js:5:1',
    ])
  })

  test.each([
    ['let x = ;', "Unexpected token ';' [program.js:2:9]"],
    ['const a = 1; const a = 2', "Identifier 'a' has already been declared [program.js:2:20]"],
  ])('code that does not compile is told with its place: %s', async (source, message) => {
    expect((await sandbox.run(source)).state).toEqual({ s: 'stopped', why: 'compile', message })
  })

  test('a SyntaxError that the program makes is its own', async () => {
    expect((await sandbox.run(`JSON.parse('{')`)).state).toMatchObject({ s: 'threw', name: 'SyntaxError' })
    expect((await sandbox.run(`eval('let x = ;')`)).state).toMatchObject({ s: 'threw', name: 'SyntaxError' })
  })

  test('what runs on after the end can still speak, and the ending stays', async () => {
    const host = sandbox.host()
    const { startBody } = await import('../support/scripted-host.ts')
    const body = startBody(`tools.t().then(() => { console.log('late'); throw new Error('late') }); return 1`, {
      bindings: [tool('t')],
    })
    expect((await host.start(7001, body)).state).toEqual({ s: 'returned', json: '1' })
    const after = await host.deliver(7001, body.startTimeMs, [{ t: 'ok', n: 1, json: 'null' }])
    expect(after.state).toEqual({ s: 'returned' })
    expect(after.events).toMatchObject([
      { e: 'log', text: 'late' },
      { e: 'notice', code: 'REJECTION_UNHANDLED' },
    ])
    host.discard(7001)
  })
})

describe('waiting', () => {
  test('a program that waits says so', async () => {
    expect((await sandbox.run('await new Promise(() => {})')).state).toEqual({ s: 'waiting' })
  })

  test('replies settle in the order of the delivery', async () => {
    const host = sandbox.host()
    const { startBody } = await import('../support/scripted-host.ts')
    const body = startBody(
      `const calls = [1, 2, 3].map((i) => tools.t({ i })); const order = []; calls.forEach((c) => c.then((v) => order.push(v))); const first = await Promise.race(calls); await Promise.all(calls); return { first, order }`,
      { bindings: [tool('t')] },
    )
    await host.start(7002, body)
    const done = await host.deliver(7002, body.startTimeMs, [
      { t: 'ok', n: 3, json: '3' },
      { t: 'ok', n: 1, json: '1' },
      { t: 'ok', n: 2, json: '2' },
    ])
    expect(done.state).toEqual({ s: 'returned', json: '{"first":3,"order":[3,1,2]}' })
    host.discard(7002)
  })

  test('microtasks of a timer run before the next timer of the same delivery', async () => {
    const host = sandbox.host()
    const { startBody } = await import('../support/scripted-host.ts')
    const body = startBody(
      `const order = []; setTimeout(() => { order.push('a'); Promise.resolve().then(() => { order.push('micro'); clearTimeout(c) }) }, 5); const c = setTimeout(() => order.push('c'), 5); setTimeout(() => order.push('b'), 5); await new Promise((r) => setTimeout(r, 6)); return order`,
    )
    const first = await host.start(7003, body)
    expect(first.events.map((event) => event.e)).toEqual(['timer', 'timer', 'timer', 'timer'])
    const done = await host.deliver(
      7003,
      body.startTimeMs + 10,
      [1, 2, 3, 4].map((id) => ({ t: 'timer', id })),
    )
    expect(done.state).toEqual({ s: 'returned', json: '["a","micro","b"]' })
    host.discard(7003)
  })

  test('a rejection that nobody handles loses no item of the delivery', async () => {
    const host = sandbox.host()
    const { startBody } = await import('../support/scripted-host.ts')
    const body = startBody(
      `const order = []; for (const i of [1, 2, 3]) setTimeout(() => { order.push(i); Promise.reject(new Error('lost')) }, 5); await new Promise((r) => setTimeout(r, 6)); return order`,
    )
    await host.start(7005, body)
    const items = [1, 2, 3, 4].map((id) => ({ t: 'timer' as const, id }))
    const done = await host.deliver(7005, body.startTimeMs + 10, items)
    expect(done.state).toEqual({ s: 'returned', json: '[1,2,3]' })
    host.discard(7005)
  })

  test('numbers the guest does not know are ignored', async () => {
    const host = sandbox.host()
    const { startBody } = await import('../support/scripted-host.ts')
    const body = startBody('await tools.t()', { bindings: [tool('t')] })
    await host.start(7004, body)
    const same = await host.deliver(7004, body.startTimeMs, [
      { t: 'ok', n: 77, json: '1' },
      { t: 'timer', id: 5 },
    ])
    expect(same.state).toEqual({ s: 'waiting' })
    host.discard(7004)
  })
})

describe('timers', () => {
  test('run in order of their time, with their arguments; intervals repeat until cleared', async () => {
    const { value } = await sandbox.run(`
      const seen = []
      setTimeout((...args) => seen.push(args), 20, 'b', 2); setTimeout(() => seen.push('a'), 10); setImmediate((x) => seen.push(x), 'now')
      const gone = setTimeout(() => seen.push('never'), 15); clearTimeout(gone)
      let n = 0
      await new Promise((resolve) => { const id = setInterval(() => { if (++n === 3) { clearInterval(id); resolve() } }, 50) })
      clearTimeout(12345); clearTimeout(undefined); clearTimeout('x')
      return [seen, n, performance.now()]`)
    expect(value).toEqual([['now', 'a', ['b', 2]], 3, 150])
  })

  test('odd delays become sensible ones, and no function is refused', async () => {
    const { events, value } = await sandbox.run(`
      const errors = []
      for (const bad of ['code', null]) try { setTimeout(bad, 1) } catch (e) { errors.push(e.name) }
      await Promise.race([-5, NaN, 1.9, '3', undefined].map((ms) => new Promise((r) => setTimeout(r, ms))))
      setTimeout(() => {}, 1e20)
      return errors`)
    expect(value).toEqual(['TypeError', 'TypeError'])
    expect(events.flatMap((event) => (event.e === 'timer' ? [event.ms] : []))).toEqual([0, 0, 1, 3, 0, 2 ** 31 - 1])
  })

  test('no more than ten thousand wait at once', async () => {
    expect((await sandbox.run('for (;;) setTimeout(() => {}, 1)')).state).toMatchObject({
      s: 'threw',
      name: 'RangeError',
    })
  })
})
