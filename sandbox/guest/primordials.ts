/**
 * Intrinsics captured before the program runs. Every guest file uses these and never a method looked up on a value,
 * because the program may replace any prototype member later: a changed `Array.prototype.push` or
 * `Object.prototype.toJSON` must not change what the bridge says.
 *
 * Rules the other files keep: no `for…of`, no spread and no array destructuring (they look up iterators); property
 * descriptors and option bags have a null prototype; lists that grow are `List` (an indexed write on an ordinary
 * array would run a setter planted on `Array.prototype`).
 */

// `Function.prototype.call` bound once: what it gives calls its target without any later look-up.
const { apply, construct, defineProperty, getPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect
const bindCall = Function.prototype.bind.bind(Function.prototype.call)

/** `f.call` as a plain function: `uncurryThis(String.prototype.slice)('abc', 1)`. */
export function uncurryThis<This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
): (self: This, ...args: Args) => Result {
  // Bound functions lose their type; this is the one place that restores it.
  return bindCall(method) as unknown as (self: This, ...args: Args) => Result
}

export const ReflectApply: (target: Function, self: unknown, args: ArrayLike<unknown>) => unknown = apply
export const ReflectConstruct: (target: Function, args: ArrayLike<unknown>, newTarget?: Function) => unknown = construct
export const ReflectDefineProperty = defineProperty
export const ReflectGetPrototypeOf = getPrototypeOf
export const ReflectOwnKeys = ownKeys
export const ReflectGetOwnPropertyDescriptor = getOwnPropertyDescriptor

export const {
  create: ObjectCreate,
  freeze: ObjectFreeze,
  keys: ObjectKeys,
  setPrototypeOf: ObjectSetPrototypeOf,
  is: ObjectIs,
} = Object
export const ObjectPrototype = Object.prototype
export const ArrayPrototype = Array.prototype
export const FunctionPrototype = Function.prototype
export const ObjectHasOwn = Object.hasOwn as (object: object, key: PropertyKey) => boolean
export const isPrototypeOf = uncurryThis(Object.prototype.isPrototypeOf) as (proto: unknown, value: unknown) => boolean

export const ArrayIsArray = Array.isArray as (value: unknown) => value is unknown[]
export const NumberIsFinite = Number.isFinite
export const toStringOf = String
export const toNumber = Number

export const charCodeAt = uncurryThis(String.prototype.charCodeAt)
export const codePointAt = uncurryThis(String.prototype.codePointAt)
export const stringSlice = uncurryThis(String.prototype.slice)
export const stringIndexOf = uncurryThis(String.prototype.indexOf)
export const stringStartsWith = uncurryThis(String.prototype.startsWith)
export const stringEndsWith = uncurryThis(String.prototype.endsWith)
export const stringRepeat = uncurryThis(String.prototype.repeat)
export const stringPadStart = uncurryThis(String.prototype.padStart)
export const stringPadEnd = uncurryThis(String.prototype.padEnd)
export const toLowerCase = uncurryThis(String.prototype.toLowerCase)
export const toUpperCase = uncurryThis(String.prototype.toUpperCase)
export const toWellFormed = uncurryThis(String.prototype.toWellFormed)
export const isWellFormed = uncurryThis(String.prototype.isWellFormed)
export const stringTrim = uncurryThis(String.prototype.trim)
export const numberToString = uncurryThis(Number.prototype.toString)
export const symbolToString = uncurryThis(Symbol.prototype.toString)
export const functionToString = uncurryThis(Function.prototype.toString)
export const regExpExec = uncurryThis(RegExp.prototype.exec)
export const regExpToString = uncurryThis(RegExp.prototype.toString)
export const errorToString = uncurryThis(Error.prototype.toString)
export const arraySort = uncurryThis(Array.prototype.sort) as <T>(
  array: T[],
  compare?: (left: T, right: T) => number,
) => T[]
/** Safe on a string only: given an object it would look for `toJSON`. */
const stringify = JSON.stringify as (text: string) => string
export const JSONParse = JSON.parse as (text: string) => unknown
export function quote(text: string): string {
  return stringify(text)
}

export const { floor, max, min, imul } = Math

export const PromiseConstructor = Promise
export const PromisePrototype = Promise.prototype
export const ErrorConstructor = Error
export const TypeErrorConstructor = TypeError
export const RangeErrorConstructor = RangeError
export const SyntaxErrorConstructor = SyntaxError
export const ErrorPrototype = Error.prototype
export const ProxyConstructor = Proxy
export const captureStackTrace = (Error as { captureStackTrace?: (target: object, skip?: Function) => void })
  .captureStackTrace as (target: object, skip?: Function) => void
/** Evaluates the program inside the guest, under the clock: its own errors then never leave the isolate. */
// oxlint-disable-next-line no-eval -- it is the program that is evaluated, where it may do as it likes
export const indirectEval = eval

/** A growing list whose indexed writes no prototype can see. Only `length` and indices are used on it. */
export interface List<T> {
  [index: number]: T
  length: number
}
export function createList<T>(): List<T> {
  return ObjectSetPrototypeOf([], null) as unknown as List<T>
}
export function append<T>(list: List<T>, value: T): void {
  list[list.length] = value
}
export function join(list: List<string>, separator: string): string {
  let text = ''
  for (let index = 0; index < list.length; index++) text += index === 0 ? list[0] : separator + list[index]
  return text
}

// Collections with the methods of today on a private prototype that nothing else can reach.
function copyMembers(from: object, to: object): void {
  const keys = ownKeys(from)
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as PropertyKey
    if (key === 'constructor') continue
    const descriptor = getOwnPropertyDescriptor(from, key) as PropertyDescriptor
    defineProperty(to, key, descriptor)
  }
  ObjectSetPrototypeOf(to, null)
  ObjectFreeze(to)
}
export class SafeMap<K, V> extends Map<K, V> {}
copyMembers(Map.prototype, SafeMap.prototype)
export class SafeSet<T> extends Set<T> {}
copyMembers(Set.prototype, SafeSet.prototype)
export class SafeWeakMap<K extends WeakKey, V> extends WeakMap<K, V> {}
copyMembers(WeakMap.prototype, SafeWeakMap.prototype)
export class SafeWeakSet<T extends WeakKey> extends WeakSet<T> {}
copyMembers(WeakSet.prototype, SafeWeakSet.prototype)

/** Walks any real Map in order, whatever the program did to its iterator. Null for what is no Map. */
export const mapForEach = uncurryThis(Map.prototype.forEach) as <K, V>(
  map: Map<K, V>,
  each: (value: V, key: K) => void,
) => void
export const mapSize = uncurryThis(getOwnPropertyDescriptor(Map.prototype, 'size')!.get as (this: unknown) => number)
export const setForEach = uncurryThis(Set.prototype.forEach) as <T>(set: Set<T>, each: (value: T) => void) => void
export const setSize = uncurryThis(getOwnPropertyDescriptor(Set.prototype, 'size')!.get as (this: unknown) => number)

interface Attributes {
  readonly writable?: boolean
  readonly enumerable?: boolean
  readonly configurable?: boolean
}

/**
 * Defines a data property while the realm is built. The descriptor is an ordinary object, which is much faster and safe
 * only because no program has run yet; afterwards it is `defineField`.
 */
export function define(target: object, key: PropertyKey, value: unknown, how: Attributes): void {
  defineProperty(target, key, {
    value,
    writable: how.writable === true,
    enumerable: how.enumerable === true,
    configurable: how.configurable === true,
  })
}

/** Defines a data property without asking any prototype. */
export function defineField(target: object, key: PropertyKey, value: unknown, isEnumerable: boolean): void {
  defineProperty(target, key, {
    __proto__: null,
    value,
    writable: true,
    enumerable: isEnumerable,
    configurable: true,
  } as PropertyDescriptor)
}

export const HIDDEN: Attributes = { writable: true, enumerable: false, configurable: true }
export const FIXED: Attributes = { writable: false, enumerable: false, configurable: false }
