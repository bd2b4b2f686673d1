import { didYouMean, nearestNames } from '../data/nearest-names.ts'
import { isRecord } from '../data/json.ts'
import type { Notice } from '../executor/executor.ts'
import { accessPath } from '../sdk/safe-text.ts'
import { findTool, signatureOf } from '../sdk/search.ts'
import { callableTools, type PlacedTool, type SdkNames, type SdkView } from '../sdk/sdk-view.ts'
import type { TypeChecker } from '../typecheck/checker.ts'
import type { Finding, ToolCall } from '../typecheck/program-to-check.ts'
import type { ParsedProgram, ToolUse } from './compile.ts'
import { printable } from './compile/code-frame.ts'

/** What a type error does to a run. Names of tools are checked in every mode: a call of none cannot go well. */
export type TypecheckMode = 'error' | 'notice' | 'off'
export const TYPECHECK_MODES: readonly TypecheckMode[] = ['error', 'notice', 'off']

export interface PreflightOptions {
  readonly mode: TypecheckMode
  readonly view: SdkView
  readonly names: SdkNames
  readonly checker: TypeChecker
}

export interface Preflight {
  /** Why the program is not run. */
  readonly refusal?: { readonly message: string; readonly line: number; readonly column: number }
  readonly notices: readonly Notice[]
}

/** More mistakes than this in one message help nobody. */
const MAX_ERRORS = 5

/** Judges a program before its first side effect: the tools it calls by name, and its types. Never throws for what it is. */
export async function preflight(program: ParsedProgram, options: PreflightOptions): Promise<Preflight> {
  const { mode, view, names, checker } = options
  const unknownUses = program.usedTools.filter((use) => isUnknown(use, view, names))
  // Looking for near names costs time for every tool: only what is shown is looked up.
  const unknown = unknownUses.map((use, at) =>
    at < MAX_ERRORS
      ? unknownTool(use, view, names)
      : unknownFinding(use, `there is no tool ${printable(use.path, 80)}`),
  )
  const verdict = mode === 'off' ? undefined : await checker.check(toCheck(program, view, names), view, names)
  const findings = verdict?.isChecked === true ? verdict.findings : []
  const errors = mode === 'error' ? findings.filter(({ severity }) => severity === 'error') : []
  const notices = findings.filter((finding) => !errors.includes(finding)).map((finding) => asNotice(finding, program))
  if (verdict?.isChecked === false)
    notices.push({
      code: 'not-type-checked',
      message: `the types of this program were not checked: ${verdict.reason}.`,
    })
  const refused = [...unknown, ...errors].toSorted((a, b) => a.offset - b.offset)
  return { notices, ...(refused.length > 0 && { refusal: refusalOf(refused, program) }) }
}

function toCheck(program: ParsedProgram, view: SdkView, names: SdkNames) {
  const calls = program.usedTools.flatMap((use): readonly ToolCall[] => {
    const placed = use.isCall ? findTool(view, names, use.path) : undefined
    return placed === undefined ? [] : [toolCall(use.offset, placed)]
  })
  return {
    text: program.checkedText,
    submittedOffset: program.submittedOffset,
    calls,
    judgedElsewhere: new Set(program.usedTools.map(({ offset }) => offset)),
    handled: program.handled,
  }
}

function toolCall(offset: number, placed: PlacedTool): ToolCall {
  const { properties, required, additionalProperties, patternProperties } = placed.tool.parameters
  let signature: string | undefined
  return {
    offset,
    label: `tools${accessPath(placed.path)}`,
    // Only programs with a mistake need it.
    get signature() {
      return (signature ??= signatureOf(placed))
    },
    properties: isRecord(properties) ? Object.keys(properties) : [],
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
    isClosed: additionalProperties === false && patternProperties === undefined,
  }
}

/** Members that every function and object has, or that are asked for by the language. */
const ORDINARY_MEMBERS: ReadonlySet<string> = new Set([
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toString',
  'toLocaleString',
  'valueOf',
  'then',
  'catch',
  'finally',
  'toJSON',
  'constructor',
])

/**
 * Whether a call names a tool that is not there. Programs that ask first, or that are ready for the failure, find out by
 * themselves when they run.
 */
function isUnknown(use: ToolUse, view: SdkView, names: SdkNames): boolean {
  if (!use.isCall || use.isProbed || use.isHandled) return false
  const steps = use.path.split('.')
  if (ORDINARY_MEMBERS.has(steps.at(-1) ?? '') || use.path === 'full') return false
  return !steps.some((_, at) => findTool(view, names, steps.slice(0, steps.length - at).join('.')) !== undefined)
}

function unknownTool(use: ToolUse, view: SdkView, names: SdkNames): Finding {
  const tools = callableTools(view, names)
  const written = printable(use.path, 80)
  const members = tools.filter(({ path }) => path.length > 1 && path[0] === use.path)
  if (members.length > 0) {
    const some = members.slice(0, 8).map(({ path }) => `tools${accessPath(path)}`)
    return unknownFinding(use, `tools.${written} is a group of tools, not a tool`, `It has: ${some.join(', ')}`)
  }
  const direct = [...view.toolsByName.values()].find(({ name }) => name === use.path)
  if (direct !== undefined)
    return unknownFinding(use, `${written} cannot be called from a program`, 'Call it directly, outside run_code')

  const byLabel = new Map(
    tools.flatMap((placed) => [[placed.tool.name, placed] as const, [placed.path.join('.'), placed] as const]),
  )
  const [first] = nearestNames(use.path, byLabel.keys(), 1)
  const nearest = first === undefined ? undefined : byLabel.get(first)
  if (nearest === undefined) {
    const some = tools.slice(0, 8).map(({ path }) => `tools${accessPath(path)}`)
    const has =
      some.length === 0 ? 'This program has no tools' : `There are: ${some.join(', ')}${tools.length > 8 ? ', …' : ''}`
    return unknownFinding(use, `there is no tool "${written}"`, `${has}. To find one: await sdk.search("…")`)
  }
  const near = didYouMean(
    use.path,
    [...byLabel.keys()].filter((name) => !name.includes('.') || name === first),
  )
  return unknownFinding(
    use,
    `there is no tool "${written}".${near}`,
    `Write tools${accessPath(nearest.path)}(…)\nSignature: ${printable(signatureOf(nearest), 700)}`,
  )
}

function unknownFinding({ offset }: ToolUse, message: string, advice?: string): Finding {
  return { severity: 'error', offset, message, ...(advice !== undefined && { advice }) }
}

function asNotice({ offset, message, advice }: Finding, program: ParsedProgram): Notice {
  const { line } = program.positionAt(offset)
  const [first = ''] = (advice ?? '').split('\n')
  return {
    code: 'type-notice',
    message: `line ${line}: ${message}.${first === '' || first.startsWith('Signature') ? '' : ` ${first}`}`,
  }
}

function refusalOf(errors: readonly Finding[], program: ParsedProgram): NonNullable<Preflight['refusal']> {
  const [first, ...others] = errors
  if (first === undefined) throw new TypeError('a refusal without a reason')
  const at = program.positionAt(first.offset)
  const lines = [
    `${first.message} (line ${at.line}, column ${at.column})`,
    program.frameAt(at),
    ...(first.advice === undefined ? [] : [first.advice]),
    ...others.slice(0, MAX_ERRORS - 1).map((error) => {
      const [advice = ''] = (error.advice ?? '').split('\nSignature')
      return `Also, line ${program.positionAt(error.offset).line}: ${error.message}.${advice === '' || advice.startsWith('Signature') ? '' : ` ${advice}`}`
    }),
    ...(others.length >= MAX_ERRORS ? [`And ${others.length - MAX_ERRORS + 1} more.`] : []),
    'Nothing was run.',
  ]
  return { message: lines.join('\n'), ...at }
}
