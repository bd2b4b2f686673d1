import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileProgram } from '../../src/codemode/compile.ts'

// What a hostile program could do to the host that reads it: the parsers run before any sandbox.

const maxProgramBytes = 256 * 1024

test('a program over its bytes is refused before anything reads it, and bytes are those of UTF-8', async () => {
  const text = `"${'é'.repeat(49)}"`
  expect(await compileProgram(text, { maxProgramBytes: 100 })).toMatchObject({ ok: true })
  const failure = await compileProgram(`${text} `, { maxProgramBytes: 100 })
  expect(failure).toMatchObject({ ok: false, message: expect.stringContaining('101 bytes and may have 100') })
})

test('the limit holds for a program that was compiled under a higher one', async () => {
  const text = 'return "a program that is known already"'
  expect(await compileProgram(text, { maxProgramBytes: 100 })).toMatchObject({ ok: true })
  expect(await compileProgram(text, { maxProgramBytes: 10 })).toMatchObject({ ok: false })
})

const nested = (open: string, close: string, count: number) => `${open.repeat(count)}x${close.repeat(count)}`

test.each([
  ['parentheses', nested('(', ')', 100_000)],
  ['brackets', nested('[', ']', 100_000)],
  ['blocks', nested('{', '}', 100_000)],
  ['templates', nested('`${', '}`', 50_000)],
  ['arrows', '()=>'.repeat(60_000) + '1'],
  ['operators', '!'.repeat(200_000) + '1'],
  ['sums', 'a+'.repeat(100_000) + 'a'],
  ['members', 'a' + '.a'.repeat(100_000)],
  ['calls', 'a' + '()'.repeat(100_000)],
  ['ifs', 'if(a)'.repeat(50_000) + ';'],
  ['types', `let x: ${nested('(', ')', 100_000)}`],
  ['type arguments', `let x: ${'a<'.repeat(60_000)}b${'>'.repeat(60_000)}`],
  ['opened and never closed', '([{`${'.repeat(40_000)],
  ['comments', '/*'.repeat(100_000)],
  ['fence lines', '```ts\n```\n'.repeat(20_000)],
  ['lines', '\n'.repeat(200_000)],
  ['imports', 'import"a";'.repeat(20_000)],
  ['declarations', Array.from({ length: 15_000 }, (_, index) => `const a${index}=1`).join('\n')],
  ['letters in one name', `let ${'a'.repeat(100_000)};let ${'a'.repeat(100_000)}`],
  ['letters in the name of main', `async function ${'a'.repeat(200_000)}() {}`],
  ['letters in the name of a module', `import "${'a'.repeat(200_000)}"`],
  ['doubled declarations', 'var a;let a;'.repeat(15_000)],
])('a heap of %s ends as a program or a failure', async (_, text) => {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxProgramBytes)
  const program = await compileProgram(text, { maxProgramBytes })
  const told = program.ok ? program.notices.map(({ message }) => message).join('') : program.message
  expect(told.length).toBeLessThan(2_000)
})

test.each([
  ['casts, read twice at each level', nested('<T>(', ')', 40)],
  ['comparisons that may be type arguments', `${'a<'.repeat(300)}a;\n`.repeat(400)],
])('%s are given up instead of hanging the host', async (_, text) => {
  const program = await compileProgram(text, { maxProgramBytes })
  expect(program).toMatchObject({ ok: false, message: expect.stringContaining('too intricate') })
})

test('conditionals that only esbuild reads twice are refused before it sees them', async () => {
  const deep = await compileProgram(nested('a ? (b) : c => (', ')', 40), { maxProgramBytes })
  expect(deep).toMatchObject({ ok: false, message: expect.stringContaining('a ? (b) : c =>') })
  const shallow = await compileProgram(`let a, b, x\n${nested('a ? (b) : c => (', ')', 4)}`, { maxProgramBytes })
  expect(shallow).toMatchObject({ ok: true })
})

test('any text ends as a program or a failure with a place inside the text', async () => {
  const word = fc.constantFrom(
    ...'return await async function => ( ) { } [ ] ; , . ` ${ ``` ~~~ \n \r\n \u2028 import export default from "tools" tools main main() const let x = 1 < > : ? class @d enum namespace type /* */ // <!-- #! \\ \u0000 \ud800 é 🚀 yield using declare interface'.split(
      ' ',
    ),
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  )
  await fc.assert(
    fc.asyncProperty(text, async (program) => {
      const result = await compileProgram(program, { maxProgramBytes })
      if (result.ok) {
        expect(typeof result.code).toBe('string')
        return
      }
      expect(result.message).not.toBe('')
      if (result.line === undefined) return
      const lines = program.split(/\r\n|\r|\n/)
      expect(result.line).toBeLessThanOrEqual(lines.length)
      expect(result.column).toBeLessThanOrEqual((lines[result.line - 1] ?? '').length + 2)
    }),
    { numRuns: 400 },
  )
})
