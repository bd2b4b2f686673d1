import { describe, expect, test } from 'vitest'
import { inspect } from '../../sandbox/guest/inspect.ts'
import { useHost } from '../support/shared-host.ts'
import type { LogEvent } from '../support/scripted-host.ts'

const sandbox = useHost()
const logs = async (source: string) => (await sandbox.run(source)).logs

describe('one value as text', () => {
  const cycle: Record<string, unknown> = { a: 1 }
  cycle['me'] = cycle
  test.each<[string, unknown, string]>([
    [
      'plain data is JSON',
      { count: 2, list: [1, 'a', null], deep: { x: true } },
      '{"count":2,"list":[1,"a",null],"deep":{"x":true}}',
    ],
    ['undefined', { a: undefined }, '{"a":undefined}'],
    ['odd numbers', [Number.NaN, -0, 1n], '[NaN,-0,1n]'],
    ['Map', new Map([['k', { v: 1 }]]), 'Map(1) {"k" => {"v":1}}'],
    ['Set', new Set([1, 'a']), 'Set(2) {1,"a"}'],
    ['Date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['RegExp', /a+/g, '/a+/g'],
    ['functions and classes', [function named() {}, class Thing {}], '[[Function: named],[class Thing]]'],
    [
      'instances',
      new (class Point {
        x = 1
      })(),
      'Point {"x":1}',
    ],
    ['symbols', Symbol('s'), 'Symbol(s)'],
    ['cycles', cycle, '{"a":1,"me":[Circular]}'],
    ['typed arrays', new Uint8Array([1, 2]), 'Uint8Array(2) [1,2]'],
    ['promises', Promise.resolve(1), 'Promise {…} (not awaited)'],
    ['boxed', Object('s'), 'String("s")'],
    ['null prototypes', Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
  ])('%s', (_name, value, text) => {
    expect(inspect(value, 10_000)).toBe(text)
  })

  test('a getter is named and not run', () => {
    let runs = 0
    const value = Object.defineProperty({}, 'x', { get: () => ++runs, enumerable: true })
    expect([inspect(value, 1000), runs]).toEqual(['{"x":[Getter]}', 0])
  })

  test('what is long is broken into lines', () => {
    expect(inspect({ a: 'x'.repeat(60), b: 'y'.repeat(60) }, 10_000)).toBe(
      `{\n  "a":"${'x'.repeat(60)}",\n  "b":"${'y'.repeat(60)}"\n}`,
    )
  })

  test('a huge value costs no more than its budget', () => {
    const text = inspect(
      Array.from({ length: 1_000_000 }, (_, index) => index),
      1000,
    )
    expect(text.length).toBeLessThan(3000)
    expect(text).toContain('more')
  })

  test('an unreadable object is said to be one', () => {
    expect(
      inspect(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no')
            },
          },
        ),
        1000,
      ),
    ).toBe('[object that cannot be read]')
  })
})

describe('console', () => {
  test('keeps level, order and time', async () => {
    const { events } = await sandbox.run(`
      console.log('a'); console.info('b'); console.warn('c')
      await new Promise((resolve) => setTimeout(resolve, 250))
      console.error('d'); console.debug('e')`)
    const lines = events.filter((event): event is LogEvent => event.e === 'log')
    expect(lines.map(({ level, at, text }) => [level, at, text])).toEqual([
      ['log', 0, 'a'],
      ['info', 0, 'b'],
      ['warn', 0, 'c'],
      ['error', 250, 'd'],
      ['debug', 250, 'e'],
    ])
  })

  test('shows values as they are at the call', async () => {
    expect(await logs(`const o = { n: 1 }; console.log(o); o.n = 2; console.log('now', o)`)).toEqual([
      '{"n":1}',
      'now {"n":2}',
    ])
  })

  test('fills in formats, and leaves other percent signs alone', async () => {
    expect(
      await logs(
        `console.log('%s is %d and %j%%', 'x', 5, { a: 1 }, 'rest'); console.log('100%'); console.log('50% off', 1); console.log('%c styled', 'color: red'); console.log('%s')`,
      ),
    ).toEqual(['x is 5 and {"a":1}% rest', '100%', '50% off 1', ' styled', '%s'])
  })

  test('prints errors with their cause and the program’s lines', async () => {
    const [line] = await logs(
      `const e = new TypeError('bad', { cause: new Error('why') })\ne.code = 'E1'\nconsole.error(e)`,
    )
    expect(line).toBe(
      'TypeError: bad\n    at program.js:2:11 {"code":"E1"}\n  [cause]: Error: why\n    at program.js:2:41',
    )
  })

  test('has tables, groups, counters, timers and assertions', async () => {
    expect(
      await logs(`
        console.table([{ a: 1, b: 'x' }, { a: 22 }])
        console.group('G'); console.log('in\\nside'); console.groupEnd(); console.log('out')
        console.count(); console.count('k'); console.count(); console.countReset(); console.count()
        console.time('t'); await new Promise((r) => setTimeout(r, 30)); console.timeLog('t', 'mid'); console.timeEnd('t'); console.timeEnd('t')
        console.assert(true, 'no'); console.assert(false, 'yes', 1)
        console.dir({ a: 1 }); console.trace('here'); console.table(5); console.clear()`),
    ).toEqual([
      '(index) | a  | b\n----------------\n0       | 1  | x\n1       | 22 |  ',
      'G',
      '  in\n  side',
      'out',
      'default: 1',
      'k: 1',
      'default: 2',
      'default: 1',
      't: 30ms mid',
      't: 30ms',
      'No timer "t" was started',
      'Assertion failed: yes 1',
      '{"a":1}',
      'Trace: here\n    at program.js:8:40',
      '5',
    ])
  })

  test('has every method that programs expect of it, needing no this', async () => {
    const { value } = await sandbox.run(
      `const { log } = console; log('x'); return Reflect.ownKeys(console).filter((k) => typeof k === 'string')`,
    )
    expect(value).toEqual(
      expect.arrayContaining([
        'log',
        'info',
        'warn',
        'error',
        'debug',
        'trace',
        'table',
        'dir',
        'group',
        'groupCollapsed',
        'groupEnd',
        'count',
        'countReset',
        'time',
        'timeLog',
        'timeEnd',
        'assert',
        'clear',
      ]),
    )
  })

  test('fake log lines and terminal codes stay inside one text', async () => {
    const text = '\u001b[2J\r\n{"level":"error","text":"fake"}'
    expect(await logs(`console.log(${JSON.stringify(text)})`)).toEqual([text])
  })
})
