import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { URL as GuestUrl, URLSearchParams as GuestParams } from '../../sandbox/guest/web/url.ts'

const FIELDS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const

type Like = Readonly<Record<(typeof FIELDS)[number], string>>

function fields(make: () => Like): Record<string, string> | 'invalid' {
  try {
    const url = make()
    return Object.fromEntries(FIELDS.map((field) => [field, url[field]]))
  } catch {
    return 'invalid'
  }
}

const ABSOLUTE = [
  'https://example.com',
  'HTTPS://User:Pa%20ss@EXAMPLE.com:443/a/./b/../c?q=1 2#frag ment',
  'http://example.com:80/',
  'http://example.com:8080',
  'http://example.com:99999',
  'http://example.com:',
  'http://user@/path',
  'http://@host/',
  'http://a:b:c@host/',
  'http://a@b@c/',
  '  http://trim.me/ \n',
  'http://ex\tam\nple.com/',
  'http://[::1]/',
  'http://[2001:db8::ff00:42:8329]:81/x',
  'http://[1:2:0:0:5:0:0:0]/',
  'http://[::ffff:1.2.3.4]/',
  'http://[1::2::3]/',
  'http://[::1',
  'http://127.1/',
  'http://0x7f.1/',
  'http://0300.0.0.1/',
  'http://2130706433/',
  'http://256.1.1.1/',
  'http://1.2.3.4.5/',
  'http://1.2.3.08/',
  'http://a.1.b/',
  'http://münchen.de/ä?ö#ü',
  'http://例え.テスト/',
  'http://ＧＯ.com/',
  'http://a b/',
  'http://a%20b/',
  'http://a%41b/',
  'http://a<b/',
  'http://ex%2fample/',
  'http:///slashes',
  'http:\\\\back\\slash\\x',
  'https:example.org',
  'http://host?query',
  'http://host#hash',
  'http://host/?',
  'http://host/#',
  'http://host/%zz%4',
  'http://host/a%2eb/%2e%2e/c',
  'http://host/..',
  'http://host/a/..//b',
  'http://host/?it\'s&"<>#`<>"',
  'http://host/{}|^`',
  'ftp://host:21/x',
  'ws://host:80/',
  'wss://host:444/',
  'file:///etc/passwd',
  'file://localhost/x',
  'file://host/share',
  'file:///C|/x/../y',
  'file:c:\\foo\\bar',
  'file:',
  'mailto:someone@example.com?subject=Hi there#x',
  'data:text/plain,hello world ',
  'javascript:alert(1)',
  'blob:https://example.com/uuid',
  'urn:isbn:123 #x',
  'custom://Host/Path/../x',
  'custom://h\u00e9/p',
  'custom:///x',
  'custom:/.//p',
  'non-special:opaque',
  'web+demo:/..//not-a-host',
  '',
  '/relative',
  'nothing',
  '//host',
  'http://',
  'http:',
  'https://?x',
  '1http://x',
  'http://\ud800/',
  'http://h/\ud800?\udc00',
  'http://emoji.com/😀?😀#😀',
]

const RELATIVE = [
  '',
  '.',
  '..',
  '../..',
  '../../..',
  './x',
  'x',
  'x/y/',
  '/abs',
  '//other/p',
  '\\\\other\\p',
  '\\abs',
  '?q=2',
  '#h',
  'x?q#h',
  'http:rel',
  'http:/rel',
  'https:other',
  'mailto:x',
  ':colon',
  'a:b',
  '%2e%2e/x',
  'C|/x',
  '/C:/x',
  '///three',
]
const BASES = [
  'http://host/a/b/c?q=1#h',
  'http://host',
  'https://u:p@host:81/dir/',
  'file:///C:/dir/file',
  'file:///home/x',
  'mailto:a@b',
  'custom://h/p/q',
  'custom:/p/q',
]

describe('URL agrees with the platform', () => {
  test.each(ABSOLUTE)('on %j', (text) => {
    expect(fields(() => new GuestUrl(text))).toEqual(fields(() => new URL(text)))
    expect(GuestUrl.canParse(text)).toBe(URL.canParse(text))
  })

  test.each(BASES)('on relative references to %s', (base) => {
    for (const text of RELATIVE) {
      expect([text, fields(() => new GuestUrl(text, base))]).toEqual([text, fields(() => new URL(text, base))])
    }
  })

  test('on setters', () => {
    const table: [string, (typeof FIELDS)[number], string][] = [
      ['http://h/p', 'protocol', 'https'],
      ['http://h:443/p', 'protocol', 'https:'],
      ['http://h/p', 'protocol', 'mailto'],
      ['http://h/p', 'host', 'x:81'],
      ['http://h/p', 'host', 'bad host'],
      ['http://h:1/p', 'hostname', 'y.z'],
      ['http://h:1/p', 'hostname', 'y:2'],
      ['http://h/p', 'port', '8080x'],
      ['http://h:1/p', 'port', ''],
      ['http://h/p', 'port', 'x'],
      ['http://h/p', 'port', '70000'],
      ['http://h/p?x', 'pathname', 'a b/../c?d'],
      ['http://h/p', 'search', '?a=b c'],
      ['http://h/p?x', 'search', ''],
      ['http://h/p', 'hash', 'x y'],
      ['http://h/p#x', 'hash', ''],
      ['http://h/p', 'username', 'u:s'],
      ['http://h/p', 'password', 'p@'],
      ['mailto:x', 'pathname', 'y'],
      ['mailto:x', 'host', 'y'],
      ['file:///x', 'host', 'h'],
      ['file:///x', 'port', '1'],
      ['http://h/p', 'href', 'https://new/'],
    ]
    for (const [start, field, value] of table) {
      const ours = new GuestUrl(start) as unknown as Record<string, string>
      const theirs = new URL(start) as unknown as Record<string, string>
      ours[field] = value
      theirs[field] = value
      expect([start, field, value, ours['href']]).toEqual([start, field, value, theirs['href']])
    }
  })

  test('on paths, queries and fragments of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string({ unit: 'grapheme' }), (path, query, hash) => {
        const text = `https://example.com/${path}?${query}#${hash}`
        expect(fields(() => new GuestUrl(text))).toEqual(fields(() => new URL(text)))
      }),
    )
  })
})

describe('URLSearchParams agrees with the platform', () => {
  test('on any list of pairs, there and back', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string())), (pairs) => {
        const ours = new GuestParams(pairs)
        expect(ours.toString()).toBe(new URLSearchParams(pairs).toString())
        expect([...new GuestParams(ours.toString())]).toEqual([...new URLSearchParams(ours.toString())])
      }),
    )
  })

  test('on any query text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([...new GuestParams(text)]).toEqual([...new URLSearchParams(text)])
      }),
    )
  })

  test('on changes, which the URL follows and which follow the URL', () => {
    const run = (Url: typeof URL) => {
      const url = new Url('http://h/?a=1&b=2&a=3')
      url.searchParams.append('c', 'x y')
      url.searchParams.set('a', '9')
      url.searchParams.delete('b')
      const first = url.href
      url.search = '?z=1'
      const has = [url.searchParams.has('z'), url.searchParams.get('a'), url.searchParams.getAll('z')]
      url.searchParams.sort()
      url.searchParams.delete('z')
      return [first, has, url.href, url.searchParams.size]
    }
    expect(run(GuestUrl as unknown as typeof URL)).toEqual(run(URL))
  })
})
