import { createHttpCaller } from '../../../src/importers/http/http-caller.ts'
import { readOpenApi, type ReadOpenApiOptions } from '../../../src/importers/openapi.ts'

/** Descriptions are read with a caller whose every connection would be a test failing: reading fetches nothing. */
export function read(document: unknown, options: Partial<ReadOpenApiOptions> = {}) {
  const caller = createHttpCaller({ resolveHost: () => Promise.reject(new Error('reading must fetch nothing')) })
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  return readOpenApi(text, { name: 'api', caller, baseUrl: 'https://api.test', ...options })
}

/** A document of one path in OpenAPI 3.1, and what its only tool is. */
export async function readOne(operation: object, extra: object = {}, method = 'get', path = '/things') {
  const { tools, problems } = await read({
    openapi: '3.1.0',
    info: {},
    paths: { [path]: { [method]: operation } },
    ...extra,
  })
  const [tool] = tools
  if (tool === undefined) throw new Error(problems.join('; ') || 'no tool')
  return { tool, problems }
}

export const swagger2 = {
  swagger: '2.0',
  info: { title: 'Pets', version: '1' },
  host: 'pets.test',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['application/json'],
  produces: ['application/json'],
  parameters: {
    limit: { name: 'limit', in: 'query', type: 'integer', maximum: 100 },
    pet: { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
  },
  definitions: {
    Pet: {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'integer', format: 'int64', readOnly: true },
        name: { type: 'string', 'x-nullable': true },
        parent: { $ref: '#/definitions/Pet' },
      },
    },
  },
  responses: { Gone: { description: 'gone', schema: { type: 'string' } } },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [
          { $ref: '#/parameters/limit' },
          { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
        ],
        responses: { 200: { description: 'ok', schema: { type: 'array', items: { $ref: '#/definitions/Pet' } } } },
      },
      post: {
        operationId: 'createPet',
        parameters: [{ $ref: '#/parameters/pet' }],
        responses: { 201: { description: 'made', schema: { $ref: '#/definitions/Pet' } } },
      },
    },
    '/pets/{petId}/photo': {
      parameters: [{ name: 'petId', in: 'path', required: true, type: 'string' }],
      'x-internal': 'a text where an operation could be',
      post: {
        operationId: 'addPhoto',
        consumes: ['multipart/form-data'],
        parameters: [
          { name: 'photo', in: 'formData', type: 'file', required: true },
          { name: 'note', in: 'formData', type: 'string' },
        ],
        responses: { 204: { description: 'done' } },
      },
    },
  },
}

export const openapi30 = `
openapi: 3.0.3
info: { title: Books, version: "1" }
servers:
  - url: https://{region}.books.test/{version}/
    variables:
      region: { default: eu }
      version: { default: v2, enum: [v1, v2] }
components:
  schemas:
    Book: &book
      type: object
      required: [isbn, price]
      properties:
        isbn: { type: string }
        subtitle: { type: string, nullable: true }
        price: { type: number, minimum: 0, exclusiveMinimum: true }
        state: { type: string, enum: [new, used], nullable: true }
        sequel: { nullable: true, allOf: [{ $ref: "#/components/schemas/Book" }] }
        secret: { type: string, writeOnly: true }
  parameters:
    filter:
      name: filter
      in: query
      style: deepObject
      explode: true
      schema: { type: object, properties: { author: { type: string } } }
paths:
  /books:
    get:
      operationId: books/search
      tags: [reading]
      summary: Finds books
      description: Finds books by author.
      parameters:
        - $ref: "#/components/parameters/filter"
        - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer } } }
        - { name: X-Trace, in: header, deprecated: true, description: For tracing, schema: { type: string } }
        - { name: Authorization, in: header, required: true, schema: { type: string } }
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Book" } }
  /books/{isbn}:
    parameters:
      - { name: isbn, in: path, required: true, schema: { type: string } }
    put:
      deprecated: true
      tags: [writing]
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: "#/components/schemas/Book" } }
      responses:
        "200": { description: ok, content: { application/json: { schema: *book } } }
        "202": { description: later }
    delete:
      operationId: books.remove
      responses: { "204": { description: gone } }
`
