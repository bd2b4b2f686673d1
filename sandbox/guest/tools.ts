import type { StartBody } from '../wire.ts'
import { rejected, submitCall } from './calls.ts'
import { invalidArguments, markSite } from './errors.ts'
import { nearestNames, normalizeName } from './nearest.ts'
import { emitNotice } from './outbox.ts'
import {
  append,
  createList,
  define,
  join,
  ObjectCreate,
  ObjectFreeze,
  ObjectHasOwn,
  ProxyConstructor,
  quote,
  regExpExec,
  SafeMap,
  SafeSet,
  stringIndexOf,
  toStringOf,
  type List,
} from './primordials.ts'
import { shorten } from './text-size.ts'

type Binding = StartBody['bindings'][number]
type Tool = (...args: unknown[]) => Promise<unknown>

/** A place under `tools`: a function, a group, or both. */
interface Place {
  readonly label: string
  readonly members: SafeMap<string, Place>
  binding: Binding | undefined
}

/** Asked for by the language or by printing, not by a program that means a tool. */
const PROTOCOL_NAMES = new SafeSet<string>()
const protocolNames = [
  'then',
  'catch',
  'finally',
  'toJSON',
  'toString',
  'toLocaleString',
  'valueOf',
  'constructor',
  'prototype',
  '__proto__',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'length',
  'name',
  'inspect',
  'nodeType',
  'asymmetricMatch',
]
for (let index = 0; index < protocolNames.length; index++) PROTOCOL_NAMES.add(protocolNames[index] as string)
const MAX_MISSES = 50
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/

const functions = new SafeMap<string, Tool>()
const allNames: List<string> = createList()
/** Names that were asked for and are not there; consulted only if the program dies of it. */
const misses: List<{ readonly label: string; readonly key: string; readonly names: List<string> }> = createList()

function memberLabel(parent: string, key: string): string {
  return regExpExec(IDENTIFIER, key) === null ? `${parent}[${quote(shorten(key, 80))}]` : `${parent}.${key}`
}

function createPlace(label: string): Place {
  return { label, members: new SafeMap(), binding: undefined }
}

/** The `tools` object: names resolve to functions that need no `this` and never look like a promise. */
export function createTools(bindings: StartBody['bindings']): object {
  const root = createPlace('tools')
  for (let index = 0; index < bindings.length; index++) {
    const binding = bindings[index] as Binding
    append(allNames, binding.name)
    let place = root
    for (let depth = 0; depth < binding.path.length; depth++) {
      const key = binding.path[depth] as string
      let next = place.members.get(key)
      if (next === undefined) {
        next = createPlace(memberLabel(place.label, key))
        place.members.set(key, next)
      }
      place = next
    }
    if (place !== root) place.binding ??= binding
  }
  const exact: List<Binding> = createList()
  for (let index = 0; index < bindings.length; index++) append(exact, bindings[index] as Binding)
  const tools = createGroup(root, exact)
  // Only now: a function may have got members from any place of the tree.
  functions.forEach((tool) => ObjectFreeze(tool))
  return tools
}

/** A frozen null-prototype record of the members behind a Proxy that knows the near misses. */
function createGroup(place: Place, exact: List<Binding> | undefined): object {
  const target = ObjectCreate(null) as Record<string, unknown>
  const names: List<string> = createList()
  const variants = new SafeMap<string, string | null>()
  const addVariant = (spelling: string, key: string) => {
    const normal = normalizeName(spelling)
    const known = variants.get(normal)
    variants.set(normal, known === undefined || known === key ? key : null)
  }
  if (exact !== undefined) {
    for (let index = 0; index < exact.length; index++) {
      const binding = exact[index] as Binding
      const at = place.members.get(binding.name)
      // A registered name wins over a group of that name; the group's members then hang on the function.
      const value = at === undefined ? toolFunction(binding, memberLabel('tools', binding.name)) : memberOf(at, binding)
      if (!ObjectHasOwn(target, binding.name)) {
        define(target, binding.name, value, { enumerable: true })
        append(names, binding.name)
      }
      addVariant(binding.name, binding.name)
      if (binding.path.length > 1) addVariant(joinPath(binding.path), binding.name)
    }
  }
  place.members.forEach((member, key) => {
    if (ObjectHasOwn(target, key)) return
    // At the root the enumeration lists tools, and a group is no tool.
    define(target, key, memberOf(member, member.binding), { enumerable: exact === undefined })
    append(names, key)
    addVariant(key, key)
  })
  if (exact !== undefined && !ObjectHasOwn(target, 'full')) define(target, 'full', full, {})
  ObjectFreeze(target)
  return new ProxyConstructor(target, {
    __proto__: null,
    get: (_target: object, key: PropertyKey): unknown => {
      if (typeof key !== 'string') return undefined
      if (ObjectHasOwn(target, key)) return target[key]
      if (PROTOCOL_NAMES.has(key)) return undefined
      const meant = key.length > 200 ? undefined : variants.get(normalizeName(key))
      if (typeof meant === 'string') {
        noteVariant(place.label, key, meant)
        return target[meant]
      }
      if (misses.length < MAX_MISSES) append(misses, { label: place.label, key, names })
      return undefined
    },
  } as ProxyHandler<object>)
}

function joinPath(path: readonly string[]): string {
  let text = ''
  for (let index = 0; index < path.length; index++) text += path[index]
  return text
}

function memberOf(place: Place, binding: Binding | undefined): unknown {
  if (binding === undefined) return createGroup(place, undefined)
  const tool = toolFunction(binding, place.label)
  place.members.forEach((member, key) => {
    if (!ObjectHasOwn(tool, key)) define(tool, key, memberOf(member, member.binding), { enumerable: true })
  })
  return tool
}

const noted = new SafeSet<string>()
function noteVariant(label: string, used: string, meant: string): void {
  const line = `${memberLabel(label, used)} was taken as ${memberLabel(label, meant)}; use that name.`
  if (noted.has(line)) return
  noted.add(line)
  emitNotice('NAME_VARIANT', line)
}

function toolFunction(binding: Binding, label: string): Tool {
  const known = functions.get(binding.name)
  if (known !== undefined) return known
  const tool: Tool = (...args) => {
    const refusal = scalarProblem(binding, label, args)
    if (refusal !== undefined) return rejected(invalidArguments(binding.name, refusal, markSite(tool)))
    return submitCall('call', binding.name, label, args[0], tool)
  }
  define(tool, 'name', binding.name, {})
  functions.set(binding.name, tool)
  return tool
}

/** `tools.full(name, args)`: `{ value, content, meta }` of a call. */
const full = (name?: unknown, args?: unknown): Promise<unknown> => {
  if (typeof name !== 'string') {
    const message = `tools.full takes the tool's name first: await tools.full("name", { … }); got ${sketch(name)}`
    return rejected(invalidArguments('tools.full', message, markSite(full)))
  }
  return submitCall('full', name, `tools.full(${quote(shorten(name, 80))}, …)`, args, full)
}
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
  return `${rule} Write ${label}({ … }) with its properties by name`
}

function sketch(value: unknown): string {
  if (typeof value === 'string') return quote(shorten(value, 60))
  if (typeof value === 'bigint') return toStringOf(value) + 'n'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  return toStringOf(value)
}

/** The message of an uncaught TypeError that a missing tool name explains, in words that name the tool. */
export function rewordMissing(name: string, message: string): string {
  if (name !== 'TypeError' || misses.length === 0) return message
  const call = regExpExec(/^(.+) is not a (?:function|constructor)/, message)
  const read = regExpExec(/^Cannot (?:read|destructure) propert/, message)
  for (let index = misses.length - 1; index >= 0; index--) {
    const miss = misses[index] as { label: string; key: string; names: List<string> }
    const fits = call !== null ? mentions(call[1] as string, miss.key) : read !== null && index === misses.length - 1
    if (!fits) continue
    const near = nearestNames(miss.key, miss.names.length > 0 ? miss.names : allNames)
    const elsewhere = near.length > 0 ? near : nearestNames(miss.key, allNames)
    const advice = elsewhere.length > 0 ? `; nearest: ${join(elsewhere, ', ')}` : ''
    return `${miss.label} has no ${quote(shorten(miss.key, 80))}${advice} (${message})`
  }
  return message
}

/** Whether the callee's text holds that name: `tools.getWeather`, `getWeather`, `tools["get-weather"]`. */
function mentions(callee: string, key: string): boolean {
  return stringIndexOf(callee, key) >= 0 || stringIndexOf(callee, '(intermediate value)') >= 0
}
