import {
  ArrayIsArray,
  ArrayPrototype,
  ErrorPrototype,
  FunctionPrototype,
  isPrototypeOf,
  mapSize,
  ObjectPrototype,
  PromisePrototype,
  ReflectGetOwnPropertyDescriptor,
  ReflectGetPrototypeOf,
  regExpExec,
  setSize,
  toWellFormed,
  uncurryThis,
} from './primordials.ts'
import { shorten } from './text-size.ts'

export type ObjectKind =
  | 'plain'
  | 'array'
  | 'date'
  | 'map'
  | 'set'
  | 'error'
  | 'promise'
  | 'regexp'
  | 'bytes'
  | 'buffer'
  | 'boxed'
  | 'weak'
  | 'instance'

const getTime = uncurryThis(Date.prototype.getTime)
const toISOString = uncurryThis(Date.prototype.toISOString)
const regExpSource = uncurryThis(
  ReflectGetOwnPropertyDescriptor(RegExp.prototype, 'source')!.get as (this: unknown) => string,
)
const numberValueOf = uncurryThis(Number.prototype.valueOf)
const stringValueOf = uncurryThis(String.prototype.valueOf)
const booleanValueOf = uncurryThis(Boolean.prototype.valueOf)
const bigintValueOf = uncurryThis(BigInt.prototype.valueOf)
const weakMapHas = uncurryThis(WeakMap.prototype.has)
const weakSetHas = uncurryThis(WeakSet.prototype.has)
const TypedArrayPrototype = ReflectGetPrototypeOf(Uint8Array.prototype) as object
const typedArrayTag = uncurryThis(
  ReflectGetOwnPropertyDescriptor(TypedArrayPrototype, Symbol.toStringTag)!.get as (
    this: unknown,
  ) => string | undefined,
)
const bufferByteLength = uncurryThis(
  ReflectGetOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')!.get as (this: unknown) => number,
)

function answers(probe: (value: unknown) => unknown, value: unknown): boolean {
  try {
    probe(value)
    return true
  } catch {
    return false
  }
}
const isDateValue = getTime as (value: unknown) => unknown
const probeRegExp = (value: unknown) => {
  // `source` of RegExp.prototype itself answers too; harmless.
  regExpSource(value)
}

/**
 * What a value is by its internal slots, so that neither a changed prototype nor a look-alike can mislead. The common
 * kinds are told first; `instance` is an object of any other class.
 */
export function kindOf(value: object): ObjectKind {
  if (ArrayIsArray(value)) return 'array'
  const prototype = ReflectGetPrototypeOf(value)
  if (prototype === ObjectPrototype || prototype === null) return 'plain'
  if (isPrototypeOf(ErrorPrototype, value)) return 'error'
  if (isPrototypeOf(PromisePrototype, value)) return 'promise'
  if (answers(isDateValue, value)) return 'date'
  if (answers(mapSize, value)) return 'map'
  if (answers(setSize, value)) return 'set'
  if (typedArrayTag(value) !== undefined) return 'bytes'
  if (answers(bufferByteLength, value)) return 'buffer'
  if (answers(probeRegExp, value)) return 'regexp'
  if (unbox(value) !== value) return 'boxed'
  if (answers((it) => weakMapHas(it as WeakMap<WeakKey, unknown>, ObjectPrototype), value)) return 'weak'
  if (answers((it) => weakSetHas(it as WeakSet<WeakKey>, ObjectPrototype), value)) return 'weak'
  return 'instance'
}

/** The primitive inside `Object(1)` and its like; the value itself when there is none. */
export function unbox(value: object): unknown {
  const probes = [numberValueOf, stringValueOf, booleanValueOf, bigintValueOf] as ((value: unknown) => unknown)[]
  for (let index = 0; index < probes.length; index++) {
    try {
      return (probes[index] as (value: unknown) => unknown)(value)
    } catch {
      // Not boxed of this type.
    }
  }
  return value
}

/** ISO text of a Date, or undefined for an invalid one. */
export function dateToIso(date: object): string | undefined {
  const time = getTime(date as Date)
  return time === time ? toISOString(date as Date) : undefined
}

/** Name of the class of an object, by its prototype's constructor; never throws and runs a getter at most once. */
export function classNameOf(value: object): string {
  try {
    const prototype = ReflectGetPrototypeOf(value) as { constructor?: { name?: unknown } } | null
    const name = prototype?.constructor?.name
    return typeof name === 'string' && name !== '' ? name : 'Object'
  } catch {
    return 'Object'
  }
}

/** How to read an iterator out, or undefined for what is none. May run a getter; never throws. */
export function iteratorAdvice(value: object): string | undefined {
  try {
    if (typeof (value as { next?: unknown }).next !== 'function') return undefined
    if (typeof (value as Record<symbol, unknown>)[iterator] === 'function') return 'use [...it]'
    if (typeof (value as Record<symbol, unknown>)[asyncIterator] === 'function')
      return 'collect it with for await, or await Array.fromAsync(it)'
  } catch {
    // It says nothing of itself.
  }
  return undefined
}
const { iterator, asyncIterator, toStringTag } = Symbol

/** `a Generator`, `an A`: by the object's tag, else by its class. */
export function nameWithArticle(value: object): string {
  let name = classNameOf(value)
  try {
    const tag = (value as Record<symbol, unknown>)[toStringTag]
    if (typeof tag === 'string' && tag !== '') name = tag
  } catch {
    // The class it is.
  }
  name = shorten(toWellFormed(name), 60)
  return (regExpExec(/^[AEIOUaeiou]/, name) === null ? 'a ' : 'an ') + name
}

/** A `toJSON` put on a built-in prototype would answer for every value there is. */
export function isPlantedToJson(toJson: Function): boolean {
  return (
    ownValue(ObjectPrototype, 'toJSON') === toJson ||
    ownValue(ArrayPrototype, 'toJSON') === toJson ||
    ownValue(FunctionPrototype, 'toJSON') === toJson
  )
}
function ownValue(target: object, key: string): unknown {
  const descriptor = ReflectGetOwnPropertyDescriptor(target, key)
  if (descriptor === undefined) return undefined
  // Own fields of a descriptor object; a getter's result can't be the function that was read either way.
  return 'value' in descriptor ? descriptor.value : undefined
}
