import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { hasCode } from '../../src/data/failure.ts'
import { defineTool } from '../../src/registry/define-tool.ts'
import { ToolRegistry } from '../../src/registry/registry.ts'
import { GLOBAL_SCOPE } from '../../src/registry/scope.ts'

function problems(act: () => unknown): readonly string[] {
  try {
    act()
  } catch (thrown) {
    expect(hasCode(thrown, 'CONFIG_INVALID')).toBe(true)
    return (thrown as Error).message.split('\n')
  }
  return []
}
const execution = {} as never

describe('a tool in the schema DSL', () => {
  const forecast = defineTool({
    name: 'forecast',
    namespace: 'weather',
    description: 'Forecast for a city',
    parameters: {
      properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['C', 'F'] } },
      required: ['city'],
    },
    output: {
      schema: {
        type: 'object',
        properties: { high: { type: 'number' } },
        required: ['high'],
        additionalProperties: false,
      },
    },
    execute: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ readonly city: string; readonly days?: number; readonly unit?: 'C' | 'F' }>()
      return { high: args.city.length + (args.days ?? 0) }
    },
  })

  test('is registered under namespace and name, with the schema a model is shown', () => {
    expect(forecast).toMatchObject({
      name: 'weather.forecast',
      namespace: 'weather',
      description: 'Forecast for a city',
    })
    expect(forecast.parameters).toMatchObject({ type: 'object', required: ['city'] })
    expect(Object.isFrozen(forecast)).toBe(true)
  })

  test('checks arguments and values', () => {
    const validate = forecast.validateArguments
    if (validate === 'in-body') throw new Error('must be a function')
    expect(validate({ city: 'Oslo', days: 2 })).toEqual([])
    expect(validate({ days: 'two' }).map(({ path }) => path)).toEqual(expect.arrayContaining(['/days']))
    expect(forecast.output.validate?.({ high: 1 })).toEqual([])
    expect(forecast.output.validate?.({ high: '1' })).toHaveLength(1)
    expect(forecast.execute({ city: 'Oslo', days: 2 }, execution)).toEqual({ high: 6 })
  })

  test('keeps its identity when it is registered', () => {
    const registry = new ToolRegistry()
    registry.register(forecast)
    expect(registry.view(GLOBAL_SCOPE).toolsByName.get('weather.forecast')).toBe(forecast)
  })
})

test('a Zod schema validates by its own rules, and execute gets its input type', () => {
  const made = defineTool({
    name: 'mail',
    description: 'Sends',
    parameters: z.object({ to: z.email(), copies: z.number().max(3).default(1) }),
    output: { schema: z.object({ id: z.string() }) },
    async execute(args) {
      expectTypeOf(args).toEqualTypeOf<{ to: string; copies?: number | undefined }>()
      return { id: `${args.to} ${String(args.copies)}` }
    },
  })
  expect(made.parameters).toMatchObject({ type: 'object', required: ['to'] })
  const validate = made.validateArguments
  if (validate === 'in-body') throw new Error('must be a function')
  expect(validate({ to: 'a@b.example' })).toEqual([])
  expect(validate({ to: 'nobody', copies: 9 }).map(({ path }) => path)).toEqual(['/to', '/copies'])
  expect(made.output.validate?.({ id: 7 })).toHaveLength(1)
})

test('wrong types of execute do not compile', () => {
  const parameters = { properties: { n: { type: 'number' } }, required: ['n'] } as const
  // @ts-expect-error -- the schema of the value says string
  defineTool({ name: 'a', description: '', parameters, output: { schema: { type: 'string' } }, execute: () => 7 })
  // @ts-expect-error -- there is no argument of that name
  defineTool({ name: 'a', description: '', parameters, execute: (args) => args.m })
  const { parameters: shown } = defineTool({ name: 'a', description: '', parameters, execute: (args) => args.n + 1 })
  expect(shown).toMatchObject(parameters)
})

test('everything that is wrong is said at once', () => {
  const found = problems(() =>
    defineTool({
      name: 'bad name',
      description: 7,
      parameters: { properties: { a: { type: 'string', pattern: 'x' } } },
      output: { schema: { type: 'objekt' }, rendr: 1 },
      timeoutMs: -1,
      timeout: 5,
      tier: 'sometimes',
      presentCall: 'text',
    } as never),
  )
  for (const part of [
    'timeout is no field of a tool. Did you mean "timeoutMs"?',
    'output.rendr is no field of a tool. Did you mean "render"?',
    'parameters/properties/a/pattern',
    'output.schema',
    'name must consist of',
    'description must be a string; got number',
    'execute must be a function',
    'timeoutMs must be a positive finite number; got -1',
    'tier must be',
    'presentCall must be a function; got string',
  ]) {
    expect(found.filter((line) => line.startsWith('tool "bad name": ') && line.includes(part))).toHaveLength(1)
  }
})

test.each([
  ['a', 'b', 'b.a'],
  ['b.a', 'b', 'b.a'],
  ['a.c', 'b', 'b.a.c'],
])('name %s in namespace %s is registered as %s', (name, namespace, full) => {
  expect(defineTool({ name, namespace, description: '', parameters: {}, execute: () => null }).name).toBe(full)
})

test('a namespace holds no dot, and names keep to their rule', () => {
  const define = (name: string, namespace?: string) =>
    problems(() =>
      defineTool({
        name,
        ...(namespace !== undefined && { namespace }),
        description: '',
        parameters: {},
        execute: () => 1,
      }),
    )
  expect(define('a', 'b.c')[0]).toContain('must not contain a dot')
  expect(define('', 'b')[0]).toContain('must be "b.<member>"')
  for (const name of ['', '.', '..', 'ü', 'a b', 'x'.repeat(129)]) expect(define(name)).toHaveLength(1)
  for (const name of ['...', '__proto__', 'then', 'a/b-c.d', 'x'.repeat(128)]) expect(define(name)).toEqual([])
})

test('without render, content is the text itself or JSON with a line for each member', () => {
  const { output } = defineTool({ name: 'a', description: '', parameters: {}, execute: () => null })
  const text = (value: never) => output.render({}, value).map((block) => (block.type === 'text' ? block.text : block))
  expect(text('plain "text"' as never)).toEqual(['plain "text"'])
  expect(text({ a: [1, { b: null }] } as never)).toEqual(['{"a":[1,{"b":null}]}'])
  const long = 'x'.repeat(120)
  expect(text({ a: long, b: [1, 2] } as never)).toEqual([`{\n  "a": "${long}",\n  "b": [1,2]\n}`])
  expect(text([long, 1] as never)).toEqual([`[\n  "${long}",\n  1\n]`])
})

test('methods of an authoring class keep their this', () => {
  class Greeter {
    readonly name = 'greet'
    readonly description = 'Greets'
    readonly parameters = { properties: {} }
    readonly greeting = 'hello'
    execute() {
      return this.greeting
    }
    presentCall() {
      return { kind: 'generic' as const, title: this.greeting }
    }
  }
  const made = defineTool(new Greeter())
  expect(made.execute({}, execution)).toBe('hello')
  expect(made.presentCall?.({})).toEqual({ kind: 'generic', title: 'hello' })
})
