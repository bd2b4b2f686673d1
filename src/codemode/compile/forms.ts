import type { Notice } from '../../executor/executor.ts'
import {
  anyNode,
  childOf,
  childrenOf,
  DECLARATIONS,
  endOf,
  isFunction,
  nameOf,
  withoutTypes,
  type AnyNode,
  type File,
  type Statement,
} from './ast.ts'
import { printable } from './code-frame.ts'
import type { Edits } from './edits.ts'
import { chooseEntry, declarationOf, entryMethod, isCalledAtTop, isReferenced, namedFunctions } from './entry.ts'
import { entryArguments } from './entry-arguments.ts'
import { commonJsExport, takeExportsOff, type Exported } from './exports.ts'
import type { Facts } from './facts.ts'
import type { MainGuard } from './main-guard.ts'
import { noticesOfSilence, notCalled } from './silence.ts'

/**
 * How the program says what its value is: by `return` (or not at all), by its last expression, as one function, as a
 * default export, as a function that is declared and never called. `empty`: there is nothing to run.
 */
export type ProgramForm = 'body' | 'expression' | 'function' | 'default' | 'main' | 'empty'

export interface FormPlan {
  readonly form: ProgramForm
  readonly notices: readonly Notice[]
}

/** Names that occur nowhere in the program. */
export interface FreshNames {
  /** `throw mark(value)` stands for `return value` until lowering is done, see lower.ts. */
  readonly mark: string
  /** Holds the value of a default export. */
  readonly value: string
  /** The object that stands for the SDK as a whole. */
  readonly moduleObject: string
}

interface Context {
  readonly text: string
  readonly file: File
  readonly facts: Facts
  readonly edits: Edits
  readonly names: FreshNames
  readonly guards: readonly MainGuard[]
}

/** Decides the form and edits the program so that its value is returned; takes `export` off on the way. */
export function planForm(context: Context): FormPlan {
  const { text, file, facts, edits } = context
  for (const { test } of context.guards) edits.replace(test.start, test.end, 'true')
  const exported = takeExportsOff(file, text, edits)
  for (const node of facts.returns) returnFrom(context, node)

  const statements = file.program.body.filter(leavesCode)
  if (exported !== undefined) {
    const plan = planDefault(context, exported)
    if (plan !== undefined) return plan
  }
  const last = statements.at(-1)
  if (last === undefined) return planWithoutStatements(context)

  const functions = namedFunctions(statements)
  const main = functions.find(({ name }) => name === 'main')
  if (facts.returns.length > 0) return { form: 'body', notices: [] }
  const lastNode = anyNode(last)
  if (last.type === 'ExpressionStatement') {
    const expression = withoutTypes(childOf(lastNode, 'expression') ?? lastNode)
    const assigned = commonJsExport(expression, facts)
    if (assigned !== undefined) {
      if (assigned.name !== undefined) edits.replace(lastNode.start, lastNode.end, '')
      return planDefault(context, assigned) ?? { form: 'body', notices: [] }
    }
    if (isFunction(expression) && expression['generator'] !== true) return planFunction(context, lastNode, expression)
  }
  if (main !== undefined && !isReferenced(main, facts)) return planEntry(context, main)
  const values = lastExpressions(context, lastNode)
  for (const value of values) {
    edits.insert(value.start, `throw ${context.names.mark}(`)
    edits.insert(endOf(text, value), ')')
  }
  if (values.length > 0) return { form: 'expression', notices: [] }
  if (statements.every((statement) => DECLARATIONS.has(declarationOf(statement).type)) && functions.length > 0) {
    const entry = chooseEntry(functions, facts)
    if (entry !== undefined && entryArguments(entry.node, facts, '').isComplete) return planEntry(context, entry)
  }
  return { form: 'body', notices: noticesOfSilence(statements, facts) }
}

/** Undefined: what is exported is called by the program itself, so the export says nothing. */
function planDefault(context: Context, exported: Exported): FormPlan | undefined {
  const { file, facts, edits, names } = context
  const value = withoutTypes(exported.node)
  const { name } = exported
  if (name !== undefined) {
    if (isCalledAtTop(name, facts)) return undefined
    const declared = namedFunctions(file.program.body).find((one) => one.name === name)
    if (declared !== undefined) return planCall(context, 'default', name, declared.node)
    if (isClassName(file, name)) return { form: 'default', notices: [notCalled([`class ${name}`])] }
    appendReturn(context, valueOrCall(name))
    return { form: 'default', notices: [] }
  }
  if (exported.head !== undefined) {
    edits.replace(...exported.head, `const ${names.value}${exported.hasEquals === true ? '' : ' ='}`)
    edits.insert(exported.end, ';')
  }
  if (isFunction(value)) return planCall(context, 'default', names.value, value)
  if (value.type.startsWith('Class')) return { form: 'default', notices: [notCalled(['a class'])] }
  const method = entryMethod(value)
  if (method !== undefined) {
    const declared = namedFunctions(file.program.body).find((one) => one.name === nameOf(method.node))
    return planCall(context, 'default', `${names.value}.${method.name}`, declared?.node ?? method.node)
  }
  appendReturn(context, valueOrCall(names.value))
  return { form: 'default', notices: [] }
}

function valueOrCall(name: string): string {
  return `typeof ${name} === "function" ? ${name}(globalThis.tools) : ${name}`
}

function planEntry(context: Context, entry: { readonly name: string; readonly node: AnyNode }): FormPlan {
  const plan = planCall(context, 'main', entry.name, entry.node)
  const name = printable(entry.name, 60)
  const notice = {
    code: 'main-called',
    message: `the program declares ${name}() and does not call it; it was called, and its value is the result. Write: return await ${name}()`,
  }
  return { ...plan, notices: [notice, ...plan.notices] }
}

function planCall(context: Context, form: ProgramForm, callee: string, node: AnyNode): FormPlan {
  appendReturn(context, `${callee}(${entryArguments(node, context.facts, context.names.moduleObject).code})`)
  return { form, notices: [] }
}

/** A lone function expression; statements before it run first. */
function planFunction({ text, edits, names, facts }: Context, statement: AnyNode, node: AnyNode): FormPlan {
  const { code } = entryArguments(node, facts, names.moduleObject)
  edits.insert(statement.start, `throw ${names.mark}((`)
  edits.insert(endOf(text, statement), `)(${code}))`)
  return { form: 'function', notices: [] }
}

function planWithoutStatements({ file, edits, names, text }: Context): FormPlan {
  // `"done"` alone reads as a directive.
  const directive = file.program.directives.at(-1)
  if (directive !== undefined && directive.value.value !== 'use strict') {
    const node = anyNode(directive)
    edits.insert(node.start, `throw ${names.mark}(`)
    edits.insert(endOf(text, node), ')')
    return { form: 'expression', notices: [] }
  }
  const message =
    'there is nothing to run: the program has no statements (comments, types and imports do nothing). Send the code that calls the tools'
  return { form: 'empty', notices: [{ code: 'nothing-to-run', message }] }
}

/** `return value` becomes `throw mark(value)`; a function that is returned is called, as nothing else can be meant. */
function returnFrom({ text, edits, names, facts }: Context, node: AnyNode): void {
  const keywordEnd = node.start + 'return'.length
  const argument = childOf(node, 'argument')
  if (argument === undefined) {
    edits.replace(node.start, keywordEnd, `throw ${names.mark}`)
    return
  }
  const value = withoutTypes(argument)
  edits.replace(node.start, keywordEnd, `throw ${names.mark}(${isFunction(value) ? '(' : ''}`)
  const call = isFunction(value) ? `)(${entryArguments(value, facts, names.moduleObject).code})` : ''
  edits.insert(endOf(text, node), `${call})`)
}

function appendReturn({ text, edits, names }: Context, code: string): void {
  edits.insert(text.length, `\n;throw ${names.mark}(${code})`)
}

/** Statements whose value is the program's: the last one, also at the end of a block, of `try` and of a main guard. */
function lastExpressions({ guards }: Context, statement: AnyNode): readonly AnyNode[] {
  const found: AnyNode[] = []
  const waiting: (AnyNode | undefined)[] = [statement]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (node?.type === 'ExpressionStatement') found.push(node)
    else if (node?.type === 'BlockStatement') waiting.push(childrenOf(node, 'body').at(-1))
    else if (node?.type === 'CatchClause') waiting.push(childOf(node, 'body'))
    else if (node?.type === 'TryStatement') waiting.push(childOf(node, 'block'), childOf(node, 'handler'))
    else if (guards.some((guard) => guard.statement === node)) waiting.push(node && childOf(node, 'consequent'))
  }
  return found
}

/** Statements that do something or declare something at run time. */
export function leavesCode(statement: Statement): boolean {
  const node = anyNode(statement)
  if (node.type === 'ExportNamedDeclaration' && childOf(node, 'declaration') === undefined) return false
  const declaration = declarationOf(statement)
  if (declaration['declare'] === true || NO_CODE.has(declaration.type)) return false
  return !declaration.type.startsWith('TS') || DECLARATIONS.has(declaration.type)
}

const NO_CODE: ReadonlySet<string> = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'EmptyStatement'])

function isClassName(file: File, name: string): boolean {
  return file.program.body.some((statement) => {
    const declaration = declarationOf(statement)
    return declaration.type === 'ClassDeclaration' && nameOf(childOf(declaration, 'id')) === name
  })
}
