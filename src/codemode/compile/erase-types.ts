import { childOf, nameOf, type AnyNode } from './ast.ts'

/** A node, and where in its parent it is. */
export interface Placed {
  readonly node: AnyNode
  readonly parent: AnyNode | undefined
  readonly key: string
}

/** Collects ranges of a text to blank: what is left has the same offsets, lines and columns. */
export interface Blanks {
  readonly text: string
  /** `start` of the range becomes a semicolon when the statement before it may have none. */
  add(start: number, end: number, endsStatement?: boolean): void
}

/** `erased`: nothing of the node is left to look at; `inner`: what it wraps is. `kept`: it is no type. */
export type Erasure = 'kept' | 'erased' | 'inner' | 'refused'

/**
 * Blanks one node of TypeScript, where that surely leaves what TypeScript means: annotations, `as`, `satisfies`, `!`,
 * type arguments, interfaces and aliases. Everything else, and every place where a blank could join two statements or
 * change what binds to what, is refused.
 */
export function eraseNode({ node, parent, key }: Placed, blanks: Blanks): Erasure {
  switch (node.type) {
    case 'TSTypeAnnotation':
      return eraseAnnotation(node, parent, key, blanks)
    case 'TSTypeParameterInstantiation':
      return eraseArguments(node, parent, key, blanks)
    case 'TSTypeParameterDeclaration':
      return eraseParameters(node, parent, key, blanks)
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      if (node['declare'] === true || !STATEMENT_LISTS.has(parent?.type ?? '')) return 'refused'
      blanks.add(node.start, node.end, true)
      return 'erased'
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return eraseAs(node, parent, blanks)
    case 'TSNonNullExpression':
      if (blanks.text[node.end - 1] !== '!') return 'refused'
      blanks.add(node.end - 1, node.end)
      return 'inner'
    default:
      return node.type.startsWith('TS') ? 'refused' : 'kept'
  }
}

const STATEMENT_LISTS: ReadonlySet<string> = new Set(['Program', 'BlockStatement', 'StaticBlock', 'SwitchCase'])

/** `x?: T` has its mark before the annotation: both go, or nothing. */
export function optionalMark(node: AnyNode, text: string): readonly [start: number, end: number] | undefined {
  const name = nameOf(node)
  const mark = node.start + name.length
  return name !== '' && text.startsWith(name, node.start) && text[mark] === '?' ? [mark, mark + 1] : undefined
}

function eraseAnnotation(node: AnyNode, parent: AnyNode | undefined, key: string, blanks: Blanks): Erasure {
  if (parent === undefined || blanks.text[node.start] !== ':') return 'refused'
  switch (parent.type) {
    case 'Identifier':
      // `this` as a parameter is a type as a whole.
      if (nameOf(parent) === 'this') return 'refused'
      break
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'RestElement':
      break
    case 'ClassProperty':
    case 'ClassPrivateProperty':
      // Without its semicolon the next member may become part of the value.
      if (blanks.text[parent.end - 1] !== ';') return 'refused'
      break
    case 'ArrowFunctionExpression':
      // No line may end between the parameters and the arrow.
      if (key !== 'returnType' || holdsLineEnd(blanks.text, node.start, node.end)) return 'refused'
      if (charBefore(blanks.text, node.start) !== ')') return 'refused'
      break
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ObjectMethod':
    case 'ClassMethod':
    case 'ClassPrivateMethod':
      if (key !== 'returnType') return 'refused'
      break
    default:
      return 'refused'
  }
  blanks.add(node.start, node.end)
  return 'erased'
}

const CALLS: ReadonlySet<string> = new Set([
  'CallExpression',
  'OptionalCallExpression',
  'NewExpression',
  'TaggedTemplateExpression',
])

function eraseArguments(node: AnyNode, parent: AnyNode | undefined, key: string, blanks: Blanks): Erasure {
  const next = blanks.text[node.end]
  const isOfCall = CALLS.has(parent?.type ?? '') && (next === '(' || next === '`')
  const isOfClass = parent?.type.startsWith('Class') === true && key.startsWith('super')
  if (!isOfCall && !isOfClass) return 'refused'
  blanks.add(node.start, node.end)
  return 'erased'
}

function eraseParameters(node: AnyNode, parent: AnyNode | undefined, key: string, blanks: Blanks): Erasure {
  if (parent === undefined || key !== 'typeParameters') return 'refused'
  // `<T>(x) => …` at the start of a statement would be called by the line before it; after `return` no line may end.
  if (parent.type === 'ArrowFunctionExpression') {
    if (blanks.text[node.end] !== '(' || holdsLineEnd(blanks.text, node.start, node.end)) return 'refused'
  }
  if (node.start === parent.start && isFirstOfLine(blanks.text, node.start)) return 'refused'
  blanks.add(node.start, node.end)
  return 'erased'
}

/** Where what stands beside an unparenthesized `x as T` binds no tighter than `as` does. */
const LOOSE_PARENTS: ReadonlySet<string> = new Set([
  'VariableDeclarator',
  'AssignmentExpression',
  'AssignmentPattern',
  'ReturnStatement',
  'ThrowStatement',
  'ExpressionStatement',
  'ArrowFunctionExpression',
  'CallExpression',
  'OptionalCallExpression',
  'NewExpression',
  'ArrayExpression',
  'ObjectProperty',
  'SpreadElement',
  'TemplateLiteral',
  'ConditionalExpression',
  'LogicalExpression',
  'SequenceExpression',
  'ForOfStatement',
  'IfStatement',
  'WhileStatement',
  'SwitchStatement',
  'TSAsExpression',
  'TSSatisfiesExpression',
])

function eraseAs(node: AnyNode, parent: AnyNode | undefined, blanks: Blanks): Erasure {
  const { text } = blanks
  const expression = childOf(node, 'expression')
  const type = childOf(node, 'typeAnnotation')
  const isParenthesized = (node['extra'] as { readonly parenthesized?: boolean } | undefined)?.parenthesized === true
  if (expression === undefined || type === undefined) return 'refused'
  if (!isParenthesized && !LOOSE_PARENTS.has(parent?.type ?? '')) return 'refused'
  const word = node.type === 'TSAsExpression' ? 'as' : 'satisfies'
  let at = expression.end
  while (text[at] === ' ' || text[at] === ')') at++
  if (!text.startsWith(word, at) || !BLANK.has(text[at + word.length] ?? '')) return 'refused'
  // After a type a new line ends the statement; after a value it may go on.
  if (!isParenthesized && mayGoOn(text, at, node.end)) return 'refused'
  blanks.add(at, node.end)
  return 'inner'
}

const BLANK: ReadonlySet<string> = new Set([' ', '\n', '{', '[', '(', '"', "'", '`'])
/** With these, letters and digits a line can only begin a statement or end what is open. */
const BEGINNINGS: ReadonlySet<string> = new Set('_${}])"\'#@;,')

/** Whether the code behind `end` could be read as going on with the value, now that the type is gone. */
function mayGoOn(text: string, start: number, end: number): boolean {
  let hasLineEnd = holdsLineEnd(text, start, end)
  let at = end
  for (; at < text.length; at++) {
    const char = text[at]
    // A comment may hide the end of the line, and the language knows more white space than is told apart here.
    if (char === '/' || isExotic(text.charCodeAt(at))) return true
    if (LINE_ENDS.has(char ?? '')) hasLineEnd = true
    else if (char !== ' ' && char !== '\t') break
  }
  return hasLineEnd && at < text.length && !isBeginning(text[at] ?? '')
}

function isExotic(code: number): boolean {
  return code > 0x7e || (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d)
}

/** The last character before `at` that is no blank. */
function charBefore(text: string, at: number): string | undefined {
  let before = at - 1
  while (text[before] === ' ' || text[before] === '\t') before--
  return text[before]
}

function isBeginning(char: string): boolean {
  return BEGINNINGS.has(char) || (char >= '0' && char <= '9') || char.toLowerCase() !== char.toUpperCase()
}

const LINE_ENDS: ReadonlySet<string> = new Set(['\n', '\r', '\u2028', '\u2029'])

function holdsLineEnd(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (LINE_ENDS.has(text[at] ?? '')) return true
  return false
}

function isFirstOfLine(text: string, at: number): boolean {
  const before = charBefore(text, at)
  return before === undefined || LINE_ENDS.has(before) || before === ';' || before === '}'
}

/** The text with its blanks: of the same length, and with the same line ends. */
export function blankOut(
  text: string,
  ranges: readonly (readonly [start: number, end: number, first: string])[],
): string {
  let blanked = ''
  let at = 0
  for (const [start, end, first] of ranges.toSorted((left, right) => left[0] - right[0])) {
    blanked += text.slice(at, start) + first
    for (let index = start + first.length; index < end; index++) {
      const char = text[index] ?? ''
      blanked += LINE_ENDS.has(char) ? char : ' '
    }
    at = end
  }
  return blanked + text.slice(at)
}
