import { parse } from '@babel/parser'
import { isRecord } from '../../../src/data/json.ts'

/**
 * Mistakes that models make, made mechanically from programs that pass: one change each, at every place where it can be
 * made. What is left out is said beside each kind: changes after which the program still does the same.
 */
export const KINDS = [
  'wrong name',
  'wrong case',
  'missing argument',
  'wrong type',
  'extra positional argument',
  'forgotten await',
  'wrong field of a typed output',
  'wrong enum value',
] as const
export type Kind = (typeof KINDS)[number]

export interface Mutant {
  readonly kind: Kind
  /** What was done, for people. */
  readonly change: string
  readonly text: string
}

export interface MutatedTool {
  readonly name: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** Every mutant of one program; none for texts that are not programs by themselves (fences, shell text). */
export function mutantsOf(text: string, tools: readonly MutatedTool[]): readonly Mutant[] {
  let program: Node
  try {
    program = parse(text, {
      sourceType: 'module',
      plugins: ['typescript'],
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    }).program as unknown as Node // Read by shape below.
  } catch {
    return []
  }
  // Its own `tools` are its own affair.
  if (/\b(?:const|let|var|function|class)\s+tools\b/.test(text)) return []
  const mutants: Mutant[] = []
  const change = (kind: Kind, start: number, end: number, replacement: string) =>
    mutants.push({
      kind,
      change: `${text.slice(start, end).slice(0, 60) || '(nothing)'} → ${replacement.slice(0, 60) || '(nothing)'}`,
      text: text.slice(0, start) + replacement + text.slice(end),
    })
  const outputFields = new Set(tools.flatMap((tool) => fieldsOf(tool.outputSchema)))

  visit(program, [], (node, parents) => {
    const parent = parents.at(-1)
    const tool = node.type === 'CallExpression' ? calledTool(node, tools) : undefined
    if (tool !== undefined) mutateCall(node, tool, parents, change)
    const member = asMember(node)
    if (
      member !== undefined &&
      outputFields.has(member.name) &&
      !isToolAccess(node) &&
      !isWritten(node, parent) &&
      !isProbed(text, node, parents)
    )
      change('wrong field of a typed output', member.start, member.end, misspelt(member.name))
    if (node.type === 'AwaitExpression' && isNode(node['argument']) && isUsed(parents, text)) {
      const argument = node['argument']
      if (calledTool(argument, tools) !== undefined) change('forgotten await', node.start, argument.start, '')
    }
  })
  return mutants
}

function mutateCall(
  call: Node,
  tool: MutatedTool,
  parents: readonly Node[],
  change: (kind: Kind, start: number, end: number, replacement: string) => void,
): void {
  const name = calleeName(call)
  // A name that a `try` around it catches is for the program to find out.
  if (name !== undefined && !isHandled(call, parents)) {
    change('wrong name', name.start, name.end, quotedLike(name.text, swapped(name.name)))
    change('wrong name', name.start, name.end, quotedLike(name.text, `${name.name}s_all`))
  }
  const args = listOf(call['arguments'])
  const [first] = args
  const last = args.at(-1)
  if (last !== undefined && last.type !== 'SpreadElement')
    change('extra positional argument', last.end, last.end, ', true')
  if (first?.type !== 'ObjectExpression') return
  const schema = isRecord(tool.inputSchema) ? tool.inputSchema : {}
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const given = listOf(first['properties']).filter((one) => one.type === 'ObjectProperty' && one['computed'] !== true)
  const hasSpread = listOf(first['properties']).some((one) => one.type === 'SpreadElement')

  for (const [at, property] of given.entries()) {
    const key = isNode(property['key']) ? property['key'] : undefined
    const value = isNode(property['value']) ? property['value'] : undefined
    const keyName = textOf(key?.['name'] ?? key?.['value'])
    const wanted = properties[keyName]
    if (key === undefined || value === undefined || !isRecord(wanted)) continue
    const isShort = property['shorthand'] === true
    const rename = (to: string) => (isShort ? `${to}: ${keyName}` : to)
    change('wrong case', key.start, key.end, rename(otherCase(keyName)))
    if (required.includes(keyName) && !hasSpread) {
      const next = given[at + 1]
      const end = next === undefined ? property.end : next.start
      change('missing argument', property.start, end, '')
    }
    const wrong = wrongValue(wanted)
    if (wrong !== undefined) change('wrong type', property.start, property.end, `${keyName}: ${wrong}`)
    if (Array.isArray(wanted['enum']) && value.type === 'StringLiteral') {
      change('wrong enum value', value.start, value.end, `'${textOf(value['value'])}d'`)
      const word = textOf(value['value'])
      const other = word === word.toUpperCase() ? word.toLowerCase() : word.toUpperCase()
      if (other !== word) change('wrong enum value', value.start, value.end, `'${other}'`)
    }
  }
}

// --- places ---------------------------------------------------------------------------------------------------------

function visit(node: Node, parents: readonly Node[], see: (node: Node, parents: readonly Node[]) => void): void {
  see(node, parents)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc' || key === 'extra' || key.endsWith('Comments') || key === 'typeAnnotation') continue
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) visit(child, [...parents, node], see)
  }
}

/** `tools.name`, `tools["name"]`, `tools.namespace.name`. */
function toolPath(node: unknown): readonly string[] | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Identifier') return node['name'] === 'tools' ? [] : undefined
  if (node.type !== 'MemberExpression') return undefined
  const outer = toolPath(node['object'])
  const property = isNode(node['property']) ? node['property'] : undefined
  const name = node['computed'] === true ? property?.['value'] : property?.['name']
  return outer === undefined || typeof name !== 'string' ? undefined : [...outer, name]
}

function isToolAccess(node: Node): boolean {
  return toolPath(node) !== undefined
}

function calledTool(call: Node, tools: readonly MutatedTool[]): MutatedTool | undefined {
  if (call.type !== 'CallExpression') return undefined
  const path = toolPath(call['callee'])?.join('.')
  return path === undefined ? undefined : tools.find((tool) => tool.name === path)
}

function calleeName(call: Node) {
  const callee = isNode(call['callee']) ? call['callee'] : undefined
  const property = isNode(callee?.['property']) ? callee['property'] : undefined
  const name = property?.['name'] ?? property?.['value']
  if (property === undefined || typeof name !== 'string') return undefined
  return { start: property.start, end: property.end, name, text: property.type === 'StringLiteral' ? '"' : '' }
}

function isHandled(call: Node, parents: readonly Node[]): boolean {
  return parents.some((parent, at) => {
    const inside = parents[at + 1] ?? call
    const isTry = parent.type === 'TryStatement' && isNode(parent['handler']) && parent['block'] === inside
    const property = isNode(parent['property']) ? parent['property']['name'] : undefined
    return isTry || (parent.type === 'MemberExpression' && property === 'catch')
  })
}

/** A field that is read: `x.field`, or a key of `const { field } = …`. */
function asMember(node: Node): { readonly name: string; readonly start: number; readonly end: number } | undefined {
  if (node.type !== 'MemberExpression' || node['computed'] === true || !isNode(node['property'])) return undefined
  const { name } = node['property']
  return typeof name === 'string' ? { name, start: node['property'].start, end: node['property'].end } : undefined
}

function isWritten(node: Node, parent: Node | undefined): boolean {
  return (parent?.type === 'AssignmentExpression' && parent['left'] === node) || parent?.type === 'UpdateExpression'
}

/** The program is ready for the field to be missing. */
function isProbed(text: string, node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1)
  if (parent?.type.startsWith('Optional') === true) return true
  if (parent?.type === 'LogicalExpression' || parent?.type === 'UnaryExpression') return true
  if (parent?.type === 'IfStatement' || (parent?.type === 'ConditionalExpression' && parent['test'] === node))
    return true
  if (parent?.type === 'BinaryExpression' && /^[!=]==?$/.test(textOf(parent['operator']))) return true
  return /^\s*[!=]==?/.test(text.slice(node.end, node.end + 5))
}

/**
 * Whether something is done with the value. A call alone is let settle anyway, and a promise that is returned, alone or
 * in the middle of a result, is awaited.
 */
function isUsed(parents: readonly Node[], text: string): boolean {
  const parent = parents.at(-1)
  if (parent === undefined) return false
  switch (parent.type) {
    case 'ExpressionStatement':
    case 'ReturnStatement':
    case 'ArrowFunctionExpression':
    case 'ArrayExpression':
    case 'ObjectProperty':
      return false
    case 'VariableDeclarator': {
      const id = isNode(parent['id']) ? parent['id'] : undefined
      if (id?.type !== 'Identifier') return true
      // A variable whose members are never read passes the promise on as it is.
      return new RegExp(`(?<![\\w$.])${textOf(id['name'])}(?:\\.|\\[)`).test(text.slice(parent.end))
    }
    default:
      return true
  }
}

// --- words ----------------------------------------------------------------------------------------------------------

/** Two different letters that stand side by side change places: a separator moved is a spelling that programs may use. */
function swapped(name: string): string {
  for (let at = Math.max(1, Math.floor(name.length / 2)); at < name.length; at++) {
    const [a, b] = [name[at - 1] ?? '', name[at] ?? '']
    if (a !== b && /[a-z]/i.test(a) && /[a-z]/i.test(b)) return name.slice(0, at - 1) + b + a + name.slice(at + 1)
  }
  return `${name}x`
}

function misspelt(name: string): string {
  return name.length > 4 ? name.slice(0, -2) + name.slice(-1) : `${name}_value`
}

function otherCase(name: string): string {
  if (name.includes('_')) return name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function quotedLike(quote: string, name: string): string {
  return quote === '' ? name.replace(/[^\w$]/g, '_') : JSON.stringify(name)
}

function wrongValue(schema: Readonly<Record<string, unknown>>): string | undefined {
  switch (schema['type']) {
    case 'string':
      return '12345'
    case 'number':
    case 'integer':
      return "'five'"
    case 'boolean':
      return "'yes'"
    case 'array':
      return "'one, two'"
    case 'object':
      return "'{}'"
    default:
      return undefined
  }
}

function fieldsOf(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsOf)
  if (!isRecord(schema)) return []
  const own = isRecord(schema['properties']) ? Object.keys(schema['properties']) : []
  return [...own, ...Object.values(schema).flatMap(fieldsOf)]
}

function isNode(value: unknown): value is Node {
  return isRecord(value) && typeof value['type'] === 'string' && typeof value['start'] === 'number'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}
