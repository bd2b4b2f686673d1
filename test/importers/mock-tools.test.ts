import { expect, test, vi } from 'vitest'
import type { JsonObject } from '../../src/data/json.ts'
import { readMockTools, toolFromCorpus } from '../../src/importers/mock-tools.ts'
import { ToolRegistry } from '../../src/registry/registry.ts'
import { recordExecution } from '../support/execution.ts'

function mocked(mock: unknown, extra: object = {}) {
  const [tool] = readMockTools(JSON.stringify([{ name: 't', inputSchema: { type: 'object' }, mock, ...extra }])).tools
  if (tool === undefined) throw new Error('no tool')
  return (args: JsonObject = {}, signal?: AbortSignal) =>
    tool.execute(args, recordExecution('t', signal)) as Promise<unknown>
}

test.each<[string, unknown, JsonObject, unknown]>([
  ['returns', { returns: { a: [1] } }, {}, { a: [1] }],
  ['returns null', { returns: null }, {}, null],
  ['echo', { echo: true }, { x: 1 }, { x: 1 }],
  ['returnsText', { returnsText: 'ab', repeat: 3 }, {}, 'ababab'],
  ['content', { content: [{ type: 'text', text: '{"a":1}' }] }, {}, { a: 1 }],
  ['content with structure', { content: [{ type: 'text', text: 'x' }], structuredContent: { b: 2 } }, {}, { b: 2 }],
  ['byArg', { byArg: { arg: 'city', cases: { Oslo: { returns: 1 } }, default: { returns: 2 } } }, { city: 'Oslo' }, 1],
  ['byArg by a number', { byArg: { arg: 'id', cases: { '7': { returns: 1 } } } }, { id: 7 }, 1],
  ['byArg without the argument', { byArg: { arg: 'city', cases: { '': { returns: 3 } } } }, {}, 3],
  ['byArg default', { byArg: { arg: 'city', cases: {}, default: { returns: 2 } } }, { city: 'constructor' }, 2],
  [
    'generate',
    { generate: { count: 2, item: { id: '$i', name: 'n$i' } } },
    {},
    [
      { id: 0, name: 'n0' },
      { id: 1, name: 'n1' },
    ],
  ],
  ['generate under a key', { generate: { count: 1, item: '$i', under: 'rows' } }, {}, { rows: [0] }],
  ['delayMs', { delayMs: 1, returns: 'late' }, {}, 'late'],
])('a mock behaves as its data says: %s', async (_name, mock, args, expected) => {
  expect(await mocked(mock)(args)).toEqual(expected)
})

test('a sequence gives one step a call, and stays at the last', async () => {
  const call = mocked({ sequence: [{ returns: 1 }, { throws: 'busy' }, { returns: 3 }] })
  expect(await call()).toBe(1)
  await expect(call()).rejects.toThrow('busy')
  expect([await call(), await call()]).toEqual([3, 3])
})

test('throws and isError reject, byArg without a match too', async () => {
  await expect(mocked({ throws: 'boom' })()).rejects.toThrow('boom')
  await expect(mocked({ content: [{ type: 'text', text: 'no row' }], isError: true })()).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'no row',
  })
  await expect(mocked({ byArg: { arg: 'id', cases: {} } })({ id: 4 })).rejects.toThrow('no such id: 4')
})

test('a mock that never settles, and one that waits, end with the caller’s abort', async () => {
  for (const mock of [{ never: true }, { delayMs: 1_000_000, returns: 1 }]) {
    const controller = new AbortController()
    const pending = mocked(mock)({}, controller.signal)
    controller.abort(new Error('enough'))
    await expect(pending).rejects.toThrow('enough')
  }
})

test('a file may be an array, an object with tools, or a case of the corpus, and a tool without mock only fails when it is called', async () => {
  const tool = {
    name: 'slack.post',
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  }
  for (const file of [
    [tool],
    { tools: [tool] },
    { id: 'b-x', program: 'src/b-x.ts', tools: [{ ...tool, approval: 'required' }] },
  ]) {
    const read = readMockTools(JSON.stringify(file))
    expect(read.tools).toMatchObject([{ name: 'slack.post', namespace: 'slack' }])
  }
  const { tools, approvalRequired } = readMockTools(JSON.stringify({ tools: [{ ...tool, approval: 'required' }] }))
  expect([...approvalRequired]).toEqual(['slack.post'])
  await expect(tools[0]?.execute({ a: 'x' }, recordExecution('slack.post'))).rejects.toThrow('has no mock')
  const validate = tools[0]?.validateArguments
  expect(validate === 'in-body' ? undefined : validate?.({}).map(({ path }) => path)).toEqual(['/a'])
})

test.each([
  ['{"name": "t", "mock": {}}', 'tools[1].mock must have exactly one of'],
  ['{"name": "t", "mock": {"echo": true, "never": true}}', 'exactly one of'],
  ['{"name": "t", "mock": {"sequence": []}}', 'tools[1].mock.sequence must be'],
  [
    '{"name": "t", "mock": {"byArg": {"arg": "a", "cases": {"x": {"throws": 1}}}}}',
    'mock.byArg.cases.x.throws must be a text',
  ],
  ['{"name": "t", "mock": {"generate": {"count": 1e9, "item": 1}}}', 'mock.generate must be'],
  ['{"name": "t", "mock": {"returnsText": "abcdefgh", "repeat": 1000000000}}', 'repeat'],
  ['{"mock": {"echo": true}}', 'tools[1] has no "name"'],
  ['7', 'tools[1] has no "name"'],
  ['{"name": "white space", "mock": {"echo": true}}', 'tools[1]: the name "white space" must consist of'],
  ['{"name": "", "mock": {"echo": true}}', 'tools[1]: the name "" must be 1–128 characters'],
  ['{"name": "run_code", "mock": {"echo": true}}', 'tools[1]: the name "run_code" is taken'],
  ['{"name": "good", "mock": {"echo": true}}', 'tools[1]: there is a tool "good" already'],
])('one wrong tool is a problem that says where, and the others stay: %s', (tool, part) => {
  const { tools, problems } = readMockTools(`[{"name": "good", "mock": {"returns": 1}}, ${tool}, {"name": "late"}]`)
  expect(tools.map(({ name }) => name)).toEqual(['good', 'late'])
  expect(problems).toEqual([expect.stringContaining(part)])
  const registry = new ToolRegistry()
  expect(() => registry.registerAll(tools)).not.toThrow()
})

test.each([
  ['{"cases": []}', 'give one of its "cases"'],
  ['[{"name": "t", "mock": {"echo": true}]', 'this is not JSON'],
  ['{"name": "t"}', 'must be an array of tools'],
])('a file that is no list of tools is one error: %s', (source, part) => {
  expect(() => readMockTools(source)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(part) as string }),
  )
})

test('a tool with a call function gives values, results or its rejection', async () => {
  const call = vi.fn<(args: JsonObject) => { value: unknown } | { result: unknown }>()
  const tool = toolFromCorpus({ name: 't', inputSchema: { type: 'object' }, call })
  call
    .mockReturnValueOnce({ value: { a: 1 } })
    .mockReturnValueOnce({ value: undefined })
    .mockReturnValueOnce({ result: { content: [{ type: 'text', text: 'hi' }] } })
  const exec = recordExecution('t')
  expect([await tool.execute({}, exec), await tool.execute({}, exec), await tool.execute({}, exec)]).toEqual([
    { a: 1 },
    null,
    'hi',
  ])
  expect(exec.attached).toEqual([[{ type: 'text', text: 'hi' }]])
  expect(tool.output.render({}, { a: 1 })).toEqual([{ type: 'text', text: '{"a":1}' }])
  expect(tool.output.render({}, 'plain')).toEqual([{ type: 'text', text: 'plain' }])
  expect(tool.isConcurrencySafe?.({})).toBe(true)
})
