import { beforeAll, expect, test } from 'vitest'
import { deriveDescription } from '../../src/codemode/compile/description.ts'
import { explainRuntimeError } from '../../src/codemode/compile/explain.ts'
import { compiled, runAll, type Ran } from './evaluate.ts'

const PLACED = 'const a: any = null\n// wrong\nconst city = a.city\nreturn city'
const OWN_CLASS = 'class PaymentError extends Error { name = "PaymentError" }\nthrow new PaymentError("no money")'
const PLAIN = 'throw new Error("no money")'
const FORGED = '\n\nthrow new Error("x\\n    at program.ts:1:1")'
const ADVISED: readonly (readonly [string, string])[] = [
  ['Buffer.from("a")', 'Buffer: use atob() and btoa()'],
  ['globalThis.fetch("u"); fetcher("u")', 'globalThis.fetch is not a function'],
  ['window.open()', 'window: a program runs in no browser'],
  ['return _.map([])', '_: there is no lodash'],
  ['print("a")', 'print: use console.log()'],
  ['return None', 'None: this is TypeScript: null'],
  ['return somethingElse', 'A program has the language itself, tools, sdk,'],
  ['ls -la', 'A program has the language itself'],
]

let ran: (text: string) => Ran
beforeAll(async () => {
  ran = await runAll([PLACED, OWN_CLASS, PLAIN, FORGED, ...ADVISED.map(([text]) => text)])
})

function explained(text: string) {
  const { program, evaluated } = ran(text)
  if (evaluated.error === undefined) throw new Error('the program did not fail')
  return explainRuntimeError(evaluated.error, program)
}

test('an uncaught error is told with its place and its line', () => {
  const { message, line, column, stack } = explained(PLACED)
  expect(message.split('\n')).toEqual([
    "TypeError: Cannot read properties of null (reading 'city')",
    '  at program.ts:3:16',
    '> 3 | const city = a.city',
    '    |                ^',
  ])
  expect({ line, column }).toEqual({ line: 3, column: 16 })
  expect(stack).toBe("TypeError: Cannot read properties of null (reading 'city')\n    at program.ts:3:16")
})

test('an error of the program’s own class keeps its name; a plain one needs none', () => {
  expect(explained(OWN_CLASS).message).toMatch(/^PaymentError: no money\n/)
  expect(explained(PLAIN).message).toMatch(/^no money\n {2}at program\.ts:1:7\n/)
})

test.each(ADVISED)('%j ends with advice: %s', (text, advice) => {
  expect(explained(text).message).toContain(advice)
})

test('an error without a place of the program is told without one', async () => {
  const program = await compiled('return 1')
  const error = { name: 'Error', message: 'odd', stack: '' }
  expect(explainRuntimeError(error, program)).toEqual({ message: 'odd', stack: '' })
})

test('a message that pretends to be a frame moves no position', () => {
  const { line } = explained(FORGED)
  expect(line).toBe(3)
})

test.each([
  ['// Count open issues\nawait tools.list({})', 'Count open issues'],
  ['```ts\n// Count open issues\nreturn 1\n```', 'Count open issues'],
  ['// Count issues\n// by label\n\n// later\nreturn 1', 'Count issues by label'],
  ['/**\n * Count issues\n * by label\n */\nreturn 1', 'Count issues by label'],
  ['// @ts-nocheck\n// eslint-disable-next-line\n// Count issues\nreturn 1', 'Count issues'],
  ['const a = await tools.github.list({})\nawait tools["send-mail"]({ a })', 'Call github.list, send-mail'],
  ['await tools.a(); await tools.b(); await tools.a(); await tools.c(); await tools.d()', 'Call a, b, c, …'],
  ['return 1 + 1', 'Run a program'],
  ['', 'Run a program'],
  ['this is no program', 'Run a program'],
  [`// ${'word '.repeat(100)}`, `${'word '.repeat(23)}word…`],
  ['// approve \u202ethis\u0000\u001b[2J now\nreturn 1', 'approve this [2J now'],
])('the description of %j is %j', (text, expected) => {
  expect(deriveDescription(text)).toBe(expected)
})

test('the description of a compiled program is that of its text', async () => {
  for (const text of ['// Count\nreturn 1', 'await tools.a()', 'return 1'])
    expect(deriveDescription(await compiled(text))).toBe(deriveDescription(text))
})
