import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalogView, readCatalog } from '../../src/sdk/catalog.ts'

const tool = { name: 'a', description: 'd', inputSchema: { type: 'object' } }
const read = (value: unknown) => {
  const catalog = readCatalog(JSON.stringify(value))
  if (!catalog.ok) throw new Error(catalog.message)
  return catalog
}

describe('reading a catalog', () => {
  test.each([
    ['a bare array', [tool]],
    ['the result of tools/list', { tools: [tool] }],
    ['a named source', { source: 'somewhere', tools: [tool] }],
    ['a whole answer', { jsonrpc: '2.0', id: 1, result: { tools: [tool] } }],
  ])('takes %s', (_form, value) => {
    expect(read(value)).toMatchObject({ ok: true, tools: [tool], warnings: [] })
  })

  test('leaves out the one name that programs run under, and says what it found in the place of a text', () => {
    const { tools, warnings } = read([
      { ...tool, name: 'run_code' },
      { ...tool, description: null },
      null,
      { name: '' },
    ])
    expect(warnings.map(({ reason }) => reason)).toEqual([
      '"description" must be a string; got null; taken as empty',
      'left out: a tool must be an object; got null',
      'left out: "name" must be a non-empty string; got an empty one',
    ])
    const { toolsByName, rejected } = catalogView(tools)
    expect([...toolsByName.keys()]).toEqual(['a'])
    expect(rejected).toEqual([{ tool: 'run_code', reason: 'left out: the name is reserved: programs run under it' }])
    expect([...catalogView(tools, 'srv').toolsByName.keys()]).toEqual(['srv.a', 'srv.run_code'])
  })

  test.each([
    ['nothing', '', /must be JSON/],
    ['broken JSON', '{"tools": [', /must be JSON/],
    ['an object without tools', '{"a": 1}', /an object with keys a/],
    ['a scalar', '3', /got number/],
    ['too many tools', JSON.stringify(Array.from({ length: 10_001 }, () => 0)), /at most 10000 tools; got 10001/],
  ])('refuses %s and says why', (_case, text, message) => {
    const catalog = readCatalog(text)
    expect(catalog.ok ? 'ok' : catalog.message).toMatch(message)
  })

  test('loses a bad entry, never the catalog', () => {
    const { tools, warnings } = read([null, 1, { name: '' }, { description: 'x' }, tool])
    expect(tools).toEqual([tool])
    expect(warnings.map((warning) => warning.tool)).toEqual(['tools[0]', 'tools[1]', 'tools[2]', 'tools[3]'])
  })

  test('takes what it can of a half-right entry', () => {
    const { tools, warnings } = read([
      { name: 'b', description: 3, parameters: { type: 'object' }, outputSchema: 'x' },
      { name: 'c' },
    ])
    expect(tools).toEqual([
      { name: 'b', description: '', inputSchema: { type: 'object' } },
      { name: 'c', description: '', inputSchema: { type: 'object' } },
    ])
    expect(warnings).toHaveLength(3)
  })

  test('tells tools of one name apart, past names that are taken', () => {
    const { tools, warnings } = read([tool, tool, { ...tool, name: 'a_2' }, tool])
    expect(tools.map(({ name }) => name)).toEqual(['a', 'a_3', 'a_2', 'a_4'])
    expect(warnings.map(({ reason }) => reason)).toEqual([
      'listed more than once; this one is called a_3',
      'listed more than once; this one is called a_4',
    ])
  })

  test('names of the language are names', () => {
    const names = ['__proto__', 'constructor', 'then', 'toString']
    const { tools } = read(names.map((name) => ({ ...tool, name })))
    expect([...catalogView(tools, 'srv').toolsByName.keys()].sort()).toEqual(names.map((name) => `srv.${name}`).sort())
  })

  test('a name that no registry would take is left out of the view, and named', () => {
    const { tools } = read([tool, { ...tool, name: 'two words' }])
    const view = catalogView(tools, 'srv')
    expect([...view.toolsByName.keys()]).toEqual(['srv.a'])
    expect(view.rejected).toEqual([
      { tool: 'two words', reason: expect.stringContaining('left out: the name must') as string },
    ])
  })

  test('any text whatever is answered', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `{"tools":${json}}`),
        ),
        (text) => void readCatalog(text),
      ),
    )
  })
})
