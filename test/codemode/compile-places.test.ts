import { expect, test } from 'vitest'
import { compiled } from './evaluate.ts'

/** What a guest does with the table, as the notation says. */
function placeIn(table: string, line: number, column: number): { line: number; column: number } | undefined {
  const entries = (table.split(';')[line - 1] ?? '').split(',').filter((entry) => entry !== '')
  const entry = entries.findLast((one) => Number.parseInt(one, 10) <= column)
  const [, start, kind, toLine, toColumn] = /^(\d+)(?:-|([=+])(\d+)\.(\d+))$/.exec(entry ?? '') ?? []
  if (kind === undefined) return undefined
  return { line: Number(toLine), column: Number(toColumn) + (kind === '+' ? column - Number(start) : 0) }
}

const PROGRAMS: readonly (readonly [string, string])[] = [
  ['plain', 'const x = await tools.get_x()\nreturn [x,\n  x.a]'],
  ['a last expression', 'const x = 1\nx.a'],
  ['fenced', 'Look:\n```js\nconst x = 1\nreturn x.a\n```\n'],
  ['types', 'const x: any = null\nreturn x!.a as string'],
  ['enum', 'enum E { A, B }\nnamespace N { export const a: any = null }\nreturn N.a.b'],
  ['imports', 'import { get_x as x } from "tools"\n\nawait x(); await x({\n  a: 1 })'],
  ['an object alone', '{ a: await tools.get_x(), b: 2 }'],
  ['an anonymous function', 'async function () {\n  return 1 }'],
  ['a default export', 'export default async () => {\n  return [1].map((x) => x.a.b)\n}'],
  ['main', 'async function main() {\n  await null; return 1\n}'],
  ['CRLF', 'const x = 1\r\n\r\nreturn x.a'],
  ['line separators', 'const s = "\u2028\u2029"; const t = `\u2028`\nreturn s.a'],
  ['a byte order mark', '\uFEFFconst x = 1\nreturn x.a'],
  ['nothing', ''],
  ['a comment', '// nothing'],
]

test.each(PROGRAMS)('the table of places says what the compiler says, at every place: %s', async (_, text) => {
  const program = await compiled(text)
  const { table } = program.places()
  const rows = program.code.split(/\r\n|[\n\r\u2028\u2029]/)
  const told = rows.flatMap((row, index) =>
    Array.from({ length: row.length }, (_one, at) => placeIn(table, index + 1, at + 1)),
  )
  const wanted = rows.flatMap((row, index) =>
    Array.from({ length: row.length }, (_one, at) => {
      // The line below a program that needed no lowering is not the program's.
      const isFooter = row === '})()' && program.places().table.split(';')[index] === undefined
      return isFooter ? undefined : program.originalPosition(index + 1, at + 1)
    }),
  )
  expect(told).toEqual(wanted)
})

test('the table is made once, and is short', async () => {
  const text = 'const x = await tools.get_x({ a: 1, b: [1, 2, 3] })\n'.replace('x', () => 'x').repeat(1)
  const program = await compiled(text + 'console.log(x)\n'.repeat(50))
  expect(program.places()).toBe(program.places())
  expect(program.places().table.length).toBeLessThan(program.code.length)
})

test('a stack that the guest has placed keeps its places, and only such as the text has', async () => {
  const program = await compiled('const a = 1\nreturn a')
  const stack =
    'E: x\n    at f (program.ts:2:8)\n    at program.ts:99:1\n    at g (program.ts:1:999)\n    at program.ts:1:1'
  expect(program.mapStack(stack)).toBe('E: x\n    at f (program.ts:2:8)\n    at program.ts:1:1')
})
