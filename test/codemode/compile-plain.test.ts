import { describe, expect, test } from 'vitest'
import { analyseProgram } from '../../src/codemode/compile/analyse.ts'
import { compileProgram } from '../../src/codemode/compile.ts'
import { lowerProgram } from '../../src/codemode/compile/lower.ts'
import { evaluateAll, type Evaluated } from './evaluate.ts'

function analysed(text: string) {
  const analysis = analyseProgram(text)
  if (!analysis.ok) throw new Error(`does not parse: ${text}`)
  return analysis
}

describe('a program that V8 takes as it stands is not lowered', () => {
  test.each([
    'return 1',
    'const a = await tools.x({ a: 1 })\nreturn a?.b ?? [...[1]].map((n) => n ** 2)',
    'for await (const x of (async function* () { yield 1 })()) console.log(x)',
    'class A { #x = 1; static y = 2; get x() { return 3 } }\n1 + 1',
    'async function main() { return 4 }\nmain()',
    'const f = () => { function g() {} return g }\nreturn f()',
    'class A { m() { function g() {} } }\nreturn 1',
    'label: for (const { a = 1, ...rest } of [{}]) { if (a) break label }',
    'try { null.x } catch { } finally { }\nreturn `a${1}b`',
    // Types that go without a trace.
    'const a: number = 1\nreturn a',
    'const a = (1 as number) + 1\nreturn a as unknown as string',
    'const a = tools!\nreturn a!.b!',
    'const f = (a?) => a',
    'const f = <T,>(a?: T): T => a as T\nreturn f<number>(1)',
    'type T = 1\nreturn 1',
    'interface I { a: {\n b: 1 } }\nreturn 1',
    'let x = a satisfies B',
    'f<number>(1); new Map<string, number>(); x?.y<1>(2); t<A>`b`',
    'async function f<T extends {}>({ a, b }: { a: T; b: 1 }, [c]: T[], ...d: T[]): Promise<\nT> { return a as T }',
    'try { f() } catch (error: unknown) { throw error as Error }',
    'class A<T> extends B<T> { x: number = 1; #y: T; m(a: T): void {} }',
    'for (const x of (await f() as string[])) g(x as any)\nfor (const y of f() as any[]) g(y)',
  ])('%j', (text) => {
    expect(analysed(text).plain).toHaveLength(analysed(text).edited.text.length)
  })
})

describe('whatever lowering does something about is lowered', () => {
  test.each([
    'const a = 1 as number + 1',
    'const a = b as number\n(c)',
    'const a = b as number // so\n;[c]',
    'const f = (a): {\n b: 1 } => a',
    'const f = async <\nT>(a: T) => a',
    'a\n<T>(b) => 1',
    'function f() { return <T>\n(x: T) => x }',
    'const g = async <T> /*\n*/ (x: T) => x',
    'const a = f as any\u00a0\n(1)',
    'const a = f as any\f\n[0]',
    'const f = (\n a: string,\n)\n: string => a',
    'const f = (a) // so\n : T => a',
    'const a = <number>b',
    'const a = f<number>',
    'class A { x: number\n["y"] = 1 }',
    'declare function f(): void\nreturn 1',
    'function f(): void\nfunction f() {}',
    'enum E { A }',
    'namespace N { export const a = 1 }',
    'declare const x\nreturn 1',
    'class A { private x = 1 }',
    'class A { readonly x = 1 }',
    'class A { x! }',
    'class A { x? }',
    'abstract class A {}',
    'class B { override x = 1 }',
    'class A { accessor x = 1 }',
    '@f class A {}',
    'function f(this: string) {}',
    'return this',
    'import { a } from "codeferry"\nreturn a',
    'export const a = 1',
    'export default 1',
    'let a = 1, b\nlet a = 2',
    'let b = 1; return 1 <!--b',
    'return 1 //# sourceURL=other.js',
    'if (true) { function g() {} }\nreturn 1',
    'switch (1) { case 1: function g() {} }\nreturn 1',
    'const f = () => { { function g() {} } }\nreturn 1',
  ])('%j', (text) => {
    const analysis = analyseProgram(text)
    expect(analysis.ok && analysis.plain).toBeFalsy()
  })
})

test('both ways give the same', async () => {
  const texts = [
    'return [typeof this, (function () { return typeof this })()]',
    'let s = ""; for (const c of "añ🚀") s += c.length; return s',
    'const o = { __proto__: null, a: 1 }; return [Object.getPrototypeOf(o), delete o.a, "a" in o]',
    'function f() { return f.caller }\ntry { return f() } catch (error) { return error.name }',
    'try { undeclared = 1 } catch (error) { return error.name }',
    'try { return arguments } catch (error) { return error.name }',
    'if (true) { function g() { return 1 } }\nreturn typeof g',
    'const a = 1\nreturn\na',
    '"a last expression"',
    'async () => 7',
    'console.log("é"); return await tools.x({})',
    'null.boom',
  ]
  const scripts = await Promise.all(
    texts.map(async (text) => {
      const { edited, names, marks } = analysed(text)
      const lowered = await lowerProgram(edited.text, names.mark, marks)
      const compiled = await compileProgram(text, { maxProgramBytes: 10_000 })
      if (!compiled.ok || !lowered.ok) throw new Error(`does not compile: ${text}`)
      return [compiled.code, lowered.code] as const
    }),
  )
  const short = await evaluateAll(scripts.map(([code]) => code))
  const long = await evaluateAll(scripts.map(([, code]) => code))
  expect(short.map(withoutStack)).toEqual(long.map(withoutStack))
})

/** The one place where they differ: lines and columns, which the next test holds against the submitted text. */
function withoutStack({ error, ...rest }: Evaluated): unknown {
  return { ...rest, ...(error !== undefined && { error: [error.name, error.message] }) }
}

test('an error is told in the lines and columns of what was sent', async () => {
  const text = 'const a = 1\n  null.boom\nreturn a'
  const compiled = await compileProgram(text, { maxProgramBytes: 10_000 })
  if (!compiled.ok) throw new Error('does not compile')
  // One line stands before the program.
  expect(compiled.originalPosition(3, 8)).toEqual({ line: 2, column: 8 })
  expect(compiled.originalPosition(1, 1)).toBeUndefined()
  expect(compiled.mapStack('TypeError: x\n    at program.js:3:8')).toContain('program.ts:2:8')
})
