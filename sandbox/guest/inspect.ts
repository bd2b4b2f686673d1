/**
 * Values as text for `console`: plain data as JSON, so that a model can read it back; everything else in the notation
 * of JavaScript. Iterative over a budget: a huge or endless value is cut, never waited for.
 */
import { errorText } from './errors.ts'
import {
  append,
  ArrayIsArray,
  createList,
  functionToString,
  join,
  mapForEach,
  ObjectIs,
  ObjectKeys,
  quote,
  ReflectGetOwnPropertyDescriptor,
  regExpExec,
  regExpToString,
  SafeMap,
  setForEach,
  stringRepeat,
  stringStartsWith,
  symbolToString,
  toStringOf,
  toWellFormed,
  type List,
} from './primordials.ts'
import { shorten } from './text-size.ts'
import { classNameOf, dateToIso, kindOf, unbox } from './value-kinds.ts'

const MAX_DEPTH = 40
const WIDTH = 100
const Uint8ArrayConstructor = Uint8Array

class Inspection {
  #left: number
  readonly #open = new SafeMap<object, number>()
  constructor(budget: number) {
    this.#left = budget
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }

  #spend(text: string): string {
    this.#left -= text.length
    return text
  }

  /** `depth` is bounded by MAX_DEPTH, so the recursion is. */
  show(value: unknown, depth: number): string {
    switch (typeof value) {
      case 'string':
        return this.#spend(quote(toWellFormed(value)))
      case 'number':
        return this.#spend(ObjectIs(value, -0) ? '-0' : toStringOf(value))
      case 'bigint':
        return this.#spend(toStringOf(value) + 'n')
      case 'symbol':
        return this.#spend(symbolToString(value))
      case 'function':
        return this.#spend(describeFunction(value))
      case 'boolean':
      case 'undefined':
        return this.#spend(toStringOf(value))
      case 'object':
        break
    }
    if (value === null) return this.#spend('null')
    const object = value as object
    if (this.#open.has(object)) return this.#spend('[Circular]')
    if (depth > MAX_DEPTH) return this.#spend(ArrayIsArray(object) ? '[Array]' : '[Object]')
    if (this.#left <= 0) return '…'
    this.#open.set(object, depth)
    try {
      return this.#object(object, depth)
    } catch {
      return this.#spend('[object that cannot be read]')
    } finally {
      this.#open.delete(object)
    }
  }

  #object(object: object, depth: number): string {
    const kind = kindOf(object)
    switch (kind) {
      case 'array':
        return this.#list(object as unknown as ArrayLike<unknown>, '[', ']', depth)
      case 'date':
        return this.#spend(dateToIso(object) ?? 'Invalid Date')
      case 'error':
        return this.#error(object, depth)
      case 'regexp':
        return this.#spend(regExpToString(object as RegExp))
      case 'promise':
        return this.#spend('Promise {…} (not awaited)')
      case 'weak':
        return this.#spend(classNameOf(object) + ' {…}')
      case 'boxed':
        return classNameOf(object) + '(' + this.show(unbox(object), depth + 1) + ')'
      case 'bytes':
        return this.#list(
          object as unknown as ArrayLike<unknown>,
          `${classNameOf(object)}(${(object as unknown as ArrayLike<unknown>).length}) [`,
          ']',
          depth,
        )
      case 'buffer': {
        const bytes = new Uint8ArrayConstructor(object as ArrayBuffer)
        return this.#list(bytes, `ArrayBuffer(${bytes.length}) [`, ']', depth)
      }
      case 'map': {
        const parts: List<string> = createList()
        mapForEach(object as Map<unknown, unknown>, (item, key) => {
          if (!this.isSpent) append(parts, this.show(key, depth + 1) + ' => ' + this.show(item, depth + 1))
        })
        return wrap(parts, `Map(${parts.length}) {`, '}', depth)
      }
      case 'set': {
        const parts: List<string> = createList()
        setForEach(object as Set<unknown>, (item) => {
          if (!this.isSpent) append(parts, this.show(item, depth + 1))
        })
        return wrap(parts, `Set(${parts.length}) {`, '}', depth)
      }
      case 'instance':
        return this.#members(object, classNameOf(object) + ' {', depth)
      case 'plain':
        return this.#members(object, '{', depth)
    }
  }

  #list(items: ArrayLike<unknown>, open: string, close: string, depth: number): string {
    const parts: List<string> = createList()
    for (let index = 0; index < items.length; index++) {
      if (this.isSpent) {
        append(parts, `… ${items.length - index} more`)
        break
      }
      append(parts, this.show(items[index], depth + 1))
    }
    return wrap(parts, open, close, depth)
  }

  #members(object: object, open: string, depth: number): string {
    const keys = ObjectKeys(object)
    const parts: List<string> = createList()
    for (let index = 0; index < keys.length; index++) {
      if (this.isSpent) {
        append(parts, `… ${keys.length - index} more`)
        break
      }
      const key = keys[index] as string
      this.#left -= key.length + 4
      append(parts, quote(toWellFormed(key)) + ':' + this.#member(object, key, depth))
    }
    return wrap(parts, open, '}', depth)
  }

  /** A getter is named and not run: printing must not have effects. */
  #member(object: object, key: string, depth: number): string {
    const descriptor = ReflectGetOwnPropertyDescriptor(object, key)
    if (descriptor !== undefined && ReflectGetOwnPropertyDescriptor(descriptor, 'value') === undefined) {
      return this.#spend('[Getter]')
    }
    return this.show((object as Record<string, unknown>)[key], depth + 1)
  }

  #error(error: object, depth: number): string {
    let text = this.#spend(errorText(error))
    const keys = ObjectKeys(error)
    const parts: List<string> = createList()
    for (let index = 0; index < keys.length && !this.isSpent; index++) {
      const key = keys[index] as string
      if (key === 'message' || key === 'stack' || key === 'name' || key === 'cause') continue
      append(parts, quote(key) + ':' + this.#member(error, key, depth))
    }
    if (parts.length > 0) text += ' ' + wrap(parts, '{', '}', depth)
    const cause = (error as { cause?: unknown }).cause
    if (cause !== undefined) {
      text += '\n  [cause]: ' + this.show(cause, depth + 1)
    }
    return text
  }
}

function wrap(parts: List<string>, open: string, close: string, depth: number): string {
  let length = open.length + close.length
  for (let index = 0; index < parts.length; index++) length += (parts[index] as string).length + 1
  if (length <= WIDTH || parts.length === 0) return open + join(parts, ',') + close
  const indent = stringRepeat('  ', depth + 1)
  return open + '\n' + indent + join(parts, ',\n' + indent) + '\n' + stringRepeat('  ', depth) + close
}

function describeFunction(value: Function): string {
  const descriptor = ReflectGetOwnPropertyDescriptor(value, 'name')
  const name: unknown = descriptor === undefined ? '' : descriptor.value
  const isClass = stringStartsWith(functionToString(value), 'class')
  const label = typeof name === 'string' && name !== '' ? shorten(name, 80) : '(anonymous)'
  return isClass ? `[class ${label}]` : `[Function: ${label}]`
}

/** One value as text of at most about `budget` characters. */
export function inspect(value: unknown, budget: number): string {
  return new Inspection(budget).show(value, 0)
}

/** What `console.log(...values)` prints: strings as they are, `%s`-style formats filled in. */
export function formatLine(values: ArrayLike<unknown>, budget: number): string {
  let text = ''
  let at = 0
  const format = values[0]
  if (typeof format === 'string') {
    at = 1
    text = values.length > 1 && regExpExec(/%[sdifjoOc%]/, format) !== null ? fill(format, values, budget) : format
    if (text !== format || values.length > 1) at = consumed(format, values)
  }
  for (; at < values.length; at++) {
    if (text.length > budget) break
    const value = values[at]
    const shown = typeof value === 'string' ? value : inspect(value, budget - text.length)
    text += (at === 0 ? '' : ' ') + shown
  }
  return text
}

/** How many of the values the format string takes, itself included. */
function consumed(format: string, values: ArrayLike<unknown>): number {
  let taken = 1
  for (let index = 0; index < format.length - 1; index++) {
    if (format[index] !== '%') continue
    const kind = format[index + 1] as string
    if (kind === '%') index++
    else if (regExpExec(/[sdifjoOc]/, kind) !== null && taken < values.length) {
      taken++
      index++
    }
  }
  return taken
}

function fill(format: string, values: ArrayLike<unknown>, budget: number): string {
  let text = ''
  let taken = 1
  for (let index = 0; index < format.length; index++) {
    const unit = format[index] as string
    const kind = format[index + 1]
    if (unit !== '%' || kind === undefined) text += unit
    else if (kind === '%') {
      text += '%'
      index++
    } else if (regExpExec(/[sdifjoOc]/, kind) !== null && taken < values.length) {
      text += place(kind, values[taken], budget)
      taken++
      index++
    } else text += unit
  }
  return text
}

const { parseInt: toInteger, parseFloat: toFloat } = Number
function place(kind: string, value: unknown, budget: number): string {
  if (kind === 'c') return ''
  if (kind === 's' && typeof value === 'string') return value
  const isSymbol = typeof value === 'symbol'
  const isObject = typeof value === 'object' || typeof value === 'function'
  if (kind === 'd')
    return isSymbol || isObject ? 'NaN' : toStringOf(typeof value === 'bigint' ? value : +(value as number))
  if (kind === 'i') return isSymbol || isObject ? 'NaN' : toStringOf(toInteger(toStringOf(value), 10))
  if (kind === 'f') return isSymbol || isObject ? 'NaN' : toStringOf(toFloat(toStringOf(value)))
  return typeof value === 'string' && kind !== 'j' ? value : inspect(value, budget)
}

/** Whether a value has fields to show. */
export function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
