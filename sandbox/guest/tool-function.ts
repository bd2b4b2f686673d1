import type { StartBody } from '../wire.ts'
import { rejected, submitCall } from './calls.ts'
import { invalidArguments, markSite } from './errors.ts'
import { define, defineField, ObjectFreeze, quote, regExpExec, SafeMap, toStringOf } from './primordials.ts'
import { shorten } from './text-size.ts'

export type Binding = StartBody['bindings'][number]
export type Tool = (...args: unknown[]) => Promise<unknown>

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const functions = new SafeMap<string, Tool>()

/** How a program writes a member: `tools.github`, `tools["get-weather"]`. */
export function memberLabel(parent: string, key: string): string {
  return regExpExec(IDENTIFIER, key) === null ? `${parent}[${quote(shorten(key, 80))}]` : `${parent}.${key}`
}

/** The function of a tool, one per name whatever way leads to it. It needs no `this`. */
export function toolFunction(binding: Binding, label: string): Tool {
  const known = functions.get(binding.name)
  if (known !== undefined) return known
  const tool: Tool = (...args) => {
    const refusal = scalarProblem(binding, label, args)
    if (refusal !== undefined) return rejected(invalidArguments(binding.name, refusal, markSite(tool)))
    return submitCall('call', binding.name, label, args[0], tool)
  }
  defineField(tool, 'name', binding.name, false)
  ObjectFreeze(tool)
  functions.set(binding.name, tool)
  return tool
}

/** `tools.full(name, args)`: `{ value, content, meta }` of a call. */
export const full: Tool = (name?: unknown, args?: unknown): Promise<unknown> => {
  if (typeof name !== 'string') {
    const message = `tools.full takes the tool's name first: await tools.full("name", { … }); got ${sketch(name)}`
    return rejected(invalidArguments('tools.full', message, markSite(full)))
  }
  return submitCall('full', name, `tools.full(${quote(shorten(name, 80))}, …)`, args, full)
}
define(full, 'name', 'full', {})
ObjectFreeze(full)

/** A bare scalar is refused with the call that was meant; nothing is sent. */
function scalarProblem(binding: Binding, label: string, args: readonly unknown[]): string | undefined {
  const first = args[0]
  if (args.length === 0 || first === undefined) return undefined
  if ((typeof first === 'object' && first !== null) || typeof first === 'function') return undefined
  const rule = `${label} takes one object of arguments; got ${sketch(first)}.`
  if (binding.required.length === 1 && first !== null) {
    const key = binding.required[0] as string
    const property = regExpExec(IDENTIFIER, key) === null ? quote(key) : key
    return `${rule} Write ${label}({ ${property}: ${sketch(first)} })`
  }
  const bare = binding.required.length === 0 ? `${label}(), or ` : ''
  return `${rule} Write ${bare}${label}({ … }) with its properties by name`
}

function sketch(value: unknown): string {
  if (typeof value === 'string') return quote(shorten(value, 60))
  if (typeof value === 'bigint') return toStringOf(value) + 'n'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  return toStringOf(value)
}
