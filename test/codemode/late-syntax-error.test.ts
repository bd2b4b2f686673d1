import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEngine, type Engine } from '../../src/index.ts'

let engine: Engine
beforeAll(async () => void (engine = await createEngine({})))
afterAll(() => engine[Symbol.asyncDispose]())

async function refusalOf(code: string) {
  const { outcome } = await engine.run(code)
  if (!outcome.isError) return expect.unreachable('it is no program')
  return { ...outcome.error, ...(outcome.error.details as { readonly line?: number; readonly column?: number }) }
}

describe('a syntax error that only V8 finds', () => {
  test('is told as every other one: with the place in the submitted text and the line', async () => {
    const { code, message, line, column } = await refusalOf('const r = /(/')
    expect([code, line, column]).toEqual(['COMPILE_ERROR', 1, 11])
    expect(message).toBe(
      'syntax error: invalid regular expression: /(/: Unterminated group (line 1, column 11)\n' +
        '> 1 | const r = /(/\n    |           ^',
    )
  })

  test.each([
    ['on a later line', 'const a = 1\n\nconst   r = /(/\nreturn r', 3, 13],
    ['behind types', 'const a: number = 1; const r: RegExp = /[b-a]/\nreturn r', 1, 40],
    ['in a fence', '```ts\nconst x: number = 1\n  const q = /+/\nreturn q\n```', 3, 13],
    ['in code that was lowered', 'enum A { X }\nconst r = /(/\nreturn A.X', 2, 11],
    ['in a module', 'export default async function () {\n  return /+/\n}', 2, 10],
    ['behind letters of two bytes', 'const s = "éé"; return /*ü*/ /(/', 1, 30],
  ])('%s', async (_where, program, line, column) => {
    const refusal = await refusalOf(program)
    expect(refusal).toMatchObject({ code: 'COMPILE_ERROR', line, column })
    expect(refusal.message).toContain(`(line ${line}, column ${column})\n`)
    expect(refusal.message).not.toContain('program.js')
  })
})
