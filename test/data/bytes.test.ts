import { expect, test } from 'vitest'
import { headWithin, previewText, tailWithin, truncateText, utf8ByteLength } from '../../src/data/bytes.ts'

test('bytes are counted as UTF-8 writes them', () => {
  expect(utf8ByteLength('aж中😀')).toBe(1 + 2 + 3 + 4)
})

test('a text at its budget is left alone, one byte more is cut and says how much is missing', () => {
  const text = 'x'.repeat(100)
  expect(truncateText(text, 100)).toBe(text)
  expect(previewText(text, 100)).toBe(text)
  expect(truncateText(text, 99)).toMatch(/^x+… \[(\d+) more bytes\]$/)
  const shown = /^(x+)… \[(\d+)/.exec(truncateText(text, 60))
  expect((shown?.[1]?.length ?? 0) + Number(shown?.[2])).toBe(100)
})

test('a preview keeps the head and the tail', () => {
  const text = `head${'.'.repeat(5_000)}tail`
  const preview = previewText(text, 300)
  expect(preview).toMatch(/^head\.+\n… \[(\d+) of 5008 bytes left out\] …\n\.+tail$/)
  expect(utf8ByteLength(preview)).toBeLessThanOrEqual(300)
})

test('no cut goes through a character', () => {
  expect(headWithin('😀😀', 7)).toBe('😀')
  expect(tailWithin('a😀', 4)).toBe('😀')
  expect(tailWithin('a😀', 3)).toBe('')
})

test('a budget too small for the marker still holds', () => {
  expect(truncateText('abcdefgh', 3)).toBe('abc')
  expect(previewText('abcdefgh', 0)).toBe('')
})
