import { CodedError } from '../data/failure.ts'
import { isRecord, type Json, type JsonObject } from '../data/json.ts'
import { RUN_CODE } from '../registry/scope.ts'
import { nameFault } from '../registry/tool-name.ts'
import type { ToolDefinition } from '../registry/tool.ts'
import { readConfigFile } from './config-file.ts'
import { importSchema } from './import-schema.ts'
import { importAnnotations } from './mcp-tools.ts'
import { mockProblem, playMock, type Mock, type Reply } from './mock-behaviour.ts'
import { maskedFrame, parseJsonc } from './parse-jsonc.ts'
import { printableLine } from './printable.ts'
import { settleToolResult, valueContent } from './tool-result.ts'

/** Tools that behave as a file says, to try programs without a server. */
export interface MockTools {
  readonly tools: readonly ToolDefinition[]
  /** Names of the tools with `"approval": "required"`: whoever starts the engine puts a policy in front of them. */
  readonly approvalRequired: ReadonlySet<string>
  readonly problems: readonly string[]
}

/** A tool whose behaviour is a function: gives a value or a `CallToolResult`, or rejects. */
export interface CallableTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
  /** Runs alone. Default false. */
  readonly exclusive?: boolean
  call(args: JsonObject, options: { readonly signal: AbortSignal }): Promise<Reply> | Reply
}

const MAX_MOCK_BYTES = 32 * 1024 * 1024
const MAX_TOOLS = 10_000

/**
 * Reads a file with mocked tools: an array of tools, or an object whose `tools` is one (a catalog, a case of the
 * program corpus). A tool without `mock` is known to the SDK, and fails when it is called. What is wrong with one tool
 * is a problem that names its place, and that tool is left out; throws `CONFIG_INVALID` for a file that is no such list.
 */
export function readMockTools(source: string): MockTools {
  const inline = /^\s*[[{]/.test(source)
  const place = inline ? 'the mock tools' : printableLine(source)
  const text = inline ? source : readConfigFile(source, MAX_MOCK_BYTES)
  const listed = toolList(parse(text, place), place)
  const problems: string[] = []
  const approvalRequired = new Set<string>()
  const seen = new Set<string>()
  const tools = listed.flatMap((raw, i) => {
    const where = `${place}: tools[${i}]`
    const leaveOut = (what: string) => {
      problems.push(`${what}; this tool is left out`)
      return []
    }
    if (!isRecord(raw) || typeof raw.name !== 'string') return leaveOut(`${where} has no "name"`)
    const fault = nameFault(raw.name)
    if (fault !== undefined) return leaveOut(`${where}: the name "${printableLine(raw.name)}" ${fault}`)
    if (raw.name === RUN_CODE) return leaveOut(`${where}: the name "${RUN_CODE}" is taken`)
    if (seen.has(raw.name)) return leaveOut(`${where}: there is a tool "${raw.name}" already`)
    const wrong = raw.mock === undefined ? undefined : mockProblem(raw.mock, `${where}.mock`)
    if (wrong !== undefined) return leaveOut(wrong)
    seen.add(raw.name)
    if (raw.approval === 'required') approvalRequired.add(raw.name)
    return toolFromCorpus({ ...raw, name: raw.name, call: mockCall(raw.name, raw.mock as Mock | undefined) }, problems) // Checked above.
  })
  return { tools, approvalRequired, problems }
}

/** A tool definition around a function that answers in the corpus's way (see `CallableTool`). */
export function toolFromCorpus(tool: CallableTool, problems: string[] = []): ToolDefinition {
  const input = importSchema(tool.inputSchema ?? { type: 'object' }, `tool "${tool.name}": its input schema`, problems)
  const output =
    tool.outputSchema === undefined
      ? undefined
      : importSchema(tool.outputSchema, `tool "${tool.name}": its output schema`, problems)
  const annotations = importAnnotations(tool.annotations)
  const namespace = /^([\w-]+)\./.exec(tool.name)?.[1]
  const overlaps = tool.exclusive !== true && annotations?.readOnlyHint !== false
  return {
    name: tool.name,
    ...(namespace !== undefined && { namespace }),
    ...(typeof tool.title === 'string' && { title: tool.title }),
    description: typeof tool.description === 'string' ? tool.description : '',
    parameters: input?.jsonSchema ?? { type: 'object' },
    validateArguments: input === undefined ? 'in-body' : (args) => input.validate(args),
    isConcurrencySafe: () => overlaps,
    ...(annotations !== undefined && { annotations }),
    async execute(args, exec) {
      const reply = await tool.call(args, { signal: exec.signal })
      return 'result' in reply ? settleToolResult(tool.name, reply.result, 'auto', exec) : (reply.value ?? null)
    },
    output: {
      ...(output !== undefined && { schema: output.jsonSchema, validate: (value: Json) => output.validate(value) }),
      render: (_args, value) => valueContent(value),
    },
  }
}

function mockCall(name: string, mock: Mock | undefined): CallableTool['call'] {
  let calls = 0
  return (args, { signal }) => {
    if (mock === undefined) throw new Error(`${name} has no mock: give its entry a "mock" to call it`)
    return playMock(mock, args, calls++, signal)
  }
}

function parse(text: string, place: string): unknown {
  const parsed = parseJsonc(text)
  if (parsed.ok) return parsed.value
  const { line, column, message } = parsed.problem
  throw invalid(`${place}:${line}:${column}: this is not JSON: ${message}\n${maskedFrame(text, parsed.problem)}`)
}

function toolList(root: unknown, place: string): readonly unknown[] {
  const list = Array.isArray(root) ? root : isRecord(root) ? root.tools : undefined
  if (!Array.isArray(list)) {
    const hint = isRecord(root) && Array.isArray(root.cases) ? ' (it is a whole index: give one of its "cases")' : ''
    throw invalid(`${place} must be an array of tools, or an object with "tools"${hint}`)
  }
  if (list.length > MAX_TOOLS) throw invalid(`${place} has ${list.length} tools; at most ${MAX_TOOLS} are allowed`)
  return list
}

function invalid(message: string): CodedError {
  return new CodedError('CONFIG_INVALID', message)
}
