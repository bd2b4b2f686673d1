import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveNames } from '../../src/registry/native-names.ts'
import { renderCheckerSdk } from '../../src/sdk/render-checker.ts'
import { renderSdk, tokensOf } from '../../src/sdk/render.ts'
import type { SdkTool } from '../../src/sdk/sdk-view.ts'
import { compileTexts } from './compile-texts.ts'
import { render, viewOf } from './sdk-fixtures.ts'
import type { ListedTool } from './sdk-fixtures.ts'

const PLACE = {
  type: 'object',
  properties: { latitude: { type: 'number' }, longitude: { type: 'number' }, label: { type: 'string' } },
  required: ['latitude', 'longitude'],
}
const TOOLS: readonly ListedTool[] = [
  {
    name: 'find',
    description: 'Finds places.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words' } },
      required: ['query'],
    },
    outputSchema: { type: 'object', properties: { places: { type: 'array', items: PLACE } }, required: ['places'] },
  },
  {
    name: 'route',
    description: 'Plans a route.',
    inputSchema: { type: 'object', properties: { from: PLACE, to: PLACE }, required: ['from', 'to'] },
  },
  { name: 'ping', description: '', inputSchema: { type: 'object' } },
]
const MANY: readonly ListedTool[] = Array.from({ length: 60 }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does the thing number ${at}, and describes at some length what that is, so that lines are not short.`,
  inputSchema: { type: 'object', properties: { [`key_${at}`]: { type: 'string', description: 'What it is about.' } } },
}))

describe('the text', () => {
  test('has one member a tool, shared types once, and descriptions beside what they describe', () => {
    expect(render(TOOLS, { level: 'L3' }, 'geo').text)
      .toBe(`type Untyped = any // undeclared result: JSON text comes parsed, other text as a string
type Place = { latitude: number; longitude: number; label?: string }
declare const tools: {
 full(name: string, args?: object): Promise<{ value: any; content: ContentBlock[]; meta?: any }> // any tool by its exact name
 geo: {
  // Finds places.
  find(args: {
   query: string // Words
  }): Promise<{ places: Place[] }>
  ping(args?: {}): Promise<Untyped>
  // Plans a route.
  route(args: { from: Place; to: Place }): Promise<Untyped>
 }
}
`)
  })

  test('is the same, byte for byte, whatever order the tools came in', () => {
    const expected = render([...TOOLS, ...MANY]).text
    fc.assert(
      fc.property(fc.shuffledSubarray([...TOOLS, ...MANY], { minLength: TOOLS.length + MANY.length }), (shuffled) => {
        const { view, names } = viewOf(shuffled, 'srv')
        const shuffledView = { toolsByName: new Map([...view.toolsByName].sort(() => 0).reverse()) }
        expect(renderSdk(shuffledView, deriveNames(shuffledView)).text).toBe(expected)
        expect(renderSdk(view, names).text).toBe(expected)
      }),
      { numRuns: 8 },
    )
  })

  test('is made once for a view and its options', () => {
    const { view, names } = viewOf(TOOLS, 'geo')
    expect(renderSdk(view, names)).toBe(renderSdk(view, names, {}))
    expect(renderSdk(view, names, { level: 'L2' })).not.toBe(renderSdk(view, names))
  })

  test('leaves out tools that programs cannot call', () => {
    const { view } = viewOf(TOOLS, 'geo')
    const toolsByName = new Map<string, SdkTool>(
      [...view.toolsByName].map(([name, tool]) => [name, { ...tool, tier: 'native' }]),
    )
    const rendered = renderSdk({ toolsByName }, deriveNames({ toolsByName }))
    expect(rendered.nameMap.size).toBe(0)
    expect(rendered.text).not.toContain('find')
    expect(compileTexts({ 'none.ts': rendered.text })).toEqual([])
  })

  test('shares types between tools, whatever their descriptions say, and keeps only what they agree on', () => {
    const owner = (words: string) => ({
      type: 'object',
      properties: { login: { type: 'string', description: words }, id: { type: 'integer', description: 'Number' } },
      required: ['login', 'id'],
    })
    const list = ['first', 'second'].map((name) => ({
      name,
      description: '',
      inputSchema: { type: 'object', properties: { user: owner(`Login for ${name}`), tagline: { type: 'string' } } },
    }))
    // Long enough to be worth a name.
    for (const { inputSchema } of list)
      Object.assign(inputSchema.properties.user.properties, { homepage: { type: 'string' } })
    const { text } = render(list, { level: 'L3' })
    expect(text).toContain('type User = {\n login: string\n id: number // Number (int)\n homepage?: string\n}\n')
    expect(text.match(/user\?: User\b/g)).toHaveLength(2)
  })

  test('gives two recursive types of equal shape one name', () => {
    const tree = (name: string) => ({
      $defs: {
        [name]: { type: 'object', properties: { kids: { type: 'array', items: { $ref: `#/$defs/${name}` } } } },
      },
      type: 'object',
      properties: { root: { $ref: `#/$defs/${name}` } },
    })
    const { text } = render(
      [
        { name: 'a', description: '', inputSchema: tree('Node') },
        { name: 'b', description: '', inputSchema: tree('Branch') },
      ],
      { level: 'L2' },
    )
    expect(text.match(/^type (?!Untyped).*$/gm)).toEqual(['type Node = { kids?: Node[] }'])
    expect(compileTexts({ 'tree.ts': text })).toEqual([])
  })

  test('reaches tools whose names fall together by names of their own, and tells', () => {
    const rendered = render(
      ['a-b', 'a.b', 'a_b'].map((name) => ({ name, description: '', inputSchema: { type: 'object' } })),
    )
    expect(rendered.nameMap.get('srv.a_b')).toBe('srv.a_b')
    expect([...rendered.nameMap.values()].sort()).toEqual(['srv.a-b', 'srv.a.b', 'srv.a_b'])
    for (const path of rendered.nameMap.keys()) expect(rendered.text).toContain(` ${path.slice('srv.'.length)}(args`)
    expect(rendered.warnings.map(({ tool }) => tool)).toEqual(expect.arrayContaining(['srv.a-b', 'srv.a.b']))
  })

  test('stands without a namespace as well', () => {
    const { view, names } = viewOf([{ name: 'get-weather', description: 'Weather', inputSchema: { type: 'object' } }])
    expect(renderSdk(view, names).text).toContain('\n // Weather\n get_weather(args?: {}): Promise<Untyped>\n}')
  })
})

describe('the budget', () => {
  test('shows everything when it fits, else an index with the pinned tools whole', () => {
    expect(render(MANY)).toMatchObject({ level: 'L3' })
    const index = render(MANY, { budgetTokens: 2_000, pinned: new Set(['srv.tool_7', 'srv.gone']) })
    expect(index.level).toBe('L1')
    expect(index.text).toContain('tool_7(args?: {')
    expect(index.text).toContain('  tool_8: Tool // Does the thing number 8')
    expect(index.nameMap.size).toBe(60)
  })

  test('never shows less for more, and keeps to itself as long as one line a tool fits', () => {
    const shown = (budgetTokens: number) => render(MANY, { budgetTokens, pinned: new Set(['srv.tool_1']) })
    const order = ['L0', 'L1', 'L2', 'L3']
    let before = shown(0)
    expect(before.level).toBe('L0')
    expect(before.text).toContain('tool_1(args?: {')
    for (let budget = 50; budget <= 4_000; budget += 50) {
      const now = shown(budget)
      expect(order.indexOf(now.level)).toBeGreaterThanOrEqual(order.indexOf(before.level))
      expect(now.text.length).toBeGreaterThanOrEqual(before.text.length)
      if (now.level !== 'L0') expect(tokensOf(now.text)).toBeLessThanOrEqual(budget)
      before = now
    }
    expect(before.level).toBe('L3')
  })
})

describe('the declarations that programs are checked against', () => {
  const { view, names } = viewOf(
    [
      ...TOOLS,
      {
        name: 'get-sum',
        description: '',
        inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      },
    ],
    'geo',
  )
  const check = (program: string) =>
    compileTexts({
      'program.ts': `${renderCheckerSdk(view, names)}\nexport async function program() {\n${program}\n}`,
    }).map(({ code, message }) => `TS${code}: ${message}`)

  test('take calls by path, by exact name, by namespace and through full', () => {
    expect(
      check(`
        const { places } = await tools.geo.find({ query: 'x' })
        const [first] = places
        await geo.route({ from: first, to: { latitude: 1, longitude: 2 } })
        await tools['geo.get-sum']({ a: 1 })
        await tools.geo.get_sum({ a: 1 })
        await tools.geo.ping()
        const whole = await tools.full('geo.ping')
        for (const block of whole.content) show(block)
        const untyped = await tools.geo.ping({})
        return untyped.any.thing[0] + places.map((place) => place.label ?? 'none').join()
      `),
    ).toEqual([])
  })

  test('refuse what the tools would refuse, and name the place', () => {
    const [argument, unknownTool, missing, ...more] = check(`
      await tools.geo.find({ query: 1 })
      await tools.geo.fnid({ query: 'x' })
      await tools['geo.get-sum']({})
    `)
    expect(argument).toContain('TS2322')
    expect(unknownTool).toContain("Property 'fnid' does not exist")
    expect(missing).toContain("'a' is missing")
    expect(more).toEqual([])
  })

  test('do not let a namespace take the place of a global', () => {
    const clash = viewOf([{ name: 'log', description: '', inputSchema: { type: 'object' } }], 'console')
    const text = renderCheckerSdk(clash.view, clash.names)
    expect(compileTexts({ 'clash.ts': `${text}\nexport const p = tools.console.log({})\nconsole.log('x')` })).toEqual(
      [],
    )
  })
})
