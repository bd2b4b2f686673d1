import { childOf, childrenOf, nameOf, type AnyNode } from './ast.ts'
import type { Facts } from './facts.ts'
import { asksForMember } from './imports.ts'

/** What to pass to a function that a program wrote for someone else to call. */
export interface EntryArguments {
  /** Code of the arguments, without the parentheses. */
  readonly code: string
  /** Every parameter that needs a value gets one that fits by its name or use. */
  readonly isComplete: boolean
}

const TOOLS_NAMES: ReadonlySet<string> = new Set(['tools', 'sdk', 'api', 'client', 'codeferry', 'toolkit', 'functions'])
const CONTEXT_NAMES: ReadonlySet<string> = new Set(['ctx', 'context', 'env', 'deps', 'runtime'])
const GLOBAL_NAMES: ReadonlySet<string> = new Set(['console', 'show', 'progress', 'artifacts'])
const MODULE_MEMBERS: ReadonlySet<string> = new Set([...GLOBAL_NAMES, 'tools', 'sdk'])

/** `moduleObject` names the object that has `tools`, all of its members, and the other globals. */
export function entryArguments(entry: AnyNode, facts: Facts, moduleObject: string): EntryArguments {
  const values: string[] = []
  let isComplete = true
  for (const [index, parameter] of childrenOf(entry, 'params').entries()) {
    const value = valueFor(parameter, index, entry, facts, moduleObject)
    if (value === undefined && parameter.type !== 'AssignmentPattern' && parameter.type !== 'RestElement')
      isComplete = false
    values.push(value ?? 'undefined')
  }
  while (values.at(-1) === 'undefined') values.pop()
  return { code: values.join(', '), isComplete }
}

function valueFor(
  parameter: AnyNode,
  index: number,
  entry: AnyNode,
  facts: Facts,
  moduleObject: string,
): string | undefined {
  if (parameter.type === 'ObjectPattern') return moduleObject
  if (parameter.type === 'AssignmentPattern') {
    const left = childOf(parameter, 'left')
    const isPlain = left?.type === 'ObjectPattern' || TOOLS_NAMES.has(nameOf(left))
    return left !== undefined && isPlain ? valueFor(left, index, entry, facts, moduleObject) : undefined
  }
  if (parameter.type !== 'Identifier') return undefined
  const name = nameOf(parameter)
  if (GLOBAL_NAMES.has(name)) return `globalThis.${name}`
  const uses = (facts.usesByName.get(name) ?? []).filter(
    ({ node }) => node.start >= entry.start && node.end <= entry.end,
  )
  if (asksForMember(uses, MODULE_MEMBERS) || CONTEXT_NAMES.has(name)) return moduleObject
  if (TOOLS_NAMES.has(name)) return 'globalThis.tools'
  // `async (t) => { await t.get_user({}) }`: what has awaited methods is the tools.
  const isAwaited = uses.some(({ key, up }) => key === 'object' && up?.key === 'callee' && up.up?.key === 'argument')
  return index === 0 && isAwaited ? 'globalThis.tools' : undefined
}
