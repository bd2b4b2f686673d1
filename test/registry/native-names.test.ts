import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deriveNames } from '../../src/registry/native-names.ts'
import type { ToolDefinition } from '../../src/registry/tool.ts'
import type { ToolView } from '../../src/registry/view.ts'
import { member, tool } from './sample-tools.ts'

function viewOf(tools: readonly ToolDefinition[], fields: Partial<ToolView> = {}): ToolView {
  const toolsByName = new Map(tools.map((definition) => [definition.name, definition]))
  return { scope: 's', mode: 'both', generation: 1, hiddenNames: new Set(), toolsByName, ...fields }
}
function derive(...tools: readonly ToolDefinition[]) {
  return deriveNames(viewOf(tools))
}

test('names that are fine stay as they are, and nothing is warned about', () => {
  const names = derive(
    tool('weather'),
    tool('do_it-now'),
    member('github', 'issue_read'),
    tool('__proto__'),
    tool('export'),
  )
  expect(Object.fromEntries(names.pathByName.entries().filter(([name]) => name !== '__proto__'))).toEqual({
    weather: ['weather'],
    'do_it-now': ['do_it_now'],
    'github.issue_read': ['github', 'issue_read'],
    export: ['export'],
  })
  expect(names.nativeByName.get('do_it-now')).toBe('do_it-now')
  expect(names.nativeByName.get('github.issue_read')).toBe('github_issue_read')
  expect(names.nativeByName.get('__proto__')).toBe('__proto__')
  expect(names.pathByName.get('__proto__')).toEqual(['__proto__'])
  expect(names.warnings).toEqual([])
})

test('a first digit and letters that identifiers lack are replaced', () => {
  const names = derive(tool('3d'), tool('-x'), tool('a/b.c'), tool('...'), member('my-server', '2nd.part'))
  expect([...names.pathByName.values()].map((path) => path.join('.'))).toEqual([
    '_x',
    '___',
    '_3d',
    'a_b_c',
    'my_server._2nd_part',
  ])
  expect(names.nativeByName.get('3d')).toBe('_3d')
  expect(names.nativeByName.get('-x')).toBe('_-x')
})

test('of names that fall together the exact one keeps its name, the others get suffixes and a warning each', () => {
  const names = derive(tool('a-b'), tool('a.b'), tool('a_b'))
  expect(names.pathByName.get('a_b')).toEqual(['a_b'])
  expect(names.pathByName.get('a-b')?.[0]).toMatch(/^a_b_[0-9a-f]{8}$/)
  expect(names.pathByName.get('a.b')?.[0]).toMatch(/^a_b_[0-9a-f]{8}$/)
  expect(names.nativeByName.get('a-b')).toBe('a-b')
  expect(names.nativeByName.get('a.b')).toMatch(/^a_b_[0-9a-f]{8}$/)
  expect(names.warnings).toHaveLength(3)
  for (const name of ['a-b', 'a.b'])
    expect(names.warnings.some((warning) => warning.startsWith(`${name}: `))).toBe(true)
})

test('without an exact one, all of them get suffixes, and the same ones whoever else is there', () => {
  const two = derive(tool('a-b'), tool('a.b'))
  const three = derive(tool('a/b'), tool('a.b'), tool('a-b'))
  expect(two.pathByName.get('a.b')?.[0]).toMatch(/^a_b_[0-9a-f]{8}$/)
  expect(three.pathByName.get('a.b')).toEqual(two.pathByName.get('a.b'))
  expect(three.pathByName.get('a-b')).toEqual(two.pathByName.get('a-b'))
})

test('a tool goes before a namespace of its name, because tools["github"] must be the tool', () => {
  const names = derive(member('github', 'read'), member('github', 'write'), tool('github'))
  expect(names.pathByName.get('github')).toEqual(['github'])
  const [group] = names.pathByName.get('github.read') ?? []
  expect(group).toMatch(/^github_[0-9a-f]{8}$/)
  expect(names.pathByName.get('github.write')).toEqual([group, 'write'])
  expect(names.warnings).toEqual([
    `namespace github (all tools in it): its place under tools is taken; it is tools.${group}`,
  ])
})

test('a namespace in identifier form goes before one that had to be changed', () => {
  const names = derive(member('my_server', 'x'), member('my-server', 'x'), tool('my.server'))
  expect(names.pathByName.get('my_server.x')).toEqual(['my_server', 'x'])
  expect(names.pathByName.get('my-server.x')?.[0]).toMatch(/^my_server_[0-9a-f]{8}$/)
  expect(names.pathByName.get('my.server')?.[0]).toMatch(/^my_server_[0-9a-f]{8}$/)
})

test('`full` under tools goes to the SDK, unless a tool is called exactly that', () => {
  expect(derive(member('full', 'x')).pathByName.get('full.x')?.[0]).toMatch(/^full_[0-9a-f]{8}$/)
  expect(derive(tool('full')).pathByName.get('full')).toEqual(['full'])
  expect(derive(member('a', 'full')).pathByName.get('a.full')).toEqual(['a', 'full'])
})

test('nothing but run_code is natively called run_code, whatever the mode', () => {
  for (const runCode of [undefined, tool('run_code')]) {
    const names = deriveNames(viewOf([tool('run.code'), member('run', 'code')], runCode && { runCode }))
    expect(names.nativeByName.get('run.code')).toMatch(/^run_code_[0-9a-f]{8}$/)
    expect(names.nameByNative.get('run_code')).toBe(runCode && 'run_code')
    expect(names.pathByName.has('run_code')).toBe(false)
  }
})

test('long names are cut to what providers take, and stay apart', () => {
  const long = 'x'.repeat(127)
  const names = derive(tool(`${long}1`), tool(`${long}2`), tool('y'.repeat(64)), tool('z'.repeat(65)))
  expect(names.nativeByName.get(`${long}1`)).toMatch(/^x{55}_[0-9a-f]{8}$/)
  expect(names.nativeByName.get(`${long}2`)).not.toBe(names.nativeByName.get(`${long}1`))
  expect(names.nativeByName.get('y'.repeat(64))).toBe('y'.repeat(64))
  expect(names.nativeByName.get('z'.repeat(65))).toMatch(/^z{55}_[0-9a-f]{8}$/)
  expect(names.pathByName.get(`${long}1`)).toEqual([`${long}1`])
  expect(names.warnings).toEqual([])
})

test('an owner who takes the suffixed name of another only makes that suffix longer', () => {
  const before = derive(tool('a.b'), tool('a_b')).nativeByName.get('a.b') ?? ''
  const names = derive(tool('a.b'), tool('a_b'), tool(before))
  expect(names.nativeByName.get(before)).toBe(before)
  expect(names.nativeByName.get('a.b')).toMatch(/^a_b_[0-9a-f]{16}$/)
  expect(names.nativeByName.get('a.b')?.startsWith(before)).toBe(true)
})

const nameText = fc.stringMatching(/^[ab1_.\-/]{1,5}$/).filter((name) => name !== '.' && name !== '..')
const namespaceText = fc.stringMatching(/^[ab1_\-/]{1,3}$/)
const anyTool = fc.oneof(
  nameText.map((name) => tool(name)),
  fc.tuple(namespaceText, nameText).map(([namespace, name]) => member(namespace, name)),
)
const catalog = fc.uniqueArray(anyTool, { selector: ({ name }) => name, maxLength: 25 })

test('every map is one to one, every name is legal, and the order of registration does not show', () => {
  fc.assert(
    fc.property(
      catalog.chain((tools) => fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length }))),
      ([tools, shuffled]) => {
        const names = deriveNames(viewOf(tools))
        expect(deriveNames(viewOf(shuffled))).toEqual(names)
        expect(names.nameByNative.size).toBe(tools.length)
        expect(names.nameByPath.size).toBe(tools.length)
        for (const { name, namespace } of tools) {
          const native = names.nativeByName.get(name) ?? ''
          expect(native).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
          expect(names.nameByNative.get(native)).toBe(name)
          const path = names.pathByName.get(name) ?? []
          expect(path).toHaveLength(namespace === undefined ? 1 : 2)
          for (const part of path) expect(part).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/)
          expect(names.nameByPath.get(path.join('.'))).toBe(name)
        }
        // A tool and a group never share a place: one of them would hide the other.
        const groups = new Set([...names.pathByName.values()].flatMap((path) => (path.length === 2 ? path[0] : [])))
        for (const path of names.pathByName.values()) if (path.length === 1) expect(groups.has(path[0])).toBe(false)
      },
    ),
    { numRuns: 300 },
  )
})
