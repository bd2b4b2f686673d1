import { describe, expect, test } from 'vitest'
import { createEngine, defineTool } from '../../src/index.ts'
import { renderCheckerSdk } from '../../src/sdk/render-checker.ts'
import { renderSdk } from '../../src/sdk/render.ts'
import { describeTools } from '../../src/sdk/search.ts'
import { compileTexts } from './compile-texts.ts'
import { viewOf } from './sdk-fixtures.ts'

/** Names that the SDK itself or the language has a use for. */
const NAMES = 'full search describe read show progress tools sdk artifacts then toJSON constructor Tool Untyped'.split(
  ' ',
)
const listed = NAMES.map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
}))
const LEVELS = ['L0', 'L1', 'L2', 'L3'] as const
const OWN = 'full(name: string, args?: object)'

describe('a tool called full, beside others with names of the SDK', () => {
  test('is the only `full` in every text, and every text is TypeScript', () => {
    const whole = viewOf(listed)
    const grouped = viewOf(listed, 'full')
    const texts = Object.fromEntries([
      ...LEVELS.map((level) => [`${level}.ts`, renderSdk(whole.view, whole.names, { level }).text]),
      ...LEVELS.map((level) => [`grouped-${level}.ts`, renderSdk(grouped.view, grouped.names, { level }).text]),
      ['described.ts', describeTools(whole.view, whole.names, ['full', 'search'])],
      ['other.ts', describeTools(whole.view, whole.names, ['search'])],
      ['checker.ts', renderCheckerSdk(whole.view, whole.names)],
      ['grouped-checker.ts', renderCheckerSdk(grouped.view, grouped.names)],
    ]) as Record<string, string>
    expect(compileTexts(texts)).toEqual([])
    const own = Object.keys(texts).filter((file) => texts[file]?.includes(OWN))
    expect(own.toSorted()).toEqual(
      Object.keys(texts)
        .filter((file) => file.startsWith('grouped'))
        .toSorted(),
    )
  })

  test('is what a program calls, in the eyes of the checker and of the sandbox', async () => {
    const take = (name: string) =>
      defineTool({
        name,
        description: name,
        parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        execute: ({ a }) => `${name}: ${a}`,
      })
    await using engine = await createEngine({ tools: [take('full'), take('other')], typecheck: 'error' })
    const run = async (code: string) => {
      const { outcome, value } = await engine.run(code)
      return outcome.isError ? outcome.error.code : value?.result
    }
    expect(await run(`return await tools.full({ a: 'x' })`)).toBe('full: x')
    expect(await run(`return await tools.full('other', { a: 'x' })`)).toBe('TYPE_ERROR')
    expect(await run(`return await (tools as any).full('other', { a: 'x' })`)).toBe('PROGRAM_ERROR')
    expect(await run(`return Object.keys(tools).filter((name) => name === 'full').length`)).toBe(1)
  })
})
