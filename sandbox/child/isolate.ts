/**
 * The only file that knows isolated-vm. One isolate is one run: made with the prelude inside, used once, thrown away.
 *
 * Errors that come out of isolated-vm are copied from the guest and are hostile: nothing of them is used but whether
 * the text is the one of a time-out. Everything the host learns is made inside the guest, under the clock.
 */
import { createRequire } from 'node:module'
import type IsolatedVm from 'isolated-vm'
import { compilePrelude } from './prelude-cache.ts'

export type Ivm = typeof IsolatedVm

export type StepResult =
  | {
      readonly end: 'ok'
      readonly value: string | boolean
      /** A promise was rejected in this step and nothing handled it: `Name: message` and its stack, by the guest's word. */
      readonly rejection?: string
    }
  | { readonly end: 'time' | 'memory' }

type Step = 'start' | 'deliver' | 'drain' | 'reject'
/** More of a rejection is not even handed back to the guest, which cuts it further. */
const MAX_REJECTION_CHARS = 16 * 1024

const TIMED_OUT = 'Script execution timed out.'
const SYNTAX_FILE = 'program.js'

/** `path`: the package's directory, or its compiled `.node` file alone (for a confined copy). */
export function loadIvm(path: string): Ivm {
  const require = createRequire(import.meta.url)
  const loaded: unknown = require(path)
  if (!path.endsWith('.node')) return loaded as Ivm
  return (loaded as { readonly ivm: Ivm }).ivm
}

/** Makes isolates with the prelude in them. The prelude is compiled once; isolates take its code cache. */
export function createIsolateSource(ivm: Ivm, guestCode: string): { create(memoryMb: number): GuestIsolate } {
  let codeCache: IsolatedVm.ExternalCopy<ArrayBuffer> | undefined
  return {
    create(memoryMb) {
      // No `onCatastrophicError`: it would be called on this very thread, which then never returns. Without it the
      // process aborts at once, which is what the host needs to see.
      const isolate = new ivm.Isolate({ memoryLimit: memoryMb })
      const context = isolate.createContextSync()
      codeCache ??= new ivm.ExternalCopy(compilePrelude(guestCode))
      const script = isolate.compileScriptSync(guestCode, { filename: 'prelude', cachedData: codeCache })
      const api = script.runSync(context, { reference: true }) as IsolatedVm.Reference<Record<string, unknown>>
      const take = (name: string) => api.getSync(name, { reference: true }) as IsolatedVm.Reference<GuestFunction>
      return new GuestIsolate(isolate, {
        start: take('start'),
        deliver: take('deliver'),
        drain: take('drain'),
        reject: take('reject'),
      })
    },
  }
}

type GuestFunction = (text?: string) => string | boolean

export class GuestIsolate {
  readonly #isolate: IsolatedVm.Isolate
  readonly #api: Readonly<Record<Step, IsolatedVm.Reference<GuestFunction>>>

  constructor(isolate: IsolatedVm.Isolate, api: Readonly<Record<Step, IsolatedVm.Reference<GuestFunction>>>) {
    this.#isolate = isolate
    this.#api = api
  }

  /** Calls one function of the prelude, microtasks included, for at most `timeoutMs`. */
  step(name: Step, argument: string, timeoutMs: number): StepResult {
    const startedAt = performance.now()
    try {
      const value: unknown = this.#api[name].applySync(undefined, [argument], { timeout: timeoutMs })
      return { end: 'ok', value: typeof value === 'string' || typeof value === 'boolean' ? value : '' }
    } catch (thrown) {
      if (this.#isolate.isDisposed) return { end: 'memory' }
      // A rejection nobody handled is thrown here too, with the program's own text: only one that took the whole time
      // can be the time-out.
      const isTimeOut = thrown instanceof Error && thrown.message === TIMED_OUT
      if (isTimeOut && performance.now() - startedAt >= timeoutMs - 1) return { end: 'time' }
      return { end: 'ok', value: '', rejection: describeRejection(thrown) }
    }
  }

  /** Why `code` does not compile, with its place in it; undefined when it does. Runs nothing. */
  syntaxProblem(code: string): string | undefined {
    try {
      this.#isolate.compileScriptSync(code, { filename: SYNTAX_FILE }).release()
      return undefined
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message.slice(0, 4096) : 'SyntaxError'
    }
  }

  get cpuMs(): number {
    try {
      return Number(this.#isolate.cpuTime / 1000n) / 1000
    } catch {
      return 0
    }
  }

  dispose(): void {
    if (!this.#isolate.isDisposed) this.#isolate.dispose()
  }
}

/**
 * isolated-vm copies an Error with the texts it claims to have; of anything else it tells next to nothing. The copy is
 * its own: reading it runs nothing of the guest's.
 */
function describeRejection(thrown: unknown): string {
  if (typeof thrown === 'string') return JSON.stringify(thrown.slice(0, MAX_REJECTION_CHARS))
  if (!(thrown instanceof Error)) return thrown === undefined || thrown === null ? 'no value' : `a ${typeof thrown}`
  const { name, message, stack } = thrown
  if (message.startsWith(NO_ERROR)) return 'a value that is no Error'
  const head = `${name}: ${message}`.slice(0, MAX_REJECTION_CHARS).replaceAll(/\s*\n\s*/g, ' ')
  const frames = stack?.slice(0, MAX_REJECTION_CHARS).indexOf('\n    at ') ?? -1
  return frames < 0 ? head : head + stack?.slice(frames, frames + MAX_REJECTION_CHARS)
}
const NO_ERROR = 'An object was thrown from supplied code within isolated-vm'
