import { emitClear, emitTimer } from './outbox.ts'
import {
  define,
  floor,
  HIDDEN,
  max,
  min,
  PromiseConstructor,
  RangeErrorConstructor,
  ReflectApply,
  SafeMap,
  toNumber,
  TypeErrorConstructor,
} from './primordials.ts'

interface Timer {
  readonly callback: Function
  readonly args: readonly unknown[]
  readonly ms: number
  readonly repeats: boolean
}

/** Each armed timer is an entry on the host: a loop that arms them for ever is stopped here. */
const MAX_TIMERS = 10_000
const MAX_DELAY = 2 ** 31 - 1
const armed = new SafeMap<number, Timer>()
let lastId = 0

function arm(callback: unknown, delay: unknown, args: readonly unknown[], repeats: boolean, name: string): number {
  if (typeof callback !== 'function') throw new TypeErrorConstructor(`${name} takes a function; got ${typeof callback}`)
  if (armed.size >= MAX_TIMERS) throw new RangeErrorConstructor(`more than ${MAX_TIMERS} timers are waiting`)
  const wanted = toNumber(delay)
  const ms = wanted >= 1 && wanted <= MAX_DELAY ? floor(wanted) : wanted > MAX_DELAY ? MAX_DELAY : repeats ? 1 : 0
  const id = ++lastId
  armed.set(id, { callback, args, ms, repeats })
  emitTimer(id, min(MAX_DELAY, max(0, ms)))
  return id
}

function disarm(id: unknown): void {
  if (typeof id === 'number' && armed.delete(id)) emitClear(id)
}

/** Runs a due timer. What its callback throws is the program's uncaught error: given to `onError`. */
export function fireTimer(id: number, onError: (thrown: unknown) => void): void {
  const timer = armed.get(id)
  if (timer === undefined) return
  if (timer.repeats) emitTimer(id, timer.ms)
  else armed.delete(id)
  try {
    ReflectApply(timer.callback, undefined, timer.args)
  } catch (thrown) {
    onError(thrown)
  }
}

export function installTimers(global: object, onError: (thrown: unknown) => void): void {
  const resolved = new PromiseConstructor<void>((resolve) => resolve())
  const functions = {
    setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      arm(callback, delay, args, false, 'setTimeout'),
    setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      arm(callback, delay, args, true, 'setInterval'),
    setImmediate: (callback: unknown, ...args: unknown[]) => arm(callback, 0, args, false, 'setImmediate'),
    clearTimeout: (id?: unknown) => disarm(id),
    clearInterval: (id?: unknown) => disarm(id),
    clearImmediate: (id?: unknown) => disarm(id),
    queueMicrotask: (callback?: unknown) => {
      if (typeof callback !== 'function') {
        throw new TypeErrorConstructor(`queueMicrotask takes a function; got ${typeof callback}`)
      }
      void runMicrotask(resolved, callback, onError)
    },
  } as unknown as Record<string, Function>
  const names = [
    'setTimeout',
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'clearInterval',
    'clearImmediate',
    'queueMicrotask',
  ]
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string
    define(global, name, functions[name], HIDDEN)
  }
}

async function runMicrotask(
  resolved: Promise<void>,
  callback: Function,
  onError: (thrown: unknown) => void,
): Promise<void> {
  await resolved
  try {
    ReflectApply(callback, undefined, [])
  } catch (thrown) {
    onError(thrown)
  }
}

/** Arms a timer for the prelude's own use. */
export function armOwn(callback: () => void, ms: number): number {
  return arm(callback, ms, [], false, 'timer')
}
