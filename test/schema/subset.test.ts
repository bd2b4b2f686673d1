import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/data/json.ts'
import { compileSchema } from '../../src/schema/schema.ts'
import type { UsableSchema } from '../../src/schema/schema.ts'

describe('a wrong schema is refused at definition time, with the path of everything that is wrong', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['no object', 'string', '', /must be an object; got "string"/],
    ['true for anything', { items: true }, '/items', /for "anything" write \{\}/],
    [
      'a keyword outside the subset',
      { properties: { n: { type: 'integer', minimum: 1 } } },
      '/properties/n/minimum',
      /not in the schema subset/,
    ],
    ['a misspelt keyword', { proprties: {} }, '/proprties', /Did you mean "properties"\?/],
    ['anyOf', { anyOf: [{}, {}] }, '/anyOf', /write oneOf/],
    ['$ref', { properties: { a: { $ref: '#' } } }, '/properties/a/$ref', /write the schema out/],
    ['an unknown type word', { type: 'float' }, '/type', /one of "object", "array".*got "float"/],
    ['several types', { type: ['string', 'null'] }, '/type', /write oneOf/],
    [
      'a nested object that does not say whether it is open',
      { properties: { a: { type: 'object' } } },
      '/properties/a',
      /must state additionalProperties/,
    ],
    ['the same, without a type', { items: { properties: {} } }, '/items', /must state additionalProperties/],
    [
      'a schema for additional properties',
      { additionalProperties: {} },
      '/additionalProperties',
      /true or false; got an empty object/,
    ],
    ['items as a tuple', { items: [{}] }, '/items', /one schema for every item/],
    ['an enum of objects', { enum: [{}] }, '/enum/0', /scalars only/],
    ['an empty enum', { enum: [] }, '/enum', /at least one scalar/],
    ['an enum with the same value twice', { enum: [1, 1] }, '/enum/1', /twice/],
    ['a const that is no scalar', { const: [] }, '/const', /must be a scalar; got an empty array/],
    ['a choice of one', { oneOf: [{}] }, '/oneOf', /at least two/],
    ['a required name that is no name', { required: [1] }, '/required/0', /takes property names/],
    ['a name required twice', { required: ['a', 'a'] }, '/required/1', /twice/],
    [
      'a closed object that requires what it does not allow',
      { properties: {}, required: ['a'], additionalProperties: false },
      '/required/0',
      /allows no others/,
    ],
    [
      'properties of a string',
      { type: 'string', properties: {} },
      '/properties',
      /type "object" only; the type here is "string"/,
    ],
    ['a description that is no text', { description: 1 }, '/description', /must be a string/],
    ['examples that are no list', { examples: 'x' }, '/examples', /must be an array/],
    ['what is not JSON', { default: undefined }, '/default', /not plain JSON data: undefined/],
  ])('%s', (_name, schema, path, message) => {
    const compiled = compileSchema(schema, 'subset')
    if (compiled.ok) throw new Error('accepted')
    const found = compiled.problems.find((problem) => problem.path === path)
    expect(found?.message).toMatch(message)
  })

  test('all problems are listed at once, in the order of the text', () => {
    const compiled = compileSchema(
      {
        pattern: 'x',
        properties: { a: { type: 'object', properties: { b: { format: 'date' } } }, c: { type: 'int' } },
      },
      'subset',
    )
    expect(!compiled.ok && compiled.problems.map(({ path }) => path)).toEqual([
      '/pattern',
      '/properties/a',
      '/properties/a/properties/b/format',
      '/properties/c/type',
    ])
  })

  test('keywords are own properties: what is inherited or named like a method is nothing', () => {
    expect(compileSchema(JSON.parse('{"__proto__":{"type":"string"}}'), 'subset')).toMatchObject({
      ok: false,
      problems: [{ path: '/__proto__' }],
    })
    expect(compileSchema({ constructor: 1 }, 'subset')).toMatchObject({
      ok: false,
      problems: [{ path: '/constructor' }],
    })
    expect(compileSchema(Object.create({ type: 'string' }), 'subset').ok).toBe(false)
  })
})

describe('the root of parameters', () => {
  test('is an open object and is shown as one, whether or not it says so', () => {
    const compiled = compileSchema({ properties: { a: { type: 'string' } } }, 'subset', 'parameters')
    if (!compiled.ok) throw new Error('refused')
    expect(compiled.jsonSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    expect(compiled.validate({ a: 'x', extra: 1 })).toEqual([])
    expect(messages(compiled, [])).toEqual(['the value must be an object; got an empty array'])
  })

  test('cannot be anything else', () => {
    expect(compileSchema({ type: 'string' }, 'subset', 'parameters')).toMatchObject({
      ok: false,
      problems: [{ path: '/type' }],
    })
    expect(compileSchema({ type: 'string' }, 'subset', 'value').ok).toBe(true)
  })

  test('can be closed', () => {
    const compiled = usable({ type: 'object', properties: { city: {} }, additionalProperties: false })
    expect(messages(compiled, { citty: 1 })).toEqual(['unknown property "citty"; did you mean "city"?'])
    expect(messages(compiled, { zzzzz: 1 })).toEqual(['unknown property "zzzzz"; allowed: only "city"'])
  })
})

describe('violations are written for a model', () => {
  const trip = usable({
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      units: { enum: ['metric', 'imperial'] },
      stops: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
          additionalProperties: false,
        },
      },
    },
    required: ['city'],
  })

  test.each<[Json, string[]]>([
    [{ city: 'Oslo', days: 3, units: 'metric', stops: [{ name: 'x' }] }, []],
    [{ city: 'Oslo', days: 3.0 }, []],
    [{ city: 'Oslo', days: 'three' }, ['"days" must be an integer; got "three"']],
    [{ city: 'Oslo', days: 2.5 }, ['"days" must be an integer; got 2.5']],
    [{}, ['missing required property "city"']],
    [{ citty: 'Oslo' }, ['missing required property "city"; got "citty" instead']],
    [
      { city: null, units: 'metrics' },
      [
        '"city" must be a string; got null',
        '"units" must be one of "metric" or "imperial"; got "metrics"; did you mean "metric"?',
      ],
    ],
    [
      { city: 'x', stops: [{ name: 'a' }, { nam: 1 }] },
      [
        'missing required property "stops[1].name"; got "nam" instead',
        'unknown property "stops[1].nam"; did you mean "name"?',
      ],
    ],
    [[1, 2], ['the value must be an object; got an array of 2']],
  ])('%j', (value, expected) => {
    expect(messages(trip, value)).toEqual(expected)
  })

  test('a violation has path, expected and received besides', () => {
    expect(trip.validate({ city: 1, stops: [{}] })).toEqual([
      { path: '/city', expected: 'string', received: '1', message: '"city" must be a string; got 1' },
      {
        path: '/stops/0/name',
        expected: 'a value',
        received: 'missing',
        message: 'missing required property "stops[0].name"',
      },
    ])
  })

  test('a failed oneOf says why for each form, and a value that matches several forms is told so', () => {
    const shape = usable({
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
          required: ['kind', 'radius'],
          additionalProperties: false,
        },
        { type: 'string' },
      ],
    })
    expect(messages(shape, { kind: 'circle' })).toEqual([
      'the value matches none of its 2 forms: form 1: missing required property "radius"; form 2: the value must be a string; got an object with "kind"',
    ])
    const twice = usable({ oneOf: [{ type: 'integer' }, { type: 'number' }, { type: 'null' }] })
    expect(messages(twice, 1)).toEqual(['the value must match exactly one of 3 forms; it matches forms 1 and 2'])
    expect(twice.validate(1.5)).toEqual([])
  })

  test('nothing is coerced and no default is applied', () => {
    const compiled = usable({
      properties: { n: { type: 'number', default: 3 }, b: { type: 'boolean' } },
      required: ['n'],
    })
    const value = { b: 'true' }
    expect(messages(compiled, value)).toEqual(['missing required property "n"', '"b" must be a boolean; got "true"'])
    expect(value).toEqual({ b: 'true' })
  })

  test('names of JavaScript are ordinary names', () => {
    const compiled = usable(
      JSON.parse(
        '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"null"}},"required":["toString","__proto__"],"additionalProperties":true}',
      ),
    )
    expect(compiled.validate(JSON.parse('{"__proto__":1,"constructor":1}')).map(({ path }) => path)).toEqual([
      '/toString',
      '/__proto__',
      '/constructor',
    ])
  })
})

describe('validation is total and bounded', () => {
  test('a value that is not plain data is one violation with the place and the reason', () => {
    const hostile = {
      a: {
        get b() {
          throw new Error('no')
        },
      },
    } as unknown as Json
    expect(usable({}).validate(hostile)).toEqual([
      {
        path: '/a/b',
        expected: 'plain JSON data',
        received: 'reading it threw: no',
        message: 'the part at /a/b is not plain JSON data: reading it threw: no',
      },
    ])
  })

  test('schemas and values five thousand levels deep', () => {
    let schema: Json = { type: 'integer' }
    let value: Json = 'three'
    for (let level = 0; level < 5_000; level++) {
      schema =
        level % 2 === 0
          ? { type: 'array', items: schema }
          : { type: 'object', properties: { a: schema }, additionalProperties: false }
      value = level % 2 === 0 ? [value] : { a: value }
    }
    const found = usable(schema).validate(value)
    expect(found.map(({ path }) => path)).toEqual(['/a/0'.repeat(2_500)])
    expect(found[0]?.message.length).toBeLessThan(400)
  })

  test('choices inside choices, two thousand deep', () => {
    let schema: Json = { type: 'integer' }
    for (let level = 0; level < 2_000; level++) schema = { oneOf: [schema, { type: 'null' }] }
    const compiled = usable(schema)
    expect(compiled.validate(1)).toEqual([])
    expect(compiled.validate('x')).toHaveLength(1)
  })

  test('a value that is wrong in a hundred thousand places has ten thousand violations and one that says so', () => {
    const compiled = usable({ items: { type: 'string' } })
    const found = compiled.validate(Array.from({ length: 100_000 }, (_, index) => index))
    expect(found).toHaveLength(10_001)
    expect(found.at(-1)?.message).toMatch(/more than 10000 violations/)
  })

  test('looking for near names is given up after a while', () => {
    const compiled = usable({ properties: { city: {} }, additionalProperties: false })
    const value = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`citi${index}`, 1]))
    const hinted = messages(compiled, value).filter((message) => message.includes('did you mean'))
    expect(hinted.length).toBeLessThanOrEqual(50)
  })
})

function usable(schema: unknown): UsableSchema {
  const compiled = compileSchema(schema, 'subset')
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return compiled
}
function messages(schema: UsableSchema, value: Json): string[] {
  return schema.validate(value).map(({ message }) => message)
}
