import { jsonStringBytes } from './bytes.ts'
import { thrownMessage } from './failure.ts'
import type { Json } from './json.ts'
import { pointerOf } from './pointer.ts'

export interface SnapshotLimits {
  /** UTF-8 bytes of the value as compact JSON text. Shared parts count each time they occur. */
  readonly maxBytes?: number
  /** Values of any kind, the root included. */
  readonly maxNodes?: number
  /** Containers inside each other; a scalar has depth 0, `[]` depth 1. */
  readonly maxDepth?: number
}

export type SnapshotResult =
  | { readonly ok: true; readonly value: Json; readonly bytes: number }
  | { readonly ok: false; readonly path: string; readonly reason: string }

/** As large as one nested argument or result may be, and as deep as V8's own JSON functions go with room to spare. */
export const SNAPSHOT_DEFAULTS = { maxBytes: 16 * 1024 * 1024, maxNodes: 1_000_000, maxDepth: 5_000 } as const

/**
 * A deep-frozen, lossless JSON copy of a value, or the place and the reason why there is none.
 *
 * Reads every property once, so that a getter or a proxy that answers differently next time has been asked for the last
 * time: what is checked, logged and executed is this copy. Total: a trap that throws is a refusal. (A trap that never
 * returns cannot be helped: values of that kind come from this process, never from a program or a peer.)
 *
 * Copies have the ordinary `Object.prototype`, so that spreading, `JSON.stringify` and equality behave as people expect;
 * an own `__proto__` is an own data property of the copy. Read names from outside with `Object.hasOwn`.
 */
export function snapshot(value: unknown, limits?: SnapshotLimits): SnapshotResult {
  const maxBytes = limits?.maxBytes ?? SNAPSHOT_DEFAULTS.maxBytes
  const maxNodes = limits?.maxNodes ?? SNAPSHOT_DEFAULTS.maxNodes
  const maxDepth = limits?.maxDepth ?? SNAPSHOT_DEFAULTS.maxDepth
  if (typeof value === 'object' && value !== null) {
    const known = Seal.of(value)
    if (known !== undefined && known.bytes <= maxBytes && known.nodes <= maxNodes && known.depth <= maxDepth) {
      return { ok: true, value: value as Json, bytes: known.bytes } // Nothing but JSON is ever sealed.
    }
  }
  return new Copier(maxBytes, maxNodes, maxDepth).copy(value)
}

/** Whether `snapshot` made this very object (or the value is a scalar that JSON has). */
export function isSnapshot(value: unknown): value is Json {
  if (typeof value === 'object' && value !== null) return Seal.of(value) !== undefined
  return value === null || typeof value === 'string' || typeof value === 'boolean' || isLosslessNumber(value)
}

interface Measure {
  readonly bytes: number
  readonly nodes: number
  readonly depth: number
}

class Same {
  constructor(target: object) {
    return target
  }
}
/**
 * Marks the roots of snapshots made here, which are frozen all the way down and so need no second copy. The mark is a
 * private field put on the copy itself (a constructor may return another object than its own): nobody outside this
 * file can see, copy or forge it, a proxy does not inherit it, and it costs a tenth of a WeakMap entry.
 */
class Seal extends Same {
  readonly #measure: Measure
  constructor(target: object, measure: Measure) {
    super(target)
    this.#measure = measure
  }
  static of(value: object): Measure | undefined {
    return #measure in value ? value.#measure : undefined
  }
}

interface Frame {
  readonly source: object
  /** Keys of an object; undefined for an array, whose keys are 0 … length − 1. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  readonly target: Record<string, Json> | Json[]
  next: number
  /** Levels of containers below this one, as far as it has been read. */
  below: number
  /** What had been counted when this container was entered. */
  readonly bytesBefore: number
  readonly nodesBefore: number
}

/**
 * From this many nodes on, each finished container is remembered, so that a part which occurs again is counted again but
 * not copied again: forty lines of `x = [x, x]` would otherwise keep the process busy until a limit is reached.
 */
const REMEMBERED_FROM = 1_000

/** Scanning the chain of ancestors is quicker than a Set as long as the chain is short. */
const SCANNED_ANCESTORS = 24

class Refusal {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

class Copier {
  readonly #maxBytes: number
  readonly #maxNodes: number
  readonly #maxDepth: number
  readonly #frames: Frame[] = []
  #ancestors: Set<object> | undefined
  #finished: Map<object, { readonly copy: Json; readonly measure: Measure }> | undefined
  #bytes = 0
  #nodes = 0
  #rootDepth = 0

  constructor(maxBytes: number, maxNodes: number, maxDepth: number) {
    this.#maxBytes = maxBytes
    this.#maxNodes = maxNodes
    this.#maxDepth = maxDepth
  }

  copy(root: unknown): SnapshotResult {
    try {
      const value = this.#enter(root)
      const frames = this.#frames
      while (frames.length > 0) this.#advance(frames[frames.length - 1]!) // The loop condition says there is one.
      if (typeof value === 'object' && value !== null && value !== root) {
        // The mark goes on before the freeze: a frozen object may not be given private fields in every engine.
        new Seal(value, { bytes: this.#bytes, nodes: this.#nodes, depth: this.#rootDepth })
        Object.freeze(value)
      }
      return { ok: true, value, bytes: this.#bytes }
    } catch (thrown) {
      const reason = thrown instanceof Refusal ? thrown.reason : `reading it threw: ${thrownMessage(thrown)}`
      return { ok: false, path: this.#path(), reason }
    }
  }

  /** Goes on with the innermost container until it ends or a container inside it has to go first. */
  #advance(frame: Frame): void {
    const { source, keys, target, length } = frame
    while (frame.next < length) {
      const depth = this.#frames.length
      if (keys === undefined) {
        const index = frame.next++
        const item = (source as readonly unknown[])[index]
        if (item === undefined) throw new Refusal(Object.hasOwn(source, index) ? UNDEFINED : 'array hole')
        ;(target as Json[])[index] = this.#enter(item)
      } else {
        const key = keys[frame.next++]! // `next` is below `length`, the number of keys.
        const item: unknown = (source as Record<string, unknown>)[key]
        this.#spend(jsonStringBytes(key, this.#maxBytes - this.#bytes) + 1)
        const copied = this.#enter(item)
        if (key === '__proto__') defineOwn(target, key, copied)
        else (target as Record<string, Json>)[key] = copied
      }
      if (this.#frames.length > depth) return
    }
    this.#leave(frame)
  }

  #leave(frame: Frame): void {
    this.#frames.pop()
    this.#ancestors?.delete(frame.source)
    this.#rise(frame.below + 1)
    if (this.#frames.length === 0) return // The root is frozen once it is marked.
    Object.freeze(frame.target)
    if (this.#nodes < REMEMBERED_FROM) return
    const measure = {
      bytes: this.#bytes - frame.bytesBefore,
      nodes: this.#nodes - frame.nodesBefore,
      depth: frame.below + 1,
    }
    this.#finished ??= new Map()
    this.#finished.set(frame.source, { copy: frame.target, measure })
  }

  /** Tells the container that is now innermost how many levels there are below it. */
  #rise(levels: number): void {
    const parent = this.#frames.at(-1)
    if (parent === undefined) this.#rootDepth = levels
    else if (levels > parent.below) parent.below = levels
  }

  /** The copy of one value; that of a container is still empty, and a frame to fill it is on the stack. */
  #enter(value: unknown): Json {
    if (++this.#nodes > this.#maxNodes) throw this.#tooMany()
    switch (typeof value) {
      case 'string':
        this.#spend(jsonStringBytes(value, this.#maxBytes - this.#bytes))
        return value
      case 'number':
        if (!isLosslessNumber(value)) throw new Refusal(`${Object.is(value, -0) ? '-0' : value} has no JSON form`)
        this.#spend(numberBytes(value))
        return value
      case 'boolean':
        this.#spend(value ? 4 : 5)
        return value
      case 'object':
        if (value === null) {
          this.#spend(4)
          return value
        }
        return this.#open(value)
      case 'undefined':
        throw new Refusal(UNDEFINED)
      case 'bigint':
        throw new Refusal('bigint has no JSON form; write it as a string')
      case 'symbol':
      case 'function':
        throw new Refusal(`${typeof value} has no JSON form`)
    }
  }

  #open(source: object): Json {
    const known = Seal.of(source)
    if (known !== undefined) return this.#reuse(source as Json, known) // Nothing but JSON is ever marked.
    const finished = this.#finished?.get(source)
    if (finished !== undefined) return this.#reuse(finished.copy, finished.measure)
    const depth = this.#frames.length + 1
    if (this.#isAncestor(source)) throw new Refusal('cycle: the value contains itself')
    if (depth > this.#maxDepth) throw this.#tooDeep()
    const frame = Array.isArray(source) ? this.#openArray(source) : this.#openObject(source)
    this.#frames.push(frame)
    this.#ancestors?.add(source)
    if (frame.length === 0) this.#leave(frame)
    return frame.target
  }

  #openArray(source: readonly unknown[]): Frame {
    const prototype: unknown = Object.getPrototypeOf(source)
    // Array.prototype of any realm is itself an array; the prototype of a subclass is not.
    if (prototype !== Array.prototype && !Array.isArray(prototype)) throw new Refusal('class instance')
    const { length } = source
    // Before the keys are listed: a proxy may claim four thousand million items.
    if (length > this.#maxNodes - this.#nodes) throw this.#tooMany()
    const names = Object.getOwnPropertyNames(source).length
    if (names !== length + 1) throw new Refusal(names <= length ? 'array hole' : 'array with extra properties')
    if (Object.getOwnPropertySymbols(source).length > 0) throw new Refusal('symbol key')
    const bytesBefore = this.#bytes
    this.#spend(length === 0 ? 2 : length + 1)
    return { source, keys: undefined, length, target: [], next: 0, below: 0, bytesBefore, nodesBefore: this.#nodes - 1 }
  }

  #openObject(source: object): Frame {
    if (!isPlain(source)) throw new Refusal(instanceReason(source))
    const keys = Object.keys(source)
    if (Object.getOwnPropertySymbols(source).length > 0) throw new Refusal('symbol key')
    if (Object.getOwnPropertyNames(source).length !== keys.length) throw new Refusal('property that is not enumerable')
    if (keys.length > this.#maxNodes - this.#nodes) throw this.#tooMany()
    const bytesBefore = this.#bytes
    this.#spend(keys.length === 0 ? 2 : keys.length + 1)
    return {
      source,
      keys,
      length: keys.length,
      target: {},
      next: 0,
      below: 0,
      bytesBefore,
      nodesBefore: this.#nodes - 1,
    }
  }

  #reuse(copy: Json, known: Measure): Json {
    if (this.#frames.length + known.depth > this.#maxDepth) throw this.#tooDeep()
    this.#rise(known.depth)
    this.#nodes += known.nodes - 1
    if (this.#nodes > this.#maxNodes) throw this.#tooMany()
    this.#spend(known.bytes)
    return copy
  }

  #isAncestor(source: object): boolean {
    const frames = this.#frames
    if (this.#ancestors !== undefined) return this.#ancestors.has(source)
    if (frames.length > SCANNED_ANCESTORS) {
      this.#ancestors = new Set(frames.map((frame) => frame.source))
      return this.#ancestors.has(source)
    }
    for (const frame of frames) if (frame.source === source) return true
    return false
  }

  #spend(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes) throw new Refusal(`larger than ${this.#maxBytes} bytes as JSON`)
  }
  #tooMany(): Refusal {
    return new Refusal(`more than ${this.#maxNodes} values`)
  }
  #tooDeep(): Refusal {
    return new Refusal(`nested deeper than ${this.#maxDepth} levels`)
  }
  #path(): string {
    return pointerOf(this.#frames.map(({ keys, next }) => (keys === undefined ? next - 1 : (keys[next - 1] ?? ''))))
  }
}

const UNDEFINED = 'undefined has no JSON form'

function isLosslessNumber(value: unknown): boolean {
  return Number.isFinite(value) && !Object.is(value, -0)
}

/** Plain: no prototype, or the `Object.prototype` of this or another realm. */
function isPlain(source: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(source)
  if (prototype === Object.prototype || prototype === null) return true
  if (typeof prototype !== 'object' || Object.getPrototypeOf(prototype) !== null) return false
  // Only an Object.prototype has no prototype and these; read as descriptors, so that nothing foreign runs.
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  return (
    Object.hasOwn(prototype, 'isPrototypeOf') &&
    typeof constructor === 'function' &&
    Object.getOwnPropertyDescriptor(constructor, 'name')?.value === 'Object'
  )
}

function instanceReason(source: object): string {
  const prototype: unknown = Object.getPrototypeOf(source)
  if (typeof prototype !== 'object' || prototype === null) return 'class instance'
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  const name: unknown =
    typeof constructor === 'function' ? Object.getOwnPropertyDescriptor(constructor, 'name')?.value : undefined
  return typeof name === 'string' && /^\w{1,60}$/.test(name) ? `class instance (${name})` : 'class instance'
}

function defineOwn(target: object, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Bytes of a finite number as JSON writes it. Small integers, most numbers there are, need no text. */
function numberBytes(value: number): number {
  if (Number.isInteger(value) && value > -1e6 && value < 1e6) {
    const size = value < 0 ? -value : value
    const digits = size < 10 ? 1 : size < 100 ? 2 : size < 1_000 ? 3 : size < 10_000 ? 4 : size < 100_000 ? 5 : 6
    return value < 0 ? digits + 1 : digits
  }
  return `${value}`.length
}
