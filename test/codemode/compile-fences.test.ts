import { beforeAll, expect, test } from 'vitest'
import { compileProgram } from '../../src/codemode/compile.ts'
import { readingsOf } from '../../src/codemode/compile/fences.ts'
import { runAll, type Ran } from './evaluate.ts'

/** Text, value, and whether something was dropped that is worth a notice. */
const FENCED: readonly (readonly [string, string, unknown, boolean])[] = [
  ['a plain fence', '```\nreturn 1\n```', 1, false],
  ['a fence with a language', '```typescript\nreturn 1\n```', 1, false],
  ['a fence with an unknown tag', '```run-this please\nreturn 1\n```', 1, false],
  ['a fence of tildes', '~~~ts\nreturn 1\n~~~', 1, false],
  ['a long fence', '````ts\nreturn 1\n````', 1, false],
  ['blank lines around a fence', '\n\n```ts\nreturn 1\n```\n\n', 1, false],
  ['an indented fence', '  ```ts\n  return 1\n  ```', 1, false],
  ['CRLF', '```ts\r\nreturn 1\r\n```\r\n', 1, false],
  ['a fence that is never closed', '```ts\nreturn 1', 1, false],
  ['prose before and after', 'Here it is:\n\n```js\nreturn 1\n```\n\nDone.', 1, true],
  ['a single word before', 'Program:\n```js\nreturn 1\n```', 1, true],
  ['prose that parses', 'code\n```js\nconst a = 1\n```', undefined, true],
  ['prose behind only', '```js\nreturn 1\n```\nThat returns 1.', 1, true],
  [
    'an escaped fence inside a template',
    '```ts\nconst a = `\n\\`\\`\\`\nb\n\\`\\`\\`\n`\nreturn a.length\n```',
    11,
    false,
  ],
  ['a fence inside a comment', '```ts\n/*\n```js\nexample()\n```\n*/\nreturn 1\n```', 1, false],
  ['tildes inside a template', '~~~ts\nconst a = `\n~~~\nb\n~~~\n`\nreturn a.split("\\n").length\n~~~', 5, false],
  ['a template with tildes and no fence around', 'const a = `\n~~~\nb\n~~~\n`\nreturn a.length', 11, false],
  ['a comment with a fence and no fence around', '/*\n```js\nexample()\n```\n*/\nreturn 1', 1, false],
  ['a shell block before the program', 'First:\n```bash\nnpm install\n```\nThen:\n```ts\nreturn 1\n```', 1, true],
  ['a result block behind the program', '```ts\nreturn 1\n```\nIt gives:\n```json\n{ "a": 1 }\n```', 1, true],
]

const FAILING = 'Look:\n```ts\nconst a = null as any\nreturn a.b\n```'

let ran: (text: string) => Ran
beforeAll(async () => {
  ran = await runAll([...FENCED.map(([, text]) => text), FAILING])
})

test.each(FENCED)('%s: the program inside is what runs', (_, text, value, isNoticed) => {
  const { program, evaluated } = ran(text)
  expect(evaluated).toMatchObject({ ok: true })
  expect(evaluated.value).toBe(value)
  expect(program.notices.some(({ code }) => code === 'fence-removed')).toBe(isNoticed)
})

test('two programs in one text are none', async () => {
  const text = '```ts\nreturn 1\n```\nor\n```ts\nreturn 2\n```'
  expect(await compileProgram(text, { maxProgramBytes: 1_000 })).toMatchObject({ ok: false })
})

test.each(FENCED)('%s: every reading keeps the offsets of the text', (_, text) => {
  for (const reading of readingsOf(text)) {
    expect(reading.text).toHaveLength(text.length)
    for (let at = 0; at < text.length; at++) if (reading.text[at] !== ' ') expect(reading.text[at]).toBe(text[at])
  }
})

test('positions in a fenced program are those of the whole text', () => {
  const { program, evaluated } = ran(FAILING)
  expect(program.mapStack(evaluated.error?.stack ?? '')).toContain('program.ts:4:10')
})
