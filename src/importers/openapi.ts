import { resolve } from 'node:path'
import { CodedError, hasCode, thrownMessage } from '../data/failure.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { readConfigFile } from './config-file.ts'
import { expandAccess, expandUrl, type Access } from './http/expand-entry.ts'
import { createHttpCaller, type HttpCaller } from './http/http-caller.ts'
import type { HttpDeps, HttpTools } from './http/http-deps.ts'
import { hostProblems } from './http/host-pattern.ts'
import { headerFault } from './http/http-message.ts'
import { checkBaseUrl, serverUrl, type BaseUrl } from './openapi/base-url.ts'
import type { ApiDocument, Operation } from './openapi/document.ts'
import { fetchDocument } from './openapi/fetch-document.ts'
import { operationNames } from './openapi/operation-names.ts'
import { operationTool, type OperationContext } from './openapi/operation-tool.ts'
import { MAX_DOCUMENT_BYTES, parseDocument } from './openapi/parse-document.ts'
import { SchemaPool } from './openapi/schema-pool.ts'
import { selectOperations } from './openapi/select-operations.ts'
import type { OpenApiSource } from './openapi/source-schema.ts'
import { upgradeDocument } from './openapi/upgrade-document.ts'
import { printableLine } from './printable.ts'
import { serverNamespaces, type ServerProblem } from './server-entry.ts'

export { openApiSourceSchema, type OpenApiSource } from './openapi/source-schema.ts'

export interface OpenApiDeps extends HttpDeps {
  /** Where the tools go; default: made from the source's name. */
  readonly namespace?: string
}

const MAX_PROBLEMS = 100
/** Of all tools together: each carries the definitions it leads to, so a small document can stand for very many. */
const MAX_SCHEMA_CHARACTERS = 64 * 1024 * 1024

/**
 * One API of a configuration as tools. Never rejects because of the API: a document that cannot be had or read is one
 * problem (`isLeftOut`), and what is wrong with one operation costs that operation. Messages hold no secret.
 */
export async function importOpenApi(source: OpenApiSource, deps: OpenApiDeps): Promise<HttpTools> {
  const problems: string[] = []
  const secrets: string[] = []
  const unprinted: string[] = []
  const access = expandAccess(source, deps, problems)
  const expand = (field: string, text: string) => expandUrl(field, text, deps, problems, secrets, unprinted)
  const spec = expand('spec', source.spec)
  const baseUrl = source.baseUrl === undefined ? undefined : expand('baseUrl', source.baseUrl)
  const header = source.idempotencyHeader
  const fault = header === undefined ? undefined : headerFault(header, '')
  if (fault !== undefined) problems.push(`"idempotencyHeader": ${fault}`)
  problems.push(...hostProblems(source.allowHosts))
  if (problems.length > 0) return leftOut(source.name, problems.join('; '))

  const { timeoutMs, maxResponseBytes, allowPrivate, allowHosts } = source
  const guard = {
    ...(allowPrivate !== undefined && { allowPrivate }),
    ...(allowHosts !== undefined && { allowHosts }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(deps.resolveHost !== undefined && { resolveHost: deps.resolveHost }),
    secrets: [...access.secrets, ...secrets],
    unprinted,
  }
  const caller = createHttpCaller({ ...guard, ...(maxResponseBytes !== undefined && { maxResponseBytes }) })
  try {
    const isUrl = /^https?:\/\//i.test(spec)
    const text = isUrl
      ? await fetchDocument(spec, { ...guard, maxResponseBytes: MAX_DOCUMENT_BYTES })
      : readConfigFile(resolve(deps.workspaceFolder ?? '.', spec), MAX_DOCUMENT_BYTES)
    const place = caller.hideInMessages(printableLine(spec))
    const read = await readOpenApi(text, {
      name: source.name,
      place,
      caller,
      access,
      ...(deps.namespace !== undefined && { namespace: deps.namespace }),
      ...(isUrl && { documentUrl: spec }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(source.include !== undefined && { include: source.include }),
      ...(source.exclude !== undefined && { exclude: source.exclude }),
      ...(source.checkResponses !== undefined && { checkResponses: source.checkResponses }),
      ...(source.idempotencyHeader !== undefined && { idempotencyHeader: source.idempotencyHeader }),
    })
    return {
      tools: read.tools,
      problems: read.problems.map((message) => ({ server: source.name, message: caller.hideInMessages(message) })),
      [Symbol.asyncDispose]: () => caller[Symbol.asyncDispose](),
    }
  } catch (thrown) {
    await caller[Symbol.asyncDispose]()
    if (!(thrown instanceof CodedError) && !hasCode(thrown)) throw thrown // A fault of ours.
    return leftOut(source.name, caller.hideInMessages(thrownMessage(thrown)))
  }
}

export interface ReadOpenApiOptions {
  /** The API's name, from which the namespace is made. */
  readonly name: string
  readonly caller: HttpCaller
  /** What the document is called in messages. */
  readonly place?: string
  readonly namespace?: string
  /** Where the document came from: relative servers are relative to it. */
  readonly documentUrl?: string
  readonly baseUrl?: string
  readonly access?: Access
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly checkResponses?: boolean
  readonly idempotencyHeader?: string
}

export interface ReadOpenApi {
  readonly tools: readonly ToolDefinition[]
  /** What was left out or lost precision, one sentence each. */
  readonly problems: readonly string[]
}

/**
 * The text of an OpenAPI 3.x or Swagger 2 document (JSON or YAML) as one tool for each operation. Fetches nothing: what is
 * not in the text is unknown and a problem. Throws `CONFIG_INVALID` for a text that is no such document.
 */
export async function readOpenApi(text: string, options: ReadOpenApiOptions): Promise<ReadOpenApi> {
  const place = options.place ?? 'the API description'
  let unused: readonly string[] = []
  const document = await upgradeDocument(await parseDocument(text, place), place, (listed) => {
    const selected = selectOperations(listed, options.include, options.exclude)
    unused = selected.unused
    return selected.operations
  })
  const problems = [...document.problems]
  for (const pattern of unused) {
    problems.push(`no operation matches ${JSON.stringify(printableLine(pattern, 100))}; check "include" and "exclude"`)
  }
  const base =
    options.baseUrl === undefined
      ? serverUrl(document.root['servers'], options.documentUrl)
      : checkBaseUrl(options.baseUrl)
  if (!base.ok) throw new CodedError('CONFIG_INVALID', `${place}: ${base.reason}; say where the API is with "baseUrl"`)

  const namespace = options.namespace ?? serverNamespaces([options.name]).get(options.name) ?? 'api'
  const context: OperationContext = {
    namespace,
    pool: new SchemaPool(document, problems),
    caller: options.caller,
    access: options.access ?? expandAccess({}, { env: {} }, []),
    isSwagger2: document.version.startsWith('2'),
    checkResponses: options.checkResponses ?? true,
    idempotencyHeader: options.idempotencyHeader,
    budget: { characters: MAX_SCHEMA_CHARACTERS },
  }
  // Every operation has its name, wanted or not, so that a filter does not change those of the others.
  const names = operationNames(document.listed, namespace)
  const nameOf = new Map(document.listed.map((operation, i) => [operation, names[i] ?? operation.path]))
  const home = new URL(base.url).origin
  const tools = document.operations.flatMap((operation) => {
    if (context.budget.characters < 0) return []
    const own = options.baseUrl === undefined ? ownServer(operation, document, options.documentUrl) : undefined
    const url = own?.ok === true ? own.url : base.url
    if (own?.ok === false)
      problems.push(
        `${operation.method.toUpperCase()} ${printableLine(operation.path, 200)}: ${own.reason}; the API's own is used`,
      )
    // A document may name any server for an operation; credentials are for the API's own.
    const isTrusted = new URL(url).origin === home
    const tool = operationTool(
      operation,
      nameOf.get(operation.written) ?? operation.path,
      url,
      isTrusted,
      context,
      problems,
    )
    return tool === undefined ? [] : [tool]
  })
  if (context.budget.characters < 0) {
    problems.unshift(
      `the schemas of its operations have more than ${MAX_SCHEMA_CHARACTERS} characters together; only the first ${tools.length} are tools. Choose with "include"`,
    )
  }
  return { tools, problems: bounded(problems) }
}

/** The server that an operation, or its path, names for itself. */
function ownServer(operation: Operation, document: ApiDocument, documentUrl: string | undefined): BaseUrl | undefined {
  const servers = [operation.operation['servers'], operation.pathItem['servers']].find(
    (list) => Array.isArray(list) && list.length > 0,
  )
  return servers === undefined || servers === document.root['servers'] ? undefined : serverUrl(servers, documentUrl)
}

function bounded(problems: readonly string[]): readonly string[] {
  const more = problems.length - MAX_PROBLEMS
  return more <= 0 ? problems : [...problems.slice(0, MAX_PROBLEMS), `and ${more} more problems`]
}

function leftOut(server: string, message: string): HttpTools {
  const problem: ServerProblem = { server, message, isLeftOut: true }
  return { tools: [], problems: [problem], [Symbol.asyncDispose]: () => Promise.resolve() }
}
