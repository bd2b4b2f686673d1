import { describe, expect, test } from 'vitest'
import { parseContent, parseContentBlock } from '../../src/data/parse-content.ts'

test('every kind of block passes, with the fields that the vocabulary does not know', () => {
  const content = [
    { type: 'text', text: '' },
    { type: 'text', text: 'x', annotations: { audience: ['user'] }, _meta: { a: 1 }, later: true },
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    { type: 'audio', data: 'aGk', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a', text: 'x', mimeType: 'text/plain' } },
    { type: 'resource', resource: { uri: 'file:///a', blob: 'aGk=' } },
    { type: 'resource_link', uri: 'file:///a', name: 'a', size: 3, title: 'A', description: 'd' },
  ]
  expect(parseContent(content)).toMatchObject({ ok: true, content })
})

describe('a wrong block is refused with its path and the reason', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['no array', { type: 'text', text: 'x' }, '', /must be an array of blocks; got an object/],
    ['a bare string', ['hello'], '/0', /must be an object; got "hello"/],
    ['no type', [{ text: 'x' }], '/0/type', /one of text, image.*got nothing/],
    ['a kind that is not known', [{ type: 'text', text: '' }, { type: 'video' }], '/1/type', /got "video"/],
    ['a kind named like a property of every object', [{ type: 'constructor' }], '/0/type', /got "constructor"/],
    ['no text', [{ type: 'text' }], '/0/text', /missing/],
    ['text that is none', [{ type: 'text', text: 3 }], '/0/text', /must be a string; got 3/],
    ['data that is not base64', [{ type: 'image', data: '<svg>', mimeType: 'image/svg' }], '/0/data', /base64/],
    ['no media type', [{ type: 'image', data: 'aGk=', mimeType: '' }], '/0/mimeType', /empty/],
    [
      'a resource without anything in it',
      [{ type: 'resource', resource: { uri: 'a:b' } }],
      '/0/resource',
      /text or blob/,
    ],
    ['a resource without an address', [{ type: 'resource', resource: { text: 'x' } }], '/0/resource/uri', /missing/],
    ['a negative size', [{ type: 'resource_link', uri: 'a:b', name: 'n', size: -1 }], '/0/size', /not negative/],
    [
      'annotations that are none',
      [{ type: 'text', text: '', annotations: [] }],
      '/0/annotations',
      /object; got an array/,
    ],
    ['what is not JSON', [{ type: 'text', text: '', _meta: { at: new Date() } }], '/0/_meta/at', /class instance/],
  ])('%s', (_name, value, path, reason) => {
    const parsed = parseContent(value)
    expect(parsed).toMatchObject({ ok: false, path })
    expect(!parsed.ok && parsed.reason).toMatch(reason)
  })
})

test('an inherited field is no field', () => {
  expect(parseContentBlock(Object.assign(Object.create({ text: 'x' }), { type: 'text' })).ok).toBe(false)
})

test('blocks and bytes are bounded', () => {
  const block = { type: 'text', text: 'x' }
  expect(parseContent([block, block], { maxBlocks: 2 }).ok).toBe(true)
  expect(parseContent([block, block, block], { maxBlocks: 2 })).toMatchObject({
    ok: false,
    reason: 'more than 2 blocks',
  })
  expect(parseContent([block], { maxBytes: 10 }).ok).toBe(false)
  expect(parseContentBlock(block)).toMatchObject({ ok: true, block, bytes: 26 })
})
