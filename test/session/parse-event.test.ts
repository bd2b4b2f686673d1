import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEvent } from '../../src/session/parse-event.ts'
import { call, context, dispatchEnd, dispatchStart, result, stored } from './sample-events.ts'

const blocks = [
  { type: 'text', text: 'hi', annotations: { audience: ['user'] }, _meta: { a: null } },
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'a:b', text: 't', blob: 'AA==', mimeType: 'text/plain', _meta: {} } },
  { type: 'resource_link', uri: 'a:b', name: 'n', title: 't', description: 'd', mimeType: 'm', size: 3 },
]
const full = stored(
  call('call-1'),
  dispatchStart('call-1/1'),
  { ...dispatchEnd('call-1/1'), valueDigest: 'ab', approval: { answer: 'approve', by: 'mia' } } as never,
  dispatchEnd('call-1/1', 'echo', 'call-1', 'call-1', 'TOOL_FAILED'),
  {
    ...result('call-1'),
    content: blocks,
    meta: [1, null],
    approval: { answer: 'dismiss' },
    concludesTurn: true,
  } as never,
  context('call-1', 'note'),
)

function problems(row: unknown): readonly string[] {
  const parsed = parseEvent(row)
  return parsed.ok ? [] : parsed.problems.map(({ path }) => path)
}

test('every kind of event comes back as it was stored', () => {
  for (const event of full) expect(parseEvent(JSON.parse(JSON.stringify(event)))).toEqual({ ok: true, event })
})

test('one field away from an event is refused at that field', () => {
  for (const event of full) {
    for (const name of Object.keys(event)) {
      const value = event[name as keyof typeof event]
      const optional = ['valueDigest', 'errorInfo', 'meta', 'approval', 'concludesTurn'].includes(name)
      if (!optional) expect(problems({ ...event, [name]: undefined })).not.toEqual([])
      if (name === 'meta') continue
      const wrong = typeof value === 'string' ? 7 : 'wrong'
      expect(problems({ ...event, [name]: wrong })).toContain(`/${name}`)
    }
  }
})

test.each([
  [{ ...full[1], extra: 1 }, ['/extra']],
  [{ ...full[1], sequence: 0, atMs: -1 }, ['/sequence', '/atMs']],
  [{ ...full[1], type: 'tool/other' }, ['/type']],
  [{ ...full[1], version: 2, name: 7 }, ['/version']],
  [{ ...full[5], content: [{ type: 'text', text: 'a' }, { type: 'video' }, 3] }, ['/content/1/type', '/content/2']],
  [{ ...full[5], content: [{ type: 'resource', resource: { uri: 1 } }] }, ['/content/0/resource/uri']],
  [
    { ...full[4], errorInfo: { code: 'X' } },
    ['/errorInfo/message', '/errorInfo/phase', '/errorInfo/bodyStarted', '/errorInfo/retryable'],
  ],
  [
    { ...full[5], approval: { answer: 'maybe', by: 7, why: '' } },
    ['/approval/answer', '/approval/by', '/approval/why'],
  ],
  [{ ...full[6], message: { role: 'system', content: [], source: 's' } }, ['/message/role']],
  [null, ['']],
  [[], ['']],
  ['text', ['']],
  [JSON.parse('{"__proto__":{"type":"tool/call"}}'), ['/type']],
])('row %# is refused with all that is wrong', (row, expected) => {
  expect(problems(row)).toEqual(expected)
})

test('anything at all gets an answer, hostile objects too', () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no')
      },
      ownKeys: () => {
        throw new Error('no')
      },
    },
  )
  expect(parseEvent(hostile).ok).toBe(false)
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(parseEvent(value).ok).toBe(false)
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.constantFrom(...full), fc.string(), fc.jsonValue(), (event, name, value) => {
      const parsed = parseEvent({ ...event, [name]: value })
      expect(parsed.ok || parsed.problems.length > 0).toBe(true)
    }),
    { numRuns: 300 },
  )
})
