import { isRecord, type Json } from '../data/json.ts'
import { checkDefinition } from '../registry/check-definition.ts'
import type { ToolAnnotations, ToolDefinition } from '../registry/tool.ts'
import { importSchema } from './import-schema.ts'
import type { McpConnection } from './mcp-connection.ts'
import { printable } from './printable.ts'
import type { ServerEntry } from './server-entry.ts'
import { settleToolResult, valueContent } from './tool-result.ts'

/** A tool whose description and schemas are larger than this would crowd out everything else in a prompt. */
const MAX_TOOL_BYTES = 1024 * 1024
const MAX_NAME = 128
const MAX_TITLE = 200
const MAX_DESCRIPTION = 50_000
const NAME = /^[A-Za-z0-9_.\-/]+$/

export interface ImportedTools {
  readonly tools: readonly ToolDefinition[]
  /** What was skipped or lost precision, and why; one sentence each. */
  readonly problems: readonly string[]
}

/**
 * A server's `tools/list` as tool definitions. Each tool is judged alone: one with an impossible name is skipped, one
 * whose schema cannot be used keeps working without it, and the rest of the catalog is as if they were fine.
 */
export function importMcpTools(
  listed: readonly unknown[],
  namespace: string,
  entry: ServerEntry,
  connection: Pick<McpConnection, 'callTool'>,
): ImportedTools {
  const tools: ToolDefinition[] = []
  const problems: string[] = []
  const seen = new Set<string>()
  const disabled = new Set(entry.disabledTools)
  for (const [index, raw] of listed.entries()) {
    const wrong = whatIsWrong(raw, index, namespace, seen)
    if (wrong !== undefined) {
      problems.push(wrong)
      continue
    }
    const tool = raw as ListedTool // `whatIsWrong` checked the name; the rest is read as unknown.
    seen.add(tool.name)
    if (disabled.has(tool.name)) continue
    // The registry's own check, here, where one bad tool can still be left out alone.
    const checked = checkDefinition(importTool(tool, namespace, entry, connection, problems))
    if (checked.ok) tools.push(checked.definition)
    else problems.push(`tool "${tool.name}" is skipped: ${printable(checked.problems.join('; '), 500)}`)
  }
  return { tools, problems }
}

type ListedTool = Readonly<Record<string, unknown>> & { readonly name: string }

function whatIsWrong(raw: unknown, index: number, namespace: string, seen: ReadonlySet<string>): string | undefined {
  if (!isRecord(raw) || typeof raw.name !== 'string') return `tool ${index} of its list has no name; it is skipped`
  const shown = JSON.stringify(printable(raw.name, MAX_NAME))
  if (!NAME.test(raw.name) || raw.name === '.' || raw.name === '..') {
    return `tool ${shown} is skipped: a name holds letters, digits and _ . - / only`
  }
  if (namespace.length + 1 + raw.name.length > MAX_NAME) {
    return `tool ${shown} is skipped: with its namespace the name is longer than ${MAX_NAME} characters`
  }
  if (seen.has(raw.name)) return `tool ${shown} is listed twice; the first one counts`
  const bytes = JSON.stringify(raw).length
  if (bytes > MAX_TOOL_BYTES)
    return `tool ${shown} is skipped: its definition has ${bytes} characters (at most ${MAX_TOOL_BYTES})`
  return undefined
}

function importTool(
  tool: ListedTool,
  namespace: string,
  entry: ServerEntry,
  connection: Pick<McpConnection, 'callTool'>,
  problems: string[],
): ToolDefinition {
  const name = `${namespace}.${tool.name}`
  const input = importSchema(tool.inputSchema ?? { type: 'object' }, `tool "${tool.name}": its input schema`, problems)
  const output =
    tool.outputSchema === undefined || tool.outputSchema === null
      ? undefined
      : importSchema(tool.outputSchema, `tool "${tool.name}": its output schema`, problems)
  const annotations = importAnnotations(tool.annotations)
  const title = typeof tool.title === 'string' ? tool.title : annotations?.title
  const overlaps = entry.exclusive !== true && annotations?.readOnlyHint !== false
  return {
    name,
    namespace,
    ...(title !== undefined && { title: title.slice(0, MAX_TITLE) }),
    description: (typeof tool.description === 'string' ? tool.description : (title ?? '')).slice(0, MAX_DESCRIPTION),
    parameters: input?.jsonSchema ?? { type: 'object' },
    validateArguments: input === undefined ? 'in-body' : (args) => input.validate(args),
    isConcurrencySafe: () => overlaps,
    ...(annotations !== undefined && { annotations }),
    async execute(args, exec) {
      const raw = await connection.callTool(tool.name, args, {
        signal: exec.signal,
        ...(exec.idempotencyKey !== undefined && { idempotencyKey: exec.idempotencyKey }),
        onProgress: (progress) => exec.reportProgress(progress),
      })
      return settleToolResult(name, raw, entry.textResults ?? 'auto', exec)
    },
    output: {
      ...(output !== undefined && { schema: output.jsonSchema, validate: (value: Json) => output.validate(value) }),
      // Only for values that did not come from the server just now (a wrapper's, a replaced one): see `execute`.
      render: (_args, value) => valueContent(value),
    },
  }
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

export function importAnnotations(raw: unknown): ToolAnnotations | undefined {
  if (!isRecord(raw)) return undefined
  const hints = HINTS.filter((hint) => typeof raw[hint] === 'boolean').map((hint) => [hint, raw[hint]] as const)
  if (hints.length === 0 && typeof raw.title !== 'string') return undefined
  return { ...(typeof raw.title === 'string' && { title: raw.title }), ...Object.fromEntries(hints) }
}
