/**
 * All chance of a run comes from its seed: xoshiro128**, seeded from the 128 bits the host drew. The state lives in
 * this closure; no value the program can reach holds it. Not for keys: a program has no use for secrets of its own.
 */
import {
  define,
  HIDDEN,
  imul,
  numberToString,
  ObjectCreate,
  ReflectGetOwnPropertyDescriptor,
  ReflectGetPrototypeOf,
  stringPadStart,
  stringSlice,
  uncurryThis,
} from './primordials.ts'

const fromHex = parseInt
let a = 1
let b = 2
let c = 3
let d = 4

/** `seed`: 32 hex digits. */
export function seedRandom(seed: string): void {
  a = fromHex(stringSlice(seed, 0, 8), 16) | 0
  b = fromHex(stringSlice(seed, 8, 16), 16) | 0
  c = fromHex(stringSlice(seed, 16, 24), 16) | 0
  d = fromHex(stringSlice(seed, 24, 32), 16) | 0
  if ((a | b | c | d) === 0) a = 1
  for (let round = 0; round < 16; round++) nextUint32()
}

function nextUint32(): number {
  const product = imul(b, 5)
  const result = imul((product << 7) | (product >>> 25), 9)
  const shifted = b << 9
  c ^= a
  d ^= b
  b ^= c
  a ^= d
  c ^= shifted
  d = (d << 11) | (d >>> 21)
  return result >>> 0
}

const typedArrayPrototype = ReflectGetPrototypeOf(Uint8Array.prototype) as object
const tagOf = uncurryThis(
  ReflectGetOwnPropertyDescriptor(typedArrayPrototype, Symbol.toStringTag)!.get as (
    this: unknown,
  ) => string | undefined,
)
const bufferOf = uncurryThis(
  ReflectGetOwnPropertyDescriptor(typedArrayPrototype, 'buffer')!.get as (this: unknown) => ArrayBuffer,
)
const offsetOf = uncurryThis(
  ReflectGetOwnPropertyDescriptor(typedArrayPrototype, 'byteOffset')!.get as (this: unknown) => number,
)
const byteLengthOf = uncurryThis(
  ReflectGetOwnPropertyDescriptor(typedArrayPrototype, 'byteLength')!.get as (this: unknown) => number,
)
const BytesConstructor = Uint8Array
const TypeErrorConstructor = TypeError
const RangeErrorConstructor = RangeError

export function installRandom(global: object): void {
  const functions = {
    random(): number {
      // 53 bits, as many as a double holds below 1.
      return ((nextUint32() >>> 5) * 67108864 + (nextUint32() >>> 6)) / 9007199254740992
    },
    getRandomValues(array: unknown): unknown {
      const tag = tagOf(array)
      if (tag === undefined || tag === 'Float16Array' || tag === 'Float32Array' || tag === 'Float64Array') {
        throw new TypeErrorConstructor('crypto.getRandomValues takes an integer typed array')
      }
      const size = byteLengthOf(array)
      if (size > 65536) {
        throw new RangeErrorConstructor(`crypto.getRandomValues fills at most 65536 bytes; got ${size}`)
      }
      const bytes = new BytesConstructor(bufferOf(array), offsetOf(array), size)
      for (let index = 0; index < size; index++) bytes[index] = nextUint32() >>> 24
      return array
    },
    randomUUID(): string {
      const word = () => stringPadStart(numberToString(nextUint32(), 16), 8, '0')
      const hex = word() + word() + word() + word()
      const variant = numberToString(8 + (nextUint32() >>> 30), 16)
      return (
        stringSlice(hex, 0, 8) +
        '-' +
        stringSlice(hex, 8, 12) +
        '-4' +
        stringSlice(hex, 13, 16) +
        '-' +
        variant +
        stringSlice(hex, 17, 20) +
        '-' +
        stringSlice(hex, 20, 32)
      )
    },
  }
  define(Math, 'random', functions.random, HIDDEN)
  const crypto = ObjectCreate(Object.prototype) as object
  define(crypto, 'getRandomValues', functions.getRandomValues, HIDDEN)
  define(crypto, 'randomUUID', functions.randomUUID, HIDDEN)
  define(global, 'crypto', crypto, HIDDEN)
}
