import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../../src/service/http/routes/all-routes.ts'
import { ALICE, BOB, json, READER, startRig, type Rig } from './rig.ts'

const MARKER = 'only-for-team-a-7f3'

let rig: Rig
/** Of things of team-a. */
let ids: readonly string[]
beforeAll(async () => {
  rig = await startRig({ settings: { maxBodyBytes: 20_000 } })
  const { id: session } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const run = await json(rig.send(ALICE, '/v1/runs', { body: { code: `return '${MARKER}'`, sessionId: session } }))
  expect(JSON.stringify(run)).toContain(MARKER)
  ids = [String(session), String(run.id), String(run.callId)]
})
afterAll(async () => {
  await rig[Symbol.asyncDispose]()
})

/** A JSON text that is not quite what a route takes: mutated examples, other JSON, and what is no JSON. */
function bodyOf(example: unknown): fc.Arbitrary<string | Uint8Array> {
  const fields = typeof example === 'object' && example !== null ? Object.keys(example) : []
  const field = fc.constantFrom(...fields, '__proto__', 'constructor', 'then', 'sessionId', 'limits', 'calls', 'reason')
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      null,
      -1,
      1e300,
      '',
      'x'.repeat(3_000),
      [],
      {},
      [[]],
      { __proto__: null },
      true,
      '\u0000',
      '\ud800',
    ),
  )
  const mutated = fc.tuple(field, value, fc.boolean()).map(([name, put, isRemoved]) => {
    const entries = new Map<string, unknown>(Object.entries(example ?? {}))
    if (isRemoved) entries.delete(name)
    else entries.set(name, put)
    return JSON.stringify(Object.fromEntries(entries))
  })
  const deep = fc.integer({ min: 190, max: 9_000 }).map((depth) => `{"code":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  const cut = fc.nat({ max: 200 }).map((length) => JSON.stringify(example ?? {}).slice(0, length))
  return fc.oneof(
    { weight: 4, arbitrary: mutated },
    fc.json(),
    fc.string({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }),
    deep,
    cut,
    { weight: 2, arbitrary: fc.constant(' '.repeat(30_000)) },
  )
}

const request = fc.constantFrom(...ROUTES).chain((route) =>
  fc.record({
    route: fc.constant(route),
    method: fc.oneof(
      { weight: 5, arbitrary: fc.constant(route.method.toUpperCase()) },
      fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH'),
    ),
    which: fc.nat({ max: 2 }),
    id: fc.oneof(
      fc.constant(undefined),
      fc.string({ maxLength: 60 }),
      fc.constantFrom('..', '%2e%2e', 'run-', `run-${'0'.repeat(32)}`, '__proto__', 'x'.repeat(5_000)),
    ),
    query: fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      fc.webQueryParameters({ size: 'small' }),
      fc.constantFrom(
        'format=x',
        'budget=0',
        'budget=1e9',
        'level=L9',
        'limit=-1',
        'search=',
        '__proto__=1',
        'a=1&a=2',
      ),
    ),
    token: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(BOB, BOB, READER) }, fc.constantFrom('', 'wrong', ' ')),
    body: bodyOf(route.bodyExample),
    headers: fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      fc.record(
        {
          'content-type': fc.constantFrom(
            'application/json',
            'application/json; charset=utf-8',
            'text/plain',
            'a/b',
            '',
          ),
          'idempotency-key': fc.constantFrom('a', 'b', 'x'.repeat(300), 'with space'),
          prefer: fc.constantFrom('respond-async', 'respond-async, wait=1', 'wait=-1', 'x;;=,"'),
          'last-event-id': fc.constantFrom('0', '1', '-1', '1e99', 'NaN', '99999999999999999999'),
          'content-encoding': fc.constantFrom('gzip', 'identity'),
          origin: fc.constantFrom('null', 'https://evil.example'),
        },
        { requiredKeys: [] },
      ),
    ),
  }),
)

test('no request makes a route fail, hang, or say what belongs to another scope', async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ route, method, which, id, query, token, body, headers }) => {
      const target = route.path.replace(
        '{id}',
        id === undefined ? (ids[which] ?? '') : encodeURIComponent(id.toWellFormed()),
      )
      const hasBody = method !== 'GET'
      const stop = AbortSignal.timeout(20_000)
      const gone = new AbortController()
      const response = await fetch(`${rig.url}${target}${query === '' ? '' : `?${query.replace(/^\?/, '')}`}`, {
        method,
        headers: {
          ...(token !== '' && { authorization: `Bearer ${token}` }),
          'content-type': 'application/json',
          ...headers,
        },
        signal: AbortSignal.any([stop, gone.signal]),
        ...(hasBody && { body: body as string }),
      })
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
      // A reader of team-a may see what is of team-a.
      const text = isStream ? '' : await response.text()
      if (isStream) gone.abort()
      expect(response.status).not.toBe(500)
      if (token !== READER) expect(text).not.toContain(MARKER)
      expect(text).not.toMatch(/\bat .*\.(ts|js|mjs):\d+/)
      expect(text).not.toContain('secret')
      if (response.status >= 400 && text !== '') {
        expect(response.headers.get('content-type')).toBe('application/problem+json')
        expect(JSON.parse(text)).toMatchObject({
          status: response.status,
          code: expect.stringMatching(/^[A-Z_]+$/),
          detail: expect.any(String),
        })
      }
    }),
    { numRuns: 600, endOnFailure: true },
  )
  // It has not been the same refusal all along.
  expect([200, 400, 401, 403, 404, 405, 413, 415, 422].filter((status) => !statuses.has(status))).toEqual([])
  expect((await rig.send(ALICE, '/healthz')).status).toBe(200)
  expect(rig.logged().filter(({ level }) => Number(level) >= 50)).toEqual([])
})
