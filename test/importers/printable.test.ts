import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable, printableLine } from '../../src/importers/printable.ts'
import { createRedactor } from '../../src/importers/redact.ts'

test('nothing that steers a terminal is left, whatever the text', () => {
  const hostile = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('\u001b', '[31m', ']0;', '\u0007', '\u009b', '\r', '\b', '\u202e', '\u007f')),
  )
  fc.assert(
    fc.property(hostile, (parts) => {
      expect(printable(parts.join(''))).not.toMatch(
        // oxlint-disable-next-line no-control-regex -- that none is left is the point
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
      )
    }),
  )
})

test('sequences go as a whole, and what they surround stays', () => {
  expect(printable('\u001b[31mred\u001b[0m \u001b]0;title\u0007plain')).toBe('red plain')
  expect(printable('a\r\nb\tc')).toBe('a\nb\tc')
  expect(printableLine('a\n  b\u001b[2Jc')).toBe('a bc')
})

test('text over the limit is cut, and says so', () => {
  expect(printable('x'.repeat(10), 5)).toBe('xxxxx… (10 characters)')
})

test('values of env, headers and secret URLs do not survive in text about a server', () => {
  const stdio = createRedactor({
    name: 'a',
    transport: 'stdio',
    command: 'x',
    env: { KEY: 'abcdef', PORT: '80' },
    secrets: ['from-env-1'],
  })
  expect(stdio('abcdef 80 from-env-1 abcdefabcdef')).toBe('[hidden] 80 [hidden] [hidden][hidden]')
  const http = createRedactor({
    name: 'b',
    transport: 'streamable-http',
    url: 'https://h.example.test/s/k3y-path?t=t0ken-1',
    headers: { Authorization: 'Bearer b3arer-1' },
  })
  const said = http('POST https://h.example.test/s/k3y-path?t=t0ken-1 with b3arer-1, t0ken-1 and s/k3y-path?t=t0ken-1')
  expect(said).not.toMatch(/k3y|t0ken|b3arer/)
})
