import type { Json, JsonObject } from '../../data/json.ts'
import { checkDefinition } from '../../registry/check-definition.ts'
import type { ToolDefinition } from '../../registry/tool.ts'
import { compileSchema } from '../../schema/schema.ts'
import type { ImportedSchema } from '../import-schema.ts'
import type { Access } from '../http/expand-entry.ts'
import { givenNames, type GivenNames } from '../http/given-names.ts'
import type { HttpCaller } from '../http/http-caller.ts'
import { httpTool } from '../http/http-tool.ts'
import type { ParameterPlace, RequestPlan } from '../http/build-request.ts'
import { printable, printableLine } from '../printable.ts'
import type { Operation } from './document.ts'
import { readBodyPlan } from './operation-body.ts'
import { acceptedTypes, isNothing, readOutput } from './operation-output.ts'
import { readParameters } from './operation-parameters.ts'
import type { SchemaPool } from './schema-pool.ts'

const MAX_DESCRIPTION = 50_000
const MAX_TITLE = 200
/** A tool whose schemas are larger than this would crowd out everything else in a prompt. */
const MAX_TOOL_BYTES = 1024 * 1024

export interface OperationContext {
  readonly namespace: string
  readonly pool: SchemaPool
  readonly caller: HttpCaller
  readonly access: Access
  readonly isSwagger2: boolean
  readonly checkResponses: boolean
  readonly idempotencyHeader?: string | undefined
  /** What the schemas of the tools may still have together. Below zero: no more tools. */
  readonly budget: { characters: number }
}

/** One operation as a tool; undefined (with a problem) when nothing can be called that way. */
export function operationTool(
  operation: Operation,
  name: string,
  baseUrl: string,
  isTrusted: boolean,
  context: OperationContext,
  problems: string[],
): ToolDefinition | undefined {
  const { pool, access, namespace } = context
  const found: string[] = []
  const subject = `${operation.method.toUpperCase()} ${JSON.stringify(printableLine(operation.path, 200))}`
  try {
    // An operation that says it is public gets no credentials.
    const isPublic = Array.isArray(operation.operation['security']) && operation.operation['security'].length === 0
    const sends = isTrusted && !isPublic
    const configured = {
      ...(sends && { credentials: access.credentials }),
      ...(isTrusted && { headers: access.headers }),
    }
    const { plan, parameters } = readInput(operation, baseUrl, context, givenNames(configured), found)
    const outputUses = new Set<string>()
    const described = readOutput(operation, pool, outputUses)
    const output = described === undefined ? undefined : pool.withDefinitions(described, 'output', outputUses)
    // Before anything copies them.
    const size = JSON.stringify([parameters, output ?? null]).length
    context.budget.characters -= size
    if (size > MAX_TOOL_BYTES) {
      found.push(`it is left out: its schemas have ${size} characters (at most ${MAX_TOOL_BYTES})`)
      return undefined
    }
    if (context.budget.characters < 0) return undefined
    const accept = acceptedTypes(operation, pool)
    const definition = httpTool(
      {
        name: `${namespace}.${name}`,
        namespace,
        ...titleOf(operation.operation),
        description: descriptionOf(operation.operation, subject),
        input: compile(parameters, 'its input schema', found),
        ...(output !== undefined && {
          output: compile(output, 'its output schema', found),
        }),
        checksOutput: context.checkResponses && (described === undefined || !isNothing(described)),
        plan: {
          ...plan,
          ...configured,
          ...(accept !== undefined && { accept }),
        },
        place: `${operation.method.toUpperCase()} ${operation.path}`,
      },
      context.caller,
    )
    const checked = checkDefinition(definition)
    if (checked.ok) return checked.definition
    found.push(`it is left out: ${printable(checked.problems.join('; '), 500)}`)
    return undefined
  } catch (thrown) {
    // One odd operation must not cost the others; a stack that overflows on a schema is such a thing too.
    found.push(`it is left out: ${thrown instanceof Error ? printableLine(thrown.message, 200) : 'it cannot be read'}`)
    return undefined
  } finally {
    problems.push(...found.map((what) => `${subject}: ${what}`))
  }
}

/**
 * Without asking for warnings, which would prepare every schema now: most operations are never called, and what is lost in
 * converting was said by then.
 */
function compile(schema: JsonObject, subject: string, problems: string[]): ImportedSchema | undefined {
  const compiled = compileSchema(schema, 'full')
  if (compiled.ok) return compiled
  problems.push(`${subject} cannot be used (${compiled.problems.map(({ message }) => message).join('; ')})`)
  return undefined
}

function readInput(
  operation: Operation,
  baseUrl: string,
  context: OperationContext,
  given: GivenNames,
  problems: string[],
): { readonly plan: RequestPlan; readonly parameters: JsonObject } {
  const { pool } = context
  const uses = new Set<string>()
  const requestBody = operation.operation['requestBody']
  const isGiven = (place: ParameterPlace, name: string) => place !== 'path' && given[place](name)
  const read = readParameters(operation, pool, uses, requestBody !== undefined, isGiven, problems)
  const body = readBodyPlan(requestBody, read.bodies, pool, uses, context.isSwagger2, problems)
  const properties: [string, Json][] = read.parameters.map(({ plan, schema }) => [plan.argument, schema])
  const required = read.parameters.filter(({ isRequired }) => isRequired).map(({ plan }) => plan.argument)
  if (body !== undefined) {
    properties.push(['body', body.schema])
    if (body.isRequired) required.push('body')
  }
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    // A misspelt filter that is ignored would be worse than a refusal.
    additionalProperties: false,
  }
  return {
    plan: {
      method: operation.method.toUpperCase(),
      urlTemplate: `${baseUrl}${operation.path.startsWith('/') ? '' : '/'}${encodeTemplate(operation.path)}`,
      parameters: read.parameters.map(({ plan }) => plan),
      ...(body !== undefined && { body: { ...body.plan, argument: 'body' } }),
      ...(context.idempotencyHeader !== undefined && { idempotencyHeader: context.idempotencyHeader }),
    },
    parameters: pool.withDefinitions(schema, 'input', uses),
  }
}

/** A path of a document is not a URL yet: a `?` or `#` in it would begin something else. */
function encodeTemplate(path: string): string {
  return path.replaceAll(/[?#\\\s]/g, (character) => encodeURIComponent(character))
}

function titleOf({ summary }: JsonObject): { readonly title?: string } {
  const title = typeof summary === 'string' ? printableLine(summary, MAX_TITLE) : ''
  return title === '' ? {} : { title }
}

function descriptionOf({ summary, description, deprecated }: JsonObject, subject: string): string {
  const texts = [summary, description].flatMap((text) =>
    typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [],
  )
  const [first = '', second = ''] = texts
  // A description that repeats the summary says it once.
  const said =
    second === '' || second.startsWith(first.replace(/\.$/, ''))
      ? second || first
      : `${first.replace(/\.?$/, '.')} ${second}`
  return `${deprecated === true ? 'Deprecated. ' : ''}${said === '' ? subject.replaceAll('"', '') : said}`.slice(
    0,
    MAX_DESCRIPTION,
  )
}
