import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { Route } from './route.ts'
import { Problem } from './schemas/shared.ts'

const TAGS = [
  { name: 'runs', description: 'Programs.' },
  { name: 'sessions', description: 'Tool calls of a model, step by step, and the log of all of it.' },
  { name: 'tools', description: 'What there is to call.' },
  { name: 'approvals', description: 'Questions to people.' },
  { name: 'status', description: 'The service itself.' },
]

/** OpenAPI 3.1 of the routes, from the very schemas that check the requests. */
export function createOpenApi(routes: readonly Route[], version: string): object {
  const paths: ZodOpenApiPathsObject = Object.create(null) as ZodOpenApiPathsObject // Our own paths, filled below.
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Codeferry',
      version,
      description:
        'Runs model-written programs and tool calls through one policy pipeline. A token names a scope; nothing of one scope is visible in another. Errors are RFC 9457 problem details with a `code`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    tags: TAGS,
    security: [{ token: [] }],
    paths: { ...paths },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const grants = Array.isArray(route.access)
    ? `Needs the grant ${route.access.map((grant) => `\`${grant}\``).join(' or ')}.`
    : ''
  const description = [route.description ?? `${route.summary}.`, grants].filter((part) => part !== '').join('\n\n')
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description,
    ...(route.access === 'open' && { security: [] }),
    requestParams: {
      ...(route.params !== undefined && { path: asObject(route.params) }),
      ...(route.query !== undefined && { query: asObject(route.query) }),
      ...headersOf(route),
    },
    ...(route.body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: route.body, example: route.bodyExample } },
      },
    }),
    responses: responsesOf(route),
  }
}

/** Parameters are declared as objects; the route's type has forgotten it. */
function asObject(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema
  throw new TypeError('parameters of a route are an object schema')
}

function headersOf(route: Route): { readonly header?: z.ZodObject } {
  const described = {
    ...route.requestHeaders,
    ...(route.takesKey !== undefined && {
      'Idempotency-Key':
        'Makes a second request with the same key and body get the first one’s answer; with another body it is refused.',
    }),
  }
  const names = Object.entries(described)
  if (names.length === 0) return {}
  return {
    header: z.object(
      Object.fromEntries(names.map(([name, text]) => [name, z.string().optional().meta({ description: text })])),
    ),
  }
}

function responsesOf(route: Route): ZodOpenApiOperationObject['responses'] {
  const answers = Object.entries(route.answers).map(
    ([status, { description, schema, mediaType, headers, example }]) => [
      status,
      {
        description,
        ...(headers !== undefined && {
          headers: z.object(
            Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, z.string().meta({ description: text })]),
            ),
          ),
        }),
        ...(schema !== undefined && {
          content: { [mediaType ?? 'application/json']: { schema, ...(example !== undefined && { example }) } },
        }),
      },
    ],
  )
  const common = route.access === 'open' ? [400, 403] : [400, 401, 403]
  const own = [...(route.body === undefined ? [] : [413, 415, 422]), ...(route.isIntake === true ? [429, 503] : [])]
  const problems = [...new Set([...common, ...own, ...(route.problems ?? [])])].toSorted((a, b) => a - b)
  const refused = problems.map((status) => [
    String(status),
    { description: PROBLEMS[status] ?? 'Refused.', content: { 'application/problem+json': { schema: Problem } } },
  ])
  return Object.fromEntries([...answers, ...refused])
}

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  401: 'There is no token, or not a known one.',
  403: 'The token, the Host or the Origin may not do this.',
  404: 'There is no such thing in the scope of the token.',
  409: 'It does not fit the state that things are in.',
  413: 'It is too large.',
  415: 'It is not JSON.',
  422: 'It does not match the schema, or the Idempotency-Key was used for something else.',
  429: 'The tenant has too much under way.',
  502: 'The tool failed.',
  503: 'Too much is under way, or the service ends.',
  504: 'The tool did not answer in time.',
}
