import { expect, test } from 'vitest'
import { compileProgram, type CompileFailure } from '../../src/codemode/compile.ts'

async function refused(text: string, toolNames: readonly string[] = []): Promise<CompileFailure> {
  const program = await compileProgram(text, { maxProgramBytes: 10_000, toolNames })
  if (program.ok) throw new Error(`compiled: ${text}`)
  return program
}

test.each([
  ['import fs from "node:fs"\nreturn fs.readFileSync("a")', 1, 'import of "node:fs"', 'file system'],
  ['const a = 1\nimport "left-pad"', 2, 'import of "left-pad"', '`tools` is a global'],
  ['import axios from "axios"\nreturn axios.get("u")', 1, 'import of "axios"', 'network'],
  ['import * as crypto from "node:crypto"\nreturn crypto.randomUUID()', 1, 'node:crypto', 'global crypto'],
  ['export { a } from "b"', 1, 'import of "b"', 'inline'],
  ['import a = require("b")\nreturn a', 1, 'import of "b"', 'inline'],
  ['const a = await import("node:fs")', 1, 'import of "node:fs"', 'file system'],
  ['const name = "x"\nawait import(name)', 2, 'import of "…"', 'inline'],
  ['const { get } = require("https")', 1, 'require("https")', 'network'],
  ['const a = require(name)', 1, 'require(…)', 'inline'],
  ['return (await fetch("u")).status', 1, '`fetch`', 'network'],
  ['return process.env.HOME', 1, '`process`', 'no process'],
  ['const a = 1;\n\n  return new WebSocket("w")', 3, '`WebSocket`', 'network'],
  ['new XMLHttpRequest()', 1, '`XMLHttpRequest`', 'network'],
  ['Deno.readTextFile("a")', 1, '`Deno`', 'no process'],
  ['Bun.file("a")', 1, '`Bun`', 'no process'],
  ['return fs.readFileSync("a")', 1, '`fs`', 'file system'],
  ['return import.meta.url', 1, '`import.meta`', 'no module'],
])('%j is refused at line %i: %s, and told what to do', async (text, line, subject, instead) => {
  const failure = await refused(text)
  expect(failure.line).toBe(line)
  expect(failure.message).toContain(subject)
  expect(failure.message).toContain(`line ${line}, column ${failure.column}`)
  expect(failure.message).toContain(instead)
})

test('all that is not available is told at once, in order', async () => {
  const { message, line } = await refused('const a = 1\nawait fetch("u")\nprocess.exit()\nimport "x"')
  expect(line).toBe(2)
  expect(message.split('\n').slice(-2)).toEqual([
    expect.stringContaining('Also, line 3: `process`'),
    expect.stringContaining('Also, line 4: import of "x"'),
  ])
})

test('a refusal names the tools that may do the same', async () => {
  const { message } = await refused('await fetch("u")', ['add', 'http_get', 'web_search'])
  expect(message).toContain('(here, perhaps: http_get, web_search)')
})

test.each([
  ['a declared name', 'const fetch = async () => 1\nreturn fetch()'],
  ['a parameter of that name', 'const run = (process) => process.env\nreturn run({ env: 1 })'],
  [
    'a caught or destructured name',
    'const { fs } = { fs: 1 }\ntry { throw 1 } catch (process) { return [fs, process] }',
  ],
  ['a declared-only name', 'declare const process: any\ntry { return process.env } catch { return 1 }'],
  ['a probed name', 'if (typeof fetch !== "undefined") { await fetch("u") }\nreturn 1'],
  ['a probed require', 'const fs = typeof require === "function" ? require("fs") : undefined\nreturn fs'],
  ['a property of that name', 'return [{ fetch: 1 }.fetch, globalThis.fetch, tools.process]'],
  [
    'a method of that name',
    'class A { fetch() { return this.require() } require() { return 1 } }\nreturn new A().fetch()',
  ],
  ['a type of that name', 'type process = typeof fetch\nlet x: process | Deno.Reader\nreturn 1'],
  ['a label of that name', 'fs: for (;;) break fs\nreturn 1'],
  ['a require of its own', 'const require = (name: string) => name\nreturn require("fs")'],
  ['Buffer, which the run will tell about', 'return Buffer.from("a")'],
])('%s is no reason to refuse a program', async (_, text) => {
  expect(await compileProgram(text, { maxProgramBytes: 10_000 })).toMatchObject({ ok: true })
})

test.each([
  ['JSX', 'const u = 1\n\nreturn <div>Hello {u.name}</div>;', 3, 'JSX is not supported'],
  [
    'JSX in a function',
    'const App = () => {\n  return (\n    <><b id="a" /></>\n  )\n}\nreturn App()',
    3,
    'JSX is not supported',
  ],
  ['a shell command', 'ls -la /workspace && cat README.md', 1, 'shell command'],
  ['a shell prompt', '$ npm install', 1, 'shell command'],
  ['Python', 'import json\n\ndef main():\n    return json.dumps({})', 3, 'Python'],
  ['Python that begins like TypeScript', 'for x in range(3):\n    print(x)', 1, 'Python'],
  ['prose', 'I will now look up the weather for you', 1, 'prose'],
  ['prose around code', 'Sure, here is the code for that:\n\nconst a = 1\nreturn a', 1, 'prose'],
  ['line breaks as backslash n', 'const a = 1;\\nreturn a;', 1, 'backslash'],
  ['typographic quotes', 'const a = “x”', 1, 'plain quotes'],
  ['a missing bracket', 'const a = [1, 2\nreturn a', 2, 'A program is TypeScript'],
  ['an error behind a fence line', '```ts\nconst a = 1\nconst b = = 2\n```', 3, 'syntax error'],
  ['an error that only the compiler knows', 'const a = 1\nlet b = "é", a = 2', 2, 'already been declared'],
  ['await in a function that is not async', 'const a = [1].map((x) => {\n  await tools.get({ x })\n})', 2, 'await'],
  ['an HTML comment', 'const a = 1\nconst b = a <!--a\nreturn b', 2, '<!--'],
])('%s is a syntax error with its line and advice', async (_, text, line, advice) => {
  const failure = await refused(text)
  expect(failure.message.toLowerCase()).toContain(advice.toLowerCase())
  expect(failure.line).toBe(line)
  expect(failure.message).toContain(`> ${line} | `)
})

test('the code frame shows the neighbours and points at the column', async () => {
  const { message } = await refused('const a = 1\nconst b = 2\nconst c = = 3\nreturn a')
  expect(message.split('\n').slice(0, 6)).toEqual([
    'syntax error: unexpected token (line 3, column 11)',
    '  1 | const a = 1',
    '  2 | const b = 2',
    '> 3 | const c = = 3',
    '    |           ^',
    '  4 | return a',
  ])
})

test('a code frame of a very long line shows the part around the column', async () => {
  const failure = await refused(`const a = [${'1, '.repeat(2_000)} = = ]`)
  expect(failure.message.length).toBeLessThan(700)
  const [line, caret] = failure.message.split('\n').slice(1, 3)
  expect(line?.[(caret ?? '').indexOf('^')]).toBe('=')
})

test('control characters of a program do not reach the message', async () => {
  const { message } = await refused('const a = "\u001b[31m\u202e" = 3 = 4')
  for (const control of ['\u001b', '\u202e']) expect(message).not.toContain(control)
})

test('a column counts UTF-16 units from 1, also for errors of the compiler, which counts bytes', async () => {
  const text = 'let a = 1; const ñ = "🚀"; let a = 2'
  const { column } = await refused(text)
  expect(column).toBe(text.lastIndexOf('a') + 1)
})
