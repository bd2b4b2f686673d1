import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/data/json.ts'
import { exactJson } from '../../../src/importers/http/exact-json.ts'
import { replyValue } from '../../../src/importers/http/reply-value.ts'
import { createSecretHider } from '../../../src/importers/http/secrets.ts'

const hide = createSecretHider(['tok/en"123456'])
const reply = (status: number, body: string | Uint8Array, headers: Record<string, string> = {}) => ({
  status,
  headers: new Map(Object.entries(headers)),
  body: typeof body === 'string' ? Buffer.from(body) : body,
})
const valueOf = (body: string | Uint8Array, type: string, method = 'GET') =>
  replyValue(reply(200, body, { 'content-type': type }), method, hide)
const failureOf = (status: number, body: string, headers: Record<string, string> = {}) => {
  try {
    replyValue(reply(status, body, headers), 'GET', hide)
  } catch (thrown) {
    return thrown as { code: string; message: string; details: Record<string, Json> }
  }
  throw new Error('no failure')
}

test.each<[string, string, string, Json]>([
  ['JSON', '{"a":[1]}', 'application/json; charset=utf-8', { a: [1] }],
  ['JSON of a vendor', '[1]', 'application/vnd.api+json', [1]],
  ['JSON that names no type', '[1]', '', [1]],
  ['text', '{"a":1}', 'text/plain', '{"a":1}'],
  ['XML', '<a/>', 'application/xml', '<a/>'],
  ['text that claims to be JSON', '<html>', 'application/json', '<html>'],
  ['nothing', '', 'application/json', null],
])('%s', (_kind, body, type, value) => {
  expect(valueOf(body, type).value).toEqual(value)
})

test('bytes become base64, and a model is told of them or shown the image', () => {
  const bytes = Uint8Array.from([0, 255, 1])
  expect(valueOf(bytes, 'application/pdf')).toEqual({
    value: { mimeType: 'application/pdf', bytes: 3, base64: 'AP8B' },
    content: [{ type: 'text', text: '3 bytes of application/pdf; programs get them as base64' }],
  })
  expect(valueOf(bytes, 'image/png').content).toEqual([{ type: 'image', data: 'AP8B', mimeType: 'image/png' }])
})

test('text in another charset is read in it, and bytes that are no text stay bytes', () => {
  expect(valueOf(Uint8Array.from([0xe9]), 'text/plain; charset=iso-8859-1').value).toBe('é')
  expect(valueOf(Uint8Array.from([0xff, 0xfe, 0xff]), 'text/plain').value).toMatchObject({ bytes: 3 })
})

test('a HEAD gives what its headers say', () => {
  const head = replyValue(reply(200, '', { 'content-length': '12', etag: '"x"', 'set-cookie': 'a=b' }), 'HEAD', hide)
  expect(head.value).toEqual({ status: 200, 'content-length': '12', etag: '"x"' })
})

test('an error says its status and what the API says, in part', () => {
  expect(failureOf(422, '{"error":"limit must be ≤ 100"}', { 'content-type': 'application/json' })).toMatchObject({
    code: 'TOOL_FAILED',
    message: 'HTTP 422: {"error":"limit must be ≤ 100"}',
    details: { status: 422, body: '{"error":"limit must be ≤ 100"}' },
  })
  expect(failureOf(500, 'x'.repeat(100_000)).message.length).toBeLessThan(2_200)
  expect(failureOf(404, '').message).toBe('HTTP 404 with no text')
  expect(failureOf(304, '').details['status']).toBe(304)
})

test.each([
  ['7', undefined, 7_000],
  ['Wed, 21 Oct 2026 07:28:10 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT', 10_000],
  ['soon', undefined, undefined],
])('Retry-After %j', (value, date, expected) => {
  const headers = { 'retry-after': value, ...(date !== undefined && { date }) }
  expect(failureOf(429, '', headers).details['retryAfterMs']).toBe(expected)
})

test.each([
  ['as it is', 'you sent tok/en"123456'],
  ['in JSON', JSON.stringify({ auth: 'Bearer tok/en"123456' })],
  ['in JSON with escaped slashes', '{"auth":"tok\\/en\\"123456"}'],
  ['in a URL', `https://api.test/?key=${encodeURIComponent('tok/en"123456')}`],
  ['in base64', Buffer.from('tok/en"123456').toString('base64')],
])('a secret that an API echoes reaches nobody: %s', (_how, body) => {
  for (const type of ['application/json', 'text/plain']) {
    expect(JSON.stringify(valueOf(body, type))).toContain('[hidden]')
    expect(JSON.stringify(failureOf(400, body, { 'content-type': type }))).not.toMatch(/123456|MTIzNDU2/)
  }
})

test('integers that a double cannot hold keep their digits as text', () => {
  expect(
    exactJson('{"id":9007199254740993,"n":-12345678901234567890,"f":1.5,"e":1e3,"z":-0,"big":1e999}')?.value,
  ).toEqual({
    id: '9007199254740993',
    n: '-12345678901234567890',
    f: 1.5,
    e: 1000,
    z: 0,
    big: '1e999',
  })
})

test('JSON reads as JSON.parse reads it, and anything else is undefined', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!/\d{16}/.test(text))
      expect(JSON.stringify(exactJson(text)?.value)).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => void exactJson(text)))
  expect(exactJson('['.repeat(100_000))).toBeUndefined()
  expect(exactJson('{"a":1,"a":2}')?.value).toEqual({ a: 2 })
})
