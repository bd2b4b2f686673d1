import { afterAll, expect, test } from 'vitest'
import { judgeProgram, startChecker, viewOf, type Judged } from '../support/preflight-bench.ts'

const text = { type: 'string' }
const ISSUE = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: text,
    state: { enum: ['open', 'closed'] },
    assignee: { type: 'object', properties: { login: text }, required: ['login'] },
  },
  required: ['id', 'title', 'state'],
}
const TOOLS = [
  {
    name: 'list_issues',
    inputSchema: {
      type: 'object',
      properties: { owner: text, state: { enum: ['open', 'closed'] }, per_page: { type: 'integer' } },
      required: ['owner'],
    },
    outputSchema: { type: 'array', items: ISSUE },
  },
  {
    name: 'save',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'object', properties: { path: text, mode: text }, required: ['path'] } },
      required: ['to'],
      additionalProperties: false,
    },
  },
  { name: 'anything' },
]
const view = viewOf(TOOLS)
const checker = startChecker()
afterAll(() => checker[Symbol.asyncDispose]())

const judge = (program: string) => judgeProgram(program, view, checker)
const messageOf = (judged: Judged) => (judged.isCompiled ? judged.refusal?.message : judged.message)

test.each<[title: string, program: string, parts: readonly string[]]>([
  [
    'a wrong word',
    "await tools.list_issues({ owner: 'a', state: 'opne' })",
    ['"state" must be "closed" | "open"; got "opne"', 'state: "open"?', 'line 1, column 39'],
  ],
  [
    'a wrong type',
    'await tools.list_issues({ owner: 5 })',
    ['"owner" must be string; got number', 'Signature: tools.list_issues(args: { owner: string'],
  ],
  [
    'a missing argument',
    "await tools.list_issues({ state: 'open' })",
    ['tools.list_issues needs "owner"', 'tools.list_issues({ owner: … })'],
  ],
  ['no arguments', 'await tools.list_issues()', ['tools.list_issues needs "owner"']],
  [
    'a misspelt argument',
    "await tools.list_issues({ ownr: 'a' })",
    ['has no argument "ownr"', 'Did you mean "owner"?'],
  ],
  [
    'an argument in other case',
    "await tools.list_issues({ owner: 'a', perPage: 5 })",
    ['has no argument "perPage"', '"per_page"'],
  ],
  [
    'an unknown argument of a tool that refuses others',
    "await tools.save({ to: { path: 'x' }, zebra: 1 })",
    ['has no argument "zebra", and it refuses others'],
  ],
  ['a missing argument inside', "await tools.save({ to: { mode: 'x' } })", ['"to" needs "path"']],
  ['an unknown key beside a missing one', "await tools.list_issues({ zebra: 'a' })", ['needs "owner"']],
  [
    'a bare value',
    "await tools.list_issues('acme')",
    ['takes one object of arguments; got string', "tools.list_issues({ owner: 'acme' })"],
  ],
  [
    'too many arguments',
    "await tools.list_issues({ owner: 'a' }, 5)",
    ['takes one object of arguments; got 2 arguments'],
  ],
  [
    'a promise as an argument',
    'await tools.list_issues({ owner: tools.anything() })',
    ['not awaited', 'owner: await …'],
  ],
  [
    'a forgotten await, read',
    "const xs = tools.list_issues({ owner: 'a' })\nreturn xs.length",
    ['"length" is read from a promise', 'line 2'],
  ],
  [
    'a forgotten await, looped over',
    "for (const x of tools.list_issues({ owner: 'a' })) console.log(x)",
    ['promise that is not awaited'],
  ],
  [
    'a forgotten await, taken apart',
    "const { length = 1 } = tools.list_issues({ owner: 'a' })",
    ['promise that is not awaited'],
  ],
  [
    'a forgotten await, declared as the value',
    "const xs: unknown[] = tools.list_issues({ owner: 'a' })\nreturn xs.length",
    ['promise that is not awaited'],
  ],
  ['a forgotten await in a condition', 'if (tools.anything()) console.log(1)', ['promise that is not awaited']],
  [
    'a wrong field',
    "return (await tools.list_issues({ owner: 'a' })).map((x) => x.titel)",
    ['there is no "titel"', 'Did you mean "title"?'],
  ],
  [
    'a wrong field, taken apart',
    "const [{ titel }] = await tools.list_issues({ owner: 'a' })",
    ['there is no "titel"'],
  ],
  [
    'a field of a list',
    "return (await tools.list_issues({ owner: 'a' })).items",
    ['there is no "items"', 'It is an array'],
  ],
  ['an unknown name', 'consle.log(1)', ['consle is not defined', 'Did you mean console?']],
])('refused with advice: %s', async (_title, program, parts) => {
  const message = messageOf(await judge(program))
  expect(message).toBeDefined()
  for (const part of [...parts, 'Nothing was run.']) expect(message).toContain(part)
})

test.each([
  ['an object that is filled later', "const p = {}\np.owner = 'a'\nawait tools.list_issues(p)"],
  [
    'an object that is filled by computed keys',
    "const p = { state: 'open' }\nfor (const k of ['owner']) p[k] = 'a'\nawait tools.list_issues(p)",
  ],
  ['a spread of such an object', "const p = {}\np.owner = 'a'\nawait tools.list_issues({ ...p, per_page: 1 })"],
  ['a word in a variable', "let state = 'open'\nawait tools.list_issues({ owner: 'a', state })"],
  ['a word made of parts', "await tools.list_issues({ owner: 'a', state: `op${'en'}` })"],
  ['a value that may be missing', "const m = /a/.exec('a')\nawait tools.list_issues({ owner: m?.[0] })"],
  ['one of two types', "const v = Math.random() > 1 ? 5 : 'a'\nawait tools.list_issues({ owner: v })"],
  [
    'arrays that start empty',
    'const xs = []\nxs.push(1)\nxs.push("a")\nconst o = { list: [] }\no.list.push(1)\nreturn [xs, o].length',
  ],
  ['own objects that grow', 'const acc = {}\nacc.n = 1\nreturn acc.n'],
  [
    'reduce over an empty object',
    "return (await tools.list_issues({ owner: 'a' })).reduce((acc, x) => { acc[x.id] = x.title; acc.last = x.id; return acc }, {})",
  ],
  ['arithmetic with dates', 'return new Date() - new Date(0) > 0'],
  [
    'a field that is asked for',
    "const [x] = await tools.list_issues({ owner: 'a' })\nreturn x.body ?? x.text?.trim() ?? (x.html ? 1 : 2)",
  ],
  ['fields hung on errors', "const e = new Error('x')\ne.code = 'E'\nreturn e.code"],
  ['a name that is asked for', "return typeof window === 'undefined' ? 1 : window.x"],
  ['a name whose absence is caught', 'try { return nope } catch { return 1 }'],
  ['types that are not declared', 'const xs: Issue[] = []\nfunction f(x: Thing): Other { return x }\nreturn f(xs)'],
  ['wrong words about types', 'const n: number = "five" as any\nconst s: string = 5\nreturn [n, s]'],
  [
    'calls of the library that TypeScript dislikes',
    'return [parseInt(5.5), Math.max("1", 2), [1, 2].includes("1"), JSON.parse({}.x ?? null)]',
  ],
  ['new names of the language', 'return [Object.groupBy([1], (x) => x), [3, 1].toSorted(), Promise.try(() => 1)]'],
  ['a tool by a computed name', "const name = 'list_issues'\nreturn await tools[name]({ owner: 'a' })"],
  [
    'comparison that can never hold',
    "const [x] = await tools.list_issues({ owner: 'a' })\nreturn x.state === 'merged'",
  ],
])('never refused: %s', async (_title, program) => {
  expect(messageOf(await judge(program))).toBeUndefined()
})

test.each([
  [
    'an unknown argument of a tool that may take it',
    "await tools.list_issues({ owner: 'a', zebra: 1 })",
    'has no argument "zebra"',
  ],
  [
    'a field of a result that may be missing',
    "return (await tools.list_issues({ owner: 'a' }))[0].assignee.login",
    'may be missing',
  ],
  [
    'a comparison that can never hold',
    "const [x] = await tools.list_issues({ owner: 'a' })\nif (x.state === 'merged') return 1",
    'never equal',
  ],
])('a notice, not a refusal: %s', async (_title, program, part) => {
  const judged = await judge(program)
  expect(messageOf(judged)).toBeUndefined()
  expect(judged.isCompiled && judged.notices.map(({ message }) => message).join('\n')).toContain(part)
})

test('line and column count in the submitted text, behind fences, emoji and line breaks of every kind', async () => {
  const judged = await judge("Sure:\n```ts\r\nconst a = '👩‍👩‍👧 é'\r\n\tawait tools.list_issues({ owner: 5 })\n```")
  expect(judged).toMatchObject({ refusal: { line: 4, column: 28 } })
})

test('names and types of strangers cannot bring control characters into a message', async () => {
  const hostile = viewOf([
    {
      name: 'x',
      inputSchema: {
        type: 'object',
        properties: { 'a\u202e\u0007b': { enum: ['\u001b[31m'] } },
        required: ['a\u202e\u0007b'],
      },
    },
  ])
  for (const program of ['await tools.x({})', "await tools.x({ 'a\\u202e\\u0007b': 'no' })"]) {
    const message = messageOf(await judgeProgram(program, hostile, checker))
    expect(message).toBeDefined()
    for (const sign of ['\u202e', '\u0007', '\u001b']) expect(message).not.toContain(sign)
  }
})

test('a program with hundreds of mistakes gets one short message', async () => {
  const program = Array.from({ length: 400 }, (_, n) => `await tools.list_issues({ owner: ${n} })`).join('\n')
  const message = messageOf(await judge(program))
  expect(message).toContain('more.')
  expect((message ?? '').length).toBeLessThan(3_000)
})
