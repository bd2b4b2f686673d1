import { expect, test } from 'vitest'
import { createRedactor } from '../../src/importers/redact.ts'
import type { ServerEntry } from '../../src/importers/server-entry.ts'

const entry: ServerEntry = {
  name: 's',
  transport: 'stdio',
  command: 'x',
  env: { KEY: 'tok-123456/ä' },
  secrets: ['line-one\nline-two'],
}

test.each([
  ['as it is', 'use tok-123456/ä now', 'use [hidden] now'],
  ['with colours inside', 'use tok-\u001b[31m123456\u001b[0m/ä now', 'use [hidden] now'],
  ['with a direction mark inside', 'use tok\u202e-123456/ä now', 'use [hidden] now'],
  ['as a part of a URL', 'GET /?key=tok-123456%2F%C3%A4', 'GET /?key=[hidden]'],
  ['over two lines', 'a line-one\r\nline-two b', 'a [hidden] b'],
])('a secret is hidden: %s', (_name, text, clean) => {
  expect(createRedactor(entry)(text)).toBe(clean)
})

test('credentials in the proxy and registry that a server inherits are hidden', () => {
  const redact = createRedactor(entry, { HTTPS_PROXY: 'http://me:pass-word@proxy.example.test:3128', PATH: '/usr/bin' })
  expect(redact('connect http://me:pass-word@proxy.example.test:3128 as me, pass-word; /usr/bin')).toBe(
    'connect [hidden] as me, [hidden]; /usr/bin',
  )
})
