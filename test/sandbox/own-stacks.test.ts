import { expect, test } from 'vitest'
import { compileProgram } from '../../src/codemode/compile.ts'
import { tool } from '../support/scripted-host.ts'
import { useHost } from '../support/shared-host.ts'

const sandbox = useHost()
const bindings = [tool('fails')]

async function run(text: string) {
  const program = await compileProgram(text, { maxProgramBytes: 100_000 })
  if (!program.ok) throw new Error(program.message)
  const answer = () => ({ err: { code: 'TOOL_FAILED', message: 'no' } })
  return sandbox.run(program.code, { bindings, answer, places: program.places() })
}

test.each([
  ['plain', ''],
  ['lowered', 'enum E { A, B, C }\ninterface I {\n  a: string\n}\n'],
])('every stack that a program sees is of the text it was written as: %s', async (_, before) => {
  const first = before.split('\n').length
  const done = await run(`${before}function inner() { return new Error('here') }
const error = inner()
console.log(error)
console.trace('t')
const site = {}
Error.captureStackTrace(site)
const failed = await tools.fails({}).catch((e) => e)
Promise.reject(new Error('lost'))
return [error.stack, site.stack, failed.stack]`)
  const inner = `    at inner (program.ts:${first}:27)\n    at program.ts:${first + 1}:15`
  expect(done.value).toEqual([
    `Error: here\n${inner}`,
    expect.stringMatching(`^.*\\n    at program\\.ts:${first + 5}:7$`),
    `ToolError: no\n    at program.ts:${first + 6}:28`,
  ])
  expect(done.logs[0]).toBe(`Error: here\n${inner}`)
  expect(done.logs[1]).toBe(`Trace: t\n    at program.ts:${first + 3}:9`)
  expect(JSON.stringify(done.events)).not.toContain('program.js')
  expect(done.notices.join()).toContain(`Error: lost at program.ts:${first + 7}:16`)
})

test('an uncaught error comes placed too', async () => {
  const { state } = await run('const x: any = null\n\nfunction f() {\n  return x.a\n}\nf()')
  expect(state).toMatchObject({ s: 'threw', stack: '    at f (program.ts:4:12)\n    at program.ts:6:1' })
})

test('functions and frames that only the compiler made are not shown', async () => {
  const done = await run('export default async () => {\n  await null\n  console.log(new Error("a"))\n}')
  expect(done.logs).toEqual(['Error: a\n    at program.ts:3:15'])
})

test('code made by the program is placed where it was made', async () => {
  const done = await run('const f = new Function("return new Error(1)")\nreturn f().stack')
  expect(done.value).not.toMatch(/program\.js|<anonymous>|prelude/)
})

test('a program cannot disturb it', async () => {
  const done = await run(`
    String.prototype.indexOf = String.prototype.slice = Array.prototype.push = RegExp.prototype.exec = () => { throw 1 }
    Object.defineProperty(Array.prototype, 0, { set() { throw 2 } })
    return new Error('a').stack`)
  expect(done.value).toBe('Error: a\n    at program.ts:4:12')
})

test.each(['program.ts', 'program.js'])('a message that looks like a frame of %s is none', async (file) => {
  const done = await run(`const e = new Error('x\\n    at made (${file}:1:1)')\nconsole.log(e)\nthrow e`)
  expect(done.state).toMatchObject({ s: 'threw', stack: '    at program.ts:1:11' })
})
