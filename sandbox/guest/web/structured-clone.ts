import { kindOf, unbox } from '../value-kinds.ts'
import { DOMException } from './encoding.ts'

const ERRORS: Record<string, new (message: string) => Error> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
}

/** `structuredClone` without transfer: own enumerable data, cycles and the built-in kinds; everything else is refused. */
export function structuredClone(value: unknown): unknown {
  const seen = new Map<object, unknown>()
  // A stack of work instead of recursion: depth is bounded by the heap alone.
  const work: (() => void)[] = []
  const clone = (given: unknown): unknown => {
    if (typeof given === 'function' || typeof given === 'symbol') {
      throw new DOMException(`${describe(given)} could not be cloned.`, 'DataCloneError')
    }
    if (typeof given !== 'object' || given === null) return given
    const known = seen.get(given)
    if (known !== undefined) return known
    const copy = start(given)
    seen.set(given, copy)
    return copy
  }
  const start = (given: object): object => {
    switch (kindOf(given)) {
      case 'array': {
        const copy: unknown[] = []
        copy.length = (given as unknown[]).length
        work.push(() => copyKeys(given, copy))
        return copy
      }
      case 'date':
        return new Date((given as Date).getTime())
      case 'regexp':
        return new RegExp((given as RegExp).source, (given as RegExp).flags)
      case 'map': {
        const copy = new Map()
        work.push(() => {
          for (const [key, item] of Array.from(given as Map<unknown, unknown>)) copy.set(clone(key), clone(item))
        })
        return copy
      }
      case 'set': {
        const copy = new Set()
        work.push(() => {
          for (const item of Array.from(given as Set<unknown>)) copy.add(clone(item))
        })
        return copy
      }
      case 'buffer':
        return (given as ArrayBuffer).slice(0)
      case 'bytes':
        return cloneBytes(given as Uint8Array)
      case 'error':
        return cloneError(given as Error)
      case 'boxed':
        return Object(unbox(given)) as object
      case 'promise':
      case 'weak':
        throw new DOMException(`${describe(given)} could not be cloned.`, 'DataCloneError')
      case 'plain':
      case 'instance': {
        if (given instanceof DataView) {
          return new DataView(given.buffer.slice(given.byteOffset, given.byteOffset + given.byteLength))
        }
        const copy = {}
        work.push(() => copyKeys(given, copy))
        return copy
      }
    }
  }
  const copyKeys = (from: object, to: object): void => {
    for (const key of Object.keys(from)) {
      Object.defineProperty(to, key, {
        value: clone((from as Record<string, unknown>)[key]),
        writable: true,
        enumerable: true,
        configurable: true,
      })
    }
  }
  const cloneError = (given: Error): Error => {
    const Constructor = ERRORS[given.name] ?? Error
    const copy = new Constructor(given.message)
    Object.defineProperty(copy, 'stack', { value: given.stack, writable: true, configurable: true })
    if ('cause' in given) {
      work.push(() => {
        Object.defineProperty(copy, 'cause', { value: clone(given.cause), writable: true, configurable: true })
      })
    }
    return copy
  }
  const root = clone(value)
  for (let next = work.pop(); next !== undefined; next = work.pop()) next()
  return root
}

function cloneBytes(view: Uint8Array): object {
  const Constructor = view.constructor as new (buffer: ArrayBufferLike) => object
  return new Constructor(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength))
}

function describe(value: unknown): string {
  if (typeof value === 'function') return `The function ${value.name || '(anonymous)'}`
  if (typeof value === 'symbol') return String(value)
  return `#<${(value as object).constructor?.name ?? 'Object'}>`
}
