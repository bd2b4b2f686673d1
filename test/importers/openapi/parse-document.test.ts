import { expect, test } from 'vitest'
import { MAX_DOCUMENT_BYTES, parseDocument } from '../../../src/importers/openapi/parse-document.ts'
import { readYaml } from '../../../src/importers/openapi/read-yaml.ts'
import { read } from './fixtures.ts'

const parse = (text: string) => parseDocument(text, 'spec.yaml')

test.each([
  ['JSON', '{"openapi":"3.1.0"}'],
  ['JSON with a byte order mark', '\ufeff{"openapi":"3.1.0"}'],
  ['JSON with a property given twice', '{"openapi":"3.0.0","openapi":"3.1.0"}'],
  ['YAML', 'openapi: 3.1.0'],
  ['YAML after a comment', '# ours\nopenapi: 3.1.0'],
])('%s is read', async (_kind, text) => {
  expect(await parse(text)).toEqual({ openapi: '3.1.0' })
})

test('what JSON has no word for becomes null, keys become texts, and shared parts become copies', async () => {
  const document = await parse('a: &x {n: .nan, 200: y}\nb: *x\nc: !!binary aGk=\n__proto__: {d: 1}\n')
  expect(JSON.stringify(document)).toBe(
    '{"a":{"200":"y","n":null},"b":{"200":"y","n":null},"c":null,"__proto__":{"d":1}}',
  )
})

const levels = Array.from(
  { length: 12 },
  (_, i) =>
    `a${i}: &a${i} [${
      i === 0
        ? 'x'
        : Array(9)
            .fill(`*a${i - 1}`)
            .join()
    }]`,
)
test.each<[string, string, RegExp]>([
  ['nothing', ' \n', /is empty/],
  ['prose', 'just words', /neither JSON nor YAML/],
  ['a list', '[1]', /must hold an object/],
  ['broken JSON', '{"openapi": "3.1.0",, }', /is not JSON: .*character 21/],
  ['two documents', 'a: 1\n---\nb: 2', /multiple documents/],
  ['deep JSON', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`, /deep|levels/],
  ['very deep JSON', '['.repeat(200_000), /deep|levels/],
  ['deep YAML', `a: ${'['.repeat(399)}${']'.repeat(399)}`, /deep/],
  ['deeper YAML', `a: ${'[ '.repeat(100_000)}`, /deep/],
  ['YAML with brackets on many lines', `a: ${'{\n\t[ '.repeat(200)}`, /deep/],
  ['YAML far to the right', `a:\n${' '.repeat(2_000)}b: 1`, /deep/],
  ['a bomb of aliases', levels.join('\n'), /alias/i],
  ['a circle of aliases', 'a: &a [*a]', /deep|alias/i],
  ['too much text', ' '.repeat(MAX_DOCUMENT_BYTES + 1), /at most/],
  ['too much YAML', `a: ${'x'.repeat(9_000_000)}`, /Convert it to JSON/],
])('%s is refused with CONFIG_INVALID', async (_what, text, message) => {
  await expect(parse(text)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(message) as string,
  })
})

test('a text is judged in one pass before the worker has it', async () => {
  // Just below the limit again and again, with room between: whoever tries again at each bracket does not end.
  const almost = `${`${'['.repeat(399)}x`.repeat(50)}\n${('[' + ' '.repeat(18_000)).repeat(399)}`
  const text = `a: ${almost}`
  expect(text.length).toBeGreaterThan(7_000_000)
  await expect(parse(text)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('YAML that takes too long is given up', async () => {
  const keys = Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join('\n')
  expect(await readYaml(keys, 200)).toEqual({
    ok: false,
    reason: expect.stringContaining('longer than 200 ms') as string,
  })
})

test('many aliases of one large part count for what they stand for', async () => {
  const large = `a: &a [${Array(3_000).fill('{x: 1}').join()}]\n`
  await expect(parse(`${large}b: [${Array(900).fill('*a').join()}]`)).rejects.toMatchObject({
    message: expect.stringContaining('values') as string,
  })
})

test.each([
  {},
  { openapi: '4.0.0' },
  { openapi: '2.0' },
  { swagger: '1.2' },
  { openapi: {} },
  { swagger: '2.0', paths: 5 },
  [],
])('%j is no description', async (document) => {
  await expect(read(document)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test.each([
  { openapi: '3.0.9' },
  { openapi: '3.1' },
  { openapi: 3.1 },
  { openapi: '3.2.0' },
  { swagger: '2.0' },
  { swagger: 2 },
])('%j is one', async (version) => {
  expect((await read({ ...version, paths: { '/a': { get: {} } } })).tools).toHaveLength(1)
})
