import { thrownMessage } from '../data/failure.ts'
import { isRecord, type Json, type JsonObject } from '../data/json.ts'
import { snapshot } from '../data/snapshot.ts'
import { bindMethod, bindMethods } from './bind-method.ts'
import { checkParameters, checkSchema } from './check-tool-schema.ts'
import { nameFault, namespaceFault, quoted } from './tool-name.ts'
import type { ToolAnnotations, ToolDefinition, ToolOutput } from './tool.ts'

export type CheckedDefinition =
  | { readonly ok: true; readonly definition: ToolDefinition }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Far larger than real ones: one tool's text must not crowd out everybody else's prompt. */
const MAX_DESCRIPTION = 100_000
const MAX_TITLE = 1_000
const ANNOTATION_LIMITS = { maxBytes: 64 * 1024, maxNodes: 1_000, maxDepth: 32 }
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

/** What was made here needs no second check, and keeps its identity when it is registered. */
const checked = new WeakSet<object>()

/**
 * Checks a whole definition and says all that is wrong with it. The answer is a frozen copy, each field of which was
 * read once: what its author does to the original later changes neither what a model is told nor what is executed.
 */
export function checkDefinition(
  input: unknown,
  options: { readonly areSchemasCompiled?: boolean } = {},
): CheckedDefinition {
  if (!isRecord(input)) return { ok: false, problems: ['a tool definition must be an object'] }
  if (checked.has(input)) return { ok: true, definition: input as unknown as ToolDefinition } // Made below.
  const problems: string[] = []
  let definition: ToolDefinition | undefined
  try {
    definition = readDefinition(input, problems, options.areSchemasCompiled !== true)
  } catch (thrown) {
    problems.push(`it cannot be read: ${thrownMessage(thrown)}`)
  }
  if (definition === undefined || problems.length > 0) return { ok: false, problems }
  checked.add(definition)
  return { ok: true, definition }
}

/** How a definition is called in messages, whatever it is. */
export function definitionLabel(input: unknown): string {
  try {
    const name: unknown = isRecord(input) ? input['name'] : undefined
    return typeof name === 'string' ? `tool ${quoted(name)}` : 'tool without a name'
  } catch {
    return 'tool without a readable name'
  }
}

function readDefinition(source: Record<string, unknown>, problems: string[], compilesSchemas: boolean): ToolDefinition {
  // All at once and once only; a getter that answers differently the next time is never asked again.
  const { name, namespace, title, description, parameters, validateArguments, execute, timeoutMs } = source
  const { isConcurrencySafe, tier, output, finalizeContent, presentCall, presentResult, annotations } = source

  const fault = nameFault(name)
  if (fault !== undefined) problems.push(`name ${fault}`)
  else if (namespace !== undefined) {
    const wrong = namespaceFault(namespace, name as string) // A name without a fault is a string.
    if (wrong !== undefined) problems.push(`namespace ${quoted(namespace)}: ${wrong}`)
  }
  checkText('description', description, MAX_DESCRIPTION, problems)
  if (title !== undefined) checkText('title', title, MAX_TITLE, problems)
  if (validateArguments !== 'in-body' && typeof validateArguments !== 'function') {
    problems.push(
      `validateArguments must say who checks arguments: a function, or 'in-body' if execute does; defineTool checks for you`,
    )
  }
  if (typeof execute !== 'function') problems.push('execute must be a function')
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0 && Number.isFinite(timeoutMs))) {
    problems.push(
      `timeoutMs must be a positive finite number; got ${typeof timeoutMs === 'number' ? timeoutMs : typeof timeoutMs}`,
    )
  }
  if (tier !== undefined && tier !== 'native' && tier !== 'code' && tier !== 'both') {
    problems.push(`tier must be "native", "code" or "both"; got ${quoted(tier)}`)
  }
  const optionalFunctions = { isConcurrencySafe, finalizeContent, presentCall, presentResult }
  checkFunctions(optionalFunctions, problems)

  // The checks above and below make these types true; when one failed, the caller drops the whole definition.
  const definition = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(typeof title === 'string' && { title: title.toWellFormed() }),
    description: typeof description === 'string' ? description.toWellFormed() : '',
    parameters: checkParameters(parameters, problems, compilesSchemas),
    validateArguments:
      typeof validateArguments === 'function' ? bindMethod(source, validateArguments) : validateArguments,
    execute: bindMethod(source, execute),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(tier !== undefined && { tier }),
    ...bindMethods(source, optionalFunctions),
    output: readOutput(output, problems, compilesSchemas),
    ...(annotations !== undefined && { annotations: readAnnotations(annotations, problems) }),
  } as ToolDefinition
  return Object.freeze(definition)
}

function readOutput(source: unknown, problems: string[], compilesSchemas: boolean): ToolOutput | undefined {
  if (!isRecord(source)) {
    problems.push('output must be an object with a render function')
    return undefined
  }
  const { schema, validate, render, presentationMeta } = source
  if (typeof render !== 'function') problems.push('output.render must be a function that gives content blocks')
  const optionalFunctions = { validate, presentationMeta }
  checkFunctions(optionalFunctions, problems, 'output.')
  const compiled = schema === undefined ? undefined : checkSchema('output.schema', schema, problems, compilesSchemas)
  const output = {
    ...(compiled !== undefined && { schema: compiled.schema }),
    // A promised schema is kept, also for an author who brings no check of their own.
    ...(compiled?.validate !== undefined && validate === undefined && { validate: compiled.validate }),
    ...bindMethods(source, optionalFunctions),
    render: bindMethod(source, render),
  } as ToolOutput
  return Object.freeze(output)
}

function readAnnotations(source: unknown, problems: string[]): ToolAnnotations | undefined {
  const copied = snapshot(source, ANNOTATION_LIMITS)
  if (!copied.ok) {
    problems.push(`annotations${copied.path} must be JSON: ${copied.reason}`)
    return undefined
  }
  if (!isRecord(copied.value)) {
    problems.push('annotations must be an object')
    return undefined
  }
  // `isRecord` forgets that the members are JSON; nothing else is in a snapshot.
  const annotations = copied.value as JsonObject
  const wrong = (field: string, expected: string, isRight: (value: Json) => boolean) => {
    if (!Object.hasOwn(annotations, field)) return
    const value = annotations[field]
    if (value === undefined || !isRight(value)) problems.push(`annotations.${field} must be ${expected}`)
  }
  wrong('title', 'a string', (value) => typeof value === 'string')
  for (const hint of HINTS) wrong(hint, 'true or false', (value) => typeof value === 'boolean')
  return annotations
}

function checkText(field: string, value: unknown, maxLength: number, problems: string[]): void {
  if (typeof value !== 'string') problems.push(`${field} must be a string; got ${typeof value}`)
  else if (value.length > maxLength) {
    problems.push(`${field} must be at most ${maxLength} characters; got ${value.length}`)
  }
}

function checkFunctions(fields: Readonly<Record<string, unknown>>, problems: string[], prefix = ''): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined && typeof value !== 'function') {
      problems.push(`${prefix}${field} must be a function; got ${typeof value}`)
    }
  }
}
