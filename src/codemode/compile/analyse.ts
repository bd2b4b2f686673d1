import { createHash } from 'node:crypto'
import type { Notice } from '../../executor/executor.ts'
import { anyNode, childOf, nameOf, type AnyNode, type File } from './ast.ts'
import { firstComment } from './comments.ts'
import { createEditedText, createEdits, type EditedText, type Piece } from './edits.ts'
import { collectFacts, type Facts } from './facts.ts'
import { readingsOf, type Reading } from './fences.ts'
import { findForbidden, findImportMeta } from './forbidden.ts'
import { leavesCode, planForm, type FreshNames, type ProgramForm } from './forms.ts'
import { planImports, type Refusal } from './imports.ts'
import { MAX_AMBIGUOUS_DEPTH } from './lower.ts'
import { findMainGuards, isGuarded } from './main-guard.ts'
import { parseProgram, type ParseProblem } from './parse.ts'
import { plainText } from './plain.ts'
import { SDK_MODULE_OBJECT } from './sdk-modules.ts'
import { findToolUses, type ToolUseAt } from './tool-uses.ts'

/** All that is known of a program before it is lowered. Offsets are those of the submitted text. */
export interface Analysis {
  readonly ok: true
  readonly form: ProgramForm
  readonly notices: readonly Notice[]
  readonly refusals: readonly Refusal[]
  readonly toolUses: readonly ToolUseAt[]
  /** Ranges in which a failure is caught. */
  readonly handled: readonly (readonly [start: number, end: number])[]
  readonly firstComment?: string
  /** The submitted text with everything but the program blanked. */
  readonly source: string
  /** The program as it goes to lowering, see lower.ts. */
  readonly edited: EditedText
  readonly names: FreshNames
  /** How each of `names` ends. */
  readonly ownSuffix: string
  /** How many returns are marked in it. */
  readonly marks: number
  /** The same as `edited` where V8 takes it so, types blanked: every offset is that of `edited`. */
  readonly plain: string | undefined
}

export type AnalysisProblem =
  | (ParseProblem & { readonly isJsx: boolean; readonly source: string })
  | { readonly ok: false; readonly kind: 'too-intricate'; readonly message: string; readonly source: string }

interface ParsedReading {
  readonly reading: Reading
  readonly file: File
  readonly facts: Facts
  /** How many characters stand before the text only to make it parse. */
  readonly shift: number
}

/** Reads the text once and decides everything that needs the syntax tree. Evaluates nothing. */
export function analyseProgram(text: string): Analysis | Extract<AnalysisProblem, { readonly ok: false }> {
  const read = readProgram(text)
  if (!read.ok) return read
  const { reading, facts, file, shift } = read
  if (facts.ambiguousDepth > MAX_AMBIGUOUS_DEPTH) {
    const message = `the program nests "a ? (b) : c => …" more than ${MAX_AMBIGUOUS_DEPTH} deep; give the inner functions names`
    return { ok: false, kind: 'too-intricate', message, source: reading.text }
  }

  const parsedText = prefixOf(shift) + reading.text
  // A text cannot contain a part of its own hash, however it is escaped.
  const suffix = createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 12)
  const names = { mark: `$return_${suffix}`, value: `$value_${suffix}`, moduleObject: `$sdk_${suffix}` }
  const edits = createEdits(parsedText)
  const guards = findMainGuards(file, facts)
  const imports = planImports(file, facts, edits, names.moduleObject)
  const { interpreter } = file.program
  if (interpreter != null) edits.replace(anyNode(interpreter).start, anyNode(interpreter).end, '')
  const label = dropLanguageLabel(file, facts)
  if (label !== undefined) edits.replace(label.start, label.end, '')
  const form = planForm({ text: parsedText, file, facts, edits, names, guards })
  const body = edits.apply()
  const needsModule =
    body.text.includes(names.moduleObject) || imports.bindings.some((one) => one.includes(names.moduleObject))
  const head = (needsModule ? `const ${names.moduleObject} = ${SDK_MODULE_OBJECT};` : '') + imports.bindings.join('')
  const plain = plainText(file, parsedText)
  const comment = firstComment(file, parsedText)
  const settled = new Set(facts.importMetas.filter(({ node }) => isGuarded(node, guards)))
  return {
    ok: true,
    form: form.form,
    notices: [...fenceNotices(reading), ...imports.notices, ...form.notices],
    refusals: [...imports.refusals, ...findForbidden(facts, guards), ...findImportMeta(facts, settled)]
      .map((refusal) => ({ ...refusal, offset: refusal.offset - shift }))
      .toSorted((left, right) => left.offset - right.offset),
    toolUses: findToolUses(facts, imports.aliases).map((use) => ({ ...use, offset: use.offset - shift })),
    handled: facts.handledBlocks.map(({ start, end }) => [start - shift, end - shift] as const),
    ...(comment !== undefined && { firstComment: comment }),
    source: reading.text,
    edited: withHead(head, body, shift),
    names,
    ownSuffix: `_${suffix}`,
    marks: body.text.split(`throw ${names.mark}`).length - 1,
    plain: plain === undefined ? undefined : head + edits.apply(plain).text,
  }
}

/** The first reading that parses; else the problem of the one that says most. */
function readProgram(text: string): (ParsedReading & { readonly ok: true }) | Extract<AnalysisProblem, { ok: false }> {
  let problem: { readonly parse: ParseProblem; readonly source: string } | undefined
  for (const reading of readingsOf(text)) {
    const parsed = parseProgram(reading.text)
    if (parsed.ok) {
      const facts = collectFacts(parsed.file)
      // Backticks around prose and code read as templates that tag each other: not what anybody means.
      if (!(reading.isUnfenced && facts.hasTaggedByTemplate && text.includes('```')))
        return { ok: true, reading, file: parsed.file, facts, shift: 0 }
    } else if (problem === undefined || problem.source === text) problem = { parse: parsed, source: reading.text }
    if (parsed.ok || parsed.kind !== 'syntax') continue
    const asExpression = readAsExpression(reading)
    if (asExpression !== undefined) return { ok: true, ...asExpression }
  }
  const parse = problem?.parse ?? {
    ok: false,
    kind: 'syntax',
    message: 'the fences in the text leave no single program',
  }
  const source = problem?.source ?? text
  const withJsx = parse.kind === 'syntax' ? parseProgram(source, 'tsx') : parse
  return { ...parse, isJsx: withJsx.ok, source, ...(withJsx.ok && jsxOffset(withJsx.file)) }
}

const EXPRESSION_PREFIX = 'export default '
function prefixOf(shift: number): string {
  return shift === 0 ? '' : EXPRESSION_PREFIX
}

/** `async function () { … }` and `{ a: await … }` are no statements, but what is meant is plain. */
function readAsExpression(reading: Reading): ParsedReading | undefined {
  const parsed = parseProgram(EXPRESSION_PREFIX + reading.text)
  if (!parsed.ok) return undefined
  const [first, ...others] = parsed.file.program.body
  if (first?.type !== 'ExportDefaultDeclaration' || others.some(({ type }) => type !== 'EmptyStatement'))
    return undefined
  const facts = collectFacts(parsed.file)
  const { type } = first.declaration
  const isMeant = type === 'FunctionDeclaration' || (type === 'ObjectExpression' && facts.usesByName.has('tools'))
  return isMeant ? { reading, file: parsed.file, facts, shift: EXPRESSION_PREFIX.length } : undefined
}

/** A first line `typescript` is what is left of a fence that somebody stripped badly. */
function dropLanguageLabel(file: File, facts: Facts): AnyNode | undefined {
  const [statement, ...others] = file.program.body
  if (statement?.type !== 'ExpressionStatement' || !others.some(leavesCode)) return undefined
  const first = anyNode(statement)
  const name = nameOf(childOf(first, 'expression'))
  const isLabel = ['ts', 'typescript', 'js', 'javascript'].includes(name) && !facts.declarationsByName.has(name)
  return isLabel ? first : undefined
}

/** Where the first JSX stands. */
function jsxOffset(file: File): { readonly offset?: number } {
  const offsets: number[] = []
  const waiting: unknown[] = [file.program]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    const { type, start } = value as { readonly type?: unknown; readonly start?: unknown }
    if (typeof type === 'string' && type.startsWith('JSX') && typeof start === 'number') offsets.push(start)
    else for (const child of Object.values(value)) waiting.push(child as unknown)
  }
  return offsets.length === 0 ? {} : { offset: offsets.reduce((left, right) => Math.min(left, right)) }
}

/** Puts `head` before the program, and makes offsets those of the submitted text. */
function withHead(head: string, body: EditedText, shift: number): EditedText {
  const pieces: Piece[] = []
  const add = (editedStart: number, originalStart: number | undefined, isFixed: boolean) =>
    pieces.push({ editedStart, originalStart, isFixed })
  if (head !== '' || body.pieces.length === 0) add(0, head === '' ? 0 : undefined, false)
  for (const [index, { editedStart, originalStart, isFixed }] of body.pieces.entries()) {
    const start = editedStart + head.length
    const isBefore = originalStart === undefined || originalStart < shift
    add(start, isBefore ? undefined : originalStart - shift, isFixed)
    if (originalStart === undefined || !isBefore || isFixed) continue
    // It begins in the prefix and goes on into the submitted text.
    const inside = editedStart + shift - originalStart
    if (inside < (body.pieces[index + 1]?.editedStart ?? body.text.length)) add(inside + head.length, 0, false)
  }
  return createEditedText(head + body.text, pieces)
}

function fenceNotices({ dropped }: Reading): readonly Notice[] {
  if (dropped !== 'prose') return []
  const message = 'text around the fenced program was dropped. Send only the program, without fences'
  return [{ code: 'fence-removed', message }]
}
