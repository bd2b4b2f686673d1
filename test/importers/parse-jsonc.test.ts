import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskedFrame, parseJsonc } from '../../src/importers/parse-jsonc.ts'

test('every JSON text is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      const parsed = parseJsonc(text)
      expect(parsed.ok && JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
})

test('reading is total: any text gives a value or a place in the text', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '//', '/*', '*/', '\\', '\n', 'true', '1', 'a', ' ')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((parts) => parts.join('')),
      ),
      (text) => {
        const parsed = parseJsonc(text)
        if (parsed.ok) return
        const lines = text.split('\n')
        expect(parsed.problem.line).toBeLessThanOrEqual(lines.length)
        expect(parsed.problem.column).toBeGreaterThan(0)
        expect(maskedFrame(text, parsed.problem)).toContain('^')
      },
    ),
  )
})

test('objects have no prototype, so that no key means anything but itself', () => {
  const parsed = parseJsonc('{"__proto__": {"polluted": 1}, "constructor": 2}')
  expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(['__proto__', 'constructor'])
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

test('no part of a value is ever in a frame, wherever the text breaks', () => {
  const whole = '{"mcpServers": {"a": {"env": {"TOKEN": "s3cr3t-value"}, "args": ["s3cr3t-value", s3cr3t]}}}'
  for (let cut = 1; cut < whole.length; cut++) {
    const text = `${whole.slice(0, cut)} ${whole.slice(cut + 1)}`
    const parsed = parseJsonc(text)
    if (!parsed.ok) expect(maskedFrame(text, parsed.problem)).not.toMatch(/s3cr3t|value/)
  }
})
