/**
 * The `tools` object. Everything is made on demand: a catalog of a thousand tools costs a run only what it uses. A
 * Proxy refuses every change; names are data, looked up in maps, and no prototype is ever asked.
 */
import type { StartBody } from '../wire.ts'
import { rewordMissing, rememberMiss } from './missing-names.ts'
import { normalizeName } from './nearest.ts'
import { emitNotice } from './outbox.ts'
import {
  append,
  createList,
  join,
  ObjectCreate,
  ProxyConstructor,
  ReflectApply,
  SafeMap,
  SafeSet,
  type List,
} from './primordials.ts'
import { shorten } from './text-size.ts'
import { full, memberLabel, toolFunction, type Binding } from './tool-function.ts'

type Bindings = StartBody['bindings']

/** A place under `tools`: a function, a group, or both. */
interface Place {
  readonly label: string
  readonly members: SafeMap<string, Place>
  binding: Binding | undefined
  made: unknown
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
]
for (let index = 0; index < protocolNames.length; index++) PROTOCOL_NAMES.add(protocolNames[index] as string)
const refuse = () => false

let bindingsByName: SafeMap<string, Binding> = new SafeMap()

/** The `tools` object: names resolve to functions that need no `this`, and it never looks like a promise. */
export function createTools(bindings: Bindings): object {
  bindingsByName = new SafeMap()
  for (let index = 0; index < bindings.length; index++) {
    const binding = bindings[index] as Binding
    if (!bindingsByName.has(binding.name)) bindingsByName.set(binding.name, binding)
  }
  let tree: Place | undefined
  const root = (): Place => (tree ??= buildTree(bindings))
  return createGroup({
    label: 'tools',
    // A registered name wins over a group of that name; the group's members then hang on the function.
    find: (key) => {
      const binding = bindingsByName.get(key)
      const place = root().members.get(key)
      if (binding !== undefined) {
        if (place === undefined) return toolFunction(binding, labelOf(binding))
        place.binding = binding
      }
      if (place !== undefined) return memberOf(place)
      return key === 'full' ? full : undefined
    },
    listed: allNames,
    hidden: () => {
      const hidden: List<string> = createList()
      root().members.forEach((_place, key) => {
        if (!bindingsByName.has(key)) append(hidden, key)
      })
      if (!bindingsByName.has('full') && !root().members.has('full')) append(hidden, 'full')
      return hidden
    },
    spellings: (add) => {
      bindingsByName.forEach((binding) => {
        add(binding.name, binding.name)
        if (binding.path.length > 1) add(joinPath(binding.path), binding.name)
      })
      root().members.forEach((place, key) => {
        const isPlainTool = place.binding !== undefined && place.members.size === 0
        add(key, isPlainTool ? (place.binding as Binding).name : key)
      })
    },
  })
}

/** Rewords the message of an uncaught error, if a missing tool name is what it is about. */
export function rewordUncaught(name: string, message: string): string {
  return rewordMissing(name, message, allNames)
}

function allNames(): List<string> {
  const names: List<string> = createList()
  bindingsByName.forEach((_binding, name) => append(names, name))
  return names
}

function buildTree(bindings: Bindings): Place {
  const root: Place = { label: 'tools', members: new SafeMap(), binding: undefined, made: undefined }
  for (let index = 0; index < bindings.length; index++) {
    const binding = bindings[index] as Binding
    let place = root
    for (let depth = 0; depth < binding.path.length; depth++) {
      const key = binding.path[depth] as string
      let next = place.members.get(key)
      if (next === undefined) {
        next = { label: memberLabel(place.label, key), members: new SafeMap(), binding: undefined, made: undefined }
        place.members.set(key, next)
      }
      place = next
    }
    if (place !== root) place.binding ??= binding
  }
  return root
}

/** The function or group at a place; a function that is a group too carries its members. */
function memberOf(place: Place): unknown {
  if (place.made !== undefined) return place.made
  const names = (): List<string> => {
    const list: List<string> = createList()
    place.members.forEach((_member, key) => append(list, key))
    return list
  }
  const group: Group = {
    label: place.label,
    find: (key) => {
      const member = place.members.get(key)
      return member === undefined ? undefined : memberOf(member)
    },
    listed: names,
    hidden: createList,
    spellings: (add) => place.members.forEach((_member, key) => add(key, key)),
  }
  const { binding } = place
  if (binding === undefined) place.made = createGroup(group)
  else {
    const tool = toolFunction(binding, place.label)
    place.made = place.members.size === 0 ? tool : createGroup(group, tool)
  }
  return place.made
}

interface Group {
  readonly label: string
  find(key: string): unknown
  /** Enumerable names. */
  listed(): List<string>
  /** Names that are there and not enumerated. */
  hidden(): List<string>
  /** Every way of writing a name, for `add(spelling, name)`. */
  spellings(add: (spelling: string, name: string) => void): void
}

/** `callable`: the group is a tool as well; calls go to it. */
function createGroup(group: Group, callable?: Function): object {
  // The target is never looked into. An arrow function has no property that a Proxy would have to report.
  const target: object =
    callable === undefined ? ObjectCreate(null) : (...args: unknown[]) => ReflectApply(callable, undefined, args)
  let variants: SafeMap<string, string | null> | undefined
  const toText = () => textOf(group)
  const lookUp = (key: PropertyKey): unknown => {
    if (typeof key !== 'string') return key === toPrimitive ? toText : undefined
    const found = group.find(key)
    if (found !== undefined || PROTOCOL_NAMES.has(key)) return found
    variants ??= variantsOf(group)
    const meant = key.length > 200 ? undefined : variants.get(normalizeName(key))
    if (typeof meant === 'string') {
      noteVariant(group.label, key, meant)
      return group.find(meant)
    }
    rememberMiss(group.label, key, () => keysOf(group))
    return undefined
  }
  return new ProxyConstructor(target, {
    __proto__: null,
    get: (_target: object, key: PropertyKey): unknown => lookUp(key),
    has: (_target: object, key: PropertyKey): boolean => typeof key === 'string' && group.find(key) !== undefined,
    ownKeys: () => keysOf(group) as unknown as string[],
    getOwnPropertyDescriptor: (_target: object, key: PropertyKey): PropertyDescriptor | undefined => {
      const value = typeof key === 'string' ? group.find(key) : undefined
      if (value === undefined) return undefined
      const enumerable = !isIn(group.hidden(), key as string)
      return { __proto__: null, value, writable: false, enumerable, configurable: true } as PropertyDescriptor
    },
    set: refuse,
    defineProperty: refuse,
    deleteProperty: refuse,
    setPrototypeOf: refuse,
    preventExtensions: refuse,
  } as ProxyHandler<object>)
}

const { toPrimitive } = Symbol
const MAX_TEXT = 1000
/** `[tools: echo, read]`: what a template or `String` makes of a group. */
function textOf(group: Group): string {
  return `[${group.label}: ${shorten(join(group.listed(), ', '), MAX_TEXT)}]`
}

function keysOf(group: Group): List<string> {
  const keys = group.listed()
  const hidden = group.hidden()
  for (let index = 0; index < hidden.length; index++) append(keys, hidden[index] as string)
  return keys
}

function isIn(list: List<string>, wanted: string): boolean {
  for (let index = 0; index < list.length; index++) if (list[index] === wanted) return true
  return false
}

/** Normalized spelling → the one name it can mean, or null when there are several. */
function variantsOf(group: Group): SafeMap<string, string | null> {
  const variants = new SafeMap<string, string | null>()
  group.spellings((spelling, name) => {
    const normal = normalizeName(spelling)
    const known = variants.get(normal)
    variants.set(normal, known === undefined || known === name ? name : null)
  })
  return variants
}

const noted = new SafeSet<string>()
function noteVariant(label: string, used: string, meant: string): void {
  const line = `${memberLabel(label, used)} was taken as ${memberLabel(label, meant)}; use that name.`
  if (noted.has(line)) return
  noted.add(line)
  emitNotice('NAME_VARIANT', line)
}

function joinPath(path: readonly string[]): string {
  let text = ''
  for (let index = 0; index < path.length; index++) text += path[index]
  return text
}

function labelOf(binding: Binding): string {
  if (binding.path.length === 0) return memberLabel('tools', binding.name)
  let label = 'tools'
  for (let index = 0; index < binding.path.length; index++) label = memberLabel(label, binding.path[index] as string)
  return label
}
