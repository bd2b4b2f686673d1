import { expect, test } from 'vitest'
import { compileProgram } from '../../src/codemode/compile.ts'
import { compiled } from './evaluate.ts'

const call = (path: string) => ({ path, isCall: true, isProbed: false })
const mention = (path: string) => ({ path, isCall: false, isProbed: false })
const probe = (path: string) => ({ path, isCall: false, isProbed: true })

test.each([
  ['await tools.get_x({})', [call('get_x')]],
  ['await tools.github.issue_read({})', [call('github.issue_read')]],
  ['await tools["list-issues"]({})', [call('list-issues')]],
  ['await tools[`list-issues`]({})', [call('list-issues')]],
  ['await tools.github["issue.read"]()', [call('github.issue.read')]],
  ['await (tools as any).get_x!({})', [call('get_x')]],
  ['await tools.full("github.issue_read", {})', [call('github.issue_read')]],
  ['(await tools.get_x()).a.b()', [call('get_x')]],
  ['tools.get_x().then(f)', [call('get_x')]],
  ['tools.get_x.call(null, {})', [mention('get_x')]],
  ['[1].map(tools.get_x)', [mention('get_x')]],
  ['if (tools.get_x) await tools.get_x()', [probe('get_x'), { path: 'get_x', isCall: true, isProbed: true }]],
  ['await tools.get_x?.()', [{ path: 'get_x', isCall: true, isProbed: true }]],
  ['"get_x" in tools && tools.get_x()', [{ path: 'get_x', isCall: true, isProbed: true }]],
  ['typeof tools.get_x === "function"', [probe('get_x')]],
  ['const { get_x, "list-issues": list } = tools\nget_x(); list()', [mention('get_x'), mention('list-issues'), call('get_x'), call('list-issues')]],
  ['const { get_x = null } = tools', [probe('get_x')]],
  ['const gh = tools.github\nawait gh.issue_read()', [mention('github'), call('github.issue_read')]],
  ['const t = tools\nconst g = t.github\nawait g.issue_read()', [mention('github'), call('github.issue_read')]],
  ['import { get_x } from "tools"\nget_x()', [call('get_x')]],
  ['import t, { github as gh } from "tools"\nt.get_x()\ngh.issue_read()', [call('get_x'), call('github.issue_read')]],
  ['tools[name]()', []],
  ['const t = { get_x() {} }; t.get_x()', []],
  ['const tools = make(); tools.get_x()', []],
  ['function f(tools) { tools.get_x() }', []],
  ['let t = tools.a; t = tools.b; t()', [mention('a'), mention('b')]],
  ['const x = tools.a; { const x = other; x() }', [mention('a')]],
  ['type T = typeof tools.get_x', []],
  ['// tools.get_x()\nconst s = "tools.get_x()"', []],
  ['tools.__proto__.constructor()', [call('__proto__.constructor')]],
] as const)('%j names these tools', async (text, expected) => {
  const { usedTools } = await compiled(text)
  expect(usedTools.map(({ path, isCall, isProbed }) => ({ path, isCall, isProbed }))).toEqual(expected)
}) // prettier-ignore

test('a use is placed at the last name of its path, in the submitted text', async () => {
  const { usedTools } = await compiled('```ts\n\n  await tools\n    .github.issue_read({})\n```')
  expect(usedTools).toMatchObject([{ line: 4, column: 13 }])
})

test('a path that can name no tool is not followed to its end', async () => {
  const { usedTools } = await compiled(`tools${'.abc'.repeat(10_000)}()`)
  expect(usedTools).toHaveLength(1)
  expect(usedTools[0]?.path.length).toBeLessThan(400)
})

test('the same text compiles to the same object; another text to another', async () => {
  const options = { maxProgramBytes: 1_000 }
  const [first, second, other] = await Promise.all([
    compileProgram('return "same"', options),
    compileProgram('return "same"', options).then(() => compileProgram('return "same"', options)),
    compileProgram('return "same" ', options),
  ])
  expect(await compileProgram('return "same"', options)).toEqual(await compileProgram('return "same"', options))
  expect(await compileProgram('return "same"', options)).toBe(await compileProgram('return "same"', options))
  expect(first).toMatchObject({ ok: true })
  expect(second).toMatchObject({ ok: true })
  expect(other).not.toBe(first)
})
