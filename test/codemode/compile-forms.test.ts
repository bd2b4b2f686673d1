import { beforeAll, describe, expect, test } from 'vitest'
import { compileProgram, type CompiledProgram, type ProgramForm } from '../../src/codemode/compile.ts'
import { evaluateAll, type Evaluated } from './evaluate.ts'

interface Case {
  readonly says: string
  readonly text: string
  readonly form: ProgramForm
  /** Absent: the program returns nothing. */
  readonly value?: unknown
  readonly calls?: readonly string[]
  readonly logs?: readonly string[]
  readonly notices?: readonly string[]
}

const getX = { path: 'get_x', args: {} }

const CASES: readonly Case[] = [
  // Bodies.
  { says: 'return at the top', text: 'const x = await tools.get_x({})\nreturn x.path', form: 'body', value: 'get_x' },
  { says: 'return in a branch', text: 'if (true) { return 1 }\nreturn 2', form: 'body', value: 1 },
  { says: 'a bare return', text: 'console.log("a")\nreturn', form: 'body', logs: ['a'] },
  { says: 'a comment at the very end', text: 'return 7 // seven', form: 'body', value: 7 },
  { says: 'a comment inside return', text: 'return ( // why\n  7\n)', form: 'body', value: 7 },
  { says: 'return of a comma expression', text: 'return (1, 2)', form: 'body', value: 2 },
  { says: 'return of an object', text: 'return { a: 1, b: [2] };', form: 'body', value: { a: 1, b: [2] } },
  { says: 'return in try, with finally', text: 'try { return 1 } finally { console.log("f") }', form: 'body', value: 1, logs: ['f'] },
  { says: 'return in a loop', text: 'for await (const x of [1, 2]) { if (x === 2) return x }', form: 'body', value: 2 },
  { says: 'return of a call of main', text: 'async function main() { return tools.get_x() }\nreturn main();', form: 'body', value: getX },
  { says: 'return of a function', text: 'return async () => { return await tools.get_x() }', form: 'body', value: getX },
  { says: 'the word return in text', text: 'const s = "throw return"; return `${s} return;`', form: 'body', value: 'throw return return;' },
  { says: 'statements only', text: 'for (const x of [1]) console.log(x)', form: 'body', logs: ['1'] },
  // Last expressions.
  { says: 'a last expression', text: 'const a = 2\na * 3', form: 'expression', value: 6 },
  { says: 'a last expression with a semicolon and comment', text: 'const a = 2\na * 3; // six', form: 'expression', value: 6 },
  { says: 'a last expression with a comment before its end', text: 'const a = 2\na * 3 // six\n;', form: 'expression', value: 6 },
  { says: 'a last call that is not awaited', text: 'tools.get_x({})', form: 'expression', value: getX },
  { says: 'an object in parentheses', text: '({ a: await tools.get_x() })', form: 'expression', value: { a: getX } },
  { says: 'a string alone', text: '"done"', form: 'expression', value: 'done' },
  { says: 'a lone async IIFE', text: '(async () => { return (await tools.get_x()).path })();', form: 'expression', value: 'get_x' },
  { says: 'an IIFE with comments behind', text: '(async () => {\n  return 3\n})()\n// done\n/* really */', form: 'expression', value: 3 },
  { says: 'a function IIFE', text: '(async function () { return 4 })()', form: 'expression', value: 4 },
  { says: 'a call of main', text: 'async function main() { return 5 }\nmain();', form: 'expression', value: 5 },
  { says: 'an awaited call of main', text: 'async function main() { return 5 }\nawait main()', form: 'expression', value: 5 },
  { says: 'main with catch', text: 'const main = async () => 5\nmain().catch(console.error)', form: 'expression', value: 5 },
  { says: 'main with then', text: 'async function main() { return 5 }\nmain().then(console.log)', form: 'expression', logs: ['5'] },
  { says: 'a last log', text: 'console.log("only this")', form: 'expression', logs: ['only this'] },
  { says: 'a last expression in try', text: 'async function main() { return 5 }\ntry { await main() } catch (error) { console.error(error) }', form: 'expression', value: 5 },
  { says: 'a last expression in catch', text: 'try { throw 1 } catch (error) { ({ failed: error }) } finally { console.log("f") }', form: 'expression', value: { failed: 1 }, logs: ['f'] },
  { says: 'a last expression in a block', text: '{\n  const a = 2\n  a * 3\n}', form: 'expression', value: 6 },
  { says: 'a branch at the end', text: 'const list: number[] = []\nif (true) { list.push(1) }', form: 'body' },
  // Functions.
  { says: 'an async arrow', text: 'async () => { return (await tools.get_x()).path }', form: 'function', value: 'get_x' },
  { says: 'an arrow with semicolon and comments', text: '// go\nasync () => 1; // gone', form: 'function', value: 1 },
  { says: 'an arrow with an object body', text: 'async () => ({ a: 1 });', form: 'function', value: { a: 1 } },
  { says: 'an arrow in parentheses', text: '(async () => 1)', form: 'function', value: 1 },
  { says: 'an arrow with a cast', text: '(async () => 1) as any', form: 'function', value: 1 },
  { says: 'an arrow that takes the tools', text: 'async (tools) => (await tools.get_x()).path', form: 'function', value: 'get_x' },
  { says: 'an arrow that takes parts of the tools', text: 'async ({ get_x }) => (await get_x()).path', form: 'function', value: 'get_x' },
  { says: 'a function expression in parentheses', text: '(async function run() { return 2 })', form: 'function', value: 2 },
  { says: 'an anonymous function', text: 'async function () { return await tools.get_x() }', form: 'default', value: getX },
  { says: 'helpers and then an arrow', text: 'const two = () => 2\nasync () => two()', form: 'function', value: 2 },
  { says: 'an object without parentheses', text: '{ a: await tools.get_x(), b: 2 }', form: 'default', value: { a: getX, b: 2 } },
  // Default exports.
  { says: 'a default arrow', text: 'export default async () => { return 1 };', form: 'default', value: 1 },
  { says: 'a default arrow in parentheses', text: 'export default (async () => 1)', form: 'default', value: 1 },
  { says: 'a default arrow that takes a context', text: 'export default async ({ tools }) => (await tools.get_x()).path', form: 'default', value: 'get_x' },
  { says: 'a default arrow with a typed context', text: 'export default async (ctx: { tools: any }) => (await ctx.tools.get_x()).path', form: 'default', value: 'get_x' },
  { says: 'a default function', text: 'export default async function main() { return 1 }', form: 'default', value: 1 },
  { says: 'a default function without a name', text: 'export default async function (tools: any) { return (await tools.get_x()).path }', form: 'default', value: 'get_x' },
  { says: 'a default function that is called too', text: 'export default async function main() { return await tools.get_x() }\nmain()', form: 'expression', value: getX, calls: ['get_x'] },
  { says: 'a default by name', text: 'async function run() { return 1 }\nexport default run;', form: 'default', value: 1 },
  { says: 'a default by name, before it', text: 'export default run\nasync function run() { return 1 }', form: 'default', value: 1 },
  { says: 'a default specifier', text: 'const run = async () => 1\nexport { run as default }', form: 'default', value: 1 },
  { says: 'a default value', text: 'export default { total: (await tools.get_x()).path }', form: 'default', value: { total: 'get_x' } },
  { says: 'a default promise', text: 'export default tools.get_x()', form: 'default', value: getX },
  { says: 'a default object with run', text: 'export default { name: "n", async run({ tools }) { return tools.get_x() } }', form: 'default', value: getX },
  { says: 'a default type only', text: 'export default interface X { a: number }\nreturn 1', form: 'body', value: 1 },
  { says: 'an assignment to module.exports', text: 'module.exports = async () => { return 1 }', form: 'default', value: 1 },
  { says: 'an assignment to module.exports of a name', text: 'async function run(tools) { return tools.get_x() }\nmodule.exports = run;', form: 'default', value: getX },
  { says: 'an object in module.exports', text: 'async function main() { return 1 }\nmodule.exports = { main };', form: 'default', value: 1 },
  { says: 'export =', text: 'export = async () => 1', form: 'default', value: 1 },
  { says: 'a default class', text: 'export default class Job { run() {} }', form: 'default', notices: ['not-called'] },
  // Declared, not called.
  { says: 'main', text: 'async function main() { return 1 }', form: 'main', value: 1, notices: ['main-called'] },
  { says: 'main as a constant', text: 'const main = async () => { return 1 };', form: 'main', value: 1, notices: ['main-called'] },
  { says: 'main that calls itself', text: 'let n = 0\nasync function main() { if (n++ < 2) return main(); return n }', form: 'main', value: 3, notices: ['main-called'] },
  { says: 'main that is exported', text: 'export async function main() { return 1 }', form: 'main', value: 1, notices: ['main-called'] },
  { says: 'main that is exported by a list', text: 'async function main() { return 1 }\nexport { main }', form: 'main', value: 1, notices: ['main-called'] },
  { says: 'main beside other statements', text: 'console.log("a")\nasync function main() { console.log("b"); return 1 }\nconsole.log("c")', form: 'main', value: 1, logs: ['a', 'c', 'b'], notices: ['main-called'] },
  { says: 'main that takes the tools', text: 'async function main(tools: Tools) { return tools.get_x() }\ninterface Tools { get_x(): any }', form: 'main', value: getX, notices: ['main-called'] },
  { says: 'a lone function with another name', text: 'async function run(tools) { return tools.get_x() }', form: 'main', value: getX, notices: ['main-called'] },
  { says: 'a function and its helper', text: 'const double = (n: number) => n * 2\nasync function report() { return double(4) }', form: 'main', value: 8, notices: ['main-called'] },
  { says: 'two candidates, one called run', text: 'async function other() { return 1 }\nasync function run() { return 2 }', form: 'main', value: 2, notices: ['main-called'] },
  { says: 'two candidates without a name that says so', text: 'async function one() {}\nasync function two() {}', form: 'body', notices: ['not-called'] },
  { says: 'a lone function that needs values', text: 'function add(a: number, b: number) { return a + b }', form: 'body', notices: ['not-called'] },
  { says: 'a class only', text: 'class Job { async run() { return 1 } }', form: 'body', notices: ['not-called'] },
  { says: 'a function used before its declaration', text: 'return two();\nfunction two() { return 2 }', form: 'body', value: 2 },
  { says: 'a guard for being the main module', text: 'async function main() { return 1 }\nif (require.main === module) { main(); }', form: 'expression', value: 1 },
  { says: 'a guard with import.meta', text: 'async function main() { return 1 }\nif (import.meta.main) await main()', form: 'expression', value: 1 },
  { says: 'a guard with process.argv', text: 'async function main() { return 1 }\nif (import.meta.url === `file://${process.argv[1]}`) { main() }', form: 'expression', value: 1 },
  { says: 'a value that is never returned', text: 'const total = 1 + 1', form: 'body', notices: ['not-returned'] },
  // Nothing.
  { says: 'no text', text: '', form: 'empty', notices: ['nothing-to-run'] },
  { says: 'comments', text: '// one\n/* two */', form: 'empty', notices: ['nothing-to-run'] },
  { says: 'types', text: 'interface A { a: 1 }\nexport type B = A;\ndeclare const c: B', form: 'empty', notices: ['nothing-to-run'] },
  { says: 'an import alone', text: 'import { tools } from "tools"', form: 'empty', notices: ['nothing-to-run'] },
  { says: 'an empty fence', text: '```ts\n```', form: 'empty', notices: ['nothing-to-run'] },
  // Imports.
  { says: 'import { tools }', text: 'import { tools } from "codeferry"\nreturn tools.get_x()', form: 'body', value: getX },
  { says: 'import { tools } from a made-up module', text: 'import { tools } from "./sdk"\nreturn tools.get_x()', form: 'body', value: getX },
  { says: 'import { tools as t }', text: 'import { tools as t } from "@sdk/tools"\nreturn t.get_x()', form: 'body', value: getX },
  { says: 'import tools', text: 'import tools from "tools"\nreturn tools.get_x()', form: 'body', value: getX },
  { says: 'import sdk', text: 'import api from "codeferry"\nreturn api.get_x()', form: 'body', value: getX },
  { says: 'import sdk, used as a module', text: 'import api from "codeferry"\nreturn [await api.tools.get_x(), await api.get_y()]', form: 'body', value: [getX, { path: 'get_y', args: {} }] },
  { says: 'import * as', text: 'import * as api from "tools"\nreturn api.get_x()', form: 'body', value: getX },
  { says: 'import * as, used as a module', text: 'import * as api from "tools"\nconst { tools } = api\nreturn tools.get_x()', form: 'body', value: getX },
  { says: 'import of a tool', text: 'import { get_x } from "@sdk/tools"\nreturn get_x()', form: 'body', value: getX },
  { says: 'import of a renamed tool', text: 'import { "get-x" as get } from "@sdk/tools"\nreturn get()', form: 'body', value: { path: 'get-x', args: {} } },
  { says: 'import of a namespace', text: 'import { github } from "tools"\nreturn github.issue_read({ id: 1 })', form: 'body', value: { path: 'github.issue_read', args: { id: 1 } } },
  { says: 'import after its use', text: 'async function f() { return get_x() }\nconst r = f()\nimport { get_x } from "tools"\nreturn r', form: 'body', value: getX },
  { says: 'import of types', text: 'import type { Issue } from "@octokit/types"\nimport { type A } from "b"\nconst a: Issue | A = 1\nreturn a', form: 'body', value: 1 },
  { says: 'import that is used in types only', text: 'import { Issue } from "@octokit/types"\nconst a: Issue = 1\nreturn a', form: 'body', value: 1, notices: ['import-dropped'] },
  { says: 'import and declare of one name', text: 'import { tools } from "tools"\ndeclare const tools: any\nreturn tools.get_x()', form: 'body', value: getX },
  { says: 'import =', text: 'import sdk = require("codeferry")\nreturn sdk.tools.get_x()', form: 'body', value: getX },
  { says: 'import()', text: 'const { tools: t } = await import("codeferry")\nreturn t.get_x()', form: 'body', value: getX },
  { says: 'require of the SDK', text: 'const { get_x } = require("tools")\nreturn get_x()', form: 'body', value: getX },
  { says: 'import of the helpers', text: 'import { show, sdk } from "codeferry"\nshow({ type: "text" })\nreturn sdk.search("a")', form: 'body', value: 'searched a' },
  { says: 'export … from the SDK', text: 'export * from "codeferry"\nexport type { A } from "b"\nreturn 1', form: 'body', value: 1 },
  // Exports.
  { says: 'exports on declarations', text: 'export interface A { a: number }\nexport const a = 1\nexport enum E { One = 1 }\nexport class C {}\nexport function f() { return a + E.One }\nreturn f()', form: 'body', value: 2 },
  { says: 'export lists', text: 'const a = 1\nexport { a }\nexport {}\nreturn a', form: 'body', value: 1 },
  { says: 'an exported import alias', text: 'namespace N { export const a = 1 }\nexport import b = N.a\nreturn b', form: 'body', value: 1 },
  // TypeScript.
  { says: 'enums', text: 'const enum A { X = 2 }\nenum B { Y = "y" }\nreturn [A.X, B.Y]', form: 'body', value: [2, 'y'] },
  { says: 'namespaces', text: 'namespace A.B { export const c = 1 }\nnamespace A { export const d = B.c + 1 }\nreturn [A.B.c, A.d]', form: 'body', value: [1, 2] },
  { says: 'a namespace beside await', text: 'namespace N { export const a = 1 }\nconst x = await tools.get_x()\nreturn [N.a, x.path]', form: 'body', value: [1, 'get_x'] },
  { says: 'decorators', text: 'function twice(f: any, _: ClassMethodDecoratorContext) { return function (this: any) { return f.call(this) * 2 } }\nclass A { n = 2; @twice get() { return this.n } @twice static s() { return 5 } }\nreturn [new A().get(), A.s()]', form: 'body', value: [4, 10] },
  { says: 'a decorated exported class', text: 'const tag = (c: any, _: any) => { c.tag = 1 }\n@tag export class A {}\nreturn (A as any).tag', form: 'body', value: 1 },
  { says: 'an accessor', text: 'class A { accessor n = 1 }\nconst a = new A(); a.n += 1\nreturn a.n', form: 'body', value: 2 },
  { says: 'using', text: 'const log: string[] = []\n{ using r = { [Symbol.dispose]() { log.push("closed") } }; log.push("open") }\nreturn log', form: 'body', value: ['open', 'closed'] },
  { says: 'await using at the top', text: 'await using r = { async [Symbol.asyncDispose]() { console.log("closed") } }\nreturn 1', form: 'body', value: 1, logs: ['closed'] },
  { says: 'parameter properties', text: 'class A { #p = 1; constructor(private readonly n: number, public m = 2) {} sum() { return this.n + this.m + this.#p } }\nreturn new A(1).sum()', form: 'body', value: 4 },
  { says: 'satisfies, as const, !, <T>', text: 'const a = { x: 1 } satisfies Record<string, number>\nconst b = <any>a\nreturn (b!.x as number)', form: 'body', value: 1 },
  { says: 'overloads and abstract classes', text: 'function f(a: string): string\nfunction f(a: number): number\nfunction f(a: any) { return a }\nabstract class A { abstract g(): number }\nclass B extends A { g() { return f(1) } }\nreturn new B().g()', form: 'body', value: 1 },
  { says: 'declare', text: 'declare const tools: { get_x(): Promise<any> }\ndeclare function other(): void\nreturn tools.get_x()', form: 'body', value: getX },
  { says: 'generic arrows', text: 'const f = <T,>(x: T): T => x\nconst g = <T extends object>(x: T) => x\nreturn f(g({ a: 1 }))', form: 'body', value: { a: 1 } },
  { says: 'newest syntax', text: 'label: for (const a of [1]) { break label }\nlet x: any; x ??= 1; x ||= 2\nreturn [x, 1_000, /(?<a>b)/v.test("b"), 2n ** 3n > 7n, (() => { try { throw 1 } catch { return 2 } })()]', form: 'body', value: [1, 1000, true, true, 2] },
  // The program's own names.
  { says: 'tools and console of its own', text: 'const tools = { a: 1 }\nconst console = { b: 2 }\nreturn [tools.a, console.b]', form: 'body', value: [1, 2] },
  { says: 'a var called tools', text: 'var tools: any = 3\nreturn tools', form: 'body', value: 3 },
  { says: 'fetch of its own', text: 'async function fetch(url: string) { return tools.http_get({ url }) }\nreturn fetch("u")', form: 'body', value: { path: 'http_get', args: { url: 'u' } } },
  { says: 'no this and no arguments', text: 'return [typeof this, typeof arguments]', form: 'body', value: ['undefined', 'undefined'] },
  { says: 'strict mode', text: 'let failed = false\ntry { (undeclared as any) = 1 } catch { failed = true }\nreturn failed', form: 'body', value: true },
  { says: 'probing a name that is not there', text: 'return typeof fetch === "function" ? "has" : typeof process', form: 'body', value: 'undefined' },
  { says: 'a name that looks like one of ours', text: 'const s = "throw \\u0024return_"\nconst $return = 1, $value = 2, $sdk = 3\nreturn $return + $value + $sdk', form: 'body', value: 6 },
  { says: 'edits inside of edits', text: 'if (import.meta.main && (await import("tools"))) { console.log("a") }\nexport import a = require("tools")\nexport import type B = require("b")\nreturn 1', form: 'body', value: 1, logs: ['a'] },
  { says: 'an exported object with a function that takes the tools', text: 'async function run(tools) { return tools.get_x() }\nmodule.exports = { run }', form: 'default', value: getX },
  { says: 'a label that is all there is', text: 'const typescript = 1\ntypescript', form: 'expression', value: 1 },
  // Bytes.
  { says: 'a byte order mark', text: '\uFEFFreturn 1', form: 'body', value: 1 },
  { says: 'a byte order mark before a fence', text: '\uFEFF```ts\nreturn 1\n```', form: 'body', value: 1 },
  { says: 'CRLF', text: 'const a = 1\r\n// b\r\nreturn `a\r\n${a}`\r\n', form: 'body', value: 'a\n1' },
  { says: 'line separators', text: 'const a = "x\u2028y"\u2029return a + `\u2028`', form: 'body', value: 'x\u2028y\u2028' },
  { says: 'a hash-bang', text: '#!/usr/bin/env node\nreturn 1', form: 'body', value: 1 },
  { says: 'astral characters', text: 'const ñ = "🚀"\nreturn ñ + "\u{1F680}"', form: 'body', value: '🚀🚀' },
  { says: 'what is left of a fence', text: 'typescript\nreturn 1', form: 'body', value: 1 },
] // prettier-ignore

let compiledByText: ReadonlyMap<string, CompiledProgram>
let evaluatedByText: ReadonlyMap<string, Evaluated>

beforeAll(async () => {
  const compiled = new Map<string, CompiledProgram>()
  for (const { text } of CASES) {
    const program = await compileProgram(text, { maxProgramBytes: 10_000 })
    if (program.ok) compiled.set(text, program)
  }
  const results = await evaluateAll([...compiled.values()].map(({ code }) => code))
  compiledByText = compiled
  evaluatedByText = new Map([...compiled.keys()].map((text, index) => [text, results[index] as Evaluated]))
})

describe('a program in this form runs, with this value', () => {
  test.each(CASES)('$says', async ({ text, form, value, calls, logs, notices }) => {
    const program = compiledByText.get(text) ?? (await compileProgram(text, { maxProgramBytes: 10_000 }))
    if (!program.ok) return expect(program.message).toBe('a program that compiles')
    const evaluated = evaluatedByText.get(text)
    expect(evaluated).toMatchObject({ ok: true })
    expect(evaluated?.value).toEqual(value)
    expect(program.form).toBe(form)
    expect(program.notices.map(({ code }) => code)).toEqual(notices ?? [])
    if (calls !== undefined) expect(evaluated?.calls).toEqual(calls)
    expect(evaluated?.logs).toEqual(logs ?? [])
    return undefined
  })
})

test('a program leaves no global behind, not even a helper of the compiler', () => {
  const leaking = [...evaluatedByText].filter(([, { newGlobals }]) => newGlobals.length > 0)
  expect(leaking).toEqual([])
})
