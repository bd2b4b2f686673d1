import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import { parseJsonText, programValue, readToolResult, settleToolResult } from '../../src/importers/tool-result.ts'
import { recordExecution } from '../support/execution.ts'

const text = (words: string) => ({ type: 'text', text: words })
const value = (raw: unknown, textResults: 'auto' | 'text' = 'auto') =>
  programValue(readToolResult('s.t', raw), textResults)

test.each<[string, unknown, Json]>([
  [
    'structured content, whatever the text says',
    { content: [text('3 rows')], structuredContent: { rows: 3 } },
    { rows: 3 },
  ],
  ['structured content that is an array', { content: [], structuredContent: [1] }, [1]],
  ['null is how some servers write no structured content', { content: [text('x')], structuredContent: null }, 'x'],
  ['one text block that holds a JSON object', { content: [text(' {"a": [1, 2.5]} ')] }, { a: [1, 2.5] }],
  ['one text block that holds a JSON array', { content: [text('[1]')] }, [1]],
  ['a JSON scalar in text is text', { content: [text('42')] }, '42'],
  ['broken JSON is text', { content: [text('{"a": 1')] }, '{"a": 1'],
  ['plain text', { content: [text('line 1\nline 2\n')] }, 'line 1\nline 2\n'],
  ['several text blocks are the blocks', { content: [text('{}'), text('b')] }, [text('{}'), text('b')]],
  [
    'one block that is no text is the blocks',
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
    [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  ],
  ['no content is no block', { content: [] }, []],
  ['a result without content is one without blocks', {}, []],
  ['the form of the first protocol revision', { toolResult: { a: 1 } }, { a: 1 }],
  ['members written as null are absent', { content: [{ ...text('x'), annotations: null, _meta: null }] }, 'x'],
  ['negative zero is zero', { content: [], structuredContent: { a: [-0] } }, { a: [0] }],
])('the value of a result: %s', (_name, raw, expected) => {
  expect(value(raw)).toStrictEqual(expected)
})

test('with textResults "text" the JSON in a text block stays text', () => {
  expect(value({ content: [text('{"a":1}')] }, 'text')).toBe('{"a":1}')
})

test.each([
  ['{"id": 9007199254740993}', undefined],
  ['{"id": 9007199254740991}', { id: 9007199254740991 }],
  ['[-9007199254740993]', undefined],
  ['[1e999]', undefined],
  ['[1e3]', [1000]],
  ['["9007199254740993"]', ['9007199254740993']],
  ['[0.12345678901234567]', [0.12345678901234566]],
])('JSON text whose integers a double cannot hold stays text: %s', (source, expected) => {
  expect(parseJsonText(source)).toStrictEqual(expected)
})

test('every JSON object that is written by JSON.stringify comes back equal', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ noUnicodeString: false }).filter((json) => typeof json === 'object' && json !== null),
      (json) => {
        const source = JSON.stringify(json)
        const parsed = parseJsonText(source)
        // Undefined is the honest answer for large integers only.
        if (parsed === undefined) expect(source).toMatch(/\d{16}|\de/i)
        else expect(JSON.stringify(parsed)).toBe(source)
      },
    ),
  )
})

test('reading a result is total: anything at all gives content or a coded error', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.record({ content: fc.array(fc.jsonValue()), isError: fc.boolean() })),
      (raw) => {
        try {
          for (const block of readToolResult('s.t', raw).content) expect(typeof block.type).toBe('string')
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'INVALID_TOOL_OUTPUT' })
        }
      },
    ),
  )
})

test('structured content without blocks is shown as text, as a model would see nothing otherwise', () => {
  const exec = recordExecution('s.t')
  settleToolResult('s.t', { structuredContent: { a: 1 } }, 'auto', exec)
  expect(exec.attached).toEqual([[text('{"a":1}')]])
})

test('an error result without text still says which tool reported it', () => {
  const exec = recordExecution('s.t')
  expect(() => settleToolResult('s.t', { content: [], isError: true }, 'auto', exec)).toThrow('s.t reported an error')
})

test('an unknown kind of block becomes text that shows it', () => {
  expect(readToolResult('s.t', { content: [{ type: 'hologram', data: 1 }] }).content).toEqual([
    text('{"type":"hologram","data":1}'),
  ])
})
