import { afterAll, expect, test } from 'vitest'
import { createEngine, type EngineOptions, type RunOptions, type ToolDefinition } from '../../src/index.ts'
import { compilerPids } from '../support/compiler-pids.ts'

const calls: string[] = []
function tool(name: string, more: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: name,
    parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    validateArguments: 'in-body',
    output: {
      schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }],
    },
    execute() {
      calls.push(name)
      return Promise.resolve({ title: 'T' })
    },
    ...more,
  }
}
const TOOLS = [
  tool('get_issue'),
  tool('github.issue_read', { namespace: 'github' }),
  tool('github.issue_close', { namespace: 'github' }),
  tool('only_direct', { tier: 'native' }),
]

const shared = await createEngine({ tools: TOOLS, requireConfinement: 'none' })
afterAll(() => shared[Symbol.asyncDispose]())

async function run(program: string, options: RunOptions = {}, engineOptions?: EngineOptions) {
  calls.length = 0
  await using own =
    engineOptions && (await createEngine({ tools: TOOLS, requireConfinement: 'none', ...engineOptions }))
  const result = await (own ?? shared).run(program, options)
  return {
    ...result,
    code: result.outcome.isError ? result.outcome.error.code : 'ok',
    message: result.outcome.isError ? result.outcome.error.message : '',
    notices: (result.value ?? result.partial)?.notices ?? [],
    calls: [...calls],
  }
}

test('a type error refuses the program before anything runs, with line, column and what to do', async () => {
  const refused = await run("const a = await tools.get_issue({ id: 1 })\nreturn await tools.get_issue({ id: '2' })")
  expect(refused).toMatchObject({
    code: 'TYPE_ERROR',
    calls: [],
    partial: { line: 2, column: 32, calls: [], logs: [] },
  })
  expect(refused.message).toContain('tools.get_issue: "id" must be number; got string')
  expect(refused.message).toContain('> 2 |')
  const [first] = refused.outcome.content
  expect(first).toMatchObject({ type: 'text', text: expect.stringContaining('TYPE_ERROR: tools.get_issue') as string })
})

test('as a notice it stops nothing', async () => {
  const noticed = await run("return (await tools.get_issue({ id: '2' })).title", { typecheck: 'notice' })
  expect(noticed).toMatchObject({ code: 'ok', calls: ['get_issue'] })
  expect(noticed.notices.map(({ message }) => message)).toEqual([
    expect.stringContaining('line 1: tools.get_issue: "id" must be number'),
  ])
})

test('switched off, no type is looked at; the engine says what is usual and a run may differ', async () => {
  const wrong = "return (await tools.get_issue({ id: '2' })).title"
  expect(await run(wrong, {}, { typecheck: 'off' })).toMatchObject({ code: 'ok', notices: [] })
  expect(await run(wrong, { typecheck: 'error' }, { typecheck: 'off' })).toMatchObject({ code: 'TYPE_ERROR' })
  expect(await run(wrong, { typecheck: 'off' })).toMatchObject({ code: 'ok', notices: [] })
})

test('a mode that is none is refused', async () => {
  const mode = 'maybe' as 'off' // What JavaScript may pass.
  await expect(createEngine({ typecheck: mode })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('error, notice, off') as string,
  })
  await expect(run('return 1', { typecheck: mode })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test.each<[title: string, program: string, parts: readonly string[]]>([
  [
    'a misspelt tool',
    'await tools.get_isue({ id: 1 })',
    ['there is no tool "get_isue"', '"get_issue"', 'Write tools.get_issue(…)'],
  ],
  ['a member of a group that is not there', 'await tools.github.issue_reed({ id: 1 })', ['tools.github.issue_read']],
  ['a group', 'await tools.github({ id: 1 })', ['a group of tools', 'tools.github.issue_close']],
  ['an exact name that is not there', 'await tools["get-isue"]({ id: 1 })', ['there is no tool "get-isue"']],
  [
    'a name taken from tools',
    'const { get_isue } = tools\nawait get_isue({ id: 1 })',
    ['there is no tool "get_isue"', 'line 2'],
  ],
  ['a name given to tools.full', 'await tools.full("get_isue", { id: 1 })', ['there is no tool "get_isue"']],
  ['a tool for direct calls only', 'await tools.only_direct({ id: 1 })', ['cannot be called from a program']],
  ['run_code itself', 'await tools.run_code({ code: "return 1" })', ['run_code']],
  ['a name like no other', 'await tools.zzzzqqqq({})', ['There are: tools.get_issue', 'sdk.search']],
])('refused whatever the mode: %s', async (_title, program, parts) => {
  for (const typecheck of ['error', 'off'] as const) {
    const refused = await run(program, { typecheck })
    expect(refused).toMatchObject({ code: 'TYPE_ERROR', calls: [] })
    for (const part of parts) expect(refused.message).toContain(part)
    // Said once: the type checker sees the same name.
    expect(refused.message).not.toContain('Also')
  }
})

test.each([
  ['asked for first', 'return tools.nothing ? await tools.nothing({}) : 1'],
  ['called only if it is there', 'return (await tools.nothing?.({})) ?? 1'],
  ['looked for', "if ('nothing' in tools) await tools.nothing({})\nreturn 1"],
  ['inside try', 'try { await tools.nothing({}) } catch { return 1 }'],
  ['before .catch, inside a function', 'return await (async () => await tools.nothing({}))().catch(() => 1)'],
  ['by another spelling', 'return (await tools.getIssue({ id: 1 })) && 1'],
  ['by the spelling of a member', 'return (await tools.github.issueRead({ id: 1 })) && 1'],
  ['by its registered name', 'return (await tools["github.issue_read"]({ id: 1 })) && 1'],
  ['as a function', 'return (await tools.get_issue.call(null, { id: 1 })) && 1'],
  [
    'members every object has',
    'return typeof tools.hasOwnProperty === "undefined" || tools.toString === undefined ? 1 : 1',
  ],
  ['tools of its own', 'const tools = { nothing: async () => 1 }\nreturn await tools.nothing()'],
])('not refused: a name %s', async (_title, program) => {
  expect(await run(program)).toMatchObject({ code: 'ok', value: { result: 1 } })
})

test('when the checker is killed, programs go on, and say that they were not checked', async () => {
  await using engine = await createEngine({ tools: TOOLS, requireConfinement: 'none' })
  await engine.run('return 1')
  for (const pid of compilerPids()) process.kill(pid, 'SIGKILL')
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) => engine.run(`return (await tools.get_issue({ id: ${n} })).title + ${n}`)),
  )
  for (const [n, { value }] of results.entries()) expect(value?.result).toBe(`T${n}`)
})

test('a closed engine leaves no checker behind', async () => {
  const engine = await createEngine({ tools: TOOLS, requireConfinement: 'none' })
  await engine.run('return 1')
  const own = compilerPids()
  expect(own.length).toBeGreaterThan(0)
  await engine[Symbol.asyncDispose]()
  expect(compilerPids().filter((pid) => own.includes(pid))).toEqual([])
})

test('the description of run_code says whether programs are checked', async () => {
  for (const [typecheck, sentence] of [
    ['error', 'one with a type error does not start'],
    ['notice', 'type errors come back as notices'],
  ] as const) {
    await using engine = await createEngine({ tools: TOOLS, requireConfinement: 'none', typecheck })
    expect(engine.runCodeDescription()).toContain(sentence)
  }
  await using engine = await createEngine({ tools: TOOLS, requireConfinement: 'none', typecheck: 'off' })
  expect(engine.runCodeDescription()).not.toContain('type-checked')
})
