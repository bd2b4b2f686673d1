import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { projectArguments, projectResult } from '../../sandbox/guest/project-json.ts'
import { MAX_DEPTH } from '../../sandbox/guest/projection.ts'

const MB = 1024 * 1024

async function result(value: unknown, maxBytes = MB) {
  const projected = await projectResult(value, maxBytes)
  return {
    ok: projected.ok,
    value: projected.ok && projected.json !== undefined ? (JSON.parse(projected.json) as unknown) : undefined,
    notices: Array.from({ length: projected.notices.length }, (_, index) => projected.notices[index]),
  }
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

describe('a returned value', () => {
  test('any JSON value comes out as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const projected = await projectResult(value, MB)
        expect(projected.ok && projected.json !== undefined && JSON.parse(projected.json)).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
    )
  })

  test('projection is total: nothing a program can return makes it throw', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.anything({
          withDate: true,
          withMap: true,
          withSet: true,
          withBigInt: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withBoxedValues: true,
        }),
        async (value) => {
          const projected = await projectResult(value, MB)
          if (projected.ok && projected.json !== undefined) expect(() => JSON.parse(projected.json!)).not.toThrow()
        },
      ),
    )
  })

  test('undefined is no result, and undefined properties are dropped without a word', async () => {
    expect(await result(undefined)).toEqual({ ok: true, value: undefined, notices: [] })
    expect(await result({ a: undefined, b: 1, c: [undefined] })).toEqual({
      ok: true,
      value: { b: 1, c: [null] },
      notices: [],
    })
  })

  test.each<[string, unknown, unknown]>([
    ['Date → ISO text', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    [
      'Map of names → object',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, new Map([['b', 3]])],
      ]),
      { a: 1, 2: { b: 3 } },
    ],
    ['Map of objects → pairs', new Map([[{ k: 1 }, 'v']]), [[{ k: 1 }, 'v']]],
    ['Set → array', new Set([1, 'two']), [1, 'two']],
    ['bigint → string', { n: 12n }, { n: '12' }],
    [
      'Error → name, message, code',
      Object.assign(new TypeError('no'), { code: 'E' }),
      { name: 'TypeError', message: 'no', code: 'E' },
    ],
    ['typed array → array', new Uint8Array([1, 255]), [1, 255]],
    ['toJSON is honoured', { it: { toJSON: () => ({ ok: true }) } }, { it: { ok: true } }],
    ['toJSON gets its key', { it: { toJSON: (key: string) => key } }, { it: 'it' }],
    ['boxed values → their values', [Object(1), Object('s'), Object(true)], [1, 's', true]],
    ['lone surrogates are made well-formed', { '\ud800': '\udc00x' }, { '\ufffd': '\ufffdx' }],
    ['-0 → 0', -0, 0],
    ['promises inside are awaited', { p: Promise.resolve([Promise.resolve(1)]) }, { p: [1] }],
    [
      'a class instance → its own fields',
      new (class {
        a = 1
      })(),
      { a: 1 },
    ],
    ['__proto__ is a name like any other', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])('%s', async (_name, given, expected) => {
    expect(await result(given)).toEqual({ ok: true, value: expected, notices: [] })
  })

  test('what is lost is named by its path', async () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle['me'] = [cycle]
    const given = {
      n: [1, Number.NaN],
      inf: -Infinity,
      'odd name': { f() {} },
      s: Symbol('x'),
      cycle,
      bad: new Date(Number.NaN),
      late: Promise.reject(new Error('gone')),
      get boom(): number {
        throw new Error('no reading')
      },
    }
    const { value, notices } = await result(given)
    expect(value).toEqual({
      n: [1, null],
      inf: null,
      'odd name': {},
      cycle: { a: 1, me: [null] },
      bad: null,
      late: { name: 'Error', message: 'gone' },
    })
    expect(notices).toEqual([
      'result.n[1] was NaN and became null',
      'result.inf was -Infinity and became null',
      'result["odd name"].f was a function and was dropped',
      'result.s was a symbol and was dropped',
      'result.cycle.me[0] was a cycle and was dropped',
      'result.bad was an invalid Date and became null',
      'result.late was a promise that was rejected; its error stands in its place',
      'result.boom could not be read and was dropped (no reading)',
    ])
  })

  test('the same object in two places is no cycle', async () => {
    const shared = { x: 1 }
    expect(await result({ a: shared, b: shared })).toEqual({
      ok: true,
      value: { a: { x: 1 }, b: { x: 1 } },
      notices: [],
    })
  })

  test('depth is cut at the limit, with a notice, and never overflows', async () => {
    expect((await result(nested(MAX_DEPTH))).notices).toEqual([])
    const over = await result(nested(100_000))
    expect(over.ok).toBe(true)
    expect(over.notices).toHaveLength(1)
    expect(over.notices[0]).toContain(`nested deeper than ${MAX_DEPTH} levels`)
  })

  test('bytes are counted after encoding: at the limit it passes, one over it does not', async () => {
    expect((await result('é'.repeat(10), 22)).ok).toBe(true)
    expect((await result('é'.repeat(10), 21)).ok).toBe(false)
    expect((await result({ a: 'x'.repeat(100) }, 50)).ok).toBe(false)
  })

  test('a million shared references stop at the byte limit', async () => {
    let value: unknown = 'x'.repeat(100)
    for (let level = 0; level < 40; level++) value = [value, value]
    expect((await result(value, 100_000)).ok).toBe(false)
  })

  test('a toJSON planted on a built-in prototype rewrites nothing', async () => {
    Object.defineProperty(Object.prototype, 'toJSON', { value: () => 'forged', configurable: true })
    try {
      const projected = await projectResult({ a: [1, { b: 2 }] }, MB)
      expect(projected.ok && projected.json).toBe('{"a":[1,{"b":2}]}')
    } finally {
      Reflect.deleteProperty(Object.prototype, 'toJSON')
    }
  })
})

describe('arguments', () => {
  test.each<[string, unknown, string]>([
    ['no argument', undefined, '{}'],
    ['undefined properties', { a: undefined, b: 1 }, '{"b":1}'],
    ['Date through its toJSON', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['text with quotes, NUL and separators', { t: '"\u0000\u2028' }, JSON.stringify({ t: '"\u0000\u2028' })],
    ['null prototype', Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
  ])('%s is forgiven or kept', (_name, given, json) => {
    expect(projectArguments(given, MB)).toEqual({ ok: true, json })
  })

  test.each<[string, unknown, string, string]>([
    ['function', { a: { f() {} } }, '.a.f', 'is a function'],
    ['symbol', { s: Symbol('x') }, '.s', 'is a symbol'],
    ['bigint', { n: [1n] }, '.n[0]', 'is a bigint'],
    ['NaN', { n: Number.NaN }, '.n', 'is NaN'],
    ['Infinity', { n: Infinity }, '.n', 'is Infinity'],
    ['undefined element', { list: [1, undefined] }, '.list[1]', 'is undefined; use null'],
    ['hole', { list: Object.assign(Array(3) as unknown[], { 0: 1, 2: 2 }) }, '.list[1]', 'is undefined; use null'],
    ['promise', { p: Promise.resolve(1) }, '.p', 'is a promise; await it first'],
    ['Map', { m: new Map() }, '.m', 'is a Map'],
    ['Set', { 'a b': new Set() }, '["a b"]', 'is a Set'],
    ['Error', { e: new Error('x') }, '.e', 'is an Error'],
    ['typed array', { b: new Uint8Array(1) }, '.b', 'is a typed array'],
    ['invalid date', { d: new Date(Number.NaN) }, '.d', 'is an invalid Date'],
    ['depth', nested(MAX_DEPTH + 1), '.a'.repeat(100), `nested deeper than ${MAX_DEPTH}`],
  ])('a %s is refused with its path', (_name, given, path, problem) => {
    const projected = projectArguments(given, MB)
    expect(projected.ok).toBe(false)
    if (projected.ok) return
    expect(projected.path.startsWith(path)).toBe(true)
    expect(projected.problem).toContain(problem)
  })

  test('a cycle is refused', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = { cycle }
    expect(projectArguments(cycle, MB)).toEqual({
      ok: false,
      path: '.self.cycle',
      problem: 'is a cycle: it contains itself',
    })
  })

  test('each property of a lying proxy is read once', () => {
    let reads = 0
    const proxy = new Proxy({ a: 0 }, { get: (_target, key) => (key === 'a' ? ++reads : undefined) })
    expect(projectArguments(proxy, MB)).toEqual({ ok: true, json: '{"a":1}' })
    expect(reads).toBe(1)
  })

  test('a proxy whose traps throw is refused, not thrown through', () => {
    const proxy = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error('trap')
        },
      },
    )
    expect(projectArguments({ p: proxy }, MB)).toMatchObject({ ok: false, path: '.p' })
  })

  test('every JSON object survives unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const projected = projectArguments(value, MB)
        expect(projected.ok && JSON.parse(projected.json)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
