import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { defineTool } from '../../src/registry/define-tool.ts'
import { compileTexts } from './compile-texts.ts'

const NAMES = ['a-b', 'a.b', 'a_b', 'get', '2fa', 'default', 'then', 'full', 'CamelCase', 'camelCase', 'constructor']

/** Each tool gives its own registered name, so that a call shows which one it reached. */
const tools = NAMES.map((name) =>
  defineTool({
    name: `srv.${name}`,
    namespace: 'srv',
    description: '',
    parameters: { type: 'object', properties: {} },
    output: { schema: { type: 'string' } },
    execute: () => `srv.${name}`,
  }),
)

test('every path in the text leads a program to the tool it stands for, as its checked declarations say', async () => {
  const engine = await createEngine({ tools, typecheck: 'error', requireConfinement: 'none' })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  const sdk = engine.sdk()
  expect(sdk.nameMap.size).toBe(NAMES.length)
  const calls = [...sdk.nameMap.keys()].map((path) => {
    const steps = path.split('.').map((step) => `[${JSON.stringify(step)}]`)
    return `${JSON.stringify(path)}: await tools${steps.join('')}()`
  })
  // The text that was shown takes the program …
  expect(compileTexts({ 'shown.ts': `${sdk.text}\nexport const reached = { ${calls.join(', ')} }` })).toEqual([])
  // … and so do the declarations it is checked against, under `error`, and the guest.
  const { outcome, value } = await engine.run(`return { ${calls.join(', ')} }`)
  expect(outcome).toMatchObject({ isError: false })
  expect(value?.result).toEqual(Object.fromEntries(sdk.nameMap))

  const listed = await engine.run('return Object.keys(tools).sort()')
  expect(listed.value?.result).toEqual([...sdk.nameMap.values()].sort())
})
