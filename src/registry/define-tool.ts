import type { ContentBlock } from '../data/content.ts'
import { CodedError } from '../data/failure.ts'
import { isRecord, type Json, type JsonObject } from '../data/json.ts'
import { didYouMean } from '../data/nearest-names.ts'
import type { DurableResult, Outcome } from '../data/outcome.ts'
import type { InferArguments, InferSchema } from '../schema/infer.ts'
import { compileSchema } from '../schema/schema.ts'
import type { Schema, SchemaRole } from '../schema/spec.ts'
import type { StandardSchema } from '../schema/standard.ts'
import type { Violation } from '../schema/violations.ts'
import { bindMethod, bindMethods } from './bind-method.ts'
import { checkDefinition, definitionLabel } from './check-definition.ts'
import { defaultRender } from './default-render.ts'
import type { CallFacts, Execution, RenderIntent, ToolAnnotations, ToolDefinition } from './tool.ts'

/** The schema DSL (written inline, so that its literals are kept), or a Zod 4 or other Standard Schema. */
export type AuthoredSchema = Schema | StandardSchema

/** What `execute` may rely on. Of a Standard Schema it is the input: what it would make of the value is not taken. */
export type ArgumentsOf<P> = P extends StandardSchema
  ? StandardInput<P>
  : P extends Schema
    ? InferArguments<P>
    : JsonObject

/** What `execute` must give. Without a schema: any JSON value. */
export type ValueOf<O> = O extends StandardSchema ? StandardInput<O> : O extends Schema ? InferSchema<O> : unknown

type StandardInput<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : unknown
  : unknown

/** A tool as an author writes it. */
export interface ToolAuthoring<P extends AuthoredSchema, O extends AuthoredSchema | undefined> {
  /** The member alone when there is a namespace (`<namespace>.<name>` in full is fine too). */
  readonly name: string
  readonly namespace?: string
  readonly title?: string
  readonly description: string
  readonly parameters: P
  readonly output?: {
    readonly schema?: O
    /** Default: text as it is, all else as JSON. */
    render?(args: ArgumentsOf<P>, value: ValueOf<O>): readonly ContentBlock[]
    presentationMeta?(args: ArgumentsOf<P>, value: ValueOf<O>): Json | undefined
  }
  execute(args: ArgumentsOf<P>, exec: Execution): ValueOf<O> | Promise<ValueOf<O>>
  readonly timeoutMs?: number
  isConcurrencySafe?(args: ArgumentsOf<P>): boolean
  finalizeContent?(exec: CallFacts, result: Outcome): readonly ContentBlock[] | undefined
  presentCall?(args: ArgumentsOf<P>): RenderIntent
  presentResult?(args: ArgumentsOf<P>, durable: DurableResult): RenderIntent
  readonly annotations?: ToolAnnotations
  readonly tier?: 'native' | 'code' | 'both'
}

/**
 * Makes a checked, frozen definition of a tool. Arguments are validated against `parameters` before `execute` sees them,
 * and the value it gives against `output.schema`. Throws `CONFIG_INVALID` that says all that is wrong at once.
 */
export function defineTool<const P extends AuthoredSchema, const O extends AuthoredSchema | undefined = undefined>(
  authoring: ToolAuthoring<P, O>,
): ToolDefinition {
  // From here on the types of authors count for nothing: callers may be JavaScript.
  const source: unknown = authoring
  if (!isRecord(source)) throw invalid('defineTool', ['a tool must be described by an object'])
  const { name, namespace, title, description, parameters, output = {}, execute, timeoutMs, annotations, tier } = source
  const { isConcurrencySafe, finalizeContent, presentCall, presentResult } = source
  const problems = unknownFields(source, FIELDS, '')
  if (!isRecord(output)) throw invalid(definitionLabel(source), [...problems, 'output must be an object'])
  problems.push(...unknownFields(output, OUTPUT_FIELDS, 'output.'))
  const { schema, render = (_args: JsonObject, value: Json) => defaultRender(value), presentationMeta } = output

  const compiledParameters = compile('parameters', parameters, 'parameters', problems)
  const compiledOutput = schema === undefined ? undefined : compile('output.schema', schema, 'value', problems)
  const checked = checkDefinition(
    {
      name: fullName(namespace, name),
      namespace,
      title,
      description,
      // Stand-ins where compiling failed: the definition is refused anyhow, and this way the rest is checked too.
      parameters: compiledParameters?.jsonSchema ?? { type: 'object' },
      validateArguments: compiledParameters?.validate ?? 'in-body',
      execute: bindMethod(source, execute),
      timeoutMs,
      tier,
      annotations,
      ...bindMethods(source, { isConcurrencySafe, finalizeContent, presentCall, presentResult }),
      output: {
        schema: compiledOutput?.jsonSchema,
        validate: compiledOutput?.validate,
        render: bindMethod(output, render),
        ...bindMethods(output, { presentationMeta }),
      },
    },
    { areSchemasCompiled: true },
  )
  if (!checked.ok) problems.push(...checked.problems)
  if (!checked.ok || problems.length > 0) throw invalid(definitionLabel(source), problems)
  return checked.definition
}

const FIELDS = Object.keys({
  name: true,
  namespace: true,
  title: true,
  description: true,
  parameters: true,
  output: true,
  execute: true,
  timeoutMs: true,
  isConcurrencySafe: true,
  finalizeContent: true,
  presentCall: true,
  presentResult: true,
  annotations: true,
  tier: true,
} satisfies Record<keyof ToolAuthoring<Schema, undefined>, true>)
const OUTPUT_FIELDS = ['schema', 'render', 'presentationMeta']

/** A misspelt field would otherwise be a limit or a check that silently does not exist. */
function unknownFields(source: object, known: readonly string[], prefix: string): string[] {
  // Instances of classes keep their own state beside the fields of the tool.
  const prototype: unknown = Object.getPrototypeOf(source)
  if (prototype !== Object.prototype && prototype !== null) return []
  return Object.keys(source)
    .filter((field) => !known.includes(field))
    .map((field) => `${prefix}${field} is no field of a tool.${didYouMean(field, known)}`)
}

interface CompiledAuthoring {
  readonly jsonSchema: JsonObject
  readonly validate: (value: Json) => readonly Violation[]
}

function compile(field: string, input: unknown, role: SchemaRole, problems: string[]): CompiledAuthoring | undefined {
  if (input === undefined) {
    problems.push(`${field} is missing; a tool without arguments says { properties: {} }`)
    return undefined
  }
  const compiled = compileSchema(input, 'auto', role)
  if (compiled.ok) {
    return { jsonSchema: compiled.jsonSchema, validate: (value: Json) => compiled.validate(value) }
  }
  problems.push(...compiled.problems.map(({ path, message }) => `${field}${path}: ${message}`))
  return undefined
}

function fullName(namespace: unknown, name: unknown): unknown {
  if (typeof namespace !== 'string' || typeof name !== 'string' || name.startsWith(`${namespace}.`)) return name
  return `${namespace}.${name}`
}

function invalid(label: string, problems: readonly string[]): CodedError {
  const message = problems.map((problem) => `${label}: ${problem}`).join('\n')
  return new CodedError('CONFIG_INVALID', message, { details: { problems } })
}
