import { describe, expect, test } from 'vitest'
import { deriveNames } from '../../src/registry/native-names.ts'
import { renderCheckerSdk } from '../../src/sdk/render-checker.ts'
import { renderSdk } from '../../src/sdk/render.ts'
import type { SdkView } from '../../src/sdk/sdk-view.ts'
import { compileTexts } from './compile-texts.ts'
import { wrongVerdicts } from './judge-rows.ts'
import type { Row } from './judge-rows.ts'
import { printSchema, render, viewOf } from './sdk-fixtures.ts'

const A = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const B = { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] }
const closed = (key: string) => ({
  type: 'object',
  properties: { [key]: { type: 'string' } },
  additionalProperties: false,
})
const node = (anchor: object) => ({
  type: 'object',
  ...anchor,
  properties: { v: { type: 'string' }, kids: { type: 'array', items: {} } },
  required: ['v'],
})

const ROWS: readonly Row[] = [
  {
    title: 'a default neither takes null away nor makes an argument required',
    schema: {
      type: 'object',
      properties: { x: { type: ['string', 'null'], default: 'x' }, y: { type: ['string', 'null'], default: null } },
    },
    direction: 'input',
    type: '{ x?: string | null; y?: string | null }',
    valid: [{}, { x: null, y: 'y' }, { x: 'a' }],
    invalid: [{ x: 1 }, { y: true }],
  },
  {
    title: 'other keys of which only their shape as objects is said, beside one that is named',
    schema: {
      type: 'object',
      properties: { x: { type: 'string' } },
      additionalProperties: { properties: { a: { type: 'string' } } },
    },
    direction: 'output',
    type: '{ x?: string; [key: string]: any }',
    valid: [{}, { x: 'a', y: { a: 'b' }, z: 3 }],
    invalid: [{ x: 1 }],
  },
  {
    title: 'closed parts of allOf are said to exclude each other, and are not turned into never',
    schema: { allOf: [closed('a'), closed('b')] },
    type: '{ a?: string; b?: string }',
    valid: [{}],
    invalid: [{ a: 1 }],
  },
  {
    title: 'tuples in the words of 2020-12 under the name of draft 7',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      items: false,
    },
    type: '[string?, number?]',
    valid: [[], ['a'], ['a', 1]],
    invalid: [[1], ['a', 1, 2]],
  },
  {
    title: 'tuples in the words of draft 7 under no name',
    schema: { type: 'array', items: [{ type: 'string' }], additionalItems: false, minItems: 1 },
    type: '[string]',
    valid: [['a']],
    invalid: [[], [1], ['a', 'b']],
  },
  {
    title: 'a definition that two properties name is one type',
    schema: {
      type: 'object',
      $defs: {
        P: { type: 'object', properties: { x: { type: 'number' }, name: { type: 'string' } }, required: ['x'] },
      },
      properties: { from: { $ref: '#/$defs/P', description: 'Start' }, to: { $ref: '#/$defs/P', description: 'End' } },
      required: ['from'],
    },
    direction: 'input',
    valid: [{ from: { x: 1 } }, { from: { x: 1 }, to: { x: 2, name: 'n' } }],
    invalid: [{ from: {} }, { from: { x: 1 }, to: { x: '2' } }],
  },
  {
    title: 'what stands in the place of a dangling reference is unknown to arguments',
    schema: { type: 'object', properties: { gone: { $ref: '#/$defs/Gone' } }, required: ['gone'] },
    direction: 'input',
    type: '{ gone: unknown }',
    valid: [{ gone: 1 }, { gone: { x: [] } }],
    invalid: [{}],
  },
  {
    title: 'a dynamic reference with one anchor is that definition',
    schema: {
      $id: 'https://example.com/tree',
      $ref: '#node',
      $defs: {
        n: {
          ...node({ $dynamicAnchor: 'node' }),
          properties: { v: { type: 'string' }, kids: { type: 'array', items: { $dynamicRef: '#node' } } },
        },
      },
    },
    valid: [{ v: 'a' }, { v: 'a', kids: [{ v: 'b', kids: [] }] }],
    invalid: [{}, { v: 'a', kids: [{ kids: [] }] }],
  },
  {
    title: 'a dynamic reference with two anchors of its name may be either',
    schema: {
      $id: 'https://example.com/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      $defs: {
        tree: {
          $id: 'tree',
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { kids: { type: 'array', items: { $dynamicRef: '#node' } } },
        },
      },
    },
    type: '{ kids?: any[] }',
    valid: [{ kids: [1, {}, 'x'] }],
    invalid: [{ kids: 1 }],
  },
  {
    title: 'a recursive reference of 2019-09',
    schema: {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      type: 'object',
      properties: { v: { type: 'string' }, next: { $recursiveRef: '#' } },
      required: ['v'],
    },
    valid: [{ v: 'a', next: { v: 'b' } }],
    invalid: [{ v: 'a', next: {} }],
  },
  {
    title: 'unevaluated properties beside nothing else are additional ones',
    schema: { type: 'object', properties: { a: { type: 'string' } }, unevaluatedProperties: { type: 'number' } },
    type: '{ a?: string; [key: string]: string | number | undefined }',
    valid: [{ a: 'x', n: 1 }, {}],
    invalid: [{ a: 'x', n: true }],
  },
  {
    title: 'unevaluated properties beside allOf take nothing away',
    schema: { allOf: [A, B], unevaluatedProperties: false },
    type: '{ a: string; b: number }',
    valid: [{ a: 'x', b: 1 }],
    invalid: [{ a: 'x' }],
  },
  {
    title: 'unevaluated properties beside a condition take nothing away',
    schema: {
      type: 'object',
      if: { required: ['a'] },
      then: { properties: { a: { type: 'string' } } },
      unevaluatedProperties: { type: 'number' },
    },
    valid: [{ a: 'text' }, { n: 1 }],
  },
  {
    title: 'unevaluated items behind a tuple end it',
    schema: { type: 'array', prefixItems: [{ type: 'string' }], unevaluatedItems: false },
    type: '[string?]',
    valid: [[], ['a']],
    invalid: [['a', 'b']],
  },
  {
    title: 'unevaluated items beside contains take nothing away',
    schema: { type: 'array', contains: { type: 'string' }, unevaluatedItems: { type: 'number' } },
    valid: [['a', 1]],
  },
  {
    title: 'arguments that are one of two objects',
    schema: { oneOf: [A, B] },
    direction: 'arguments',
    type: '{ a: string } | { b: number }',
    valid: [{ a: 'x' }, { b: 1 }],
    invalid: [{}, { a: 1 }],
  },
  {
    title: 'arguments that are several objects at once',
    schema: { type: 'object', allOf: [A, { anyOf: [B, { type: 'object', properties: { c: { type: 'null' } } }] }] },
    direction: 'arguments',
    valid: [{ a: 'x', b: 1 }, { a: 'x' }, { a: 'x', c: null }],
    invalid: [{ b: 1 }],
  },
]

describe('drafts and the rarer keywords', () => {
  test.each(ROWS.filter(({ type }) => type !== undefined))('$title', ({ schema, direction, type }) => {
    expect(printSchema(schema, direction).text).toBe(type)
  })

  test('the types take the valid values and refuse the invalid ones, by the word of the compiler', () => {
    expect(wrongVerdicts(ROWS)).toEqual([])
  })

  test('two tools may give their schemas the same id', () => {
    const schema = (type: string) => ({
      $id: 'https://example.com/result',
      type: 'object',
      properties: { value: { $ref: '#/$defs/v' } },
      $defs: { v: { type } },
    })
    const { text, warnings } = render([
      { name: 'one', description: '', inputSchema: { type: 'object' }, outputSchema: schema('string') },
      { name: 'two', description: '', inputSchema: { type: 'object' }, outputSchema: schema('number') },
    ])
    expect(text).toContain('one(args?: {}): Promise<{ value?: string }>')
    expect(text).toContain('two(args?: {}): Promise<{ value?: number }>')
    expect(warnings).toEqual([])
  })

  test('a remote reference costs its own spot and a warning, and nothing is fetched', () => {
    const fetched = globalThis.fetch
    globalThis.fetch = () => Promise.reject(new Error('fetched'))
    try {
      const { text, warnings } = printSchema(
        { type: 'object', properties: { x: { $ref: 'https://example.com/schema.json#/a' }, y: { type: 'string' } } },
        'arguments',
      )
      expect(text).toBe('{ x?: unknown; y?: string }')
      expect(warnings.map(({ pointer }) => pointer)).toEqual(['/properties/x/$ref'])
    } finally {
      globalThis.fetch = fetched
    }
  })
})

describe('names', () => {
  const NAMES = ['größe/ändern', '日本語', 'a/b', '1st', '2', 'default', 'export', 'class', 'then', 'a.b', 'a-b', 'A_b']
  // A view of any maker: the registry itself takes no letters beyond ASCII.
  const view: SdkView = {
    toolsByName: new Map(
      NAMES.map((name) => {
        const schema = { type: 'object', properties: { [name]: { type: 'string' }, '': { type: 'number' } } }
        const registered = `srv.${name}`
        return [
          registered,
          { name: registered, namespace: 'srv', description: name, parameters: schema, output: { schema } },
        ]
      }),
    ),
  }
  const names = deriveNames(view)

  test('of any letters, digits and reserved words each lead to one tool, and the text compiles', () => {
    const rendered = renderSdk(view, names, { level: 'L4' })
    expect(new Set(rendered.nameMap.values())).toEqual(new Set(NAMES.map((name) => `srv.${name}`)))
    expect(rendered.nameMap.size).toBe(NAMES.length)
    const calls = [...rendered.nameMap].map(([path, name]) => {
      const key = JSON.stringify(name.slice('srv.'.length))
      const steps = path.split('.').map((step) => `[${JSON.stringify(step)}]`)
      return `export const c${NAMES.indexOf(name.slice(4))} = tools${steps.join('')}({ ${key}: 'x' })`
    })
    expect(
      compileTexts({
        'shown.ts': [rendered.text, ...calls].join('\n'),
        'checked.ts': [renderCheckerSdk(view, names), ...calls].join('\n'),
      }),
    ).toEqual([])
  })

  test('stand for the same tools in the text, in the declarations programs are checked against, and in the guest', () => {
    const shown = [...renderSdk(view, names, { level: 'L2' }).nameMap]
    // The guest is built from `pathByName`; the checker's text is read back through the compiler.
    expect(new Map(shown)).toEqual(deriveNames(view).nameByPath)
    const checker = renderCheckerSdk(view, names)
    const agree = shown.map(([path, name], at) => {
      const steps = path.split('.').map((step) => `[${JSON.stringify(step)}]`)
      return [
        `type Shown${at} = typeof tools${steps.join('')}`,
        `type Exact${at} = (typeof tools)[${JSON.stringify(name)}]`,
        `export const same${at}: [Shown${at}] extends [Exact${at}] ? true : false = true`,
      ].join('\n')
    })
    expect(compileTexts({ 'same.ts': [checker, ...agree].join('\n') })).toEqual([])
  })
})

describe('a schema of five megabytes', () => {
  const words = 'word '.repeat(20)
  const many = (count: number, one: (at: number) => readonly [string, unknown]) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => one(at)))
  const HUGE: Readonly<Record<string, unknown>> = {
    properties: {
      type: 'object',
      properties: many(40_000, (at) => [`key_${at}`, { type: 'string', description: words }]),
    },
    'properties of properties': {
      type: 'object',
      properties: many(300, (at) => [
        `group_${at}`,
        { type: 'object', properties: many(130, (key) => [`key_${key}`, { type: 'number', description: words }]) },
      ]),
    },
    'required keys': { type: 'object', required: Array.from({ length: 300_000 }, (_, at) => `key_${at}`) },
    allOf: { allOf: Array.from({ length: 20_000 }, (_, at) => ({ type: 'object', properties: { [`a${at}`]: {} } })) },
    anyOf: { anyOf: Array.from({ length: 200_000 }, (_, at) => ({ const: at })) },
    patterns: { type: 'object', patternProperties: many(40_000, (at) => [`^key_${at}`, { type: 'string' }]) },
    'a key': { type: 'object', properties: { ['k'.repeat(5_000_000)]: { type: 'string' } } },
  }

  test('becomes a text of bounded length, with a warning, that compiles', () => {
    const texts: Record<string, string> = {}
    for (const [kind, schema] of Object.entries(HUGE)) {
      const { text, warnings } = render([{ name: 'x', inputSchema: schema, outputSchema: schema }], { level: 'L3' })
      expect(text.length, kind).toBeLessThan(400_000)
      expect(warnings.length, kind).toBeGreaterThan(0)
      texts[`${kind.replaceAll(' ', '-')}.ts`] = text
    }
    expect(compileTexts(texts)).toEqual([])
  }, 60_000)

  test('hides keys of which it may still be called with every one', () => {
    const properties = many(1_000, (at) => [`key_${at}`, { type: 'string' }])
    const { view, names } = viewOf([
      { name: 'x', description: '', inputSchema: { type: 'object', properties, required: ['key_999'] } },
    ])
    const program = (args: string) => `${renderCheckerSdk(view, names)}\nexport const p = tools.x(${args})`
    expect(compileTexts({ 'ok.ts': program('{ key_999: "a", key_998: "b", key_0: "c" }') })).toEqual([])
    expect(compileTexts({ 'bad.ts': program('{ key_998: "b" }') })).toHaveLength(1)
    expect(compileTexts({ 'bad.ts': program('{ key_999: 1 }') })).toHaveLength(1)
  })
})
