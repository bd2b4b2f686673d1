import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/data/json.ts'
import { buildRequest, type ParameterPlan, type RequestPlan } from '../../../src/importers/http/build-request.ts'
import { credentialsOf } from '../../../src/importers/http/auth.ts'

const parameter = (name: string, extra: Partial<ParameterPlan> = {}): ParameterPlan => ({
  argument: name,
  name,
  in: 'query',
  style: 'form',
  explode: true,
  ...extra,
})
const plan = (extra: Partial<RequestPlan> = {}): RequestPlan => ({
  method: 'GET',
  urlTemplate: 'https://api.test/v1/items/{id}/parts',
  parameters: [parameter('id', { in: 'path', style: 'simple', explode: false })],
  ...extra,
})

describe('the query', () => {
  const list = ['a', 'b c', 'd&e']
  const object = { x: 1, y: 'two' }
  test.each<[string, Partial<ParameterPlan>, Json, string]>([
    ['form, exploded', {}, list, 'q=a&q=b%20c&q=d%26e'],
    ['form', { explode: false }, list, 'q=a,b%20c,d%26e'],
    ['spaceDelimited', { style: 'spaceDelimited', explode: false }, list, 'q=a%20b%20c%20d%26e'],
    ['pipeDelimited', { style: 'pipeDelimited', explode: false }, list, 'q=a%7Cb%20c%7Cd%26e'],
    ['an object, exploded', {}, object, 'x=1&y=two'],
    ['an object', { explode: false }, object, 'q=x,1,y,two'],
    [
      'deepObject',
      { style: 'deepObject' },
      { x: 1, y: { z: ['p', 'q'] } },
      'q%5Bx%5D=1&q%5By%5D%5Bz%5D=p&q%5By%5D%5Bz%5D=q',
    ],
    ['allowReserved', { allowReserved: true }, '/a?b=c&d#e+f', 'q=/a?b%3Dc%26d%23e%2Bf'],
    ['JSON', { asJson: true }, { a: [1] }, 'q=%7B%22a%22%3A%5B1%5D%7D'],
    ['a boolean', {}, false, 'q=false'],
    ['null', {}, null, ''],
    ['an empty list', {}, [], ''],
  ])('%s', (_style, extra, value, query) => {
    const url = buildRequest(plan({ urlTemplate: 'https://api.test/', parameters: [parameter('q', extra)] }), {
      q: value,
    }).url
    expect(url.href).toBe(`https://api.test/${query === '' ? '' : `?${query}`}`)
  })
})

describe('the path', () => {
  test.each<[string, Partial<ParameterPlan>, Json, string]>([
    ['a text', {}, 'a/b?c#d%2e', 'a%2Fb%3Fc%23d%252e'],
    ['a list', {}, [1, 2], '1,2'],
    ['label', { style: 'label' }, [1, 2], '.1,2'],
    ['label, exploded', { style: 'label', explode: true }, { a: 1, b: 2 }, '.a=1.b=2'],
    ['matrix', { style: 'matrix' }, [1, 2], ';id=1,2'],
    ['matrix, exploded', { style: 'matrix', explode: true }, [1, 2], ';id=1;id=2'],
    ['an object, exploded', { explode: true }, { a: 1 }, 'a=1'],
  ])('%s', (_style, extra, value, segment) => {
    const parameters = [parameter('id', { in: 'path', style: 'simple', explode: false, ...extra })]
    expect(buildRequest(plan({ parameters }), { id: value }).url.pathname).toBe(`/v1/items/${segment}/parts`)
  })

  test.each(['', '.', '..', undefined])('%j would be another path and is refused', (id) => {
    expect(() => buildRequest(plan(), id === undefined ? {} : { id })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGS' }),
    )
  })

  test('two values that are ".." together are refused too', () => {
    const parameters = ['a', 'b'].map((name) => parameter(name, { in: 'path', style: 'simple', explode: false }))
    const template = plan({ urlTemplate: 'https://api.test/x/{a}{b}/y', parameters })
    expect(() => buildRequest(template, { a: '.', b: '.' })).toThrow('another path')
  })

  test('no text whatever leaves its segment, its host or its parameter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (id, q) => {
        fc.pre(!['', '.', '..'].includes(id))
        const { url } = buildRequest(plan({ parameters: [...plan().parameters, parameter('q')] }), { id, q })
        expect(url.origin).toBe('https://api.test')
        expect(url.pathname.split('/')).toEqual(['', 'v1', 'items', expect.any(String), 'parts'])
        expect([...url.searchParams.keys()]).toEqual(['q'])
        expect(url.searchParams.get('q')).toBe(q.toWellFormed())
        expect(decodeURIComponent(url.pathname.split('/')[3] ?? '')).toBe(id.toWellFormed())
      }),
    )
  })
})

describe('headers and cookies', () => {
  const header = (name: string) =>
    plan({
      urlTemplate: 'https://api.test/',
      parameters: [parameter(name, { in: 'header', style: 'simple', explode: false })],
    })

  test('a list in a header is joined', () => {
    expect(buildRequest(header('X-Ids'), { 'X-Ids': [1, 2] }).headers.get('x-ids')).toBe('1,2')
  })

  test.each(['a\r\nX-Admin: 1', 'a\nb', 'a\0', 'naïve €'])('the value %j is refused', (value) => {
    expect(() => buildRequest(header('X-Id'), { 'X-Id': value })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGS' }),
    )
  })

  test.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'X Y', 'X:'])(
    'the name %j is refused',
    (name) => {
      expect(() => buildRequest(header(name), { [name]: '1' })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGS' }),
      )
    },
  )

  test('a cookie cannot bring a second one along', () => {
    const parameters = [parameter('c', { in: 'cookie' })]
    const { headers } = buildRequest(plan({ urlTemplate: 'https://api.test/', parameters }), {
      c: 'a; admin=1\r\nX: y',
    })
    expect(headers.get('cookie')).toBe('c=a%3B%20admin%3D1%0D%0AX%3A%20y')
  })

  describe('what the configuration fills in cannot be given by a call', () => {
    const key = (place: 'header' | 'query' | 'cookie') =>
      credentialsOf({ type: 'apiKey', in: place, name: 'Api_key', value: 'ours' }, [])
    const one = (extra: Partial<ParameterPlan>) => [parameter('given', extra)]
    const others = { allBut: new Set<string>() }
    const team = new Map([['x-team', 'blue']])
    test.each<[string, Partial<RequestPlan>, Record<string, Json>, string]>([
      [
        'a header',
        { credentials: key('header'), parameters: one({ name: 'API_KEY', in: 'header' }) },
        { given: 'x' },
        'API_KEY',
      ],
      [
        'a configured header',
        { headers: team, parameters: one({ name: 'X-Team', in: 'header' }) },
        { given: 'x' },
        'X-Team',
      ],
      [
        'a parameter of the query',
        { credentials: key('query'), parameters: one({ name: 'Api_key' }) },
        { given: 'x' },
        'Api_key',
      ],
      ['an argument of no place', { credentials: key('query'), othersInQuery: others }, { api_key: 'x' }, 'api_key'],
      ['a list', { credentials: key('query'), othersInQuery: others }, { 'Api_key[]': ['x'] }, 'Api_key[]'],
      [
        'a name that servers read alike',
        { credentials: key('query'), othersInQuery: others },
        { ' api.key': 'x' },
        ' api.key',
      ],
      [
        'a member of an exploded object',
        { credentials: key('query'), parameters: one({}) },
        { given: { a: 1, Api_key: 'x' } },
        'Api_key',
      ],
      [
        'a deep object',
        { credentials: key('query'), parameters: one({ name: 'Api_key', style: 'deepObject' }) },
        { given: { a: 1 } },
        'Api_key[a]',
      ],
      [
        'a cookie',
        { credentials: key('cookie'), parameters: one({ name: 'Api_key', in: 'cookie' }) },
        { given: 'x' },
        'Api_key',
      ],
      [
        'a member of a cookie’s object',
        { credentials: key('cookie'), parameters: one({ in: 'cookie' }) },
        { given: { Api_key: 'x' } },
        'Api_key',
      ],
      [
        'a whole header of cookies',
        { credentials: key('cookie'), parameters: one({ name: 'Cookie', in: 'header' }) },
        { given: 'Api_key=x' },
        'Cookie',
      ],
      [
        'a cookie of a configured header',
        { headers: new Map([['cookie', 'a=1; sid=ours']]), parameters: one({ name: 'sid', in: 'cookie' }) },
        { given: 'x' },
        'sid',
      ],
    ])('%s', (_what, extra, args, named) => {
      const build = () => buildRequest(plan({ urlTemplate: 'https://api.test/', parameters: [], ...extra }), args)
      expect(build).toThrow(expect.objectContaining({ code: 'INVALID_ARGS' }))
      expect(build).toThrow(JSON.stringify(named))
    })

    test('what has another name or place is sent beside it', () => {
      const parameters = [parameter('api_keys'), parameter('lang', { in: 'cookie' })]
      const request = buildRequest(
        plan({
          urlTemplate: 'https://api.test/',
          parameters,
          credentials: { ...key('query'), cookies: new Map([['sid', 'ours']]) },
          headers: new Map([['cookie', 'a=1']]),
        }),
        { api_keys: '1', lang: 'no' },
      )
      expect(request.url.search).toBe('?api_keys=1&Api_key=ours')
      expect(request.headers.get('cookie')).toBe('a=1; lang=no; sid=ours')
    })
  })

  test.each([
    [{ type: 'bearer', token: 't0ken' } as const, 'authorization', 'Bearer t0ken'],
    [{ type: 'basic', username: 'u', password: 'p' } as const, 'authorization', 'Basic dTpw'],
    [{ type: 'apiKey', in: 'cookie', name: 'sid', value: 'a b' } as const, 'cookie', 'sid=a%20b'],
  ])('credentials %j', (auth, name, value) => {
    expect(buildRequest({ ...header('x'), credentials: credentialsOf(auth, []) }, {}).headers.get(name)).toBe(value)
  })

  test('a key in the query', () => {
    const credentials = credentialsOf({ type: 'apiKey', in: 'query', name: 'key', value: 'a&b' }, [])
    expect(buildRequest({ ...header('x'), credentials }, {}).url.href).toBe('https://api.test/?key=a%26b')
  })

  test('an idempotency key goes into the header that is named for it, when the call has one', () => {
    const withHeader = { ...header('x'), idempotencyHeader: 'Idempotency-Key' }
    expect(buildRequest(withHeader, {}, 'run-1.3').headers.get('idempotency-key')).toBe('run-1.3')
    expect(buildRequest(withHeader, {}).headers.has('idempotency-key')).toBe(false)
    expect(buildRequest(header('x'), {}, 'run-1.3').headers.has('idempotency-key')).toBe(false)
  })
})

describe('bodies', () => {
  const write = (as: 'json' | 'form' | 'multipart' | 'text' | 'binary', mediaType: string, body: Json) => {
    const request = buildRequest(
      plan({
        method: 'POST',
        urlTemplate: 'https://api.test/',
        parameters: [],
        body: { as, mediaType, argument: 'body' },
      }),
      { body },
    )
    return [request.headers.get('content-type') ?? '', Buffer.from(request.body ?? []).toString()] as const
  }

  test.each([
    ['json', 'application/json', { a: [1, null] }, '{"a":[1,null]}'],
    ['json', 'application/vnd.api+json', 'x', '"x"'],
    [
      'form',
      'application/x-www-form-urlencoded',
      { a: ['1', '2'], b: 'x&y=z', c: { d: 1 }, e: null },
      'a=1&a=2&b=x%26y%3Dz&c=%7B%22d%22%3A1%7D',
    ],
    ['text', 'text/csv', 'a,b\r\n', 'a,b\r\n'],
    ['binary', 'image/png', { base64: Buffer.from('png').toString('base64') }, 'png'],
  ] as const)('%s', (as, mediaType, body, text) => {
    expect(write(as, mediaType, body)).toEqual([mediaType, text])
  })

  test('multipart has a part for each field, and names cannot end a header', async () => {
    const body = {
      'na"me\r\nX: 1': 'v',
      list: ['1', '2'],
      meta: { a: 1 },
      file: { base64: 'aGk=', filename: 'a"b\r\n.txt', contentType: 'text/plain' },
    }
    const [contentType, text] = write('multipart', 'multipart/form-data', body)
    const parsed = await new Response(text, { headers: { 'content-type': contentType } }).formData()
    expect(parsed.getAll('list')).toEqual(['1', '2'])
    expect(text).toContain('name="na%22me%0D%0AX: 1"')
    expect(text).toContain('filename="a%22b%0D%0A.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n')
  })

  test.each([{ base64: 'no base64!' }, { base64: 'aGk=', contentType: 'text/plain\r\nX: 1' }, { other: 1 }])(
    '%j is no file',
    (file) => {
      expect(() => write('binary', 'image/png', file)).toThrow(expect.objectContaining({ code: 'INVALID_ARGS' }))
    },
  )

  test('no body is sent when there is no argument for it', () => {
    const request = buildRequest(
      plan({
        method: 'POST',
        urlTemplate: 'https://api.test/',
        parameters: [],
        body: { as: 'json', mediaType: 'application/json', argument: 'body' },
      }),
      {},
    )
    expect([request.body, request.headers.has('content-type')]).toEqual([undefined, false])
  })
})
