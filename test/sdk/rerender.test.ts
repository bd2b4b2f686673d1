import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveNames } from '../../src/registry/native-names.ts'
import { renderSdk, tokensOf } from '../../src/sdk/render.ts'
import type { RenderOptions, SdkLevel } from '../../src/sdk/render.ts'
import type { SdkTool, SdkView } from '../../src/sdk/sdk-view.ts'
import { compileTexts } from './compile-texts.ts'
import { viewOf } from './sdk-fixtures.ts'

const PLACE = {
  type: 'object',
  properties: { latitude: { type: 'number' }, longitude: { type: 'number' }, label: { type: 'string' } },
  required: ['latitude', 'longitude'],
}
const ACCOUNT = {
  account: { type: 'string', description: 'The account in whose name this is done; the default one if it is left out' },
  retries: { type: 'integer', description: 'How often a call that failed for reasons of the network is made again' },
}
const tool = (at: number) => ({
  name: `tool_${at}`,
  description: `Does thing ${at}`,
  inputSchema: {
    type: 'object',
    properties: { ...ACCOUNT, place: PLACE, [`key_${at}`]: { type: 'string', description: `Key ${at}` } },
    required: ['place'],
  },
  ...(at % 2 === 0 && { outputSchema: { type: 'object', properties: { found: { type: 'array', items: PLACE } } } }),
})
const { view: BASE } = viewOf(
  Array.from({ length: 100 }, (_, at) => tool(at)),
  'srv',
)

/** As a registry makes a new view: the definitions that stay are the same objects. */
function viewWith(changes: Readonly<Record<string, SdkTool | undefined>>): SdkView {
  const toolsByName = new Map(BASE.toolsByName)
  for (const [name, changed] of Object.entries(changes)) {
    if (changed === undefined) toolsByName.delete(name)
    else toolsByName.set(name, changed)
  }
  return { toolsByName }
}
function copyOf(view: SdkView): SdkView {
  return { toolsByName: new Map([...view.toolsByName].map(([name, one]) => [name, structuredClone(one)])) }
}
const renderView = (view: SdkView, options: RenderOptions = { level: 'L3' }) =>
  renderSdk(view, deriveNames(view), options)
const the = (name: string): SdkTool => {
  const found = BASE.toolsByName.get(name)
  if (found === undefined) throw new Error(name)
  return found
}

describe('after a change', () => {
  test('only the changed tool is printed anew', () => {
    renderView(BASE)
    const changed = { ...the('srv.tool_50'), description: 'Does it otherwise' }
    const { printed, text } = renderView(viewWith({ 'srv.tool_50': changed }))
    expect(printed).toBe(1)
    expect(text).toContain('// Does it otherwise')
    expect(renderView(viewWith({ 'srv.tool_50': { ...changed, description: 'Other' } })).printed).toBe(1)
    expect(renderView(viewWith({ 'srv.tool_50': undefined })).printed).toBe(0)
    expect(renderView(viewWith({})).printed).toBe(0)
  })

  test('the text is the one that the same tools give when nothing was ever printed', () => {
    const schemas = fc.constantFrom(
      PLACE,
      { type: 'object', properties: { ...PLACE.properties, label: { type: 'string', description: 'Said anew' } } },
      { type: 'object', properties: { ...ACCOUNT, where: { type: 'array', items: PLACE } } },
      { type: 'object', properties: { account: ACCOUNT.account } },
      { type: 'string' },
    )
    const change = fc.record({
      at: fc.integer({ min: 0, max: 20 }),
      parameters: schemas,
      output: fc.option(schemas, { nil: undefined }),
      isGone: fc.boolean(),
    })
    const levels: readonly SdkLevel[] = ['L1', 'L2', 'L3', 'L4']
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), fc.constantFrom(...levels), (changes, level) => {
        const changed: Record<string, SdkTool | undefined> = {}
        for (const { at, parameters, output, isGone } of changes) {
          const name = `srv.tool_${at}`
          const schema = output === undefined ? {} : { schema: output }
          changed[name] = isGone ? undefined : { ...the(name), parameters, output: schema }
          const view = viewWith(changed)
          expect(renderView(view, { level }).text).toBe(renderView(copyOf(view), { level }).text)
        }
      }),
      { numRuns: 12 },
    )
  })
})

describe('an index', () => {
  test('reads no schema, unless it is asked what was odd about them', () => {
    let reads = 0
    const list = Array.from({ length: 3_000 }, (_, at): readonly [string, SdkTool] => [
      `tool_${at}`,
      {
        name: `tool_${at}`,
        description: '',
        output: {},
        get parameters() {
          reads += 1
          return { type: 'dict' }
        },
      },
    ])
    const view = { toolsByName: new Map(list) }
    expect(renderView(view, { level: 'L1' }).text).toContain('tool_2999: Tool')
    expect(renderView(view, { budgetTokens: 2_000 }).level).toBe('L0')
    expect(reads).toBe(0)
    expect(renderView(view, { level: 'L1' }).warnings).toHaveLength(3_000)
    expect(reads).toBeGreaterThan(0)
  })
})

describe('arguments that many tools have in common', () => {
  test('are declared once, with their words, and count as the tool’s own', () => {
    const { text } = renderView(viewWith({}))
    expect(text.match(/The account in whose name/g)).toHaveLength(1)
    expect(text).toContain('tool_7(args: AccountArgs & {\n')
    const call = (args: string) =>
      compileTexts({ 'call.ts': `${text}\nexport const p = tools.srv.tool_7(${args})` }).map(({ code }) => code)
    expect(call('{ place: { latitude: 1, longitude: 2 }, account: "a", key_7: "k" }')).toEqual([])
    expect(call('{ place: { latitude: 1, longitude: 2 }, account: 1 }')).toEqual([2322])
    expect(call('{ account: "a" }')).toEqual([2345])
    expect(call('{ place: { latitude: 1, longitude: 2 }, acount: "a" }')).toHaveLength(1)
  })

  test('stay with each tool when few have them, or when no words come with them', () => {
    const few = viewOf([tool(1), tool(3)], 'srv')
    expect(renderSdk(few.view, few.names, { level: 'L3' }).text).not.toContain('AccountArgs')
    expect(renderView(viewWith({}), { level: 'L2' }).text).not.toContain('AccountArgs')
  })
})

describe('tools used before', () => {
  const recent = ['srv.tool_9', 'srv.tool_8', 'srv.gone', 'srv.tool_7']
  const isWhole = (text: string, at: number): boolean => text.includes(`tool_${at}(args`)

  test('keep their full signature in an index, as pinned ones do', () => {
    const { text, level } = renderView(viewWith({}), { budgetTokens: 2_500, recent, pinned: ['srv.tool_1'] })
    expect(level).toBe('L1')
    expect([9, 8, 7, 1].every((at) => isWhole(text, at))).toBe(true)
    expect(isWhole(text, 2)).toBe(false)
    expect(compileTexts({ 'index.ts': text })).toEqual([])
  })

  test('lose it from the one used longest ago on, when nothing else is left to save on', () => {
    const shown = (budgetTokens: number) => {
      const { text } = renderView(viewWith({}), { budgetTokens, recent, pinned: ['srv.tool_1'] })
      return [1, 9, 8, 7].filter((at) => isWhole(text, at))
    }
    const steps = new Set<string>()
    for (let budget = 400; budget >= 0; budget -= 8) steps.add(shown(budget).join(' '))
    const [first, ...others] = steps
    expect(first).toBe('1 9 8 7')
    expect(others.length).toBeGreaterThan(1)
    expect(others.every((step) => '1 9 8 7'.startsWith(step))).toBe(true)
    expect(others.at(-1)).toBe('1')
  })

  test('are never shown less for more', () => {
    let before = { whole: 0, listed: 0 }
    for (let budget = 0; budget <= 8_000; budget += 160) {
      const { text, level } = renderView(viewWith({}), { budgetTokens: budget, recent, pinned: ['srv.tool_1'] })
      const now = {
        whole: text.match(/tool_\d+\(args/g)?.length ?? 0,
        listed: text.match(/tool_\d+(\(args|: Tool)/g)?.length ?? 0,
      }
      expect(now.whole).toBeGreaterThanOrEqual(before.whole)
      expect(now.listed).toBeGreaterThanOrEqual(before.listed)
      if (level !== 'L0') expect(tokensOf(text)).toBeLessThanOrEqual(budget)
      before = now
    }
    expect(before.whole).toBe(100)
  })
})
