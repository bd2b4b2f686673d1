import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createEdits } from '../../src/codemode/compile/edits.ts'
import { createLineTable } from '../../src/codemode/compile/positions.ts'
import { compiled, runAll, type Ran } from './evaluate.ts'

/** Programs that throw at the mark `HERE` (which is taken out), and how many frames of theirs are on the stack. */
const THROWING: readonly (readonly [string, string])[] = [
  ['a body', 'type A = { a: string }\n\nconst x: A | null = null\nreturn x!.HEREa'],
  ['a last expression', 'const x = null as any\nx.HEREa.b'],
  ['a return with text before it', 'const x = null as any; if (true) return [1, x.HEREa]'],
  ['a fenced program', '```ts\nconst x: any = null\nreturn x.HEREa\n```'],
  ['a default export', 'import { tools } from "tools"\nexport default async () => {\n  const x: any = null\n  return x.HEREa\n}'],
  ['an arrow', 'async () => {\n  const x: any = null\n  return x.HEREa\n}'],
  ['an anonymous function', 'async function () {\n  const x: any = null\n  return x.HEREa\n}'],
  ['main that is not called', 'async function main() {\n  await null\n  const x: any = null\n  return x.HEREa\n}'],
  ['a class with parameter properties', 'class A {\n  constructor(private readonly b: any) {}\n  get() {\n    return this.b.HEREa\n  }\n}\nreturn new A(null).get()'],
  ['an enum before it', 'enum E { A, B, C }\nnamespace N { export const a: any = null }\nreturn N.a.HEREb'],
  ['decorators before it', 'const d = (v: any, _: any) => v\n@d class A { @d m() {} }\nconst x: any = null\nx.HEREa'],
  ['exports before it', 'export interface A {}\nexport const x: any = null\nexport { x as y }\nx.HEREa'],
  ['imports of tools', 'import { get_x, get_y as y } from "tools"\nawait get_x()\nawait y()\nconst x: any = null\nreturn x.HEREa'],
  ['CRLF', 'const x: any = null\r\n\r\nreturn x.HEREa'],
  ['line separators in text', 'const s = "\u2028\u2029"; const t = `\u2028`\nconst x: any = null\nreturn x.HEREa'],
  ['astral characters in the line', 'const x: any = null\nconst s = "🚀é" + x.HEREa'],
  ['a byte order mark', '\uFEFFconst x: any = null\nreturn x.HEREa'],
] // prettier-ignore

const NAMED = `export default async () => {
  return [1].map(inner)
}
function inner(): never {
  throw new Error('two\\nlines')
}`
const MAIN = 'async function main() { throw new Error("a") }'

let ran: (text: string) => Ran
beforeAll(async () => {
  ran = await runAll([...THROWING.map(([, marked]) => marked.replace('HERE', '')), NAMED, MAIN])
})

test.each(THROWING)('an error in %s is placed in the submitted text, to the column', (_, marked) => {
  const offset = marked.indexOf('HERE')
  const text = marked.replace('HERE', '')
  const { program, evaluated } = ran(text)
  expect(evaluated.error?.message).toContain('Cannot read properties of null')
  const stack = program.mapStack(evaluated.error?.stack ?? '')
  const { line, column } = createLineTable(text, 'editor').positionAt(offset)
  expect(stack.split('\n')[1]).toMatch(new RegExp(`program\\.ts:${line}:${column}\\)?$`))
})

test('a stack holds the frames of the program alone, with its own names', () => {
  const { program, evaluated } = ran(NAMED)
  const raw = `${evaluated.error?.stack}\n    at Object.run (/srv/host/child.js:1:2)\n    at node:internal/x:3:4`
  expect(program.mapStack(raw).split('\n')).toEqual([
    'Error: two',
    'lines',
    '    at inner (program.ts:5:9)',
    '    at program.ts:2:14',
  ])
})

test('frames that stand for code the compiler wrote are left out', () => {
  const { program, evaluated } = ran(MAIN)
  expect(program.mapStack(evaluated.error?.stack ?? '').split('\n')).toEqual([
    'Error: a',
    '    at main (program.ts:1:31)',
  ])
})

test.each([
  ['', ''],
  ['just text', 'just text'],
  ['at program.js:', ''],
  ['    at program.js:99999999999:1', ''],
  ['    at f (program.js:1:1) at program.js:x', undefined],
  ['    at eval (eval at main (program.js:2:1), <anonymous>:1:1)', undefined],
])('mapStack takes any text: %j', async (stack, expected) => {
  const program = await compiled('const a = 1\nreturn a')
  const mapped = program.mapStack(stack)
  expect(mapped).not.toContain('program.js')
  if (expected !== undefined) expect(mapped).toBe(expected)
})

test('a forged stack of any size is cut', async () => {
  const program = await compiled('return 1')
  const line = program.code.split('\n').findIndex((text) => text.startsWith('return')) + 1
  const forged = `E\n${`    at f (program.js:${line}:1)\n`.repeat(100_000)}`
  expect(program.mapStack(forged).split('\n')).toHaveLength(51)
})

test('positions that are not in the code are no positions', async () => {
  const program = await compiled('return 1')
  for (const [line, column] of [
    [0, 0],
    [-1, 5],
    [9_999, 1],
    [NaN, NaN],
  ] as const)
    // prettier-ignore
    expect(program.originalPosition(line, column)).toBeUndefined()
})

const texts = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '\r', '\u2028', '🚀', ''), { maxLength: 40 })

test('offset and position are each other’s inverse', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom('editor' as const, 'script' as const), (parts, breaks) => {
      const text = parts.join('')
      const lines = createLineTable(text, breaks)
      for (let offset = 0; offset <= text.length; offset++)
        expect(lines.offsetAt(lines.positionAt(offset))).toBe(offset)
    }),
  )
})

test('lines of a table put together again are the text', () => {
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('')
      const lines = createLineTable(text, 'editor')
      const all = Array.from({ length: lines.lineCount }, (_, index) => lines.lineText(index + 1))
      expect(all).toEqual(text.split(/\r\n|\r|\n/))
    }),
  )
})

test('what is left of a text after edits is found again at its old place', () => {
  const edit = fc.record({ at: fc.nat(30), length: fc.nat(5), text: fc.constantFrom('', '#', '##\n') })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 6 }), (wanted) => {
      const text = Array.from({ length: 30 }, (_, index) => String.fromCharCode(0x100 + index)).join('')
      const edits = createEdits(text)
      let free = 0
      for (const { at, length, text: inserted } of wanted.toSorted((left, right) => left.at - right.at)) {
        const start = Math.max(at, free)
        if (start + length > text.length) continue
        edits.replace(start, start + length, inserted)
        free = start + length
      }
      const edited = edits.apply()
      for (let offset = 0; offset < edited.text.length; offset++) {
        const original = edited.originalOffset(offset)
        const unit = edited.text[offset]
        if (unit === '#' || unit === '\n') continue
        expect(original === undefined ? undefined : text[original]).toBe(unit)
      }
    }),
  )
})
