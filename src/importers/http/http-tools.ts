import { isRecord, type JsonObject } from '../../data/json.ts'
import { thrownMessage } from '../../data/failure.ts'
import { checkDefinition } from '../../registry/check-definition.ts'
import type { ToolDefinition } from '../../registry/tool.ts'
import { importSchema } from '../import-schema.ts'
import { printable } from '../printable.ts'
import type { ServerProblem } from '../server-entry.ts'
import type { RequestPlan } from './build-request.ts'
import type { BodyPlan } from './encode-body.ts'
import { expandAccess, expandUrl } from './expand-entry.ts'
import { createHttpCaller, type HttpCaller } from './http-caller.ts'
import type { HttpDeps, HttpTools } from './http-deps.ts'
import { givenNames } from './given-names.ts'
import { hostProblems } from './host-pattern.ts'
import { httpTool } from './http-tool.ts'
import { headerFault } from './http-message.ts'
import type { HttpToolEntry } from './http-tool-schema.ts'
import { readUrlTemplate } from './url-template.ts'

/** Requests that a configuration describes by hand, as tools. What is wrong with one leaves that one out. */
export function httpTools(entries: readonly HttpToolEntry[], deps: HttpDeps): HttpTools {
  const tools: ToolDefinition[] = []
  const problems: ServerProblem[] = []
  const callers: HttpCaller[] = []
  const seen = new Set<string>()
  for (const entry of entries) {
    const found: string[] = []
    if (seen.has(entry.name)) found.push('there is a tool of this name already')
    seen.add(entry.name)
    const made = found.length === 0 ? makeTool(entry, deps, found) : undefined
    if (made !== undefined) {
      tools.push(made.tool)
      callers.push(made.caller)
    }
    const leftOut = made === undefined ? { isLeftOut: true } : {}
    problems.push(...found.map((message) => ({ server: entry.name, message, ...leftOut })))
  }
  return {
    tools,
    problems,
    async [Symbol.asyncDispose]() {
      await Promise.all(callers.map((caller) => caller[Symbol.asyncDispose]()))
    },
  }
}

interface Made {
  readonly tool: ToolDefinition
  readonly caller: HttpCaller
}

function makeTool(entry: HttpToolEntry, deps: HttpDeps, problems: string[]): Made | undefined {
  const secrets: string[] = []
  const unprinted: string[] = []
  const access = expandAccess(entry, deps, problems)
  const url = expandUrl('url', entry.url, deps, problems, secrets, unprinted)
  const template = readUrlTemplate(url)
  if (!template.ok) problems.push(`"url": ${template.reason}`)
  const inputSchema: JsonObject =
    (entry.inputSchema as JsonObject | undefined) ?? defaultInput(template.ok ? template.names : []) // Read as JSON.
  if (template.ok) {
    const declared = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {}
    for (const name of template.names) {
      if (!Object.hasOwn(declared, name))
        problems.push(`"url": the placeholder {${name.slice(0, 60)}} is no property of "inputSchema"`)
    }
  }
  const given = givenNames(access)
  for (const { in: place, name } of template.ok ? template.parameters : []) {
    if (place === 'query' && given.query(name))
      problems.push(
        `"url": its parameter ${JSON.stringify(name.slice(0, 60))} is filled in by "auth"; take out one of them`,
      )
  }
  const header = entry.idempotencyHeader
  const fault = header === undefined ? undefined : headerFault(header, '')
  if (fault !== undefined) problems.push(`"idempotencyHeader": ${fault}`)
  problems.push(...hostProblems(entry.allowHosts))
  if (!template.ok || problems.length > 0) return undefined

  const { timeoutMs, maxResponseBytes, allowPrivate, allowHosts } = entry
  const caller = createHttpCaller({
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxResponseBytes !== undefined && { maxResponseBytes }),
    ...(allowPrivate !== undefined && { allowPrivate }),
    ...(allowHosts !== undefined && { allowHosts }),
    ...(deps.resolveHost !== undefined && { resolveHost: deps.resolveHost }),
    secrets: [...access.secrets, ...secrets],
    unprinted,
  })
  const namespace = /^([\w-]+)\./.exec(entry.name)?.[1]
  const plan: RequestPlan = {
    method: entry.method,
    urlTemplate: template.base,
    parameters: template.parameters,
    ...(template.fixedQuery !== '' && { fixedQuery: template.fixedQuery }),
    headers: access.headers,
    credentials: access.credentials,
    ...(entry.idempotencyHeader !== undefined && { idempotencyHeader: entry.idempotencyHeader }),
  }
  const parts = {
    name: entry.name,
    ...(namespace !== undefined && { namespace }),
    description: entry.description,
    input: importSchema(inputSchema, '"inputSchema"', problems),
    ...(entry.outputSchema !== undefined && {
      output: importSchema(entry.outputSchema, '"outputSchema"', problems),
    }),
    checksOutput: true,
    place: `${entry.method} ${caller.hideInMessages(template.base)}`,
  }
  try {
    const tool = httpTool({ ...parts, plan: withOthers(entry, plan, template.names) }, caller)
    const checked = checkDefinition(tool)
    if (checked.ok) return { tool: checked.definition, caller }
    problems.push(`it is left out: ${printable(checked.problems.join('; '), 500)}`)
  } catch (thrown) {
    problems.push(`it is left out: ${printable(thrownMessage(thrown), 500)}`)
  }
  return undefined
}

/** Where arguments go that no placeholder takes: the body, or (where requests have none) the query. */
function withOthers(entry: HttpToolEntry, plan: RequestPlan, names: readonly string[]): RequestPlan {
  const allBut = new Set(names)
  if (entry.body === undefined && BODILESS.has(entry.method)) return { ...plan, othersInQuery: { allBut } }
  const as = entry.body?.as ?? 'json'
  const mediaType = entry.body?.mediaType ?? MEDIA_TYPES[as]
  return { ...plan, body: { as, mediaType, argument: entry.body?.from ?? { allBut } } }
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])
const MEDIA_TYPES: Readonly<Record<BodyPlan['as'], string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  binary: 'application/octet-stream',
}

function defaultInput(names: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
    additionalProperties: false,
  }
}
