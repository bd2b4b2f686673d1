/**
 * Values of the program → JSON text. Iterative, so that depth is a rule and not a stack overflow; every property is
 * read exactly once, so that what the host checks is what was there; the text is built from captured intrinsics, so
 * that a changed prototype cannot alter it. A look-up of `toJSON` is the program's own wish and is honoured, except
 * when it was planted on a built-in prototype, where it would rewrite values that are not its owner's.
 */
import {
  append,
  createList,
  NumberIsFinite,
  ObjectKeys,
  quote,
  ReflectApply,
  regExpToString,
  SafeMap,
  SafeSet,
  toStringOf,
  toWellFormed,
  type List,
} from './primordials.ts'
import { errorEntries, lostOfError, mapEntries, setValues, type Entries } from './entries.ts'
import { memberPath } from './member-path.ts'
import { isOver, shorten } from './text-size.ts'
import { describeThrown } from './thrown-text.ts'
import { dateToIso, isPlantedToJson, iteratorAdvice, kindOf, nameWithArticle, unbox } from './value-kinds.ts'

/** Deeper values are cut or refused: the host's own parsers and validators must never recurse deeper than they can. */
export const MAX_DEPTH = 200
const MAX_NOTICES = 20

export interface Refusal {
  readonly ok: false
  /** `a.b[2]`, or `''` for the value itself. */
  readonly path: string
  readonly problem: string
}
/** What a promise inside a value came to. */
export type Settled = { readonly value: unknown; readonly isRejected: boolean }

interface Frame {
  readonly source: object
  /** Entries to write; for arrays `keys` is undefined and `items` is indexed. */
  readonly keys: readonly string[] | List<string> | undefined
  readonly values: ArrayLike<unknown> | undefined
  readonly length: number
  readonly close: string
  index: number
  isEmpty: boolean
}

/** One walk over one value. */
export class Projection {
  readonly #strict: boolean
  readonly #maxBytes: number
  readonly #settled: SafeMap<object, Settled>
  readonly #frames: List<Frame> = createList()
  readonly #open = new SafeSet<object>()
  #text = ''
  #isOversize = false
  #refusal: Refusal | undefined
  readonly notices: List<string> = createList()
  readonly pending: List<object> = createList()
  #noticeCount = 0

  constructor(strict: boolean, maxBytes: number, settled: SafeMap<object, Settled>) {
    this.#strict = strict
    this.#maxBytes = maxBytes
    this.#settled = settled
  }

  /** True when the value was written (or refused); false when it projects to nothing. */
  run(root: unknown): boolean {
    const isThere = this.#write(root, '')
    while (this.#frames.length > 0 && this.#refusal === undefined && !this.#isOversize) {
      const frame = this.#frames[this.#frames.length - 1] as Frame
      if (frame.index >= frame.length) {
        this.#text += frame.close
        this.#open.delete(frame.source)
        this.#frames.length--
        continue
      }
      const index = frame.index++
      if (frame.keys === undefined) this.#element(frame, index)
      else this.#member(frame, frame.keys[index] as string, index)
    }
    return isThere
  }

  get text(): string {
    return this.#text
  }
  get refusal(): Refusal | undefined {
    return this.#refusal
  }
  get isOversize(): boolean {
    return this.#isOversize || isOver(this.#text, this.#maxBytes)
  }

  #element(frame: Frame, index: number): void {
    if (!frame.isEmpty) this.#put(',')
    frame.isEmpty = false
    const value = this.#read(frame, index)
    if (!this.#write(value, toStringOf(index))) {
      if (this.#strict && this.#refusal === undefined) this.#refuse('is undefined; use null')
      this.#put('null')
    }
  }

  #member(frame: Frame, key: string, index: number): void {
    const value = frame.values === undefined ? this.#read(frame, key) : frame.values[index]
    const before = this.#text
    this.#put((frame.isEmpty ? '' : ',') + quote(this.#strict ? key : toWellFormed(key)) + ':')
    if (this.#write(value, key)) frame.isEmpty = false
    else this.#text = before
  }

  #read(frame: Frame, key: string | number): unknown {
    try {
      const from = (frame.values ?? frame.source) as Record<string | number, unknown>
      return from[key]
    } catch (thrown) {
      this.#unreadable(thrown)
      return undefined
    }
  }

  #put(text: string): void {
    this.#text += text
    if (this.#text.length > this.#maxBytes) this.#isOversize = true
  }

  #unreadable(thrown: unknown): void {
    const reason = shorten(describeThrown(thrown), 200)
    if (this.#strict) this.#refuse(`cannot be read: ${reason}`)
    else this.#notice(`could not be read and was dropped (${reason})`)
  }

  #refuse(problem: string): void {
    this.#refusal ??= { ok: false, path: this.#path(), problem }
  }

  #notice(text: string): void {
    this.#noticeCount++
    if (this.#noticeCount > MAX_NOTICES) return
    if (this.#noticeCount === MAX_NOTICES) append(this.notices, 'More values of the result were changed in such ways.')
    else append(this.notices, 'result' + this.#path() + ' ' + text)
  }

  /** Where the walk is right now, read off the frames: paths cost nothing until something is wrong. */
  #path(): string {
    let path = ''
    for (let level = 0; level < this.#frames.length; level++) {
      const frame = this.#frames[level] as Frame
      if (frame.index === 0) continue
      const at = frame.index - 1
      path += frame.keys === undefined ? `[${at}]` : memberPath(frame.keys[at] as string)
    }
    return shorten(path, 300)
  }

  /** Writes one value or opens its frame. False: nothing was written, the place is left out. */
  #write(given: unknown, key: string): boolean {
    let value = given
    for (let hops = 0; ; hops++) {
      switch (typeof value) {
        case 'string':
          // Told before it is copied: half a gigabyte of text is not to be quoted first.
          if (value.length > this.#maxBytes) this.#isOversize = true
          else this.#put(quote(this.#strict ? value : toWellFormed(value)))
          return true
        case 'boolean':
          this.#put(value ? 'true' : 'false')
          return true
        case 'number':
          return this.#number(value)
        case 'undefined':
          return false
        case 'bigint':
          if (this.#strict) this.#refuse('is a bigint; JSON has none: use Number(value) or String(value)')
          else this.#put('"' + toStringOf(value) + '"')
          return true
        case 'symbol':
          return this.#dropped('a symbol')
        case 'function':
          return this.#dropped('a function')
        case 'object':
          break
      }
      if (value === null) {
        this.#put('null')
        return true
      }
      const object = value as object
      const known = this.#settled.get(object)
      if (known !== undefined && hops < 10) {
        if (known.isRejected) this.#notice('was a promise that was rejected; its error stands in its place')
        value = known.value
        continue
      }
      const kind = this.#kind(object)
      if (kind === undefined) return this.#strict
      if (kind === 'date') {
        const iso = dateToIso(object)
        if (iso === undefined) {
          if (this.#strict) this.#refuse('is an invalid Date')
          else this.#notice('was an invalid Date and became null')
        }
        this.#put(iso === undefined ? 'null' : '"' + iso + '"')
        return true
      }
      if (hops === 0 && kind !== 'array' && kind !== 'promise') {
        const replaced = this.#viaToJson(object, key)
        if (replaced !== undefined) {
          value = replaced.value
          continue
        }
      }
      if (kind === 'boxed') {
        value = unbox(object)
        continue
      }
      return this.#object(object, kind)
    }
  }

  /** Undefined for a proxy whose traps throw. */
  #kind(object: object): ReturnType<typeof kindOf> | undefined {
    try {
      return kindOf(object)
    } catch (thrown) {
      this.#unreadable(thrown)
      return undefined
    }
  }

  #number(value: number): boolean {
    if (NumberIsFinite(value)) {
      this.#put(value === 0 ? '0' : toStringOf(value))
      return true
    }
    if (this.#strict) this.#refuse(`is ${toStringOf(value)}; JSON has no such number`)
    else this.#notice(`was ${toStringOf(value)} and became null`)
    this.#put('null')
    return true
  }

  #dropped(what: string): boolean {
    if (this.#strict) {
      this.#refuse(`is ${what}; arguments must be plain JSON data`)
      return true
    }
    this.#notice(`was ${what} and was dropped`)
    return false
  }

  #viaToJson(object: object, key: string): Settled | undefined {
    try {
      const toJson = (object as { toJSON?: unknown }).toJSON
      if (typeof toJson !== 'function' || isPlantedToJson(toJson)) return undefined
      return { value: ReflectApply(toJson, object, [key]), isRejected: false }
    } catch (thrown) {
      const reason = shorten(describeThrown(thrown), 200)
      if (this.#strict) {
        this.#refuse(`has a toJSON that failed: ${reason}`)
        return { value: null, isRejected: false }
      }
      this.#notice(`has a toJSON that failed (${reason}); it was read without it`)
      return undefined
    }
  }

  #object(object: object, kind: ReturnType<typeof kindOf>): boolean {
    if (this.#open.has(object)) {
      if (this.#strict) this.#refuse('is a cycle: it contains itself')
      else this.#notice('was a cycle and was dropped')
      return this.#strict
    }
    if (this.#frames.length >= MAX_DEPTH) {
      if (this.#strict) this.#refuse(`is nested deeper than ${MAX_DEPTH} levels`)
      else this.#notice(`was nested deeper than ${MAX_DEPTH} levels and became null`)
      this.#put('null')
      return true
    }
    switch (kind) {
      case 'array':
        return this.#openArray(object, object as unknown as ArrayLike<unknown>)
      case 'plain':
        return this.#openObject(object)
      case 'instance':
        return this.#openInstance(object)
      case 'promise':
        if (this.#strict) this.#refuse('is a promise; await it first')
        else append(this.pending, object)
        this.#put('null')
        return true
      case 'error':
        if (this.#strict) return this.#unsupported('an Error', 'pass its message')
        this.#noteLostOfError(object)
        return this.#openPairs(object, errorEntries(object))
      case 'map':
        if (this.#strict) return this.#unsupported('a Map', 'use Object.fromEntries(map)')
        return this.#openMap(object as Map<unknown, unknown>)
      case 'set':
        if (this.#strict) return this.#unsupported('a Set', 'use [...set]')
        return this.#openArray(object, setValues(object as Set<unknown>))
      case 'bytes':
        if (this.#strict) return this.#unsupported('a typed array', 'use Array.from(it), or base64 text')
        return this.#openArray(object, object as unknown as ArrayLike<unknown>)
      case 'buffer':
        if (this.#strict) return this.#unsupported('an ArrayBuffer', 'use base64 text')
        return this.#openArray(object, new Uint8ArrayConstructor(object as ArrayBuffer))
      case 'regexp':
        if (this.#strict) return this.#unsupported('a RegExp', 'use its source')
        this.#put(quote(toWellFormed(regExpToString(object as RegExp))))
        return true
      case 'weak':
        return this.#dropped('a weak collection')
      case 'date':
      case 'boxed':
        return false
    }
  }

  #unsupported(what: string, advice: string): boolean {
    this.#refuse(`is ${what}; ${advice}`)
    return true
  }

  #push(source: object, frame: Omit<Frame, 'source' | 'index' | 'isEmpty'>): boolean {
    this.#open.add(source)
    append(this.#frames, {
      source,
      keys: frame.keys,
      values: frame.values,
      length: frame.length,
      close: frame.close,
      index: 0,
      isEmpty: true,
    })
    return true
  }

  #openArray(source: object, values: ArrayLike<unknown>): boolean {
    let length: unknown
    try {
      length = values.length
    } catch {
      length = 0
    }
    this.#put('[')
    const count = typeof length === 'number' ? length : 0
    return this.#push(source, { keys: undefined, values, length: count, close: ']' })
  }

  #openObject(source: object): boolean {
    let keys: readonly string[]
    try {
      keys = ObjectKeys(source)
    } catch (thrown) {
      this.#unreadable(thrown)
      return this.#strict
    }
    this.#put('{')
    return this.#push(source, { keys, values: undefined, length: keys.length, close: '}' })
  }

  /** An object of a class that holds nothing JSON can see, such as a generator, would become `{}` without a word. */
  #openInstance(source: object): boolean {
    const advice = iteratorAdvice(source)
    if (this.#strict && advice !== undefined) return this.#unsupported(nameWithArticle(source), advice)
    const isOpen = this.#openObject(source)
    const frame = this.#frames[this.#frames.length - 1]
    if (this.#strict || !isOpen || frame === undefined || frame.source !== source || frame.length > 0) return isOpen
    const what = `was ${nameWithArticle(source)} without fields of its own and became {}`
    this.#notice(advice === undefined ? what : `${what}; ${advice}`)
    return isOpen
  }

  #noteLostOfError(error: object): void {
    const lost = lostOfError(error)
    if (lost === '') return
    this.#notice(`was an Error; left out: ${shorten(lost, 200)}`)
  }

  #openPairs(source: object, { names, values }: Entries): boolean {
    this.#put('{')
    return this.#push(source, { keys: names, values, length: names.length, close: '}' })
  }

  /** An object when every key can be a property name, else a list of pairs. */
  #openMap(map: Map<unknown, unknown>): boolean {
    const { entries, pairs } = mapEntries(map)
    return entries === undefined ? this.#openArray(map, pairs) : this.#openPairs(map, entries)
  }
}

const Uint8ArrayConstructor = Uint8Array
