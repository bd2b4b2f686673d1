/**
 * Takes out of the realm what a program may not have, before it runs. WebAssembly and shared memory escape the heap
 * limit and make timers; weak references show when the collector runs; resizable buffers are not counted by the heap
 * limit at all.
 */
import { define, HIDDEN, ReflectConstruct, ReflectDefineProperty, TypeErrorConstructor } from './primordials.ts'
import { replaceConstructor } from './clock.ts'

const REMOVED = [
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'WeakRef',
  'FinalizationRegistry',
  // Where the engine has it: a second realm would bring all of this back.
  'ShadowRealm',
  // isolated-vm's engine console talks to an inspector that is not there; ours comes later.
  'console',
]
const BUFFER_MEMBERS = [
  'resize',
  'resizable',
  'maxByteLength',
  'transfer',
  'transferToFixedLength',
  'transferToImmutable',
  'sliceToImmutable',
  'immutable',
  'detached',
]

export function cutRealm(global: object): void {
  for (let index = 0; index < REMOVED.length; index++)
    delete (global as Record<string, unknown>)[REMOVED[index] as string]
  const NativeArrayBuffer = ArrayBuffer
  for (let index = 0; index < BUFFER_MEMBERS.length; index++) {
    delete (NativeArrayBuffer.prototype as unknown as Record<string, unknown>)[BUFFER_MEMBERS[index] as string]
  }
  // The options, with their `maxByteLength`, never reach the engine.
  function GuestArrayBuffer(length: unknown): unknown {
    if (new.target === undefined) throw new TypeErrorConstructor("Constructor ArrayBuffer requires 'new'")
    return ReflectConstruct(NativeArrayBuffer, [length], new.target)
  }
  replaceConstructor(NativeArrayBuffer as never, GuestArrayBuffer, 'ArrayBuffer', 1)
  define(global, 'ArrayBuffer', GuestArrayBuffer, HIDDEN)
}

/** A global that a program may shadow in its own scopes but never replace. */
export function fixGlobal(global: object, name: string, value: unknown): void {
  ReflectDefineProperty(global, name, {
    __proto__: null,
    value,
    writable: false,
    enumerable: false,
    configurable: false,
  } as PropertyDescriptor)
}
