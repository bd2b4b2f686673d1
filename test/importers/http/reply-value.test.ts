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

const awkward = 'ab+c/d"é\\&<1> 5=='
const units = (text: string) =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
const percent = encodeURIComponent(awkward)
test.each<[string, string]>([
  ['\\u escapes', `{"v":"${units(awkward)}"}`],
  ['\\u escapes with large digits', `{"v":"${units(awkward).replaceAll(/[a-f]/g, (digit) => digit.toUpperCase())}"}`],
  ['JSON in JSON', JSON.stringify({ v: JSON.stringify({ v: awkward }).replaceAll('+', '\\u002B') })],
  ['percent-encoding', JSON.stringify({ v: `/x?k=${percent}` })],
  [
    'percent-encoding in small letters',
    JSON.stringify({ v: `/x?k=${percent.replaceAll(/%../g, (code) => code.toLowerCase())}` }),
  ],
  ['percent-encoding done twice', JSON.stringify({ v: encodeURIComponent(percent) })],
  ['percent-encoding of some characters', JSON.stringify({ v: awkward.replace('+', '%2b') })],
  ['a form', JSON.stringify({ v: percent.replaceAll('%20', '+') })],
  ['HTML', JSON.stringify({ v: awkward.replaceAll('&', '&amp;').replace('<', '&#60;').replace('>', '&#x3E;') })],
  ['base64 of URLs', JSON.stringify({ v: Buffer.from(awkward).toString('base64url') })],
  ['escaped base64', `{"v":"${units(Buffer.from(awkward).toString('base64'))}"}`],
  ['the name of a member', JSON.stringify({ [awkward]: 1, v: awkward })],
])('a secret is found in %s, in values, texts and errors', (_how, body) => {
  const hides = createSecretHider([awkward])
  for (const type of ['application/json', 'text/plain']) {
    const { value } = replyValue(reply(200, body, { 'content-type': type }), 'GET', hides)
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    expect(shown).toMatch(/^\{"(?:v|\[hidden\])":[^]*\[hidden\]|^\{"\[hidden\]"/)
    expect(shown.replaceAll('[hidden]', '').length).toBeLessThan(25)
    let thrown: unknown
    try {
      replyValue(reply(400, body, { 'content-type': type }), 'GET', hides)
    } catch (error) {
      thrown = error
    }
    expect((thrown as { details: { body: string } }).details.body.replaceAll('[hidden]', '').length).toBeLessThan(25)
  }
})

test('a control character in the middle of a secret does not carry it into an error', () => {
  expect(failureOf(400, 'tok/en"12\u00003456', { 'content-type': 'text/plain' }).details['body']).toBe('[hidden]')
})

test('only texts are searched: numbers, booleans and the JSON around them stay', () => {
  const hides = createSecretHider(['10042', 'false', '"items"', ':[1,2]'])
  const body = '{"10042":1,"org":10042,"items":[1,2],"archived":false,"id":"10042","__proto__":"false"}'
  const { value } = replyValue(reply(200, body, { 'content-type': 'application/json' }), 'GET', hides)
  expect(Object.entries(value as Record<string, Json>)).toEqual([
    ['[hidden]', 1],
    ['org', 10042],
    ['items', [1, 2]],
    ['archived', false],
    ['id', '[hidden]'],
    ['__proto__', '[hidden]'],
  ])
})

test('names that become the same are kept apart', () => {
  const hides = createSecretHider(['first-secret', 'other-secret'])
  const body = '{"first-secret":1,"other-secret":2,"[hidden] 2":3}'
  expect(replyValue(reply(200, body), 'GET', hides).value).toEqual({
    '[hidden]': 1,
    '[hidden] 3': 2,
    '[hidden] 2': 3,
  })
})

test('any text with any characters escaped in any way loses its secret and nothing else', () => {
  const ways = [
    (character: string) => character,
    (character: string) => units(character),
    (character: string) => [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    (character: string) => `&#${character.codePointAt(0) ?? 0};`,
  ] as const
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 8 }),
      fc.infiniteStream(fc.nat(3)),
      fc.stringMatching(/^[ <>]{0,9}$/),
      (secret, choices, around) => {
        fc.pre(secret.trim() === secret && !/^[ <>]|[ <>]$/.test(secret))
        const written = Array.from(secret, (character) => ways[choices.next().value ?? 0]?.(character) ?? '').join('')
        expect(createSecretHider([secret])(`${around}${written}${around}`)).toBe(`${around}[hidden]${around}`)
      },
    ),
  )
})

test('texts made of beginnings of a secret take no time worth speaking of', () => {
  const hides = createSecretHider([`${'\\'.repeat(50)}x`, `${'%25'.repeat(50)}x`, `${'&amp;'.repeat(30)}x`])
  for (const part of ['\\', '%25', '%', '&amp;', '&']) {
    const text = part.repeat(20_000)
    expect(hides(text)).toBe(text)
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
