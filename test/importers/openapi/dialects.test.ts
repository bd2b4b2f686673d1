import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/data/json.ts'
import type { ToolDefinition } from '../../../src/registry/tool.ts'
import { openapi30, read, readOne, swagger2 } from './fixtures.ts'

const byName = (tools: readonly ToolDefinition[]) => new Map(tools.map((tool) => [tool.name, tool]))

describe('Swagger 2', () => {
  test('every operation becomes a tool, through shared parameters, bodies and form fields', async () => {
    const { tools, problems } = await read(swagger2)
    expect(problems).toEqual([])
    const named = byName(tools)
    expect([...named.keys()]).toEqual(['api.listPets', 'api.createPet', 'api.addPhoto'])
    expect(named.get('api.listPets')?.parameters).toEqual({
      type: 'object',
      properties: { limit: { type: 'integer', maximum: 100 }, tags: { type: 'array', items: { type: 'string' } } },
      additionalProperties: false,
    })
    expect(named.get('api.createPet')?.parameters).toEqual({
      type: 'object',
      properties: { body: { $ref: '#/$defs/Pet' } },
      required: ['body'],
      additionalProperties: false,
      $defs: {
        Pet: {
          type: 'object',
          properties: { name: { type: ['string', 'null'] }, parent: { $ref: '#/$defs/Pet' } },
          required: ['name'],
        },
      },
    })
    expect(named.get('api.addPhoto')?.parameters).toMatchObject({
      properties: {
        petId: { type: 'string' },
        body: {
          properties: { photo: { anyOf: [{ type: 'string' }, { required: ['base64'] }] }, note: { type: 'string' } },
          required: ['photo'],
        },
      },
      required: ['petId', 'body'],
    })
    expect(named.get('api.addPhoto')?.output.schema).toEqual({ type: 'null' })
  })
})

describe('OpenAPI 3.0', () => {
  test('its words for null and for open bounds become those of JSON Schema', async () => {
    const { tools } = await read(openapi30)
    const output = byName(tools).get('api.books/search')?.output.schema
    const book = (output?.['$defs'] as JsonObject | undefined)?.['Book'] // As the test expects it.
    expect(book).toEqual({
      type: 'object',
      required: ['isbn', 'price'],
      properties: {
        isbn: { type: 'string' },
        subtitle: { type: ['string', 'null'] },
        price: { type: 'number', exclusiveMinimum: 0 },
        state: { type: ['string', 'null'], enum: ['new', 'used', null] },
        sequel: { anyOf: [{ $ref: '#/$defs/Book' }, { type: 'null' }] },
      },
    })
  })

  test('names, descriptions, annotations and outputs', async () => {
    const { tools, problems } = await read(openapi30)
    expect(problems).toEqual([])
    const shown = tools.map(({ name, description, annotations }) => [
      name,
      description,
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
      annotations?.idempotentHint,
    ])
    expect(shown).toEqual([
      ['api.books/search', 'Finds books by author.', true, undefined, true],
      ['api.put_books_by_isbn', 'Deprecated. PUT /books/{isbn}', false, undefined, true],
      ['api.books.remove', 'DELETE /books/{isbn}', false, true, true],
    ])
    expect(tools[0]?.parameters['properties']).toMatchObject({ 'X-Trace': { description: 'Deprecated. For tracing' } })
    expect(tools[0]?.parameters['required']).toBeUndefined()
    // Its 202 says nothing of a body, so there may be any.
    expect(tools[1]?.output.schema).toBeUndefined()
    expect(tools[1]?.parameters).toMatchObject({ $defs: { Book: { properties: { secret: { type: 'string' } } } } })
  })
})

test('what stands beside a reference counts from 3.1 on', async () => {
  const Name = { type: 'string' }
  const schema = { $ref: '#/components/schemas/Name', description: 'kept', minLength: 5 }
  const documentOf = (openapi: string) => ({
    openapi,
    components: { schemas: { Name } },
    paths: { '/a': { get: { parameters: [{ name: 'q', in: 'query', schema }] } } },
  })
  const typeIn = async (openapi: string) => (await read(documentOf(openapi))).tools[0]?.parameters['properties']
  expect(await typeIn('3.0.3')).toEqual({ q: { $ref: '#/$defs/Name', description: 'kept' } })
  expect(await typeIn('3.1.0')).toEqual({ q: { $ref: '#/$defs/Name', description: 'kept', minLength: 5 } })
})

describe('OpenAPI 3.1', () => {
  test('JSON Schema is kept, what means nothing outside the document is not', async () => {
    const schema = {
      $id: 'https://elsewhere.test/schema',
      type: ['string', 'null'],
      'x-internal': true,
      xml: { name: 'x' },
      pattern: '^a',
      examples: ['abc', { long: 1 }],
    }
    const { tool } = await readOne({ parameters: [{ name: 'q', in: 'query', schema }] })
    expect(tool.parameters['properties']).toEqual({ q: { type: ['string', 'null'], pattern: '^a', examples: ['abc'] } })
  })

  test.each([
    ['another file', 'other.yaml#/Thing'],
    ['a URL', 'http://127.0.0.1:1/schema.json'],
    ['a file URL', 'file:///etc/passwd'],
    ['nothing', '#/components/schemas/Gone'],
    ['an anchor', '#anchor'],
  ])('a reference to %s accepts anything, is a problem, and is not fetched', async (_where, $ref) => {
    const responses = {
      200: {
        content: {
          'application/json': { schema: { type: 'object', properties: { a: { $ref }, b: { type: 'string' } } } },
        },
      },
    }
    const { tool, problems } = await readOne({ responses })
    expect(tool.output.schema).toEqual({ type: 'object', properties: { a: {}, b: { type: 'string' } } })
    expect(problems).toEqual([expect.stringContaining(JSON.stringify($ref))])
  })

  test('circles of references are types that refer to themselves', async () => {
    const schemas = {
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
      Tree: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } },
    }
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/components/schemas/A' }, t: { $ref: '#/components/schemas/Tree' } },
    }
    const { tool } = await readOne(
      { requestBody: { content: { 'application/json': { schema } } } },
      { components: { schemas } },
      'post',
    )
    const check = tool.validateArguments
    if (check === 'in-body') throw new Error('arguments are checked')
    expect(check({ body: { t: { kids: [{ kids: [] }] } } })).toEqual([])
    expect(check({ body: { t: { kids: [{ kids: 1 }] } } })).toHaveLength(1)
  })

  test('a member that is required and not sent is not required', async () => {
    const schemas = {
      Base: { type: 'object', properties: { id: { $ref: '#/components/schemas/Id' } } },
      Id: { type: 'string', readOnly: true },
    }
    const schema = {
      allOf: [
        { $ref: '#/components/schemas/Base' },
        { required: ['id', 'name'], properties: { name: { type: 'string' } } },
      ],
    }
    const { tool } = await readOne(
      { requestBody: { content: { 'application/json': { schema } } } },
      { components: { schemas } },
      'post',
    )
    expect(tool.parameters['properties']).toMatchObject({ body: { allOf: [{}, { required: ['name'] }] } })
  })

  test('two places with one name are two arguments, and the body is always "body"', async () => {
    const text = { schema: { type: 'string' } }
    const parameters = [
      { name: 'id', in: 'path', required: true, ...text },
      { name: 'id', in: 'query', ...text },
      { name: 'body', in: 'query', ...text },
    ]
    const { tool } = await readOne(
      { parameters, requestBody: { content: { 'text/csv': text } } },
      {},
      'post',
      '/x/{id}',
    )
    expect(Object.keys(tool.parameters['properties'] ?? {})).toEqual(['id', 'id_query', 'body_query', 'body'])
  })

  test('a path parameter that nobody describes is a text', async () => {
    const { tool, problems } = await readOne({}, {}, 'get', '/x/{id}')
    expect(tool.parameters).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] })
    expect(problems).toHaveLength(1)
  })

  test('names of the language are names', async () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"number"},"then":{"type":"null"}}',
    ) as object
    const { tool } = await readOne(
      { requestBody: { content: { 'application/json': { schema: { properties } } } } },
      {},
      'post',
    )
    const body = (tool.parameters['properties'] as { body: { properties: object } }).body
    expect(Object.keys(body.properties)).toEqual(['__proto__', 'constructor', 'then'])
    expect(({} as { type?: unknown }).type).toBeUndefined()
  })
})

test('one bad operation costs itself and a problem, in every version', async () => {
  const good = { operationId: 'good', responses: {} }
  const bad = [
    null,
    'text',
    7,
    [],
    { parameters: [{ name: 'x' }] },
    { parameters: [null] },
    { parameters: 5, responses: { 200: null } },
  ]
  for (const version of [{ swagger: '2.0' }, { openapi: '3.0.0' }, { openapi: '3.1.0' }]) {
    for (const operation of bad) {
      const { tools } = await read({
        ...version,
        paths: { '/bad': { get: operation }, '/good': { get: good }, '/null': null },
      })
      expect(tools.map(({ name }) => name)).toContain('api.good')
    }
  }
})

test('shared parts that break the converter cost what refers to them', async () => {
  const { tools, problems } = await read({
    ...swagger2,
    parameters: {
      broken: { name: 'x', in: 'body', schema: { required: 5, discriminator: 'a' } },
      other: { in: 'query', type: 'string' },
    },
    responses: { Odd: { schema: 5, examples: { a: null } } },
  })
  expect(tools).toHaveLength(3)
  expect(problems.length).toBeGreaterThan(0)
})

test('reading changes nothing of a document, and the same document gives the same tools', async () => {
  const shape = async () =>
    (await read(swagger2)).tools.map(({ name, parameters, output }) => [name, parameters, output.schema])
  expect(await shape()).toEqual(await shape())
})

test('a small document that stands for very much text is cut off, and says so', async () => {
  const names = Array.from({ length: 300 }, (_, i) => `S${i}`)
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/schemas/${name}` }]))
  const description = 'x'.repeat(2_500)
  const schemas = {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string', description }])),
    All: { properties },
  }
  const parameters = [{ name: 'q', in: 'query', schema: { $ref: '#/components/schemas/All' } }]
  const paths = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`/p${i}`, { get: { parameters } }]))
  const { tools, problems } = await read({ openapi: '3.1.0', components: { schemas }, paths })
  expect(tools.length).toBeGreaterThan(50)
  expect(tools.length).toBeLessThan(100)
  expect(problems).toEqual([expect.stringContaining('Choose with "include"')])
})
