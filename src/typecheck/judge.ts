import { nearestNames } from '../data/nearest-names.ts'
import { readMismatch } from './assignability.ts'
import type { Diagnostic, FileQuestions } from './compiler-session.ts'
import * as words from './messages.ts'
import { isMissingFrom, isUnion } from './origins.ts'
import { habitsOf, type ProgramHabits } from './program-habits.ts'
import type { Finding, ProgramToCheck, ToolCall } from './program-to-check.ts'
import { KIND, type SyntaxTree, type TreeNode } from './syntax-tree.ts'
import { sdkPath } from './views.ts'

/** Codes of the compiler's messages, by what they can mean here. All others say nothing about a run. */
const MISSING_MEMBER: ReadonlySet<number> = new Set([2339, 2551])
const WRONG_ARGUMENT: ReadonlySet<number> = new Set([2322, 2345, 2739, 2740, 2741, 2559, 2820])
const EXTRA_KEY: ReadonlySet<number> = new Set([2353, 2561])
const WRONG_COUNT: ReadonlySet<number> = new Set([2554, 2555])
const UNKNOWN_NAME: ReadonlySet<number> = new Set([2304, 2552, 2580, 2584, 2591, 18004])
const NOT_ITERABLE: ReadonlySet<number> = new Set([2488, 2495, 2461, 2548, 2549])
const MAYBE_MISSING: ReadonlySet<number> = new Set([2531, 2532, 2533, 18047, 18048, 18049])
const PROMISE_AS_VALUE: ReadonlySet<number> = new Set([2362, 2363, 2365, 2801])
const NEVER_EQUAL = 2367

/** Names that programs have and the declarations leave out. */
const UNDECLARED_GLOBALS: ReadonlySet<string> = new Set([
  'DOMException',
  'Event',
  'EventTarget',
  'global',
  'self',
  'window',
])

/** A thousand mistakes help nobody, and each costs questions. */
const MAX_JUDGED = 20
const MAX_NOTICES = 5

export interface Judgement {
  readonly findings: readonly Finding[]
  /**
   * Ranges (in the checked text) of properties that no argument has. The compiler looks no further in such an object:
   * to see whether something is missing too, the program is checked again without them.
   */
  readonly extraKeys: readonly ExtraKey[]
}

export interface ExtraKey {
  readonly name: string
  readonly start: number
  readonly end: number
}

interface Case {
  readonly program: ProgramToCheck
  readonly ask: FileQuestions
  readonly hash: string
  readonly habits: ProgramHabits
  readonly tree: SyntaxTree
  readonly extraKeys: ExtraKey[]
  readonly givenExtra: readonly string[]
}

/**
 * Decides what the compiler's messages mean for a run. Refused is what would certainly go wrong with a tool: everything
 * that could be right in JavaScript passes, whatever TypeScript thinks of it.
 */
export async function judge(
  program: ProgramToCheck,
  ask: FileQuestions,
  hash: string,
  givenExtra: readonly string[] = [],
): Promise<Judgement> {
  const diagnostics = (await ask.diagnostics()).filter((one) => program.submittedOffset(one.start) !== undefined)
  if (!diagnostics.some(({ code }) => isOfInterest(code))) return { findings: [], extraKeys: [] }
  const extraKeys: ExtraKey[] = []
  const one: Case = {
    program,
    ask,
    hash,
    habits: habitsOf(program.text),
    tree: await ask.tree(),
    extraKeys,
    givenExtra,
  }
  const findings: Finding[] = []
  for (const diagnostic of diagnostics.filter(({ code }) => isOfInterest(code)).slice(0, MAX_JUDGED)) {
    const found = await judgeOne(one, diagnostic)
    const offset = program.submittedOffset(diagnostic.start)
    if (found === undefined || offset === undefined) continue
    if (!findings.some((other) => other.offset === offset && other.message === found.message))
      findings.push({ ...found, offset })
  }
  const notices = findings.filter(({ severity }) => severity === 'notice').slice(0, MAX_NOTICES)
  return { findings: [...findings.filter(({ severity }) => severity === 'error'), ...notices], extraKeys }
}

function isOfInterest(code: number): boolean {
  return (
    MISSING_MEMBER.has(code) ||
    WRONG_ARGUMENT.has(code) ||
    EXTRA_KEY.has(code) ||
    WRONG_COUNT.has(code) ||
    UNKNOWN_NAME.has(code) ||
    NOT_ITERABLE.has(code) ||
    MAYBE_MISSING.has(code) ||
    PROMISE_AS_VALUE.has(code) ||
    code === NEVER_EQUAL
  )
}

type Found = Omit<Finding, 'offset'> | undefined

async function judgeOne(one: Case, diagnostic: Diagnostic): Promise<Found> {
  const { code, text } = diagnostic
  if (MISSING_MEMBER.has(code)) return await judgeMember(one, diagnostic)
  if (EXTRA_KEY.has(code)) return await judgeExtraKey(one, diagnostic)
  if (WRONG_ARGUMENT.has(code)) return await judgeArgument(one, diagnostic)
  if (WRONG_COUNT.has(code)) return await judgeCount(one, diagnostic)
  if (UNKNOWN_NAME.has(code)) return judgeName(one, diagnostic)
  if (NOT_ITERABLE.has(code)) return await judgeIterable(one, diagnostic)
  if (MAYBE_MISSING.has(code)) return await judgeMaybe(one, diagnostic)
  if (PROMISE_AS_VALUE.has(code)) return isAboutPromise(text) ? error(words.promiseAsValue()) : undefined
  const [, left, right] = /types '([^]*)' and '([^]*)' have no overlap/.exec(text) ?? []
  if (left === undefined || right === undefined || !left.includes('" | "')) return undefined
  return notice(words.neverEqual(left, right))
}

async function judgeMember({ program, ask, hash, habits, tree }: Case, { start, end }: Diagnostic): Promise<Found> {
  const name = program.text.slice(start, end)
  const offset = program.submittedOffset(start)
  if (offset === undefined || program.judgedElsewhere.has(offset)) return undefined
  const access = tree.find(start, end, KIND.propertyAccess)
  const receiver = access === undefined ? bindingAround(tree, start, end) : tree.firstChildOf(access)
  const type = receiver === undefined ? undefined : await ask.typeOf(receiver)
  if (type === undefined || (await isMissingFrom(ask, type, name, hash)) === 'loose') return undefined
  const typeText = await ask.typeText(type)
  // Nobody asks whether a promise has a field: the await was forgotten.
  if (!typeText.startsWith('Promise<')) {
    if (habits.writesMember(name)) return undefined
    if (access !== undefined && habits.isProbe(startOf(program.text, access), end)) return undefined
    // A default value says that it may be missing.
    if (access === undefined && /^\s*(?::\s*[\w$]+\s*)?=(?![=>])/.test(program.text.slice(end, end + 200)))
      return undefined
    // A group of tools by a way that only the compiler sees: a variant of a tool's name works when it runs.
    if (/\bfull\(name: string/.test(typeText) || typeText.includes('SdkTools')) return undefined
  }
  return error(words.missingMember(name, typeText, await ask.propertiesOf(type)))
}

function bindingAround(tree: SyntaxTree, start: number, end: number): TreeNode | undefined {
  let at = tree.find(start, end, KIND.identifier)
  while (at !== undefined && at.kind !== KIND.objectBinding) at = tree.parentOf(at)
  return at
}

async function judgeArgument(one: Case, diagnostic: Diagnostic): Promise<Found> {
  const { program, habits } = one
  const { start, end } = diagnostic
  const call = await toolCallAround(one, diagnostic)
  if (call === undefined) return judgeDeclared(one, diagnostic)
  const mismatch = readMismatch(diagnostic.text, diagnostic.chain)
  const isWhole = call.isFirstArgument
  // The value itself, or the key of the property whose value it is.
  const key = isWhole ? undefined : keyAt(program.text, start, end)
  const value = valueText(program.text, start, end, key !== undefined)
  if (mismatch.kind === 'wrong') {
    if (isWhole && !/^[[{(]/.test(mismatch.source) && !mismatch.source.startsWith('Promise<'))
      return error(words.bareArgument(call, mismatch.source, program.text.slice(start, end), requiredOf(call.tool)))
    return error(words.wrongType(call, key, mismatch.source, mismatch.target))
  }
  if (mismatch.kind === 'unsure') return missingBeside(one, call)
  const { names, source } = mismatch
  if (/\[\w+: (?:string|number)\]/.test(source) || names.some((name) => habits.writesMember(name))) return undefined
  const literal = value.startsWith('{')
  if (!literal && source === '{}') return undefined
  const variables = literal ? spreadsOf(value) : (/^[A-Za-z_$][\w$]*(?![\w$.([])/.exec(value) ?? [])
  if (variables.some((name) => name === '' || habits.fillsVariable(name))) return undefined
  // What a spread brings is in the type, unless it is made as the program runs.
  if (literal && /\.\.\.\s*(?:Object\.fromEntries|JSON\.parse)/.test(value)) return undefined
  const given = [...one.givenExtra, ...keysIn(source)]
  return error(words.missingArguments(call, key, names, given))
}

/** A property that may fit hides from the compiler that another one is missing. */
function missingBeside({ program, tree }: Case, call: CallAround): Found {
  const callee = tree.firstChildOf(call.node)
  const literal = callee && tree.find(callee.end + 1, call.node.end - 1, KIND.objectLiteral)
  if (literal === undefined || !/^\s*\(\s*$/.test(program.text.slice(callee?.end, startOf(program.text, literal))))
    return undefined
  const keys = tree.keysOf(literal, program.text)
  const missing = keys === undefined ? [] : requiredOf(call.tool).filter((name) => !keys.includes(name))
  return missing.length === 0 ? undefined : error(words.missingArguments(call, undefined, missing, keys ?? []))
}

/** `const rows: Row[] = tools.list()`: a promise in a variable that is not for promises, and that nothing awaits. */
function judgeDeclared({ program }: Case, { start, end, text, related }: Diagnostic): Found {
  if (!related.some(({ text: hint }) => hint.includes("'await'")) && !text.startsWith("Type 'Promise<"))
    return undefined
  const name = program.text.slice(start, end)
  const isVariable =
    /^[A-Za-z_$][\w$]*$/.test(name) &&
    /\b(?:const|let|var)\s+$/.test(program.text.slice(Math.max(0, start - 20), start))
  if (!isVariable || /\bPromise\b/.test(program.text.slice(end, end + 60).split('=')[0] ?? '')) return undefined
  const isAwaited = new RegExp(
    `\\bawait\\b[^\\n;]{0,300}\\b${RegExp.escape(name)}\\b|\\b${RegExp.escape(name)}\\s*\\.\\s*then\\b|Promise\\.\\w+\\(`,
  ).test(program.text)
  return isAwaited ? undefined : error(words.promiseAsValue())
}

async function judgeExtraKey(one: Case, diagnostic: Diagnostic): Promise<Found> {
  const { program, tree, habits } = one
  const call = await toolCallAround(one, diagnostic)
  if (call === undefined) return undefined
  const { start, end } = diagnostic
  const key = unquoted(program.text.slice(start, end))
  const property = tree.propertyAround(start, end)
  if (property !== undefined) one.extraKeys.push({ name: key, start, end: property.end })
  const isAtTop = isTopKey(tree, call.node, start, end)
  const suggested = /Did you mean to write '([^]*)'\?/.exec(diagnostic.text)?.[1]
  const declared = isAtTop ? (call.tool?.properties ?? []) : []
  const near = suggested ?? nearestNames(key, declared, 1)[0]
  const isClosed = isAtTop && call.tool?.isClosed === true && !declared.includes(key)
  const isTaken = near !== undefined && habits.writesMember(near)
  const text = words.extraKey(call, key, near, isClosed)
  // The compiler suggests a name only when it is near and not given: a misspelt filter would silently be no filter.
  return isClosed || (suggested !== undefined && !isTaken) ? error(text) : notice(text)
}

async function judgeCount(one: Case, diagnostic: Diagnostic): Promise<Found> {
  const given = Number(/but got (\d+)/.exec(diagnostic.text)?.[1] ?? NaN)
  const call = await toolCallOf(one, diagnostic)
  if (call === undefined || Number.isNaN(given)) return undefined
  return error(words.wrongCount(call, given, requiredOf(call.tool)))
}

function judgeName({ program, habits, tree }: Case, { start, end, text }: Diagnostic): Found {
  const name = program.text.slice(start, end)
  const offset = program.submittedOffset(start) ?? 0
  if (UNDECLARED_GLOBALS.has(name) || habits.probesName(name)) return undefined
  if (program.handled.some(([from, to]) => offset >= from && offset < to)) return undefined
  const node = tree.find(start, end, KIND.identifier)
  if (node === undefined || tree.isInType(node)) return undefined
  return error(words.unknownName(name, /Did you mean '([^']*)'\?/.exec(text)?.[1]))
}

async function judgeIterable({ ask, hash, tree, habits }: Case, { start, end, text }: Diagnostic): Promise<Found> {
  if (text.startsWith("Type 'Promise<")) return error(words.notIterable('Promise<'))
  const node = tree.find(start, end)
  const type = node === undefined ? undefined : await ask.typeOf(node)
  if (type === undefined || habits.isProbe(start, end)) return undefined
  if ((await isMissingFrom(ask, type, 'length', hash)) === 'loose') return undefined
  const typeText = await ask.typeText(type)
  return typeText.startsWith('{') || /^[A-Z]\w*$/.test(typeText) ? error(words.notIterable(typeText)) : undefined
}

async function judgeMaybe({ program, ask, hash }: Case, { start, end }: Diagnostic): Promise<Found> {
  const symbol = await ask.symbolAt(Math.max(start, end - 1))
  if (symbol === undefined || !symbol.files.some((file) => file === sdkPath(hash))) return undefined
  return notice(words.maybeMissing(program.text.slice(start, end)))
}

interface CallAround extends words.CallWords {
  readonly node: TreeNode
  readonly isFirstArgument: boolean
}

async function toolCallAround(one: Case, { start, end }: Diagnostic): Promise<CallAround | undefined> {
  const node = one.tree.callAround(start, end)
  return node === undefined ? undefined : await describeCall(one, node, start, end)
}

/** The call whose own shape is wrong: the message stands at its callee or at an argument too many. */
async function toolCallOf(one: Case, { start, end }: Diagnostic): Promise<CallAround | undefined> {
  const inside = one.tree.callAround(start, end)
  const around = inside === undefined ? undefined : await describeCall(one, inside, start, end)
  if (around !== undefined) return around
  for (let at = one.tree.find(start, end); at !== undefined; at = one.tree.parentOf(at))
    if (at.kind === KIND.call) return await describeCall(one, at, start, end)
  return undefined
}

async function describeCall(
  { program, ask, hash, tree }: Case,
  node: TreeNode,
  start: number,
  end: number,
): Promise<CallAround | undefined> {
  if ((await ask.declaringFileOf(node)) !== sdkPath(hash)) return undefined
  const callee = tree.firstChildOf(node)
  if (callee === undefined) return undefined
  // One of several tools: TypeScript then wants the arguments of all of them.
  const calleeType = await ask.typeOf(callee)
  if (calleeType === undefined || isUnion(calleeType)) return undefined
  const from = program.submittedOffset(startOf(program.text, callee))
  const to = program.submittedOffset(callee.end - 1)
  const tool = program.calls.find(
    ({ offset }) => from !== undefined && to !== undefined && offset >= from && offset <= to,
  )
  const written = words.shorten(program.text.slice(startOf(program.text, callee), callee.end).replace(/\s+/g, ' '), 100)
  const before = program.text.slice(callee.end, start)
  return {
    label: tool?.label ?? written,
    tool,
    node,
    isFirstArgument: /^[\s(]*$/.test(before) && end <= node.end,
  }
}

function isTopKey(tree: SyntaxTree, call: TreeNode, start: number, end: number): boolean {
  let at = tree.find(start, end)
  let objects = 0
  while (at !== undefined && at.index !== call.index) {
    if (at.kind === KIND.objectLiteral) objects++
    at = tree.parentOf(at)
  }
  return objects === 1
}

/** The property whose key stands there; undefined when it is a value. */
function keyAt(text: string, start: number, end: number): string | undefined {
  const isKey = /^\s*:/.test(text.slice(end, end + 20)) || isShorthand(text, start, end)
  return isKey ? unquoted(text.slice(start, end)) : undefined
}

function isShorthand(text: string, start: number, end: number): boolean {
  return /[{,]\s*$/.test(text.slice(Math.max(0, start - 80), start)) && /^\s*[,}]/.test(text.slice(end, end + 80))
}

function valueText(text: string, start: number, end: number, isKey: boolean): string {
  const colon = isKey ? /^\s*:\s*/.exec(text.slice(end, end + 200)) : null
  const from = colon === null ? start : end + colon[0].length
  const rest = text.slice(from, from + 4_000)
  return rest.startsWith('{') ? balanced(rest) : rest.slice(0, 200)
}

/** Up to the brace that closes the first; strings that hold braces only make it longer or shorter. */
function balanced(text: string): string {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return text.slice(0, at + 1)
  }
  return text
}

/** Variables that are spread into a literal; empty names for spreads of anything else. */
function spreadsOf(literal: string): readonly string[] {
  return [...literal.matchAll(/\.\.\.\s*([A-Za-z_$][\w$]*)/g)].map(([, name = '']) => name)
}

function keysIn(typeText: string): readonly string[] {
  return [...typeText.matchAll(/(?:^\{|;) *"?([\w$-]+)"?\??:/g)].map(([, key = '']) => key)
}

function requiredOf(tool: ToolCall | undefined): readonly string[] {
  return tool?.required ?? []
}

function startOf(text: string, node: TreeNode): number {
  let at = node.start
  // Blanks and comments before a node belong to it; only blanks matter for showing it.
  while (at < node.end && /\s/.test(text[at] ?? '')) at++
  return at
}

function unquoted(key: string): string {
  return /^(['"]).*\1$/s.test(key) ? key.slice(1, -1) : key
}

function isAboutPromise(text: string): boolean {
  return text.includes("'Promise<")
}

function error(text: words.Words): Found {
  return { severity: 'error', ...text }
}
function notice(text: words.Words): Found {
  return { severity: 'notice', ...text }
}
