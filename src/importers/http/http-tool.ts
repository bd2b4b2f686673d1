import type { Json, JsonObject } from '../../data/json.ts'
import type { ToolAnnotations, ToolDefinition, Execution } from '../../registry/tool.ts'
import type { Violation } from '../../schema/violations.ts'
import type { ImportedSchema } from '../import-schema.ts'
import { valueContent } from '../tool-result.ts'
import { buildRequest, type RequestPlan } from './build-request.ts'
import { withLongNumbers } from './exact-json.ts'
import type { HttpCaller } from './http-caller.ts'
import { replyValue } from './reply-value.ts'

export interface HttpToolParts {
  readonly name: string
  readonly namespace?: string
  readonly title?: string
  readonly description: string
  /** Absent: arguments are not checked here. */
  readonly input?: ImportedSchema | undefined
  readonly output?: ImportedSchema | undefined
  /** Whether a value that does not match `output` is a failure. */
  readonly checksOutput: boolean
  readonly plan: RequestPlan
  /** `GET /pets/{id}`: shown to people beside a call. */
  readonly place: string
}

/** A tool whose body is one HTTP request. */
export function httpTool(parts: HttpToolParts, caller: HttpCaller): ToolDefinition {
  const { input, output } = parts
  const annotations = annotationsOf(parts.plan.method)
  return {
    name: parts.name,
    ...(parts.namespace !== undefined && { namespace: parts.namespace }),
    ...(parts.title !== undefined && { title: parts.title }),
    description: parts.description,
    parameters: input?.jsonSchema ?? { type: 'object' },
    validateArguments: input === undefined ? 'in-body' : (args) => leniently(input, args),
    isConcurrencySafe: () => annotations.readOnlyHint === true,
    annotations,
    presentCall: () => ({ kind: 'generic', title: parts.place.slice(0, 300) }),
    async execute(args, exec) {
      const request = buildRequest(parts.plan, args, idempotencyKeyOf(exec))
      const reply = await caller.send(request, exec.signal)
      const { value, content } = replyValue(reply, parts.plan.method, caller.hideSecrets)
      if (content !== undefined) exec.attachContent(content)
      return value
    },
    output: {
      ...(output !== undefined && {
        schema: output.jsonSchema,
        validate: (value: Json) => (parts.checksOutput ? leniently(output, value) : []),
      }),
      render: (_args: JsonObject, value: Json) => valueContent(value),
    },
  }
}

/** Integers that a double cannot hold travel as the text of their digits (see `exact-json.ts`), whatever the schema says. */
function leniently(schema: ImportedSchema, value: Json): readonly Violation[] {
  const violations = schema.validate(value)
  if (violations.length === 0) return violations
  const numbers = withLongNumbers(value)
  return numbers.found && schema.validate(numbers.value).length === 0 ? [] : violations
}

/** Given by whatever may repeat a call: the same key, the same call. */
function idempotencyKeyOf(exec: Execution & { readonly idempotencyKey?: unknown }): string | undefined {
  return typeof exec.idempotencyKey === 'string' ? exec.idempotencyKey : undefined
}

/** What HTTP says of its methods. */
export function annotationsOf(method: string): ToolAnnotations {
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'OPTIONS':
      return { readOnlyHint: true, idempotentHint: true, openWorldHint: true }
    case 'DELETE':
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }
    case 'PUT':
      return { readOnlyHint: false, idempotentHint: true, openWorldHint: true }
    default:
      return { readOnlyHint: false, idempotentHint: false, openWorldHint: true }
  }
}
